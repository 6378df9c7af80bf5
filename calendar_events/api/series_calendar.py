"""A series as iCalendar: one VEVENT with its rule, and one for each date that differs."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from calendar_events.conf import conf
from calendar_events.documents import recurring
from calendar_events.documents.recurring import InSeries
from calendar_events.models import Series
from calendar_events.models.querysets.events import EventQuerySet
from calendar_events.models.visibility import password_matches
from calendar_events.parsing import dates, zones
from calendar_events.store import feeds
from calendar_events.store.feeds import Embedded, FeedRow

AT_ONCE: Final = 20
"""Series whose dates, of which each may have 2,000, are held together."""


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


def components(
    several: Sequence[Series], occurrences: EventQuerySet, composer: Composer
) -> Iterator[str]:
    """Yield the VEVENTs of series, given what the viewer may see of their occurrences.

    Dates without an occurrence that they may see are left out of the rule.
    """
    for start in range(0, len(several), AT_ONCE):
        batch = several[start : start + AT_ONCE]
        masters: dict[int, InSeries] = {}
        others: dict[int, InSeries] = {}
        found = _dates(batch, occurrences)
        for series in batch:
            if rows := found.get(series.pk):
                said = _plainest(rows)
                walls = {*_walls(series), *series.pattern.exdates}
                left_out = walls - {row.wall for row in rows}
                masters[said.id] = recurring.master(series, left_out=left_out)
                others |= {
                    row.id: recurring.override(series, row.wall)
                    for row in rows
                    if row.overridden
                    or (row.status, row.password) != (said.status, said.password)
                }
        for places in (masters, others):
            yield from _texts(places, occurrences, composer)


def _dates(several: Sequence[Series], occurrences: EventQuerySet) -> dict[int, list[_Date]]:
    """Return what may be seen of the occurrences of several series, by series."""
    by_series: dict[int, list[_Date]] = defaultdict(list)
    found = occurrences.filter(series__in=[series.pk for series in several])
    columns = ("id", "original_start_local", "overridden", "status", "password")
    rows = found.order_by("series", "position", "pk")
    for pk, *row in rows.values_list("series_id", *columns):
        by_series[pk].append(_Date(*row))
    return by_series


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
    places: dict[int, InSeries], occurrences: EventQuerySet, composer: Composer
) -> Iterator[str]:
    listing, now = occurrences.listing, occurrences.moment
    ids = list(places)
    for start in range(0, len(ids), feeds.BATCH):
        rows: list[FeedRow] = feeds.of(ids[start : start + feeds.BATCH], now)
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
