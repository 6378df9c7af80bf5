"""What keeps a run of the suite short: who runs what, on which data, and what is measured.

A plugin that the root ``conftest.py`` loads.
"""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path

import coverage
import pytest
from django.db import connection
from django.test.utils import setup_databases, teardown_databases

from config.tests import flushing, prepared

MEASURES = pytest.StashKey[coverage.Coverage | None]()
# Fixtures that are a server for several tests.
SERVERS = {"server", "compatible_server", "patient_server", "strict_server"}
LONG = SERVERS | {"chromium", "running"}
# Tests of what differs from database to database.
OF_THE_DATABASE = (
    "authserver/tests/test_audit.py",
    "authserver/tests/keys/test_store.py",
    "calendar_events/tests/models",
    "calendar_events/tests/services",
    "calendar_events/tests/store",
    "config/tests/background",
    "config/tests/databases",
    "config/tests/demo",
    "config/tests/http",
    "config/tests/serving",
    "config/tests/test_",
    "config/tests/tools",
    "platform_errors/tests/signing/test_nonces.py",
)
# What touches no database, and runs no code that differs with it, proves the same twice.
ALIKE_ON_BOTH = (
    "authserver/tests/crypto",
    "authserver/tests/parsing",
    "calendar_events/tests/errors",
    "calendar_events/tests/parsing",
    "config/tests/test_architecture.py",
    "config/tests/test_citations.py",
    "config/tests/test_contracts.py",
    "config/tests/test_documentation.py",
    "config/tests/test_reasons.py",
    "config/tests/test_reuse.py",
    "platform_errors/tests",
)
USE_A_DATABASE = {"db", "transactional_db", "live_server", "django_db_setup"}
CASES = 20  # of each parameter of a test, that the coverage is measured in
FUZZED_CASES = 2  # what random requests reach, tests of it reach on purpose
# Objects that are made before Python looks for circles among them. It would after 700, so
# several times in each request, and each time in what the request is still using.
OBJECTS_UNTIL_COLLECTED = 50_000


def pytest_sessionstart(session):
    """Let the database be migrated while the tests are collected."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        scratch = Path(session.config.option.basetemp)
        threading.Thread(target=prepared.migrated, args=[scratch]).start()


def pytest_collection_finish():
    """Let the garbage collector look seldom, and not at what stays until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_UNTIL_COLLECTED)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Deal the tests out, where several processes share them.

    On PostgreSQL, what would prove the same as on SQLite is left out.

    Tests of one server go to one process. The others go by the file: to look for the next
    one among thousands costs xdist a tenth of the run. What takes long comes first and one
    by one, so that no process is idle at the end.
    """
    if not hasattr(config, "workerinput"):
        return (yield)
    if prepared.server_url():
        known = [item for item in items if is_alike_on_both(item)]
        config.hook.pytest_deselected(items=known)
        items[:] = [item for item in items if not is_alike_on_both(item)]
    for item in items:
        if item.get_closest_marker("xdist_group") is not None:
            continue
        shared = [name for name in SERVERS if name in getattr(item, "fixturenames", ())]
        if shared or not takes_long(item):
            file = item.nodeid.split("::")[0]
            item.add_marker(pytest.mark.xdist_group(shared[0] if shared else file))
    result = yield
    items.sort(key=takes_long, reverse=True)
    return result


def is_alike_on_both(item):
    """Return whether a test would prove the same on PostgreSQL as on SQLite.

    It has no leave to use the database: pytest-django refuses every query of such a test.
    """
    return (
        item.nodeid.startswith(ALIKE_ON_BOTH)
        and item.get_closest_marker("django_db") is None
        and USE_A_DATABASE.isdisjoint(getattr(item, "fixturenames", ()))
        and not hasattr(item.module, "connection")
        and not takes_long(item)
    )


def takes_long(item):
    """Return whether a test needs a server, a cluster or a browser of its own."""
    used = set(getattr(item, "fixturenames", ()))
    return hasattr(item.module, "servers") or bool(used & LONG)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session):
    """Remember what measures the coverage, if anything does."""
    session.config.stash[MEASURES] = coverage.Coverage.current()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Measure the coverage of tests that may add to it: to trace doubles what they cost.

    The gate sees only what was measured, so that it may become stricter by this, never
    more lenient.
    """
    measures = item.config.stash[MEASURES]
    if measures is None:
        return
    is_measuring = coverage.Coverage.current() is measures
    if may_add_coverage(item) and not is_measuring:
        measures.start()
    elif is_measuring and not may_add_coverage(item):
        measures.stop()


def may_add_coverage(item):
    """Return whether a test may reach code that no other one reaches.

    What does not depend on the database was measured on SQLite; of a test with many cases
    that needs a database the first few of each parameter are. Migrations are not measured.
    """
    if item.get_closest_marker("migrates") is not None:
        return False
    if prepared.server_url() and not item.nodeid.startswith(OF_THE_DATABASE):
        return False
    case = getattr(item, "callspec", None)
    if case is None or item.get_closest_marker("django_db") is None:
        return True
    cases = CASES if item.get_closest_marker("fuzz") is None else FUZZED_CASES
    return all(index < cases for index in case.indices.values())


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
        quick_flush = flushing.quick()
    with quick_flush:
        yield
    if not django_db_keepdb:
        name = connection.settings_dict["NAME"]
        with django_db_blocker.unblock():
            # On PostgreSQL a connection that ends a moment later would keep it there.
            teardown_databases(made, verbosity=0, keepdb=bool(prepared.server_url()))
            if prepared.server_url():
                prepared.drop_database(name)
