"""What it costs to know who is calling, apart from what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks import messages, servers
from benchmarks.goals import Verdict
from benchmarks.measure import Repeated, Unique, Variant
from benchmarks.report import Section, cost_table
from benchmarks.seed import credentials

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Calendar

TEXT: Final = """
A view that does nothing but touch its caller, in this project and in a stock
django-oauth-toolkit project, each with 20,001 live tokens. What authentication costs is the
difference to the same view without.
"""


def measure(bench: Bench, calendar: Calendar, stock_url: str) -> Section:
    """Compare bearer and signed authentication with none, and with the toolkit's."""
    bench.say("authentication")
    ours = bench.serve("ours", calendar.url, settings="benchmarks.probes.settings")
    stock = bench.serve(
        "stock",
        stock_url,
        settings="benchmarks.yardsticks.stock.settings",
        application=servers.STOCK,
    )
    nobody = Repeated((messages.get("/probe/none"),))
    token = Repeated((messages.get("/probe/bearer", messages.bearer(credentials.BEARER)),))
    signatures = Unique(
        [
            messages.get(
                "/probe/signed",
                messages.signed(
                    "GET",
                    "/probe/signed",
                    accounts=calendar.accounts,
                    client_id=credentials.SIGNING_KEY,
                    secret=credentials.SIGNING_SECRET,
                ),
            )
            for _ in range(bench.effort.unique)
        ]
    )
    costs = bench.compare(
        [
            Variant(name="ours, nobody", server=ours, requests=nobody),
            Variant(name="ours, bearer", server=ours, requests=token),
            Variant(name="ours, signed", server=ours, requests=signatures),
            Variant(name="stock, nobody", server=stock, requests=nobody),
            Variant(name="stock, bearer", server=stock, requests=token),
        ]
    )
    bearer = costs["ours, bearer"].cpu - costs["ours, nobody"].cpu
    stock_bearer = costs["stock, bearer"].cpu - costs["stock, nobody"].cpu
    return Section(
        title="Authentication alone",
        text=TEXT.strip(),
        tables=[cost_table(costs)],
        verdicts=[
            Verdict(
                subject="bearer authentication",
                of="OAuth2Authentication, CPU added to an empty view",
                limit=0.25,
                measured=bearer / stock_bearer,
            )
        ],
    )
