"""The list for a caller who signed the request, or holds a token, against anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks import messages, paths
from benchmarks.goals import Verdict
from benchmarks.measure import Repeated, Unique, Variant
from benchmarks.report import Section, cost_table
from benchmarks.seed import credentials

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Calendar

PATH: Final = f"{paths.EVENTS}?status=publish"
CPU_LIMIT: Final = 1.4
TRIPS_LIMIT: Final = 2
TEXT: Final = """
`GET {path}`, {label}: HMAC signature, clock, nonce (a row, committed), service,
institution and user on every signed call; token, service, institution and user on every
bearer call. The published events only, so that all three answer the same page.
"""


def signed_lists(count: int, calendar: Calendar) -> Unique:
    """Return signed requests, one nonce each."""
    return Unique([messages.get(PATH, header(calendar)) for _ in range(count)])


def header(calendar: Calendar) -> dict[str, str]:
    """Sign the list once."""
    return messages.signed(
        "GET",
        PATH,
        accounts=calendar.accounts,
        client_id=credentials.SIGNING_KEY,
        secret=credentials.SIGNING_SECRET,
    )


def measure(bench: Bench, calendar: Calendar) -> Section:
    """Compare the three callers."""
    bench.say("signed and bearer lists")
    server = bench.serve("ours", calendar.url)
    token = messages.bearer(credentials.BEARER)
    costs = bench.compare(
        [
            Variant(
                name="anybody", server=server, requests=Repeated((messages.get(PATH),))
            ),
            Variant(
                name="signed",
                server=server,
                requests=signed_lists(bench.effort.unique, calendar),
            ),
            Variant(
                name="bearer",
                server=server,
                requests=Repeated((messages.get(PATH, token),)),
            ),
        ]
    )
    statements = bench.inside(
        calendar.url,
        "benchmarks.explaining:count_statements_each",
        path=PATH,
        callers={"anybody": {}, "signed": header(calendar), "bearer": token},
    )
    said = ", ".join(f"{name} {number}" for name, number in statements.items())
    return Section(
        title="Signed and bearer lists",
        text=f"{TEXT.strip().format(path=PATH, label=calendar.label)}\n\n"
        f"Statements per request: {said}.",
        tables=[cost_table(costs)],
        verdicts=[
            Verdict(
                subject="signed list",
                of="the same for anybody, CPU",
                limit=CPU_LIMIT,
                measured=costs["signed"].cpu / costs["anybody"].cpu,
            ),
            Verdict(
                subject="signed list",
                of="the same for anybody, statements added",
                limit=TRIPS_LIMIT,
                measured=statements["signed"] - statements["anybody"],
                unit="",
            ),
        ],
    )
