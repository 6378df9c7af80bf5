"""What a worker counted is not lost with it, and costs no scrape after it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import MmapedDict, mmap_key

from config.monitoring import exporter, files
from config.tests.servers import ROOT

COUNTED = """
from prometheus_client import Counter, Gauge, Histogram
Counter("things", "Things.").inc({number})
Histogram("waits", "Waits.", buckets=(1, 2)).observe(1.5)
Gauge("lives", "Lives.", multiprocess_mode="livesum").set(1)
Gauge("ages", "Ages.", multiprocess_mode="livemax").set(1)
"""


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return tmp_path


def live_and_die(number):
    """Count something in a process that ends."""
    subprocess.run(
        [sys.executable, "-c", COUNTED.format(number=number)], cwd=ROOT, check=True
    )


def scraped(directory):
    registry = CollectorRegistry()
    registry.register(exporter.ProcessesCollector(str(directory)))
    lines = generate_latest(registry).decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


def test_what_dead_processes_counted_is_summed_up_in_one_file_of_a_kind(directory):
    for number in (3, 4):
        live_and_die(number)
    first = scraped(directory)
    live_and_die(5)

    second = scraped(directory)

    assert (first["things_total"], second["things_total"]) == ("7.0", "12.0")
    assert second['waits_bucket{le="2.0"}'] == second["waits_count"] == "3.0"
    assert second["waits_sum"] == "4.5"
    assert "lives" not in second
    assert sorted(path.name for path in directory.glob("*.db")) == [
        *("counter_0.db", "histogram_0.db"),
    ]


def test_a_file_that_a_killed_process_had_just_made_breaks_no_scrape(directory):
    live_and_die(3)
    (directory / "counter_4194305.db").touch()  # no process has so high a number

    assert scraped(directory)["things_total"] == "3.0"
    assert [path.name for path in directory.glob("counter*")] == ["counter_0.db"]


def test_files_of_a_process_that_lives_are_left_alone(directory):
    mine = directory / f"counter_{os.getppid()}.db"
    counted = MmapedDict(str(mine))
    counted.write_value(mmap_key("things", "things_total", [], [], "Things."), 2.0, 0.0)
    counted.close()
    live_and_die(3)

    assert scraped(directory)["things_total"] == "5.0"
    assert mine.exists()


def test_a_server_counts_where_nobody_else_can_write():
    made = files.make_directory()

    path = Path(made[files.VARIABLE])
    try:
        assert path.stat().st_mode & 0o777 == 0o700
    finally:
        path.rmdir()
