"""Whether six requests need more statements or more calls than they did (``make gate``).

A timer would measure what else the machine does. Counted are the statements that reach
PostgreSQL (a commit is one), the calls of Python and C functions, and where the processor
tells, its instructions. What is kept in ``gate.json`` may grow by a tenth. Whoever means
the growth accepts it, ``make gate ACCEPT=1``, and says why in the commit.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import random
import sys
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from benchmarks import inside, messages, paths, processor, servers
from benchmarks.databases import Cluster
from benchmarks.seed import constants

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from logging import StreamHandler
    from typing import TextIO

    Environ = dict[str, Any]
    Figures = dict[str, dict[str, int]]

KEPT: Final = Path(__file__).with_name("gate.json")
TOLERANCE: Final = 0.1
EVENTS: Final = 300
NOW: Final = datetime(2026, 6, 15, 12, tzinfo=UTC)
"""When everything happens: the calendar, and what a request asks for, depend on the day."""
WARM_UP: Final = 3
PYTHON: Final = ".".join(map(str, sys.version_info[:2]))
LIST_SIGNED: Final = f"{paths.EVENTS}?status=publish"


def statement_codes() -> set[Any]:
    """Return the code of the functions through which statements reach PostgreSQL."""
    import psycopg  # noqa: PLC0415 -- not in the process that compares

    cursor, connection = psycopg.Cursor, psycopg.Connection
    functions = (cursor.execute, cursor.executemany, cursor.copy, connection.commit)
    return {inspect.unwrap(function).__code__ for function in functions}


def count(work: Callable[[Any], object], make: Callable[[], Any]) -> dict[str, int]:
    """Count what ``work`` does, on this thread, with something of ``make``.

    What generators do themselves is left out: how often one is resumed depends on how an
    answer of the database is cut into packets.
    """
    codes, statements, calls = statement_codes(), 0, 0

    def see(frame: Any, event: str, _argument: object) -> None:
        nonlocal statements, calls
        code = frame.f_code
        if event in {"call", "c_call"} and not code.co_flags & inspect.CO_GENERATOR:
            calls += 1
            statements += event == "call" and code in codes

    first, second = make(), make()
    gc.collect()
    gc.disable()  # finalizers would run whenever it falls due
    sys.setprofile(see)
    try:
        work(first)
    finally:
        sys.setprofile(None)
        gc.enable()
    counted = {"statements": statements, "calls": calls}
    with processor.counting() as instructions:
        if instructions is not None:
            before = instructions()
            work(second)
            counted["instructions"] = instructions() - before
    return counted


def answer(application: Any, environ: Environ) -> tuple[dict[str, str], bytes]:
    """Return the headers, names in lower case, and the body of an application's answer.

    Raises ``RuntimeError`` unless it is a 200 or a 304.
    """
    begun: list[Any] = []
    response = application(environ, lambda *head: begun.extend(head[:2]))
    body = b"".join(response)
    response.close()
    if begun[0][:3] not in {"200", "304"}:
        raise RuntimeError(f"{environ['PATH_INFO']}: {begun[0]}, {body[:500]!r}")
    return {name.lower(): value for name, value in begun[1]}, body


def requests(application: Any) -> dict[str, Callable[[], Environ]]:
    """Return the six requests by name; each call makes one that can be sent once."""
    from django.test import RequestFactory  # noqa: PLC0415 -- needs settings

    def get(path: str, headers: Mapping[str, str] | None = None) -> Environ:
        factory = RequestFactory(headers=headers, SERVER_NAME="127.0.0.1")
        return dict(factory.get(path).environ)

    def signed() -> Environ:
        return get(LIST_SIGNED, messages.signed(LIST_SIGNED))

    headers, body = answer(application, get(paths.EVENTS))
    single = paths.event(json.loads(body)["events"][0]["id"])
    unchanged = {"If-None-Match": headers["etag"]}
    return {
        "list of ten": lambda: get(paths.EVENTS),
        "list of fifty": lambda: get(paths.FIFTY),
        "single event": lambda: get(single),
        "list of ten, 304": lambda: get(paths.EVENTS, unchanged),
        "search": lambda: get(paths.search(constants.COMMON)),
        "list of ten, signed": signed,
    }


def measure() -> Figures:
    """Fill the database of the settings, and count each request, warm."""
    import time_machine  # noqa: PLC0415 -- only in the process that is measured

    from benchmarks.seed import calendar  # noqa: PLC0415 -- needs settings
    from config.monitoring import access_log  # noqa: PLC0415 -- the same
    from config.wsgi import application  # noqa: PLC0415 -- the same

    random.seed(0)  # which of several locks a search takes
    with time_machine.travel(NOW, tick=False):
        calendar.prepare(events=EVENTS, other_tokens=0, now=NOW)
        for handler in access_log.logger.handlers:
            # Its lines are made and counted, but would bury the figures.
            cast("StreamHandler[TextIO]", handler).setStream(StringIO())
        return {
            name: count_warm(application, make)
            for name, make in requests(application).items()
        }


def count_warm(application: Any, make: Callable[[], Environ]) -> dict[str, int]:
    """Count a request of an application after some like it."""
    for _ in range(WARM_UP):
        answer(application, make())
    return count(lambda environ: answer(application, environ), make)


def judge(measured: Figures, kept: Any) -> list[str]:
    """Return a sentence for each figure that is more than a tenth above the kept one.

    ``kept`` is the content of ``gate.json``; figures of another Python are compared by
    their statements only, because every version has its own way to call. What was not
    kept, the processor's instructions for example, is not compared.
    """
    found = []
    for name, figures in measured.items():
        for unit, now in figures.items():
            before = kept["requests"][name].get(unit, now)
            is_compared = unit == "statements" or kept["python"] == PYTHON
            if is_compared and now > before * (1 + TOLERANCE):
                growth = f"grew from {before:,} to {now:,} ({now / before - 1:+.0%})"
                found.append(f"{name}: {unit} {growth}")
    advice = "If that is meant: make gate ACCEPT=1, and the reason in the commit."
    return [*found, advice] if found else []


def main() -> int:
    """Measure, show, and compare or accept; the exit status is 1 when something grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="keep the new figures")
    options = parser.parse_args()
    url = Cluster.from_environment().create("bench_gate")
    # Hashes of texts decide the order of sets, and that decides some calls.
    variables = servers.environment(url, PYTHONHASHSEED="0")
    measured: Figures = inside.call(variables, "benchmarks.gate:measure")
    for name, figures in measured.items():
        shown = ", ".join(f"{figure:,} {unit}" for unit, figure in figures.items())
        sys.stdout.write(f"{name}: {shown}\n")
    if options.accept:
        text = json.dumps({"python": PYTHON, "requests": measured}, indent=4)
        KEPT.write_text(f"{text}\n", encoding="utf-8")
        return 0
    said = judge(measured, json.loads(KEPT.read_text(encoding="utf-8")))
    sys.stdout.writelines(f"{sentence}\n" for sentence in said)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
