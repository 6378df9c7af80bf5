#!/bin/sh
# Install the server on this machine (Debian), with nginx, PostgreSQL and Redis on it too:
#   deploy/install.sh calendar.example.org
# As root, in a checkout at /opt/calendar. What is there already stays: settings, secrets, the
# certificate and the files of this host; so it is run again after an update of the checkout.
# Where /etc/calendar/environment names a database elsewhere, PostgreSQL and Redis are not installed.
# With DESTDIR files are written below that directory, and nothing else is done.
set -eu

hostname=${1:?"the name that users type"}
root=${DESTDIR:-}
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd)
cd "$here/.."

settings=$root/etc/calendar/environment
is_all_here() {
    [ ! -e "$settings" ] || grep -q '^DATABASE_URL=postgres:////var/run/postgresql/' "$settings"
}
say() { printf '%s\n' "$*" >&2; }
fernet() { python3 -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'; }
token() { python3 -c 'import secrets; print(secrets.token_urlsafe(48))'; }

if [ -z "$root" ]; then
    [ "$(id -u)" = 0 ] && [ "$PWD" = /opt/calendar ] || {
        say "Run this as root in /opt/calendar."
        exit 1
    }
    say "Installing packages ..."
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
        python3-venv openssl nginx-light >/dev/null
    config/tools/setup.sh requirements.txt
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
        cat >"$settings" <<EOF
# Settings of the server; /opt/calendar/.env.example has all. Restart calendar after a change.
PUBLIC_URL=https://$hostname
TRUSTED_PROXIES=127.0.0.1
DATABASE_URL=postgres:////var/run/postgresql/calendar
CACHE_URL=redis://127.0.0.1:6379/0
SECRET_KEY=$(token)
ENCRYPTION_KEYS=$(fernet)
EOF
    )
fi

install -d "$root/etc/systemd/system"
cp -a deploy/systemd/. "$root/etc/systemd/system/"

install -d "$root/etc/nginx/conf.d" "$root/etc/nginx/calendar"
install -m 644 deploy/nginx/calendar.conf "$root/etc/nginx/conf.d/calendar.conf"
install -m 644 deploy/nginx/calendar/proxy.conf deploy/nginx/calendar/headers.conf \
    "$root/etc/nginx/calendar/"
for file in host.conf servers.conf; do
    [ -e "$root/etc/nginx/calendar/$file" ] ||
        sed "s/calendar\.example\.org/$hostname/" "deploy/nginx/calendar/$file" \
            >"$root/etc/nginx/calendar/$file"
done
certificate=$root/etc/ssl/calendar
if [ ! -e "$certificate/fullchain.pem" ]; then
    say "Making a self-signed certificate; put the one of an authority in its place."
    install -d -m 700 "$certificate"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
        -subj "/CN=$hostname" -addext "subjectAltName=DNS:$hostname" \
        -keyout "$certificate/privkey.pem" -out "$certificate/fullchain.pem" 2>/dev/null
fi

[ -z "$root" ] || exit 0
systemctl daemon-reload
systemctl enable --quiet calendar.service calendar-clear-expired.timer
systemctl restart calendar.service calendar-clear-expired.timer
systemctl try-restart calendar-worker.service
nginx -t -q
systemctl reload-or-restart nginx.service
say "https://$hostname/ answers in a moment. The first account:"
say "  deploy/manage.sh createsuperuser --login admin"
