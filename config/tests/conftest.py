"""Servers that journeys talk to, one for each set of addresses."""

import pytest

from config.tests import servers


def pytest_collection_modifyitems(items):
    """Keep the tests of one server in one process (``--dist loadgroup``)."""
    for item in items:
        for name in ("server", "compatible_server"):
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(name))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Return a demo server with the neutral addresses."""
    with servers.demo_server(tmp_path_factory.mktemp("demo")) as running:
        yield running


@pytest.fixture(scope="session")
def compatible_server(tmp_path_factory):
    """Return a demo server with the addresses that existing clients use."""
    with servers.demo_server(
        tmp_path_factory.mktemp("compatible"), **servers.COMPATIBLE
    ) as running:
        yield running
