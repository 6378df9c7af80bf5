#!/bin/sh
# Run a management command as the server's user, with its settings (systemd). As root:
#   deploy/manage.sh createsuperuser --login admin
set -eu
# Its name begins with "calendar-", so calendar-.service.d applies to it too.
exec systemd-run --quiet --pipe --pty --wait --collect --unit="calendar-manage-$$" \
    /opt/calendar/.venv/bin/python /opt/calendar/manage.py "$@"
