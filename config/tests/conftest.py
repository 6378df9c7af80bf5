"""Servers that journeys talk to, one for each set of addresses and test process."""

import pytest

from config.tests import servers


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
