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

    Act = Callable[[Production], None]


FAKETIME: Final = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
CLOCK: Final = "" if FAKETIME else "libfaketime"
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
    made.restart("server")


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


def _set_clock(made: Production) -> None:
    made.restart(made.servers[-1])


def _part_host(_made: Production) -> None:
    network.part()


def _join_host(_made: Production) -> None:
    network.join()


def _deploy(made: Production) -> None:
    """Restart host after host with the next version, of which the first one migrates.

    As docs/upgrading.md says, with a wait between them.
    """
    for name in made.servers:
        if name != made.servers[0]:
            time.sleep(LEFT_OUT_SECONDS)
        made.restart(name, DJANGO_SETTINGS_MODULE="config.tests.change.next_settings")


def _lose_replica(made: Production) -> None:
    made.standby.stop(mode="immediate")


def _start_replica(made: Production) -> None:
    made.standby.start()


def _freeze_replica(made: Production) -> None:
    _signal(processes.tree(made.standby.pid), signal.SIGSTOP)


def _thaw_replica(made: Production) -> None:
    _signal(processes.tree(made.standby.pid), signal.SIGCONT)


def _hold_replica_back(made: Production) -> None:
    made.standby.execute("SELECT pg_wal_replay_pause()")


def _let_replica_go_on(made: Production) -> None:
    made.standby.execute("SELECT pg_wal_replay_resume()")


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
        Fault(
            "a host's clock an hour fast", _skew(1), _set_clock, 10.0, CLOCK, CLOCK_WRONG
        ),
        Fault(
            "a host's clock an hour slow", _skew(-1), _set_clock, 10.0, CLOCK, CLOCK_WRONG
        ),
        Fault("a host cut off", _part_host, _join_host, 20.0, missing=ROOT),
        Fault("replica lost", _lose_replica, _start_replica),
        Fault("replica frozen", _freeze_replica, _thaw_replica),
        Fault("replica behind", _hold_replica_back, _let_replica_go_on),
        Fault("a new version deployed", _deploy),
        Fault("media disk full", _fill_media, _clear_media, missing=ROOT),
        Fault("failover of PostgreSQL", _fail_over),
        Fault("database disk full", _fill_database, _clear_database, 10.0, missing=ROOT),
    )
}
