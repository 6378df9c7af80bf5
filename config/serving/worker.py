"""What a worker process asks of the kernel."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import socket
from pathlib import Path

PR_SET_PDEATHSIG = 1


def drop_stalled_connections(seconds: float) -> None:
    """Let the kernel end connections whose client takes no bytes for so long.

    What has been handed to the kernel no coroutine waits for. Accepted connections inherit
    the option from the sockets that listen, which the server made (tcp(7)).
    """
    for descriptor in _descriptors():
        try:
            held = socket.socket(fileno=os.dup(descriptor))
        except OSError:
            continue
        with held:
            if held.family in {socket.AF_INET, socket.AF_INET6} and held.getsockopt(
                socket.SOL_SOCKET, socket.SO_ACCEPTCONN
            ):
                held.setsockopt(
                    socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000)
                )


def _descriptors() -> list[int]:
    """Return the open file descriptors; none where the system does not tell."""
    try:
        return [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    except OSError:
        return []


def die_with_parent() -> None:
    """Ask to be killed when the process that made this one ends (Linux).

    A worker that outlived its supervisor would go on serving old code unseen.
    """
    if os.environ.get("SERVED_BY_SUPERVISOR"):
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        parent = multiprocessing.parent_process()
        if parent is not None and os.getppid() != parent.pid:
            os._exit(1)  # it ended before the kernel was asked
