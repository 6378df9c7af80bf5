#!/bin/sh
# Make the application's role and database. PostgreSQL's image runs this once, in a new cluster,
# as its superuser. The role owns the database, which is enough to migrate, and nothing else.
set -eu

psql --no-psqlrc --quiet --username="$POSTGRES_USER" --dbname=postgres --set=ON_ERROR_STOP=1 <<'SQL'
\set password `cat "$DATABASE_PASSWORD_FILE"`
CREATE ROLE calendar LOGIN PASSWORD :'password';
CREATE DATABASE calendar OWNER calendar;
SQL
