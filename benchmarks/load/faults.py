"""What can break, and how it is mended; what the server mends itself is only begun."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psycopg

from benchmarks import processes
from benchmarks.load import disks, network
from benchmarks.load.generator import UNEXPECTED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from benchmarks.load.production import Production

    Act = Callable[[Production], object]


FAKETIME: Final = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
ROOT: Final = "" if os.geteuid() == 0 else "root"
LEFT_OUT_SECONDS: Final = 10
"""How long nginx asks no host that did not answer (``fail_timeout``)."""


def nothing(_made: Production) -> None:
    """Leave it to the server."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``begin`` breaks something for ``seconds``, then ``end`` mends it."""

    name: str
    begin: Act
    end: Act = nothing
    seconds: float = 5.0
    missing: str = ""
    """What this machine lacks for it."""
    meant: Collection[str] = ()
    """Errors that are right meanwhile: of a host whose clock is wrong."""


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _kill(pids: Iterable[int]) -> None:
    _signal(pids, signal.SIGKILL)


def _freeze(pids: Iterable[int]) -> None:
    _signal(pids, signal.SIGSTOP)


def _thaw(pids: Iterable[int]) -> None:
    _signal(pids, signal.SIGCONT)


def _skew(hours: int) -> Act:
    """Return what makes the clock of the last host wrong; housekeeping runs there too."""

    def begin(made: Production) -> None:
        clock = {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME": f"{hours:+}h",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        made.restart(made.servers[-1], **clock)
        made.manage("clear_expired", **clock)

    return begin


def _deploy(made: Production) -> None:
    """Restart host after host with the next version, of which the first one migrates.

    As docs/upgrading.md says, with a wait between them.
    """
    for name in made.servers:
        if name != made.servers[0]:
            time.sleep(LEFT_OUT_SECONDS)
        made.restart(name, DJANGO_SETTINGS_MODULE="config.tests.change.next_settings")


def _fail_over(made: Production) -> None:
    """Crash the primary; the replica, which has all that was acknowledged, follows it."""
    made.cluster.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
    made.cluster.execute("SELECT pg_reload_conf()")
    while made.cluster.execute("SELECT sync_state FROM pg_stat_replication") != "sync":
        time.sleep(0.1)
    made.cluster.stop(mode="immediate")
    made.standby.take_over(made.cluster)
    made.cluster, made.replica = made.standby, None


def _fill_database(made: Production) -> None:
    """Fill the disk that the replica was on, which is the primary by now."""
    if made.replica is not None:
        _fail_over(made)
    disks.fill(made.replica_disk)
    with contextlib.suppress(psycopg.Error):
        for _ in range(3):  # else those segments of the log are used that are there
            made.cluster.execute("SELECT pg_switch_wal()")


def _clear_database(made: Production) -> None:
    """Make room, and start what has given up without it."""
    disks.clear(made.replica_disk)
    with contextlib.suppress(subprocess.CalledProcessError):  # it runs
        made.cluster.start()


def _fill_media(made: Production) -> None:
    """Fill the disk; raise ``RuntimeError`` unless a picture is refused in good order."""
    disks.fill(made.media)
    if made.stores_pictures():
        raise RuntimeError("a picture was stored on a full disk")


def _clear_media(made: Production) -> None:
    disks.clear(made.media)
    if not made.stores_pictures():
        raise RuntimeError("no picture is stored on a disk with room")


PAGES: Final = ("sign-in pages", "choice of institution", "login", "grant")
CLOCK_WRONG: Final = {
    *(UNEXPECTED, "401 signed list", "400 exchange", "400 refresh"),
    *(f"410 {page}" for page in PAGES),
}
FAULTS: Final = {
    fault.name: fault
    for fault in (
        Fault("one worker killed", lambda made: _kill(made.workers()[:1])),
        Fault("all workers killed", lambda made: _kill(made.workers())),
        # The process that the supervisor starts again.
        Fault("the workers' parent killed", lambda made: _kill(made.tree("server")[1:2])),
        Fault(
            "the whole server killed and started",
            lambda made: made.kill("server"),
            lambda made: made.start("server"),
        ),
        Fault("the server stopped and started", lambda made: made.restart("server")),
        Fault(
            "background worker killed",
            lambda made: made.kill("worker"),
            lambda made: made.start("worker"),
        ),
        Fault(
            "PostgreSQL crashed",
            lambda made: made.cluster.stop(mode="immediate"),
            lambda made: made.cluster.start(),
        ),
        Fault(
            "PostgreSQL stopped",
            lambda made: made.cluster.stop(mode="fast"),
            lambda made: made.cluster.start(),
        ),
        # Of one connection; PostgreSQL ends all others after that.
        Fault(
            "one process of PostgreSQL killed",
            lambda made: _kill(processes.tree(made.cluster.pid)[-1:]),
        ),
        Fault(
            "PostgreSQL frozen",
            lambda made: _freeze(processes.tree(made.cluster.pid)),
            lambda made: _thaw(processes.tree(made.cluster.pid)),
            8.0,
        ),
        Fault(
            "Redis killed",
            lambda made: made.kill("redis"),
            lambda made: made.start("redis"),
        ),
        Fault(
            "Redis frozen",
            lambda made: _freeze(made.tree("redis")),
            lambda made: _thaw(made.tree("redis")),
        ),
        *(
            Fault(
                f"a host's clock an hour {way}",
                _skew(hours),
                lambda made: made.restart(made.servers[-1]),
                10.0,
                "" if FAKETIME else "libfaketime",
                CLOCK_WRONG,
            )
            for way, hours in (("fast", 1), ("slow", -1))
        ),
        Fault(
            "a host cut off",
            lambda _made: network.part(),
            lambda _made: network.join(),
            20.0,
            ROOT,
        ),
        Fault(
            "replica lost",
            lambda made: made.standby.stop(mode="immediate"),
            lambda made: made.standby.start(),
        ),
        Fault(
            "replica frozen",
            lambda made: _freeze(processes.tree(made.standby.pid)),
            lambda made: _thaw(processes.tree(made.standby.pid)),
        ),
        Fault(
            "replica behind",
            lambda made: made.standby.execute("SELECT pg_wal_replay_pause()"),
            lambda made: made.standby.execute("SELECT pg_wal_replay_resume()"),
        ),
        Fault("a new version deployed", _deploy),
        Fault("media disk full", _fill_media, _clear_media, missing=ROOT),
        Fault("failover of PostgreSQL", _fail_over),
        Fault("database disk full", _fill_database, _clear_database, 10.0, ROOT),
    )
}
