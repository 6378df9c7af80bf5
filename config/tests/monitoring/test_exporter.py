"""The port of the metrics, in one process; test_live.py has it in two."""

import contextlib
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from config.monitoring import exporter, metrics, process_metrics
from config.tests.monitoring.conftest import Scraped


def has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        pytest.param(
            "[::1]",
            marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6 on this machine"),
        ),
    ],
)
def test_a_process_alone_tells_what_it_counted(host):
    serving = exporter.start(host, 0)
    try:
        text = httpx.get(f"http://{host}:{serving.server_port}/metrics", timeout=60).text
    finally:
        serving.shutdown()
        serving.server_close()

    scraped = Scraped(text)
    assert "platform_logins_total" in scraped.names


def test_a_client_that_leaves_at_once_leaves_the_next_one_an_answer():
    serving = exporter.start("127.0.0.1", 0)
    url = f"http://127.0.0.1:{serving.server_port}/metrics"
    try:
        with socket.create_connection(("127.0.0.1", serving.server_port)) as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = httpx.get(url, timeout=60)
    finally:
        serving.shutdown()
        serving.server_close()

    assert answer.status_code == 200


def test_a_client_that_says_nothing_is_let_go(monkeypatch):
    monkeypatch.setattr(exporter, "CLIENT_SECONDS", 0.2)
    serving = exporter.start("127.0.0.1", 0)
    try:
        with socket.create_connection(("127.0.0.1", serving.server_port), 60) as client:
            assert client.recv(1) == b""
    finally:
        serving.shutdown()
        serving.server_close()


def test_a_process_looks_at_itself_again_and_again(grown, monkeypatch):
    class Enough(Exception):
        """Ends what goes on for as long as the process lives."""

    samples = [(1, 0), (2, 3)]

    def pause(_seconds):
        if not samples:
            raise Enough

    monkeypatch.setattr(process_metrics.time, "sleep", pause)
    with pytest.raises(Enough):
        process_metrics.Sampler(lambda: {"requests": samples.pop(0)}).run()

    assert grown("platform_server_requests", threads="requests", state="running") == 2
    assert grown("platform_server_requests", threads="requests", state="waiting") == 3
    assert metrics.workers._value.get() == 1


def test_refusals_are_a_series_before_the_first_of_them():
    known = {sample.name for each in metrics.refusals.collect() for sample in each.samples}

    assert "platform_refusals_total" in known


def test_a_route_has_few_series():
    histogram = metrics.request_seconds.labels("of a test")

    assert len(histogram._child_samples()) <= 12


COUNTED = """
from prometheus_client import Counter, Gauge
Counter("things", "Things.").inc({number})
Gauge("lives", "Lives.", multiprocess_mode="livesum").set(1)
print(__import__("os").getpid())
"""


def test_what_dead_processes_counted_stays_and_their_gauges_go(tmp_path, monkeypatch):
    monkeypatch.setenv(exporter.VARIABLE, str(tmp_path))
    for number in (3, 4):
        command = [sys.executable, "-c", COUNTED.format(number=number)]
        ended = subprocess.run(command, capture_output=True, check=True)
        exporter.forget_gauges_of(int(ended.stdout))

    registry = exporter.registry()

    assert registry.get_sample_value("things_total") == 7
    assert registry.get_sample_value("lives") is None


def test_a_server_counts_where_nobody_else_can_write():
    made = exporter.make_directory()

    path = Path(made[exporter.VARIABLE])
    try:
        assert path.stat().st_mode & 0o777 == 0o700
    finally:
        path.rmdir()
