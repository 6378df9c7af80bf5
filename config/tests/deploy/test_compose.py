"""``compose.yaml``: what its containers run, as far as that needs no container engine."""

import os
import re
import subprocess
from ipaddress import ip_address, ip_network

import psycopg
import pytest
import yaml

from config.tests.deploy.installation import DEPLOY
from config.tools import with_postgres

TEXT = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(TEXT)["services"]
RIGHTS = """
SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls
FROM pg_roles WHERE rolname = 'calendar'
"""
OWNER = "SELECT datdba::regrole::text FROM pg_database WHERE datname = 'calendar'"
PASSWORD = "SELECT rolpassword FROM pg_authid WHERE rolname = 'calendar'"
NOTE = '#!/bin/sh\necho "$0 $*" >>"$NOTES"\n'


@pytest.mark.postgresql_only  # about PostgreSQL
def test_the_role_of_the_application_owns_its_database_and_nothing_else(tmp_path):
    password = tmp_path / "password"
    password.write_text("it's of-the-role\n")
    environment = SERVICES["postgresql"]["environment"]
    (script,) = (
        volume.split(":")[0]
        for volume in SERVICES["postgresql"]["volumes"]
        if "/docker-entrypoint-initdb.d/" in volume
    )
    with with_postgres.cluster("-c shared_buffers=16MB -c fsync=off") as running:
        subprocess.run(
            [DEPLOY / script],
            env={
                "PATH": f"{running.binaries}:{os.environ['PATH']}",
                "PGHOST": "127.0.0.1",
                "PGPORT": str(running.port),
                # The superuser of the throwaway cluster.
                "POSTGRES_USER": "platform",
                "DATABASE_PASSWORD_FILE": str(password),
            },
            check=True,
        )
        with psycopg.connect(running.url) as database:
            rights = database.execute(RIGHTS).fetchone()
            owner = database.execute(OWNER).fetchone()
            stored = database.execute(PASSWORD).fetchone()[0]

    assert environment["POSTGRES_USER"] == "postgres"
    assert rights == (False,) * 5
    assert owner == ("calendar",)
    assert stored.startswith("SCRAM-SHA-256$")


def test_housekeeping_is_done_at_the_start_and_again_after_it_failed(tmp_path):
    notes = tmp_path / "notes"
    for name, more in (("python", "exit 1"), ("sleep", "")):
        program = tmp_path / name
        # The second pause ends the loop.
        stop = '[ "$(grep -c sleep "$NOTES")" -lt 2 ] || kill $PPID\n'
        program.write_text(f"{NOTE}{stop if name == 'sleep' else more}\n")
        program.chmod(0o755)
    words = SERVICES["clear-expired"]["entrypoint"]

    subprocess.run(
        words[words.index("sh") :],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "NOTES": str(notes)},
        check=False,
        timeout=60,
    )

    day = [f"{tmp_path}/python manage.py clear_expired", f"{tmp_path}/sleep 86400"]
    assert notes.read_text().splitlines() == day * 2


def test_nginx_alone_is_believed_by_an_address_that_nobody_else_is_given():
    front = yaml.safe_load(TEXT)["networks"]["front"]["ipam"]["config"][0]
    trusted = SERVICES["application"]["environment"]["TRUSTED_PROXIES"]
    address = ip_address(trusted)

    assert SERVICES["nginx"]["networks"]["front"]["ipv4_address"] == trusted
    assert address in ip_network(front["subnet"])
    assert address not in ip_network(front["ip_range"])
    assert trusted != front["gateway"]


def test_nginx_looks_the_application_up_again_when_its_container_was_replaced():
    servers = (DEPLOY / "compose" / "servers.conf").read_text(encoding="utf-8")
    version = SERVICES["nginx"]["image"].removeprefix("nginx:")

    # From this version on everybody's nginx knows `resolve`.
    assert tuple(map(int, version.split("."))) >= (1, 27, 3)
    assert re.search(r"^server application:8000 resolve;$", servers, re.MULTILINE)
    assert re.search(r"^resolver 127\.0\.0\.11 valid=5s;$", servers, re.MULTILINE)
    assert re.search(r"^zone calendar \d+k;$", servers, re.MULTILINE)
