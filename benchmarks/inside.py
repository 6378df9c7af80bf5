"""Run one function of ours in a process with Django set up for one database.

The run itself talks to several databases and two Django projects, which one process cannot.
"""

import importlib
import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks import servers


def at(
    url: str, function: str, *, settings: str = "config.settings", **arguments: Any
) -> Any:
    """Call a function for a database; it may take longer than any request."""
    return call(servers.patient(url, settings), function, **arguments)


def call(variables: Mapping[str, str], function: str, **arguments: Any) -> Any:
    """Call ``package.module:function`` with keyword arguments and return its result.

    Raises ``subprocess.CalledProcessError``; the traceback is on standard error.
    """
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.inside"],
        env=dict(variables),
        input=pickle.dumps((function, arguments)),
        stdout=subprocess.PIPE,
        check=True,
    )
    return pickle.loads(finished.stdout)  # noqa: S301 -- our own child wrote it


def main() -> None:
    """Do what the parent asks on standard input."""
    import django  # noqa: PLC0415 -- only this process has settings

    function, arguments = pickle.load(sys.stdin.buffer)  # noqa: S301 -- our own parent wrote it
    module, _, name = function.partition(":")
    django.setup()
    result = getattr(importlib.import_module(module), name)(**arguments)
    sys.stdout.buffer.write(pickle.dumps(result))


if __name__ == "__main__":
    main()
