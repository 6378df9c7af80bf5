"""What keeps a run of the suite short: what is made once for all.

A plugin that the root ``conftest.py`` loads.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import setup_databases, teardown_databases

from config.tests import prepared


def pytest_sessionstart(session):
    """Let the database be migrated while the tests are collected."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        scratch = Path(session.config.option.basetemp)
        threading.Thread(target=prepared.migrated, args=[scratch]).start()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment,
    django_db_modify_db_settings,
    django_db_blocker,
    django_db_keepdb,
    django_db_createdb,
    tmp_path_factory,
):
    """Give this process its database, a copy of the one that the run migrates once."""
    with django_db_blocker.unblock():
        if django_db_createdb or not django_db_keepdb:
            settings = connection.settings_dict
            name = settings["TEST"]["NAME"] or f"test_{settings['NAME']}"
            prepared.copy(prepared.migrated(tmp_path_factory.getbasetemp()), name)
        made = setup_databases(
            verbosity=0, interactive=False, keepdb=True, serialized_aliases=set()
        )
    yield
    if not django_db_keepdb:
        with django_db_blocker.unblock():
            teardown_databases(made, verbosity=0)
