"""What a worker looks at once a second, where counting each change would cost more."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from calendar_events.api.streams import places
from config.monitoring import metrics, statements

Requests = Mapping[str, tuple[int, int]]
"""By group of threads: how many requests run, and how many wait for a thread."""

PAUSE_SECONDS: Final = 1.0
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class Sampler:
    """Looks at its own process."""

    def __init__(self, requests: Callable[[], Requests]) -> None:
        """Count the start of the process; ``requests`` is called for each sample."""
        self._requests = requests
        self._cpu = 0.0
        metrics.worker_starts.inc()
        metrics.workers.set(1)

    def sample(self) -> None:
        """Set the gauges."""
        for threads, (running, waiting) in self._requests().items():
            metrics.server_requests.labels(threads, "running").set(running)
            metrics.server_requests.labels(threads, "waiting").set(waiting)
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


def start(requests: Callable[[], Requests]) -> None:
    """Sample in a thread."""
    sampler = Sampler(requests)
    threading.Thread(target=sampler.run, name="process-metrics", daemon=True).start()


def resident_bytes() -> int:
    """Return the memory of this process; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * _PAGE_BYTES
