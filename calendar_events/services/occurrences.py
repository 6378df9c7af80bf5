"""An occurrence by itself: where it stands in its series, and where it differs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from calendar_events.models import Event, Series, Status
from calendar_events.parsing import dates, zones
from calendar_events.store import links as link_rows
from calendar_events.store.links import Links

FIELDS: Final = {
    "start_local": "start_date",
    "end_local": "end_date",
    "image_id": "image",
    "post_parent_id": "post_parent",
    "online_from": "online_from_utc",
}
"""The fields of the interface whose columns have another name."""
_TERMS: Final = ("categories", "tags")
# What belongs to the row and not to what it says, and what follows from other columns.
_ITS_OWN: Final = frozenset(
    {
        *("id", "institution", "author_id", "status", "previous_status", "published_at"),
        *("slug", "version", "created_at", "modified_at", "start_utc", "end_utc"),
        "previous_start_utc",
        *("series_id", "original_start_local", "original_start_utc", "position"),
        *("overridden", *Event.rendered_fields),
    }
)
COLUMNS: Final = tuple(
    column.attname
    for column in Event._meta.concrete_fields
    if column.attname not in _ITS_OWN
)
"""What the occurrences of a series have in common, but for overrides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What an occurrence was before a write."""

    values: dict[str, Any]
    linked: dict[str, list[int]]


def before(event: Event) -> Before | None:
    """Return what an occurrence is before it is written; ``None`` for other events."""
    if event.series_id is None:
        return None
    return Before(
        values={name: getattr(event, name) for name in COLUMNS},
        linked=link_rows.stored(event),
    )


def note_overrides(event: Event, known: Before | None, links: Links) -> None:
    """Note in which fields a write makes an occurrence differ from its series."""
    if known is None:
        return
    changed = {
        FIELDS.get(name, name)
        for name in COLUMNS
        if getattr(event, name) != known.values[name]
    }
    for name, field in (("venues", "venue"), ("organizers", "organizer")):
        wanted = getattr(links, name)
        if wanted is not None and list(wanted) != known.linked[name]:
            changed.add(field)
    if links.terms is not None and list(links.terms) != known.linked["terms"]:
        changed.update(_TERMS)
    event.overrides = event.overrides | changed


def touch(event: Event, *, was_in_trash: bool, now: datetime) -> None:
    """Tell its series of the write of one occurrence.

    What went to the trash is left out of the series; what came back is a date of it.
    """
    if event.series_id is None:
        return
    series = lock(event.series_id)
    wall = original(event)
    is_in_trash = event.status == Status.TRASH
    if is_in_trash and not was_in_trash:
        series.exclude(wall)
    elif was_in_trash and not is_in_trash:
        series.include(wall)
    series.touch(now)
    series.save()


def forget(event: Event, *, now: datetime) -> None:
    """Tell its series that an occurrence was deleted; an empty one goes with it."""
    if event.series_id is None:
        return
    series = lock(event.series_id)
    if not Event.objects.filter(series=series).exists():
        series.delete()
        return
    series.exclude(original(event))
    series.touch(now)
    series.save()


def lock(pk: int) -> Series:
    """Return a series for writing. Raises ``Series.DoesNotExist``."""
    return Series.objects.select_for_update().get(pk=pk)


def original(event: Event) -> datetime:
    """Return the date of its series that an occurrence stands for."""
    wall = event.original_start_local
    if wall is None:
        raise ValueError(f"{event} is no occurrence.")
    return wall


def put(event: Event, series: Series, *, wall: datetime, position: int) -> None:
    """Make an event the occurrence of a date; when it is stays as it was."""
    event.series = series
    event.original_start_local = wall
    zone = zones.zone(series.timezone)
    event.original_start_utc = dates.to_utc(wall, zone, is_clamped=True)
    event.position = position


def leave(event: Event) -> None:
    """Make an occurrence an event by itself."""
    event.series = event.original_start_local = event.original_start_utc = None
    event.position, event.overridden = None, ""


def copy(event: Event) -> Event:
    """Return a new event that says the same as another, yet without a slug."""
    twin = Event(**{name: getattr(event, name) for name in COLUMNS})
    for name in ("institution", "author_id", "status", "published_at"):
        setattr(twin, name, getattr(event, name))
    twin.image = event.image  # loaded once for all
    return twin
