"""What can break, and how it is mended; what the server mends itself is only begun."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks import processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.load.production import Production

    Act = Callable[[Production], None]


def nothing(_made: Production) -> None:
    """Leave it to the server."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``begin`` breaks something for ``seconds``, then ``end`` mends it."""

    name: str
    begin: Act
    end: Act = nothing
    seconds: float = 5.0


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _kill_worker(made: Production) -> None:
    _signal(made.workers()[:1], signal.SIGKILL)


def _kill_workers(made: Production) -> None:
    _signal(made.workers(), signal.SIGKILL)


def _kill_parent(made: Production) -> None:
    """Kill the process that the supervisor starts again."""
    _signal(made.tree("server")[1:2], signal.SIGKILL)


def _kill_server(made: Production) -> None:
    made.kill("server")


def _start_server(made: Production) -> None:
    made.start("server")


def _restart_server(made: Production) -> None:
    """Stop as a deployment does: what has begun is finished."""
    made.stop("server")
    made.start("server")


def _kill_background_worker(made: Production) -> None:
    made.kill("worker")


def _start_background_worker(made: Production) -> None:
    made.start("worker")


def _crash_postgresql(made: Production) -> None:
    made.cluster.stop(mode="immediate")


def _stop_postgresql(made: Production) -> None:
    made.cluster.stop(mode="fast")


def _start_postgresql(made: Production) -> None:
    made.cluster.start()


def _kill_a_backend(made: Production) -> None:
    """Kill one connection's process; PostgreSQL ends all others after that."""
    _signal(processes.tree(made.cluster.pid)[-1:], signal.SIGKILL)


def _freeze_postgresql(made: Production) -> None:
    _signal(processes.tree(made.cluster.pid), signal.SIGSTOP)


def _thaw_postgresql(made: Production) -> None:
    _signal(processes.tree(made.cluster.pid), signal.SIGCONT)


def _kill_redis(made: Production) -> None:
    made.kill("redis")


def _start_redis(made: Production) -> None:
    made.start("redis")


def _freeze_redis(made: Production) -> None:
    _signal(made.tree("redis"), signal.SIGSTOP)


def _thaw_redis(made: Production) -> None:
    _signal(made.tree("redis"), signal.SIGCONT)


FAULTS: Final = {
    fault.name: fault
    for fault in (
        Fault("one worker killed", _kill_worker),
        Fault("all workers killed", _kill_workers),
        Fault("the workers' parent killed", _kill_parent),
        Fault("the whole server killed and started", _kill_server, _start_server),
        Fault("the server stopped and started", _restart_server),
        Fault(
            "background worker killed", _kill_background_worker, _start_background_worker
        ),
        Fault("PostgreSQL crashed", _crash_postgresql, _start_postgresql),
        Fault("PostgreSQL stopped", _stop_postgresql, _start_postgresql),
        Fault("one process of PostgreSQL killed", _kill_a_backend),
        Fault("PostgreSQL frozen", _freeze_postgresql, _thaw_postgresql, 8.0),
        Fault("Redis killed", _kill_redis, _start_redis),
        Fault("Redis frozen", _freeze_redis, _thaw_redis),
    )
}
