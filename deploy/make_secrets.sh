#!/bin/sh
# Make the secrets that compose.yaml reads, one file each, in the directory that is named, and
# .env beside compose.yaml, which tells it where they are and what the host is called.
#   make_secrets.sh DIRECTORY HOSTNAME
# What is there already stays. The certificate is self-signed, to begin with: put the one of a
# certificate authority in its place. Needs Python 3 and openssl.
set -eu

directory=${1:?"the directory"}
hostname=${2:?"the name that users type"}
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd)
# shellcheck source=deploy/keys.sh
. "$here/keys.sh"
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

make secret_key token
make encryption_keys fernet
# Of PostgreSQL's superuser, for administrators, and of the application's role.
make postgres_password token
make database_password token
password=$(cat database_password)
make database_url printf 'postgres://calendar:%s@postgresql:5432/calendar\n' "$password"
make database_pool_url printf 'postgres://calendar:%s@pgbouncer:6432/calendar\n' "$password"
make userlist printf '"calendar" "%s"\n' "$password"
[ -s tls_key ] || self_signed "$hostname" tls_key tls_certificate
chmod 644 tls_key

make "$here/.env" printf 'PUBLIC_HOST=%s\nSECRETS=%s\n' "$hostname" "$PWD"
