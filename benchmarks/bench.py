"""What the sections of a run share: the cluster, the calendars, the servers, the effort."""

import socket
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from benchmarks import messages, paths, servers
from benchmarks.databases import Cluster
from benchmarks.measure import Cost, Effort, Variant, compare
from benchmarks.servers import Server

SIZES: Final = {"10k": 10_000, "100k": 100_000, "300k": 300_000, "1M": 1_000_000}
LARGE: Final = "300k"
"""What the mixture works on, whichever sizes the others measure."""
QUICK: Final = Effort(rounds=2, alone=20, together=40, seconds=1)
FIRST_PORT: Final = 8110


class Calendar(NamedTuple):
    """A filled database; ``label`` is one of ``SIZES``."""

    label: str
    url: str


@dataclass(slots=True, kw_only=True)
class Bench:
    """A run under way; a quick one is a smoke run, a tenth of everything."""

    cluster: Cluster
    sizes: Sequence[str] = ("10k", "100k")
    is_quick: bool = False
    stack: ExitStack = field(default_factory=ExitStack)
    """What is closed when a section ends: its servers."""
    _calendars: dict[str, Calendar] = field(default_factory=dict)
    _begin: float = field(default_factory=time.monotonic)

    @property
    def effort(self) -> Effort:
        """What variants are measured with, unless their section has its own."""
        return QUICK if self.is_quick else Effort()

    @property
    def seconds(self) -> float:
        """How long loads last that are not counted."""
        return 2 if self.is_quick else 6

    @property
    def main(self) -> Calendar:
        """The calendar of most sections: 100,000 events where that is among the sizes."""
        return self.calendar("100k" if "100k" in self.sizes else self.sizes[-1])

    @property
    def calendars(self) -> list[Calendar]:
        """One of each size, in ascending order."""
        return [self.calendar(label) for label in self.sizes]

    def calendar(self, label: str) -> Calendar:
        """Return a calendar; it is filled when it is first asked for."""
        if label not in self._calendars:
            events = SIZES[label] // (10 if self.is_quick else 1)
            self.say(f"{events:,} events")
            url = self.cluster.create_calendar(f"bench_{label.lower()}", events)
            self._calendars[label] = Calendar(label, url)
        return self._calendars[label]

    def copy_of_calendar(self, label: str, name: str) -> str:
        """Return the address of a database of that name, for what writes a lot to it."""
        source = urlsplit(self.calendar(label).url).path[1:]
        return self.cluster.create(name, copy_of=source)

    def say(self, text: str) -> None:
        """Show where the run is, on standard error."""
        sys.stderr.write(f"[{time.monotonic() - self._begin:5.0f} s] {text}\n")
        sys.stderr.flush()

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
        variables = servers.environment(url, settings, BENCHMARK_URLS=urls)
        return self.stack.enter_context(
            servers.serving(name, free_port(FIRST_PORT), variables, application)
        )

    def compare(
        self, variants: Sequence[Variant], effort: Effort | None = None
    ) -> dict[str, Cost]:
        """Measure variants in turns."""
        return compare(variants, effort=effort or self.effort, database=self.cluster.pid)

    def cost_of_a_list(self, server: Server) -> float:
        """Return L, what the list of ten costs there: CPU milliseconds."""
        variant = Variant("list", server, messages.in_turns(paths.EVENTS))
        return self.compare([variant])["list"].cpu


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
