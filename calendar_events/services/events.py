"""Create and change events."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction

from calendar_events.conf import conf
from calendar_events.models import (
    Event,
    EventTerm,
    Organizer,
    Status,
    Taxonomy,
    Venue,
)
from calendar_events.parsing import costs, text
from calendar_events.permissions import Actor, require_create, require_on
from calendar_events.services import occurrences, references, writing
from calendar_events.services.changesets import EventChanges
from calendar_events.services.places import create_place
from calendar_events.services.schedule import Schedule, plan
from calendar_events.services.terms import ensure_terms
from calendar_events.store import sql
from calendar_events.store.links import Links
from calendar_events.store.saving import VersionConflict


@transaction.atomic(savepoint=False)
def create_event(*, actor: Actor, changes: EventChanges, now: datetime) -> Event:
    """Create an event; its title and dates must be among the changes.

    Raises ``NotAllowed``, and ``InvalidFields`` when the dates make no schedule.
    """
    event, links = new_event(actor=actor, changes=changes, now=now)
    writing.save(event, changes, now=now, links=links)
    return event


def new_event(*, actor: Actor, changes: EventChanges, now: datetime) -> tuple[Event, Links]:
    """Return an event that is yet to be saved, and what it is to be linked to.

    Raises ``NotAllowed``, and ``InvalidFields`` when the dates make no schedule.
    """
    require_create(actor, Event)
    event = Event()
    writing.begin(event, changes, actor=actor, now=now)
    fill(event, changes, current=None, actor=actor, now=now)
    return event, links_of(event, changes, actor=actor, now=now)


@transaction.atomic
def update_event(  # noqa: PLR0913 -- who writes what, when, and what was seen
    *,
    actor: Actor,
    pk: int,
    changes: EventChanges,
    now: datetime,
    expected_version: int | None = None,
    prepare: Callable[[Event], None] = lambda _: None,
) -> Event:
    """Change what is among the changes; an explicit status restores from the trash.

    ``prepare`` gets the event as it is about to be saved. Raises ``NotAllowed``,
    ``InTrash``, ``VersionConflict``, ``Event.DoesNotExist``, and ``InvalidFields`` when the
    dates make no schedule.
    """
    event = writing.lock(Event, pk, expected_version=expected_version)
    require_on(actor, "change", event)
    writing.require_reachable(event, changes)
    stored_slug, current = event.slug, Schedule.of(event)
    before, was_in_trash = occurrences.before(event), event.status == Status.TRASH
    writing.amend(event, changes, actor=actor, now=now)
    fill(event, changes, current=current, actor=actor, now=now)
    links = links_of(event, changes, actor=actor, now=now)
    occurrences.note_overrides(event, before, links)
    prepare(event)
    writing.save(event, changes, stored_slug=stored_slug, now=now, links=links)
    occurrences.touch(event, was_in_trash=was_in_trash, now=now)
    return event


def fill(
    event: Event,
    changes: EventChanges,
    *,
    current: Schedule | None,
    actor: Actor,
    now: datetime,
) -> None:
    fill_columns(event, changes, actor=actor, now=now)
    schedule = plan(changes, current=current, now=now, site_zone=conf.site_zone.key)
    schedule.write_to(event)


def fill_columns(
    event: Event, changes: EventChanges, *, actor: Actor, now: datetime
) -> None:
    """Set the columns, but for the schedule."""
    cost = event.cost
    writing.fill(event, changes, actor=actor, now=now)
    if cost and changes.get("cost") == costs.read(cost, currency=conf.currency).text:
        # What is answered of a list of costs is its range: sent back, it changes nothing.
        event.cost = cost
    if "post_parent" in changes:
        _set_parent(event, changes["post_parent"])


def _set_parent(event: Event, pk: int | None) -> None:
    """Give the event a parent, which nobody moves elsewhere before the transaction ends.

    Raises ``VersionConflict`` when the parent was moved or deleted since it was looked up.
    """
    if pk is not None and pk != event.post_parent_id:
        rows = Event.objects.select_for_update(of=("self",), no_key=True)
        named = rows.filter(pk=pk, institution=event.institution).only("pk")
        if named.first() is None:
            raise VersionConflict(f"Event {pk} is no longer there to be a parent.")
    event.post_parent_id = pk


def links_of(event: Event, changes: EventChanges, *, actor: Actor, now: datetime) -> Links:
    return Links(
        venues=_linked(Venue, changes.get("venue"), actor=actor, now=now),
        organizers=_linked(Organizer, changes.get("organizer"), actor=actor, now=now),
        terms=_terms(event, changes, actor=actor, now=now),
    )


def _linked(
    model: type[Venue | Organizer],
    items: Iterable[Any] | None,
    *,
    actor: Actor,
    now: datetime,
) -> list[int] | None:
    if items is None:
        return None
    return [
        item if isinstance(item, int) else _get_or_create(model, item, actor=actor, now=now)
        for item in items
    ]


def _get_or_create(
    model: type[Venue | Organizer], changes: Any, *, actor: Actor, now: datetime
) -> int:
    """Reuse a venue or organizer that agrees with ``changes``, or create it.

    The name is locked to the end of the transaction: of several writers that bring the same
    new record, the first creates it and the others reuse it.
    """
    name = text.fold(changes["name"])
    sql.advisory_lock("name", model._meta.db_table, actor.institution, name)
    same = references.find_same(model, changes, actor=actor, now=now)
    if same is not None:
        return same.pk
    return create_place(model, actor=actor, changes=changes, now=now).pk


def _terms(
    event: Event, changes: EventChanges, *, actor: Actor, now: datetime
) -> list[int] | None:
    """Return the terms of both kinds; the kind that was not sent keeps those it has."""
    tokens: dict[Taxonomy, list[int | str]] = {}
    if "categories" in changes:
        tokens[Taxonomy.CATEGORY] = changes["categories"]
    if "tags" in changes:
        tokens[Taxonomy.TAG] = changes["tags"]
    if not tokens:
        return None
    ids: list[int] = []
    for taxonomy in Taxonomy:
        if taxonomy in tokens:
            ids += ensure_terms(
                actor=actor, taxonomy=taxonomy, tokens=tokens[taxonomy], now=now
            )
        elif event.pk:
            kept = EventTerm.objects.filter(event=event, term__taxonomy=taxonomy)
            ids += kept.order_by("position").values_list("term_id", flat=True)
    return ids
