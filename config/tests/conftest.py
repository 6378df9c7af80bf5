"""Servers that journeys talk to, one for each set of addresses."""

import subprocess
import sys

import pytest
from django.db import connection

from config.tests import faults, servers


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Return a demo server of two processes with the neutral addresses."""
    with servers.demo_server(tmp_path_factory.mktemp("demo"), WORKERS="2") as running:
        yield running


@pytest.fixture(scope="session")
def compatible_server(tmp_path_factory):
    """Return a demo server with the addresses that existing clients use."""
    with servers.demo_server(
        tmp_path_factory.mktemp("compatible"), **servers.COMPATIBLE
    ) as running:
        yield running


@pytest.fixture(scope="session")
def running(django_db_setup):
    """Return a PostgreSQL cluster of its own, with our tables, that tests may stop."""
    with faults.cluster_like(connection.settings_dict["NAME"]) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def documentation():
    """Return the directory of the documentation; ``make test`` has just built it."""
    site = servers.ROOT / ".make/site"
    if not (site / "index.html").exists():
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict"],
            cwd=servers.ROOT,
            check=True,
        )
    return site
