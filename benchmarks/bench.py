"""What the sections of a run share: the cluster, the calendars, the servers, the effort."""

from __future__ import annotations

import socket
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks import inside, servers
from benchmarks.measure import Cost, Effort, Variant, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.databases import Cluster
    from benchmarks.seed.constants import Accounts
    from benchmarks.servers import Server

SIZES = {"10k": 10_000, "100k": 100_000, "1M": 1_000_000}
STOCK = "benchmarks.yardsticks.stock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A filled database; ``label`` is one of ``SIZES``."""

    label: str
    url: str
    accounts: Accounts


@dataclass(slots=True, kw_only=True)
class Bench:
    """A run under way. ``seconds`` is how long loads last that are not counted."""

    cluster: Cluster
    effort: Effort
    seconds: float
    memory_requests: int = 20_000
    first_port: int = 8110
    is_reusing: bool = False
    """Whether databases of an earlier run are taken as they are."""
    is_quick: bool = False
    calendars: list[Calendar] = field(default_factory=list)
    stack: ExitStack = field(default_factory=ExitStack)
    """What is closed when a section ends: its servers."""
    _begin: float = field(default_factory=time.monotonic)
    _stock_url: str = ""

    @property
    def main(self) -> Calendar:
        """The calendar of most sections."""
        label = main_size([found.label for found in self.calendars])
        return next(found for found in self.calendars if found.label == label)

    def say(self, text: str) -> None:
        """Show where the run is, on standard error."""
        sys.stderr.write(f"[{time.monotonic() - self._begin:5.0f} s] {text}\n")
        sys.stderr.flush()

    def seed(self, label: str) -> None:
        """Fill a database, or take one that is filled."""
        self.say(f"{SIZES[label]:,} events")
        url = self.cluster.create(f"bench_{label.lower()}", is_kept=self.is_reusing)
        accounts = self.inside(url, "benchmarks.seed.database:prepare", events=SIZES[label])
        self.cluster.settle()
        self.calendars.append(Calendar(label=label, url=url, accounts=accounts))

    def stock_url(self) -> str:
        """Return the database of a stock toolkit, which the first call makes."""
        if not self._stock_url:
            self._stock_url = self.cluster.create("bench_stock")
            self.inside(
                self._stock_url,
                f"{STOCK}.accounts:prepare",
                settings=f"{STOCK}.settings",
            )
        return self._stock_url

    def inside(
        self,
        url: str,
        function: str,
        *,
        settings: str = "config.settings",
        **arguments: Any,
    ) -> Any:
        """Call a function of ours in a process with Django set up for ``url``."""
        variables = servers.environment(url, settings, **servers.WITHOUT_LIMITS)
        return inside.call(variables, function, **arguments)

    def serve(
        self,
        name: str,
        url: str,
        *,
        application: str = servers.OURS,
        settings: str = "config.settings",
        urls: str = "",
    ) -> Server:
        """Start a server that lives until this section ends.

        ``urls`` names a module that takes the place of the project's addresses.
        """
        if urls:
            settings = "benchmarks.yardsticks.settings"
        return self.stack.enter_context(
            servers.serving(
                name,
                port=free_port(self.first_port),
                variables=servers.environment(url, settings, BENCHMARK_URLS=urls),
                application=application,
            )
        )

    def compare(
        self, variants: Sequence[Variant], effort: Effort | None = None
    ) -> dict[str, Cost]:
        """Measure variants in turns."""
        return compare(variants, effort=effort or self.effort, database=self.cluster.pid)


def main_size(labels: Sequence[str]) -> str:
    """Return which of these sizes most sections measure: 100,000 where it is there."""
    return "100k" if "100k" in labels else labels[-1]


def free_port(first: int) -> int:
    """Return the first loopback port from ``first`` on that nobody listens on."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no free port from {first} on")
