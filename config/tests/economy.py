"""What keeps a run of the suite short: which tests run where, and on which data.

A plugin that the root ``conftest.py`` loads.
"""

import gc
import os
import threading

import pytest
from django.db import connection
from django.test.utils import setup_databases, teardown_databases

from config.tests import flushing, prepared

# Fixtures of a session that take long to start: the tests of each go to one process.
SERVERS = (
    *("chromium", "server", "compatible_server", "patient_server", "strict_server"),
    *("monitored", "running", "site", "supervised"),
)
# Objects that are made before Python looks for circles among them. It would after 700, so
# several times in each request, and each time in what the request is still using.
OBJECTS_UNTIL_COLLECTED = 50_000


def pytest_sessionstart():
    """Let the database be migrated while the tests are collected."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        threading.Thread(target=prepared.migrated).start()


def pytest_collection_finish(session):
    """Let the garbage collector look seldom, and not at what stays until the end.

    Refuse to run when pytest-xdist, with ``--dist loadgroup``, gave tests no groups.
    """
    if session.config.getoption("loadgroup", default=False):
        for item in session.items:
            if item.get_closest_marker("xdist_group") and "@" not in item.nodeid:
                raise pytest.UsageError(f"{item.nodeid}: is not in its group")
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_UNTIL_COLLECTED)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what this database cannot do; keep together what shares a server."""
    other = "sqlite_only" if prepared.server_url() else "postgresql_only"
    impossible = [item for item in items if item.get_closest_marker(other)]
    if impossible:
        config.hook.pytest_deselected(items=impossible)
        items[:] = [item for item in items if not item.get_closest_marker(other)]
    for item in items:
        shared = [name for name in SERVERS if name in getattr(item, "fixturenames", ())]
        if shared and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(shared[0]))


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment, django_db_modify_db_settings, django_db_blocker
):
    """Give this process its database, a copy of the one that is migrated once."""
    with django_db_blocker.unblock():
        settings = connection.settings_dict
        name = settings["TEST"]["NAME"] or f"test_{settings['NAME']}"
        prepared.copy(prepared.migrated(), name)
        made = setup_databases(
            verbosity=0, interactive=False, keepdb=True, serialized_aliases=set()
        )
        quick_flush = flushing.quick()
    with quick_flush:
        yield
    with django_db_blocker.unblock():
        # On PostgreSQL a connection that ends a moment later would keep it there.
        teardown_databases(made, verbosity=0, keepdb=bool(prepared.server_url()))
        if prepared.server_url():
            prepared.drop_database(name)
