"""Put the demonstration's calendar into the database, or move it to the coming days.

Seeding again re-dates the demo's own events, which are known by their slugs, and touches
nothing else: people may have edited, added and deleted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any

import PIL.Image
import PIL.ImageDraw
from django.contrib.auth import get_user_model
from django.db import transaction

from calendar_events.conf import conf
from calendar_events.demo.data import DemoEvent, events
from calendar_events.demo.places import (
    CATEGORIES,
    NORTHGATE,
    ORGANIZERS,
    RIVERSIDE,
    TAGS,
    VENUES,
)
from calendar_events.models import Event, Organizer, Status, Taxonomy, Venue
from calendar_events.permissions import Actor
from calendar_events.services import images
from calendar_events.services.events import create_event, update_event
from calendar_events.services.places import create_place
from calendar_events.services.removal import trash_record
from calendar_events.services.schedule import Schedule, plan
from calendar_events.services.terms import create_term

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from calendar_events.services.inputs import EventChanges, TermChanges

EDITORS = {RIVERSIDE: "alice", NORTHGATE: "carol"}
PICTURES = {"quay": (38, 84, 124), "screen": (124, 40, 60)}


@dataclass
class Made:
    """What was made for one institution, by the names of ``demo_data``."""

    actor: Actor
    venues: dict[str, int] = field(default_factory=dict)
    organizers: dict[str, int] = field(default_factory=dict)
    categories: dict[str, int] = field(default_factory=dict)
    tags: dict[str, int] = field(default_factory=dict)
    pictures: dict[str, Any] = field(default_factory=dict)


@transaction.atomic
def seed(
    *,
    users: Mapping[str, int],
    now: datetime,
    advance: Callable[[int], None] = lambda _number: None,
) -> None:
    """Make the calendar of the demonstration, or move it to the days after ``now``.

    ``users`` maps the names of the cast to identifiers. ``advance`` is called after each
    event; what it raises undoes all of them.
    """
    actors = {
        institution: Actor(
            user=get_user_model().objects.get(pk=users[name]), institution=institution
        )
        for institution, name in EDITORS.items()
    }
    known = {demo.slug: demo for demo in events()}
    found = Event.objects.filter(slug__in=known).values_list("pk", "slug", "institution")
    if found:
        for pk, slug, institution in found:
            move(pk, known[slug], actor=actors[institution], now=now)
            advance(1)
        return
    made = {
        institution: make_surroundings(actor, now=now)
        for institution, actor in actors.items()
    }
    for demo in known.values():
        make(demo, made[demo.institution], users=users, now=now)
        advance(1)


def make_surroundings(actor: Actor, *, now: datetime) -> Made:
    """Make venues, organizers, categories, tags and pictures of an institution."""
    made, place = Made(actor=actor), actor.institution
    for name, venue in VENUES[place].items():
        made.venues[name] = create_place(Venue, actor=actor, changes=venue, now=now).pk
    for name, organizer in ORGANIZERS[place].items():
        created = create_place(Organizer, actor=actor, changes=organizer, now=now)
        made.organizers[name] = created.pk
    for name, above in CATEGORIES[place].items():
        category: TermChanges = {"name": name}
        if above:
            category["parent"] = made.categories[above]
        made.categories[name] = create_term(
            actor=actor, taxonomy=Taxonomy.CATEGORY, changes=category, now=now
        ).pk
    for name in TAGS[place]:
        made.tags[name] = create_term(
            actor=actor, taxonomy=Taxonomy.TAG, changes={"name": name}, now=now
        ).pk
    for name, colour in PICTURES.items():
        picture = images.decode(draw(colour), name=f"{name}.png")
        made.pictures[name] = images.add(actor=actor, picture=picture, now=now)
    return made


def draw(colour: tuple[int, int, int]) -> bytes:
    """Draw a picture: stripes that grow lighter."""
    picture = PIL.Image.new("RGB", (1200, 800), colour)
    pen = PIL.ImageDraw.Draw(picture)
    for step in range(8):
        lighter = tuple(min(255, part + 16 * step) for part in colour)
        pen.rectangle((150 * step, 0, 150 * step + 149, 799), fill=lighter)
    written = BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def make(demo: DemoEvent, made: Made, *, users: Mapping[str, int], now: datetime) -> None:
    """Make one event."""
    changes: EventChanges = {
        **dates(demo, now=now),
        "title": demo.title,
        "slug": demo.slug,
        "description": demo.description,
        "excerpt": demo.excerpt,
        "cost": demo.cost,
        "website": demo.website,
        "password": demo.password,
        "timezone": demo.timezone,
        "status": demo.status if demo.status != Status.TRASH else Status.PUBLISH,
        "venue": [made.venues[name] for name in demo.venues],
        "organizer": [made.organizers[name] for name in demo.organizers],
        "categories": [made.categories[name] for name in demo.categories],
        "tags": [made.tags[name] for name in demo.tags],
    }
    for flag in demo.flags:
        changes[flag] = True  # type: ignore[literal-required]
    if demo.image:
        changes["image"] = made.pictures[demo.image]
    if demo.author:
        changes["author"] = users[demo.author]
    event = create_event(actor=made.actor, changes=changes, now=now)
    if demo.status == Status.TRASH:
        trash_record(Event, actor=made.actor, pk=event.pk, now=now)


def move(pk: int, demo: DemoEvent, *, actor: Actor, now: datetime) -> None:
    """Move an event that is still there to the coming days, if it is not there yet."""
    event, changes = Event.objects.get(pk=pk), dates(demo, now=now)
    stored = Schedule.of(event)
    moved = plan(changes, current=stored, now=now, site_zone=conf.site_zone.key)
    published_at = changes.get("published_at", event.published_at)
    if (moved, published_at) != (stored, event.published_at):
        update_event(actor=actor, pk=pk, changes=changes, now=now)


def dates(demo: DemoEvent, *, now: datetime) -> EventChanges:
    """Return when the event is, and when it is published if that is to come."""
    today = now.astimezone(conf.site_zone).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    midnight = today.replace(tzinfo=None)
    start = midnight + timedelta(days=demo.day, hours=demo.hour)
    end = start + timedelta(hours=demo.hours)
    changes: EventChanges = {"start_date": f"{start:%Y-%m-%d %H:%M}"}
    changes["end_date"] = f"{end:%Y-%m-%d %H:%M}"
    if demo.publish_in_days:
        changes["published_at"] = today + timedelta(days=demo.publish_in_days)
    return changes
