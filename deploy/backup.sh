#!/bin/sh
# Copy the database (PostgreSQL) and the pictures to a new directory below BACKUPS. In the
# environment: DATABASE_URL or DATABASE_URL_FILE, MEDIA_ROOT, BACKUPS, and KEEP_DAYS (30), after
# which a backup is deleted; 0 keeps all. ENCRYPTION_KEYS is not in it: keep that elsewhere.
set -eu
umask 077
: "${MEDIA_ROOT:?}" "${BACKUPS:?}"
DATABASE_URL=${DATABASE_URL:-$(cat "${DATABASE_URL_FILE:?}")}
export DATABASE_URL

# Among the arguments every user of the machine would see the password.
part_of_address() {
    python3 -c "
import os, urllib.parse
address = os.environ['DATABASE_URL']
password = urllib.parse.urlsplit(address).password or ''
print($1)"
}
PGPASSWORD=$(part_of_address "urllib.parse.unquote(password)")
address=$(part_of_address "address.replace(f':{password}@', '@', 1) if password else address")
export PGPASSWORD

backup=$BACKUPS/$(date --utc +%Y%m%dT%H%M%SZ)
mkdir -p "$backup.part"
# Where there is no picture yet: the proxy, in the group, is to read the directory later.
[ -d "$MEDIA_ROOT" ] || install -d -m 750 "$MEDIA_ROOT"
trap 'rm -rf "$backup.part"' EXIT
trap 'exit 1' HUP INT TERM
# Progress is for who looks on: a journal would have hundreds of lines of it each night.
verbose=
[ ! -t 2 ] || verbose=--verbose
# The database first: every picture that it names is on the disk by then.
pg_dump --format=directory --jobs=2 $verbose --file="$backup.part/database" "$address"
tar --create --file="$backup.part/media.tar" --directory="$MEDIA_ROOT" .
mv "$backup.part" "$backup"
printf 'Backup of %s: %s\n' "$(du -sh "$backup" | cut -f 1)" "$backup"

days=${KEEP_DAYS:-30}
[ "$days" = 0 ] || find "$BACKUPS" -mindepth 1 -maxdepth 1 -type d \
    -name '????????T??????Z*' -mtime "+$days" -exec rm -rf {} +
