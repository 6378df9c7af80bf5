"""The addresses that are measured, under the default mount."""

from typing import Final

ROOT: Final = "/platform/events/v1"
EVENTS: Final = f"{ROOT}/events"
FIFTY: Final = f"{EVENTS}?per_page=50"
FEED: Final = f"{EVENTS}.ics"
CHANGES: Final = f"{ROOT}/changes"
ALL_TIME: Final = "start_date=2000-01-01&end_date=2100-01-01"
ALL: Final = f"{EVENTS}?{ALL_TIME}"
TOKEN: Final = "/oauth2/token"  # noqa: S105 -- where tokens are given out
LIVE: Final = "/health/live"
PAGES: Final = range(1, 21)


def event(identifier: int) -> str:
    """Return the path of one event."""
    return f"{EVENTS}/{identifier}"


def page(number: int, query: str = "") -> str:
    """Return the path of a page of the list."""
    return f"{EVENTS}?page={number}{query}"


def search(words: str, query: str = "") -> str:
    """Return the path of a search."""
    return f"{EVENTS}?search={words}{query}"


def around(kilometres: int, query: str = "") -> str:
    """Return the path of what is near the first town."""
    return f"{EVENTS}?geoloc_lat=40.0&geoloc_lng=-83.0&radius={kilometres}{query}"


def first_pages() -> list[str]:
    """Return the paths of the first twenty pages of ten."""
    return [page(number) for number in PAGES]
