"""Redeeming authorization codes with PKCE: ours against the stock toolkit."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from benchmarks import messages, servers
from benchmarks.goals import Verdict
from benchmarks.measure import Unique, Variant
from benchmarks.report import Section, cost_table
from benchmarks.seed import credentials

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Calendar

STOCK_SETTINGS: Final = "benchmarks.yardsticks.stock.settings"
STOCK_TOKEN_PATH: Final = "/o/token/"  # noqa: S105 -- a path
TEXT: Final = """
One code, one exchange: form body, public client, S256. Ours also keeps only digests, locks
the code, checks key, service, institution and user, and writes the audit record; the stock
toolkit does none of that, and also issues a refresh token.
"""


def measure(bench: Bench, calendar: Calendar, stock_url: str) -> Section:
    """Exchange codes in turns at both servers."""
    bench.say("token exchange")
    ours = bench.serve("ours", calendar.url)
    stock = bench.serve(
        "stock", stock_url, settings=STOCK_SETTINGS, application=servers.STOCK
    )
    count = bench.effort.unique
    codes = bench.inside(calendar.url, "benchmarks.seed.accounts:make_codes", count=count)
    path = bench.inside(calendar.url, "benchmarks.seed.accounts:token_path")
    stock_codes = [secrets.token_urlsafe(32) for _ in range(count)]
    bench.inside(
        stock_url,
        "benchmarks.yardsticks.stock.accounts:make_codes",
        settings=STOCK_SETTINGS,
        codes=stock_codes,
        client_id=credentials.PUBLIC_KEY,
        redirect=credentials.REDIRECT,
        challenge=credentials.CHALLENGE,
    )
    costs = bench.compare(
        [
            Variant(name="ours", server=ours, requests=exchanges(path, codes)),
            Variant(
                name="stock",
                server=stock,
                requests=exchanges(STOCK_TOKEN_PATH, stock_codes),
            ),
        ]
    )
    return Section(
        title="Token exchange, code and PKCE",
        text=TEXT.strip(),
        tables=[cost_table(costs, baseline="stock")],
        verdicts=[
            Verdict(
                subject="token exchange",
                of="stock django-oauth-toolkit, exchanges per CPU second",
                limit=1.6,
                measured=costs["stock"].cpu / costs["ours"].cpu,
                at_least=True,
            )
        ],
    )


def exchanges(path: str, codes: list[str]) -> Unique:
    """Return one request per code."""
    return Unique(
        [
            messages.form(
                path,
                {
                    "grant_type": "authorization_code",
                    "code": code,
                    "client_id": credentials.PUBLIC_KEY,
                    "redirect_uri": credentials.REDIRECT,
                    "code_verifier": credentials.VERIFIER,
                },
            )
            for code in codes
        ]
    )
