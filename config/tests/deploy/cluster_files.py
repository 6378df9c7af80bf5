"""The files of ``deploy/cluster``, for hosts that are addresses of the loopback.

Ports, names and passwords are those of the files; the network is another one, and Redis
keeps its file where it runs.
"""

import os
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
DIRECTORY: Final = ROOT / "deploy" / "cluster"
NETWORK: Final = "127.77.0."
DATABASE_HOSTS: Final = (1, 2, 3)
APPLICATION_HOSTS: Final = (1, 2)
OWN: Final = re.compile(
    r"ETCD_(?!INITIAL_CLUSTER)|PATRONI_|bind |replica-announce-ip |sentinel announce-ip "
)
"""Beginnings of lines that each database host has to change: they name the first one."""


def database(host: int) -> str:
    """Return the address of a database host: 1, 2 or 3."""
    return f"{NETWORK}{10 + host}"


def application(host: int) -> str:
    """Return the address of an application host: 1 or 2."""
    return f"{NETWORK}{30 + host}"


def of_database_host(name: str, host: int) -> str:
    """Return a file as a database host has it."""
    lines = (DIRECTORY / name).read_text(encoding="utf-8").splitlines(keepends=True)
    changed = (
        line.replace("10.0.0.11", f"10.0.0.{10 + host}").replace(
            "database-1", f"database-{host}"
        )
        if OWN.match(line)
        else line
        for line in lines
    )
    return _on_the_loopback("".join(changed))


def variables(name: str, host: int) -> dict[str, str]:
    """Return the variables of a file as a database host has them."""
    lines = of_database_host(name, host).splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def haproxy(host: int) -> str:
    """Return the file of HAProxy as an application host has it."""
    text = (DIRECTORY / "haproxy.cfg").read_text(encoding="utf-8")
    if os.geteuid() != 0:  # who cannot become another user stays
        text = text.replace("    user haproxy\n    group haproxy\n", "")
    return _on_the_loopback(text.replace("127.0.0.1:", f"{application(host)}:"))


def _on_the_loopback(text: str) -> str:
    # What connects to an address of the loopback does so from 127.0.0.1.
    text = text.replace("10.0.0.0/24", "127.0.0.0/8").replace("10.0.0.", NETWORK)
    # Each part runs in a directory of its own.
    return text.replace("dir /var/lib/redis\n", "dir ./\n")
