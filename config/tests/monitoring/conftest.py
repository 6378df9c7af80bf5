"""A server whose metrics can be read, and reading them."""

import json
import logging

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from config.monitoring import access_log, metrics
from config.tests import servers


class Scraped:
    """What one scrape said."""

    def __init__(self, text):
        self.text = text
        self.families = {
            family.name: family for family in text_string_to_metric_families(text)
        }
        self.samples = [
            sample for family in self.families.values() for sample in family.samples
        ]

    def value(self, name, **labels):
        """Return the sum of the samples that have these labels."""
        return sum(
            sample.value
            for sample in self.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    @property
    def names(self):
        return {sample.name for sample in self.samples}


class Monitored:
    """A server, and the address of its metrics."""

    def __init__(self, server):
        self.server = server
        self.url = f"http://127.0.0.1:{server.environment['METRICS_PORT']}/metrics"

    def scrape(self):
        return Scraped(httpx.get(self.url, timeout=60).raise_for_status().text)

    def access_lines(self):
        """Return the lines of the access log, and the whole log."""
        log = self.server.log.read_text(encoding="utf-8")
        lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
        return [line for line in lines if line["logger"] == access_log.LOGGER], log


@pytest.fixture(scope="session")
def monitored(tmp_path_factory):
    """Return a server of two workers with metrics and an access log."""
    port = servers.free_port()
    with servers.demo_server(
        tmp_path_factory.mktemp("monitored"),
        METRICS_PORT=str(port),
        LOG_FORMAT="json",
        WORKERS="2",
    ) as running:
        yield Monitored(running)


@pytest.fixture
def grown():
    """Return a function that says by how much a metric of this process has grown."""

    def all_values():
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in metrics.REGISTRY.collect()
            for sample in family.samples
        }

    before = all_values()

    def grown(name, **labels):
        key = (name, frozenset(labels.items()))
        return all_values().get(key, 0) - before.get(key, 0)

    return grown


@pytest.fixture
def access_lines(monkeypatch):
    """Return the list into which this process writes its access log."""
    lines = []

    class Keep(logging.Handler):
        def emit(self, record):
            lines.append(access_log.JsonFormatter().format(record))

    handler = Keep()
    access_log.logger.addHandler(handler)
    level = access_log.logger.level
    access_log.logger.setLevel("INFO")
    yield lines
    access_log.logger.setLevel(level)
    access_log.logger.removeHandler(handler)
