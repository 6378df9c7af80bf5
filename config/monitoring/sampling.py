"""What a worker looks at once a second, where counting each change would cost more."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from calendar_events.api.feeds.streams import places
from config.monitoring import metrics, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Lanes = Mapping[str, tuple[int, int]]
    """Lane → how many requests have a thread of it, and how many wait for one."""

PAUSE_SECONDS: Final = 1.0
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class Sampler:
    """Looks at its own process."""

    def __init__(self, lanes: Callable[[], Lanes]) -> None:
        """Count the start of the process; ``lanes`` is called for each sample."""
        self._lanes = lanes
        self._cpu = 0.0
        metrics.worker_starts.inc()
        metrics.workers.set(1)

    def sample(self) -> None:
        """Set the gauges."""
        for lane, (running, waiting) in self._lanes().items():
            metrics.lane_requests.labels(lane, "running").set(running)
            metrics.lane_requests.labels(lane, "waiting").set(waiting)
        for alias, number in statements.open_connections().items():
            metrics.connections.labels(alias).set(number)
        metrics.feeds.set(places.taken)
        memory = resident_bytes()
        metrics.memory.set(memory)
        metrics.largest_memory.set(memory)
        cpu = time.process_time()
        metrics.cpu_seconds.inc(cpu - self._cpu)
        self._cpu = cpu

    def run(self) -> None:
        """Sample for as long as the process lives."""
        while True:
            self.sample()
            time.sleep(PAUSE_SECONDS)


def start(lanes: Callable[[], Lanes]) -> None:
    """Sample in a thread."""
    sampler = Sampler(lanes)
    threading.Thread(target=sampler.run, name="sampling", daemon=True).start()


def resident_bytes() -> int:
    """Return the memory of this process; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * _PAGE_BYTES
