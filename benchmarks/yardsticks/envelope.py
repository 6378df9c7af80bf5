"""The list's frame: the default window, totals, and links to itself and its neighbours."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

from dateutil.relativedelta import relativedelta

from benchmarks.yardsticks import shapes

DEFAULTS: Final = (("page", "1"), ("per_page", "10"))
MONTHS: Final = 24


def window(now: datetime) -> tuple[datetime, datetime]:
    """Return the default window: from yesterday to the end of a day in two years."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    end = today + relativedelta(months=MONTHS) + timedelta(days=1, seconds=-1)
    return today - timedelta(days=1), end


def rest(page: int, size: int, total: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return what follows the events."""
    pages = -(-total // size)
    links = {"rest_url": _address(page, size, parameters)}
    if page < pages:
        links["next_rest_url"] = _address(page + 1, size, parameters)
    if page > 1:
        links["previous_rest_url"] = _address(page - 1, size, parameters, short=True)
    return {**links, "total": total, "total_pages": pages}


def _address(
    page: int, size: int, parameters: Mapping[str, Any], *, short: bool = False
) -> str:
    query = {
        **({} if short and page == 1 else {"page": page}),
        "per_page": size,
        "start_date": shapes.moment(parameters["first"]),
        "end_date": shapes.moment(parameters["last"]),
    }
    return f"{shapes.ROOT_URL}/events?{urlencode(query, quote_via=quote, safe=':')}"
