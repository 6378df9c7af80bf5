"""What it costs to know who is calling, and to let somebody in."""

from collections.abc import Iterator
from typing import Any, Final

from benchmarks import client, inside, messages, paths
from benchmarks.bench import Bench
from benchmarks.measure import Variant
from benchmarks.report import AT_LEAST, Goal, Section, cost_table
from benchmarks.servers import DJANGO, Server

LIST: Final = f"{paths.EVENTS}?status=publish"
SIGNED_LIMIT: Final = 1.8
BEARER_LIMIT: Final = 0.5
EXCHANGE_LIMIT: Final = 1.0
STOCK: Final = "benchmarks.yardsticks.stock"
LIST_TEXT: Final = """
`GET {path}`, {label}: signature, clock, nonce (a row, committed), service, institution and
user on every signed call; token, service, institution and user on every bearer call. The
published events only, so that all three answer the same page.
"""
ALONE_TEXT: Final = """
A view that does nothing but touch its caller, in this project and in a stock
django-oauth-toolkit project, each with 20,001 live tokens. What authentication costs is the
difference to the same view without.
"""
EXCHANGE_TEXT: Final = """
One code, one exchange: form body, public client, S256. Ours also keeps only digests, locks
the code, checks key, service, institution and user, and writes the audit record; the stock
toolkit does none of that, and also issues a refresh token.
"""


def lists(bench: Bench) -> Iterator[Section]:
    """Compare the list for a caller who signs, or holds a token, with anybody's."""
    ours = bench.serve("ours", bench.main.url)
    requests = {
        "anybody": messages.in_turns(LIST),
        "signed": messages.signed_gets(LIST),
        "bearer": messages.in_turns(LIST, headers=messages.BEARER),
    }
    costs = bench.compare([Variant(name, ours, each) for name, each in requests.items()])
    ratio = costs["signed"].cpu / costs["anybody"].cpu
    yield Section(
        "Signed and bearer lists",
        LIST_TEXT.format(path=LIST, label=bench.main.label),
        cost_table(costs, baseline="anybody"),
        [Goal("signed list", "the same for anybody, CPU", SIGNED_LIMIT, ratio)],
    )


def authentication(bench: Bench) -> Iterator[Section]:
    """Compare bearer and signed authentication with none, and with the toolkit's."""
    ours = bench.serve("ours", bench.main.url, urls="benchmarks.yardsticks.probe_urls")
    stock, _ = _stock(bench)
    nobody = messages.in_turns("/probe/none")
    for server in (ours, stock):
        token = messages.get("/probe/bearer", messages.BEARER)
        if b'"known":true' not in client.ask(server.port, token).body:
            raise client.UnexpectedAnswer(f"{server.name} does not know the token")
    bearer = messages.in_turns("/probe/bearer", headers=messages.BEARER)
    signed = messages.signed_gets("/probe/signed")
    costs = bench.compare(
        [
            Variant("ours, nobody", ours, nobody),
            Variant("ours, bearer", ours, bearer),
            Variant("ours, signed", ours, signed),
            Variant("stock, nobody", stock, nobody),
            Variant("stock, bearer", stock, bearer),
        ]
    )
    added, stock_added = (
        costs[f"{name}, bearer"].cpu - costs[f"{name}, nobody"].cpu
        for name in ("ours", "stock")
    )
    of = "OAuth2Authentication, CPU added to an empty view"
    yield Section(
        "Authentication alone",
        ALONE_TEXT,
        cost_table(costs, baseline="ours, nobody"),
        [Goal("bearer authentication", of, BEARER_LIMIT, added / stock_added)],
    )


def tokens(bench: Bench) -> Iterator[Section]:
    """Exchange codes in turns at both servers."""
    ours = bench.serve("ours", bench.main.url)
    stock, stock_url = _stock(bench)
    count = bench.effort.total
    codes = inside.at(bench.main.url, "benchmarks.seed.accounts:make_codes", count=count)
    stock_codes = _of_stock(stock_url, "make_codes", count=count)
    costs = bench.compare(
        [
            Variant("ours", ours, _exchanges(paths.TOKEN, codes)),
            Variant("stock", stock, _exchanges("/o/token/", stock_codes)),
        ]
    )
    of = "stock django-oauth-toolkit, exchanges per CPU second"
    ratio = costs["stock"].cpu / costs["ours"].cpu
    yield Section(
        "Token exchange, code and PKCE",
        EXCHANGE_TEXT,
        cost_table(costs, baseline="stock"),
        [Goal("token exchange", of, EXCHANGE_LIMIT, ratio, *AT_LEAST)],
    )


def _exchanges(path: str, codes: list[str]) -> Iterator[bytes]:
    return (messages.form(path, messages.exchange_fields(code)) for code in codes)


def _stock(bench: Bench) -> tuple[Server, str]:
    """Return a stock toolkit that is served, and its database."""
    url = bench.cluster.create("bench_stock")
    _of_stock(url, "prepare")
    settings = f"{STOCK}.settings"
    return bench.serve("stock", url, application=DJANGO, settings=settings), url


def _of_stock(url: str, function: str, **arguments: Any) -> Any:
    settings = f"{STOCK}.settings"
    return inside.at(url, f"{STOCK}.accounts:{function}", settings=settings, **arguments)
