"""Make events that repeat, and keep them as far ahead as the horizon."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q

from calendar_events.conf import conf
from calendar_events.models import Event, Series, Status
from calendar_events.parsing import dates, zones
from calendar_events.permissions import Actor, require_create
from calendar_events.services import events, occurrences, recurrence, writing
from calendar_events.services.changesets import EventChanges, InvalidFields
from calendar_events.store import links as link_rows
from calendar_events.store import naming, together
from calendar_events.store.links import Links
from calendar_events.store.saving import VersionConflict

DAY = timedelta(days=1)
EXTENDED = "the series was extended"

Dated = Sequence[tuple[int, datetime]]
"""Positions and dates."""


@transaction.atomic(savepoint=False)
def create_series(*, actor: Actor, changes: EventChanges, now: datetime) -> Event:
    """Create an event that repeats, and return its first occurrence.

    Raises ``NotAllowed``, and ``InvalidFields`` when the dates make no schedule or no
    series.
    """
    first, links = events.new_event(actor=actor, changes=changes, now=now)
    series = new_series(first, changes, now=now)
    dated = dates_of(series)
    if not dated:
        raise InvalidFields({"exdate": recurrence.NO_DATE_LEFT})
    base = changes.get("slug", "")
    if not base and naming.needs_slug(first):
        base = naming.made_slug(first)
    made = write_dates(series, first, dated, links=links, base=base, actor=actor, now=now)
    return made[0]


@transaction.atomic
def begin_series(
    *,
    actor: Actor,
    pk: int,
    changes: EventChanges,
    now: datetime,
    expected_version: int | None = None,
) -> Event:
    """Let an event by itself repeat: it is the first occurrence, under its identifier.

    Raises what ``create_series`` and ``update_event`` raise.
    """
    require_create(actor, Event)

    def begin(event: Event) -> None:
        if event.series_id is not None:
            raise VersionConflict(f"{event} has got into a series.")
        series = new_series(event, changes, now=now)
        if series.is_excluded(series.start_local):
            raise InvalidFields({"exdate": "must not leave out the event itself."})
        occurrences.put(event, series, wall=series.start_local, position=1)

    event = events.update_event(
        actor=actor,
        pk=pk,
        changes=changes,
        now=now,
        expected_version=expected_version,
        prepare=begin,
    )
    series = occurrences.lock(event.series_id or 0)
    _, *dated = dates_of(series)
    links = Links(**link_rows.stored(event))
    base = naming.restored(event.slug)
    write_dates(series, event, dated, links=links, base=base, actor=actor, now=now)
    return event


def new_series(first: Event, changes: EventChanges, *, now: datetime) -> Series:
    """Store the series that an event begins. Raises ``InvalidFields``."""
    pattern = recurrence.pattern_of(
        changes["recurrence"],
        start=first.start_local,
        zone=zones.zone(first.timezone),
        now=now,
    )
    series = Series(
        institution=first.institution,
        timezone=first.timezone,
        all_day=first.all_day,
        start_local=first.start_local,
        end_local=first.end_local,
        horizon=recurrence.horizon_of(first.start_utc, now=now),
        created_at=now,
        modified_at=now,
    )
    series.pattern = pattern
    series.total = pattern.total(most=conf.series_max_occurrences)
    series.dates = len(recurrence.walls_of(series))
    series.save()
    return series


def dates_of(series: Series, *, after: int = 0) -> list[tuple[int, datetime]]:
    """Return the dates behind a position as far as the horizon, but for those left out."""
    walls = recurrence.walls_of(series)
    return [
        (position, wall)
        for position, wall in enumerate(walls, 1)
        if position > after and not series.is_excluded(wall)
    ]


def write_dates(  # noqa: PLR0913 -- a series, what it says, when, and who
    series: Series,
    template: Event,
    dated: Dated,
    *,
    links: Links,
    base: str,
    actor: Actor | None,
    now: datetime,
) -> list[Event]:
    """Write an occurrence for each date, which says what ``template`` says.

    ``base`` is what their slugs begin with; without it they have none yet.
    """
    slugs = naming.dated_slugs(base, [wall for _, wall in dated]) if base else []
    given = set(slugs)
    made = []
    for number, (position, wall) in enumerate(dated):
        event = occurrences.copy(template)
        occurrences.put(event, series, wall=wall, position=position)
        recurrence.schedule_at(series, wall).write_to(event)
        if base:
            event.slug = slugs[number]
            if not event.slug:
                naming.take_slug(event, base, given)
                given.add(event.slug)
        if event.status == Status.TRASH:
            event.previous_status = template.previous_status
            event.slug = naming.trashed(event.slug)
        sign(event, actor)
        made.append(event)
    together.save_all(made, links=[links] * len(made), now=now)
    return made


def sign(event: Any, actor: Actor | None) -> None:
    """Say in the history who writes an occurrence; nobody does when time goes on."""
    if actor is not None:
        writing.set_history_actor(event, actor)
    else:
        event._change_reason = EXTENDED  # noqa: SLF001 -- django-simple-history's seam


def extend_all(*, now: datetime) -> int:
    """Extend every series that may have further dates; return how many were added."""
    unfinished = Q(total__isnull=True) | Q(total__gt=F("dates"))
    rows = Series.objects.filter(unfinished, dates__lt=conf.series_max_occurrences)
    # Not those of today: a second run finds nothing to do.
    rows = rows.filter(horizon__lt=recurrence.horizon_of(now, now=now) - DAY)
    added = 0
    for pk in list(rows.order_by("pk").values_list("pk", flat=True)):
        added += extend_series(pk=pk, now=now)
    return added


@transaction.atomic
def extend_series(*, pk: int, now: datetime) -> int:
    """Give a series the occurrences up to the horizon of today; return how many.

    They say what the last one says that differs from the series in nothing. A series that
    is in the trash, or has as many dates as it may have, gets none.
    """
    series = Series.objects.select_for_update().filter(pk=pk).first()
    if series is None:  # deleted since it was found
        return 0
    start = dates.to_utc(series.start_local, zones.zone(series.timezone), is_clamped=True)
    series.horizon = max(series.horizon, recurrence.horizon_of(start, now=now))
    template = template_of(series)
    if template is None:
        return 0
    dated = dates_of(series, after=series.dates)
    series.dates = len(recurrence.walls_of(series))
    if dated:
        series.touch(now)
    series.save()
    linked = Links(**link_rows.stored(template))
    base = naming.undated(template.slug, occurrences.original(template))
    write_dates(series, template, dated, links=linked, base=base, actor=None, now=now)
    return len(dated)


def template_of(series: Series) -> Event | None:
    """Return the last occurrence that says what the series says.

    A status is of each date by itself, so it is one with the status that most have; no
    date is published because one was.
    """
    rows = Event.objects.filter(series=series).exclude(status=Status.TRASH)
    plain = rows.filter(overridden="") if rows.filter(overridden="").exists() else rows
    usual = plain.values("status").annotate(number=Count("pk"))
    usual = usual.order_by("-number", "status").values("status")[:1]
    alike = plain.filter(status=usual).select_related("image")
    return alike.order_by("-original_start_local").first()
