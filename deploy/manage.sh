#!/bin/sh
# Run a management command of the release in this directory as the server's user, with the
# server's settings (systemd). As root:
#   /opt/calendar/deploy/manage.sh createsuperuser --login admin
# LOCK_TIMEOUT_SECONDS is passed on, for migrations.
set -eu
release=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd -P)
# Its name begins with "calendar-", so calendar-.service.d applies to it too.
exec systemd-run --quiet --pipe --pty --wait --collect --unit="calendar-manage-$$" \
    ${LOCK_TIMEOUT_SECONDS:+--setenv="LOCK_TIMEOUT_SECONDS=$LOCK_TIMEOUT_SECONDS"} \
    "$release/.venv/bin/python" "$release/manage.py" "$@"
