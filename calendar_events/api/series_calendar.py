"""A series as iCalendar: one VEVENT with its rule, and one for each date that differs."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from calendar_events.conf import conf
from calendar_events.documents import recurring
from calendar_events.documents.recurring import InSeries
from calendar_events.models import Series
from calendar_events.models.querysets.events import EventQuerySet
from calendar_events.models.visibility import password_matches
from calendar_events.parsing import dates, zones
from calendar_events.store import feeds
from calendar_events.store.feeds import Embedded, FeedRow


class Composer(Protocol):
    """Puts VEVENTs together (``api.feeds.Composer``)."""

    def event(
        self,
        pk: int,
        text: str,
        embedded: Embedded = ...,
        *,
        is_scheduled: bool,
        place: InSeries | None = None,
    ) -> str:
        """Return an event."""


class _Date(NamedTuple):
    """An occurrence that the viewer may see."""

    id: int
    wall: datetime
    overridden: str
    status: str
    password: str


def component(
    series: Series, occurrences: EventQuerySet, composer: Composer
) -> Iterator[str]:
    """Yield the VEVENTs of a series, given what the viewer may see of its occurrences.

    Dates without an occurrence that they may see are left out of the rule.
    """
    found = occurrences.filter(series=series.pk).order_by("position", "pk")
    columns = ("id", "original_start_local", "overridden", "status", "password")
    rows = [_Date(*row) for row in found.values_list(*columns)]
    if not rows:
        return
    said = _plainest(rows)
    walls = _walls(series)
    left_out = {*walls, *series.pattern.exdates} - {row.wall for row in rows}
    place: dict[int, InSeries] = {
        row.id: recurring.override(series, row.wall)
        for row in rows
        if row.overridden or (row.status, row.password) != (said.status, said.password)
    }
    whole = recurring.master(series, left_out=left_out)
    yield from _texts([said.id], {said.id: whole}, occurrences, composer)
    others = list(place)
    for start in range(0, len(others), feeds.BATCH):
        batch = others[start : start + feeds.BATCH]
        yield from _texts(batch, place, occurrences, composer)


def _plainest(rows: list[_Date]) -> _Date:
    """Return the first occurrence that is as most of them are."""
    plain = [row for row in rows if not row.overridden] or rows
    kinds = Counter((row.status, row.password) for row in plain)
    ((kind, _),) = kinds.most_common(1)
    return next(row for row in plain if (row.status, row.password) == kind)


def _walls(series: Series) -> list[datetime]:
    until = dates.to_wall(series.horizon, zones.zone(series.timezone))
    return series.pattern.dates(until=until, most=conf.series_max_occurrences)


def _texts(
    ids: list[int],
    places: dict[int, InSeries],
    occurrences: EventQuerySet,
    composer: Any,
) -> Iterator[str]:
    listing, now = occurrences.listing, occurrences.moment
    rows: list[FeedRow] = feeds.of(ids, now)
    is_open = {row.id: password_matches(row.password, listing.password) for row in rows}
    shown = [row.id for row in rows if is_open[row.id]]
    embedded = feeds.embedded(shown, listing.viewer, now)
    for row in rows:
        yield composer.event(
            row.id,
            feeds.text_of(row, is_open=is_open[row.id]),
            embedded.get(row.id, feeds.NOTHING),
            is_scheduled=row.is_scheduled,
            place=places[row.id],
        )
