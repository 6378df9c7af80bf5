"""The addresses that are measured, under the default mount (decisions 1)."""

from __future__ import annotations

from typing import Final

ROOT: Final = "/platform/events/v1"
EVENTS: Final = f"{ROOT}/events"
FEED: Final = f"{EVENTS}.ics"
FIFTY: Final = f"{EVENTS}?per_page=50"
LEAF_CATEGORY: Final = f"{EVENTS}?categories=20"
"""A category without children, of the first institution."""
TREE_CATEGORY: Final = f"{EVENTS}?categories=1"
"""The most popular category, with everything under it."""
_CIRCLE: Final = f"{EVENTS}?geoloc_lat=40.0&geoloc_lng=-83.0&radius="
TOWN: Final = f"{_CIRCLE}10"
REGION: Final = f"{_CIRCLE}500"


def event(identifier: int) -> str:
    """Return the path of one event."""
    return f"{EVENTS}/{identifier}"


def page(number: int) -> str:
    """Return the path of a page of the default list."""
    return f"{EVENTS}?page={number}"


def search(text: str) -> str:
    """Return the path of a search."""
    return f"{EVENTS}?search={text}"
