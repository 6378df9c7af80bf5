"""What the pieces of a run share: the cluster, the servers, the effort."""

from __future__ import annotations

import socket
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from benchmarks import inside, servers
from benchmarks.measure import Cost, Effort, Variant, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.databases import Cluster
    from benchmarks.seed.credentials import Accounts
    from benchmarks.servers import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A filled database."""

    label: str
    events: int
    url: str
    accounts: Accounts


@dataclass(slots=True, kw_only=True)
class Bench:
    """A run under way; leaving it, or a part of it, stops every server started since."""

    first_port: int
    effort: Effort
    cluster: Cluster | None
    is_reusing: bool = False
    """Whether databases of an earlier run are taken as they are."""
    started: float = field(default_factory=time.monotonic)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        """Begin a part of the run."""
        return self

    def __exit__(self, *_details: object) -> None:
        """Stop the servers of this part, the last first."""
        self._stack.close()

    def part(self) -> Bench:
        """Return a part of the run, whose servers stop when it is left."""
        return replace(self, _stack=ExitStack())

    def say(self, text: str) -> None:
        """Show where the run is, on standard error."""
        sys.stderr.write(f"[{time.monotonic() - self.started:5.0f} s] {text}\n")
        sys.stderr.flush()

    def seed(self, label: str, events: int, url: str) -> Calendar:
        """Fill a database, or take one that is filled."""
        self.say(f"{'reusing' if self.is_reusing else 'seeding'} {events:,} events")
        accounts = self.inside(
            url,
            "benchmarks.seed.database:prepare",
            events=events,
            is_filled=self.is_reusing,
        )
        if self.cluster is not None:
            self.cluster.settle()
        return Calendar(label=label, events=events, url=url, accounts=accounts)

    def inside(
        self,
        url: str,
        function: str,
        *,
        settings: str = "config.settings",
        **arguments: Any,
    ) -> Any:
        """Call a function of ours in a process with Django set up for ``url``."""
        # What fills and settles a calendar takes longer than any request may.
        unlimited = dict.fromkeys(
            (
                "STATEMENT_TIMEOUT_SECONDS",
                "LOCK_TIMEOUT_SECONDS",
                "IDLE_IN_TRANSACTION_TIMEOUT_SECONDS",
            ),
            "0",
        )
        environment = servers.environment(url, settings) | unlimited
        return inside.call(environment, function, **arguments)

    def serve(
        self,
        name: str,
        url: str,
        *,
        settings: str = "config.settings",
        application: str = servers.OURS,
    ) -> Server:
        """Start a server that lives until this part of the run is left."""
        return self._stack.enter_context(
            servers.serving(
                name,
                port=free_port(self.first_port),
                variables=servers.environment(url, settings),
                application=application,
            )
        )

    def compare(self, variants: Sequence[Variant]) -> dict[str, Cost]:
        """Measure variants in turns."""
        return compare(
            variants,
            effort=self.effort,
            database=self.cluster.pid if self.cluster else None,
        )


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
