#!/bin/sh
# Let this machine (Debian) serve with the release in this directory, with nginx, PostgreSQL and
# Redis on it too:
#   /opt/calendar-1.0.0/deploy/install.sh calendar.example.org
# As root. Each release has a directory of its own; the link /opt/calendar leads to the one that
# serves. Run it in the directory of a new release to upgrade, in that of an old one to go back.
# Settings, secrets, the certificate and the files of this host that are there already stay.
# Where /etc/calendar/environment names a database elsewhere, PostgreSQL and Redis are not installed.
# With DESTDIR files are written below that directory, and nothing else is done.
set -eu

hostname=${1:?"the name that users type"}
root=${DESTDIR:-}
release=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd -P)
cd "$release"
# shellcheck source=deploy/keys.sh
. deploy/keys.sh

settings=$root/etc/calendar/environment
link=$root/opt/calendar
is_all_here() {
    [ ! -e "$settings" ] ||
        grep -Eq '^DATABASE_URL=postgres:///(calendar\?host=/|/var/run/postgresql/)' "$settings"
}
is_first=
[ -L "$link" ] || is_first=1
say() { printf '%s\n' "$*" >&2; }

if [ -e "$link" ] && [ ! -L "$link" ]; then
    say "/opt/calendar is to be a link. Move that directory to /opt/calendar-VERSION first."
    exit 1
fi
if [ -z "$root" ]; then
    case $(id -u):$release in
    0:/opt/calendar-?*) ;;
    *)
        say "Run this as root, in a release at /opt/calendar-VERSION."
        exit 1
        ;;
    esac
    say "Installing packages ..."
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
        python3-venv openssl nginx-light postgresql-client >/dev/null
    set -- requirements.txt
    ! grep -qs '^TRACES=1' "$settings" || set -- "$@" requirements-tracing.txt
    config/tools/setup.sh "$@"
    id calendar >/dev/null 2>&1 ||
        useradd --system --user-group --home-dir /var/lib/calendar --shell /usr/sbin/nologin calendar
    # nginx reads static files and pictures.
    usermod --append --groups calendar www-data
    if is_all_here; then
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
            postgresql redis-server >/dev/null
        # By the name of the system's user, over the socket: there is no password.
        runuser -u postgres -- psql -qtAc "SELECT 1 FROM pg_roles WHERE rolname = 'calendar'" | grep -q 1 ||
            runuser -u postgres -- createuser calendar
        runuser -u postgres -- psql -qtAc "SELECT 1 FROM pg_database WHERE datname = 'calendar'" | grep -q 1 ||
            runuser -u postgres -- createdb --owner=calendar --encoding=UTF8 --template=template0 calendar
    fi
fi

say "Writing settings, units and the site ..."
install -d -m 700 "$root/etc/calendar"
if [ ! -e "$settings" ]; then
    (
        umask 077
        cat >"$settings" <<SETTINGS
# Settings of the server; /opt/calendar/.env.example has all. Restart calendar after a change.
PUBLIC_URL=https://$hostname
TRUSTED_PROXIES=127.0.0.1
# nginx writes a line for each request; 1 adds one with the key, the institution and the reason.
ACCESS_LOG=0
DATABASE_URL=postgres:///calendar?host=/var/run/postgresql
CACHE_URL=redis://127.0.0.1:6379/0
SECRET_KEY=$(token)
ENCRYPTION_KEYS=$(fernet)
SETTINGS
    )
fi

# Directories of the system stay as they are, and units are root's, whoever owns the release.
units=$root/etc/systemd/system
[ -d "$units" ] || install -d "$units"
install -m 644 deploy/systemd/*.service deploy/systemd/*.timer "$units/"
install -d "$units/calendar-.service.d" "$units/calendar.service.d"
install -m 644 deploy/systemd/calendar-.service.d/common.conf "$units/calendar-.service.d/"
ln -sfn ../calendar-.service.d/common.conf "$units/calendar.service.d/common.conf"

install -d "$root/etc/nginx/conf.d" "$root/etc/nginx/calendar"
install -m 644 deploy/nginx/calendar.conf "$root/etc/nginx/conf.d/calendar.conf"
install -m 644 deploy/nginx/calendar/proxy.conf deploy/nginx/calendar/headers.conf \
    "$root/etc/nginx/calendar/"
for file in host.conf servers.conf hsts.conf; do
    [ -e "$root/etc/nginx/calendar/$file" ] ||
        sed "s/calendar\.example\.org/$hostname/" "deploy/nginx/calendar/$file" \
            >"$root/etc/nginx/calendar/$file"
done
certificate=$root/etc/ssl/calendar
if [ ! -e "$certificate/fullchain.pem" ]; then
    say "Making a self-signed certificate; put the one of an authority in its place."
    install -d -m 700 "$certificate"
    self_signed "$hostname" "$certificate/privkey.pem" "$certificate/fullchain.pem"
fi

install -d "$root/opt"
ln -sfn "$release" "$link"

[ -z "$root" ] || exit 0
systemctl daemon-reload
systemctl enable --quiet calendar.service calendar-clear-expired.timer
systemctl restart calendar.service calendar-clear-expired.timer
systemctl try-restart calendar-worker.service
nginx -t -q
systemctl reload-or-restart nginx.service
say "https://$hostname/ answers in a moment."
[ -z "$is_first" ] || {
    say "The first account, where the database has none:"
    say "  /opt/calendar/deploy/manage.sh createsuperuser --login admin"
}
