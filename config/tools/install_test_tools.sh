#!/bin/sh
# Install what the test suite uses beyond Python: PostgreSQL, Chromium, Redis, nginx,
# PgBouncer, of which no service is started, and xmlsec1 for a SAML provider.
# Present: nothing happens. Root on Debian: apt-get. Otherwise: a sentence that says what is
# missing; PostgreSQL is required, without the others only their tests skip.
set -eu

say() { printf '%s\n' "$*" >&2; }
have_postgres() { command -v postgres >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; }
have_chromium() { command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1; }
have_redis() { command -v redis-server >/dev/null 2>&1; }
have_nginx() { command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ]; }
have_pgbouncer() { command -v pgbouncer >/dev/null 2>&1 || [ -x /usr/sbin/pgbouncer ]; }
have_xmlsec1() { command -v xmlsec1 >/dev/null 2>&1; }
can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

wanted=""
have_postgres || wanted="$wanted postgresql"
have_chromium || wanted="$wanted chromium"
have_redis || wanted="$wanted redis-server"
have_nginx || wanted="$wanted nginx-light"
have_pgbouncer || wanted="$wanted pgbouncer"
have_xmlsec1 || wanted="$wanted xmlsec1"
if [ -n "$wanted" ] && can_install; then
    say "Installing$wanted ..."
    apt-get -qq update || true
    # Debian starts services that it installs, unless this file says that it may not.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod +x "$policy"
        trap 'rm -f "$policy"' EXIT
    fi
    # Package names, split on purpose.
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $wanted >/dev/null ||
        say "apt-get could not install$wanted."
fi
if ! have_chromium; then
    say "Chromium is missing, so the browser tests will skip. On Debian: sudo apt-get install chromium"
fi
if ! have_redis; then
    say "Redis is missing, so a test of the cache will skip. On Debian: sudo apt-get install redis-server"
fi
if ! have_nginx || ! have_pgbouncer; then
    say "nginx or PgBouncer is missing, so the tests of deploy/ will skip. On Debian: sudo apt-get install nginx-light pgbouncer"
fi
if ! have_xmlsec1; then
    say "xmlsec1 is missing, so the tests with a SAML product will skip. On Debian: sudo apt-get install xmlsec1"
fi
if ! have_postgres; then
    say "PostgreSQL is missing, and the suite runs on it too. On Debian: sudo apt-get install postgresql"
    exit 1
fi
