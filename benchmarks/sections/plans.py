"""The query plans of the heavy pages, as PostgreSQL executed them for the server.

``auto_explain`` writes the plan of every statement to the session's messages, so that these
are the plans of the statements that requests really send, not of copies of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks import paths
from benchmarks.report import Section
from benchmarks.sections.search import ALL_TIME
from benchmarks.seed import odds

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Calendar

TEXT: Final = """
`EXPLAIN (ANALYZE, BUFFERS)` of the slowest statement of each request, {label}.
"""


def heavy(last_page: int) -> dict[str, str]:
    """Return the pages whose plans are worth reading."""
    return {
        "Page one": paths.EVENTS,
        "Last page": paths.page(last_page),
        "Category page": paths.LEAF_CATEGORY,
        "Category with children": paths.TREE_CATEGORY,
        "Geographic page": paths.TOWN,
        "Search, 5 % match": f"{paths.search(odds.COMMON)}&{ALL_TIME}",
        "Search, nothing matches": f"{paths.search(odds.ABSENT)}&{ALL_TIME}",
        "Search, two characters": f"{paths.search(odds.TWO_CHARACTERS)}&{ALL_TIME}",
        "Search, a stop word": f"{paths.search(odds.STOP_WORD)}&{ALL_TIME}",
    }


def explain(bench: Bench, calendar: Calendar) -> Section:
    """Collect the plans."""
    bench.say("query plans")
    plans = bench.inside(calendar.url, "benchmarks.explaining:plans_of_pages")
    return Section(
        title="Query plans",
        text=TEXT.strip().format(label=calendar.label),
        tables=[f"### {name}\n\n```\n{plan}\n```" for name, plan in plans.items()],
    )
