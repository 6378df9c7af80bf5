"""``python -m config.serving``: worker processes that share a socket, and what ends them.

The application is imported once, before the processes are made. One that dies is made
again, one whose loop has not come round for a while is killed. Nothing outlives this
process (on Linux). Ends with 0 on SIGTERM and SIGINT.
"""

import ctypes
import mmap
import os
import shutil
import signal
import socket
import struct
import sys
import time
import traceback

from config.wsgi import application  # sets Django up, so it comes first

from calendar_events.api.changes import waiting  # isort: skip
from calendar_events.conf import conf  # isort: skip
from config.background import worker  # isort: skip
from config.monitoring import exporter, database_metrics, process_metrics  # isort: skip
from config.serving.server import STOP_SECONDS, Limits, Server  # isort: skip
from django.conf import settings  # isort: skip
from django.db import connections  # isort: skip
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
BACKLOG = 4096
HUNG_SECONDS = 20.0
"""A process whose loop has not come round for so long is killed."""
RETRY_SECONDS = 1.0
"""Between a process that died and the next in its place."""
SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}


class Workers:
    """The processes: one for each number from 0, each with the moment of its last beat."""

    def __init__(self, listener: socket.socket, count: int) -> None:
        """Start them."""
        self.listener = listener
        self.beats = mmap.mmap(-1, 8 * count)
        self.pids: dict[int, int] = {}
        for number in range(count):
            self.start(number)

    def start(self, number: int) -> None:
        """Fork a process that serves until SIGTERM."""
        self.beat(number)
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self.pids[pid] = number
            return
        try:
            _end_with(parent)
            serve(self.listener, number, on_beat=lambda: self.beat(number))
        except BaseException:  # noqa: BLE001 -- nothing of the parent's may run here
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    def beat(self, number: int) -> None:
        """Note that the process is alive now."""
        struct.pack_into("d", self.beats, 8 * number, time.monotonic())

    def run(self) -> None:
        """Replace processes that die or hang, until a signal says to stop."""
        looked = time.monotonic()
        while True:
            info = signal.sigtimedwait(SIGNALS, 1.0)
            if info is not None and info.si_signo != signal.SIGCHLD:
                return
            for number in self.reap():
                sys.stderr.write("A worker process ended; starting another.\n")
                time.sleep(RETRY_SECONDS)
                self.start(number)
            now = time.monotonic()
            if now - looked < HUNG_SECONDS / 2:  # else this process was stopped, too
                self.kill_hung(now)
            looked = now

    def kill_hung(self, now: float) -> None:
        """Kill the processes whose last beat is too long ago; ``run`` replaces them."""
        for pid, number in self.pids.items():
            (beat,) = struct.unpack_from("d", self.beats, 8 * number)
            if now - beat > HUNG_SECONDS:
                sys.stderr.write("A worker process hangs; killing it.\n")
                os.kill(pid, signal.SIGKILL)
                self.beat(number)

    def stop(self) -> None:
        """Tell the processes to finish, and kill what has not done so in time."""
        self.listener.close()
        for pid in self.pids:
            os.kill(pid, signal.SIGTERM)
        latest = time.monotonic() + STOP_SECONDS + 1
        while self.pids and time.monotonic() < latest:
            signal.sigtimedwait({signal.SIGCHLD}, 0.1)
            self.reap()
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)

    def reap(self) -> list[int]:
        """Return the numbers of the processes that have ended since."""
        ended = []
        while self.pids:
            pid, _status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            exporter.forget_gauges_of(pid)
            ended.append(self.pids.pop(pid))
        return ended


def serve(listener: socket.socket, number: int, *, on_beat: Callable[[], None]) -> None:
    """Serve in this process, which has a number, until SIGTERM."""
    server = Server(
        application,
        listener,
        limits=Limits(
            head=settings.HEAD_SECONDS,
            body_pause=settings.BODY_PAUSE_SECONDS,
            body_total=settings.BODY_TOTAL_SECONDS,
            send_pause=settings.SEND_PAUSE_SECONDS,
            body_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
            upload_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE + conf.image_max_bytes,
            upload_path="/admin/",
            connections=settings.CONNECTIONS,
            waiting=settings.WAITING_REQUESTS,
            threads=settings.THREADS,
        ),
        is_quick=is_quick,
        on_beat=on_beat,
    )

    def stop(*_signal: object) -> None:
        """Let nobody wait for a change, and answer what is there."""
        waiting.closing.set()
        server.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, too
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    if settings.EMBEDDED_WORKER:
        worker.start_threads()
    if settings.METRICS_PORT:
        process_metrics.start(server.requests)
        if number == 0:
            database_metrics.start()
            exporter.start(settings.METRICS_HOST, settings.METRICS_PORT)
    server.run()


def is_quick(path: str) -> bool:
    """Return whether a path is answered without the database."""
    return path.startswith((settings.STATIC_URL, settings.MEDIA_URL)) or path in {
        "/",
        "/health/live",
        "/favicon.ico",
        "/robots.txt",
    }


def listen() -> socket.socket:
    """Return a socket that listens at ``HOST`` and ``PORT``."""
    host = settings.HOST.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, settings.PORT), family=family, backlog=BACKLOG)


def _end_with(parent: int) -> None:
    """Let the kernel stop this process when its parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def main() -> int:
    """Serve until SIGTERM or SIGINT."""
    connections.close_all()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    workers = Workers(listen(), settings.WORKERS)
    try:
        workers.run()
    finally:
        workers.stop()
        if directory := os.environ.get(exporter.VARIABLE):
            shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
