"""The columns of a record that are made of its other columns, by their names."""

from __future__ import annotations

from typing import NamedTuple


class Rendered(NamedTuple):
    """The columns of a venue or an organizer that are made of the others."""

    fragment: str
    feed_text: str
    json_ld: str


class RenderedEvent(NamedTuple):
    """The columns of an event that are made of the others.

    The protected ones are what is seen without the password; empty when there is none.
    """

    fragment: str
    protected_fragment: str
    feed_text: str
    protected_feed_text: str
    json_ld: str
    """What comes before and what comes after ``location`` and ``organizer``."""
