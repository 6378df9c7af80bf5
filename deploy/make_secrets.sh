#!/bin/sh
# Make the secrets that compose.yaml reads, one file each, in the directory that is named.
#   make_secrets.sh DIRECTORY HOSTNAME
# What is there already stays. The certificate is self-signed, to begin with: put the one of a
# certificate authority in its place. Needs Python 3 and openssl.
set -eu

directory=${1:?"the directory"}
hostname=${2:?"the name that users type"}
# Read by the users of the containers, who are others than this one: the directory is the lock.
umask 022
mkdir -p "$directory"
chmod 700 "$directory"
cd "$directory"

make() { # make FILE COMMAND ...
    file=$1
    shift
    [ -s "$file" ] || { "$@" >"$file.new" && mv "$file.new" "$file"; }
}
token() { python3 -c 'import secrets; print(secrets.token_urlsafe(48))'; }
fernet() { python3 -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'; }

make secret_key token
make encryption_keys fernet
make database_password token
password=$(cat database_password)
make database_url printf 'postgres://calendar:%s@postgresql:5432/calendar\n' "$password"
make database_pool_url printf 'postgres://calendar:%s@pgbouncer:6432/calendar\n' "$password"
make userlist printf '"calendar" "%s"\n' "$password"
[ -s tls_key ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -days 365 -subj "/CN=$hostname" -addext "subjectAltName=DNS:$hostname" \
    -keyout tls_key -out tls_certificate 2>/dev/null
chmod 644 tls_key
