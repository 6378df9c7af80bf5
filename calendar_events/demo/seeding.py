"""Put the demonstration's calendar, which is ``calendar.toml``, into the database.

Seeding again re-dates the demo's own events, which are known by their slugs, and touches
nothing else: people may have edited, added and deleted.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import PIL.Image
import PIL.ImageDraw
from django.contrib.auth import get_user_model
from django.db import transaction

from calendar_events.conf import conf
from calendar_events.models import Event, Organizer, Status, Taxonomy, Venue
from calendar_events.permissions import Actor
from calendar_events.services import images
from calendar_events.services.changesets import (
    ALL,
    EventChanges,
    Recurrence,
    TermChanges,
)
from calendar_events.services.events import create_event, update_event
from calendar_events.services.places import create_place
from calendar_events.services.records import trash_record
from calendar_events.services.schedule import Schedule, plan
from calendar_events.services.series import create_series
from calendar_events.services.series_edits import update_series
from calendar_events.services.terms import create_term

EDITORS = {"1001": "alice", "1002": "carol"}
PICTURES = {"quay": (38, 84, 124), "screen": (124, 40, 60)}
SERIES_DAYS = 60
"""From today on."""


@dataclass(frozen=True, kw_only=True)
class DemoEvent:
    """One event, by days from today."""

    slug: str
    title: str
    day: int
    every: int = 0
    """So many days lie between the dates of what repeats."""
    times: int = 1
    hour: int = 19
    hours: float = 2
    institution: str = "1001"
    timezone: str = ""
    description: str = ""
    excerpt: str = ""
    venues: list[str] = field(default_factory=list)
    organizers: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    status: str = Status.PUBLISH
    publish_in_days: int = 0
    cost: str = ""
    website: str = ""
    password: str = ""
    image: str = ""
    author: str = ""
    flags: list[str] = field(default_factory=list)
    event_status: str = ""
    status_reason: str = ""


@dataclass
class Made:
    """What was made for one institution, by the names of ``calendar.toml``."""

    actor: Actor
    venues: dict[str, int] = field(default_factory=dict)
    organizers: dict[str, int] = field(default_factory=dict)
    categories: dict[str, int] = field(default_factory=dict)
    tags: dict[str, int] = field(default_factory=dict)
    pictures: dict[str, Any] = field(default_factory=dict)


@cache
def calendar() -> dict[str, Any]:
    text = Path(__file__).with_name("calendar.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def events() -> Iterator[DemoEvent]:
    """Yield the special events, then the series over sixty days."""
    for event in calendar()["events"]:
        yield DemoEvent(**event)
    for series in calendar()["series"]:
        of_all = dict(series)
        slug, step = of_all.pop("slug"), of_all.pop("every")
        days = range(1 + step // 2, SERIES_DAYS + 1, step)
        if of_all.pop("repeats", False):
            yield DemoEvent(
                **of_all,
                slug=f"demo-{slug}",
                day=days[0],
                every=step,
                times=len(days),
                hours=1.5,
                description=f"<p>{series['title']}, all season.</p>",
            )
            continue
        for number, day in enumerate(days, start=1):
            yield DemoEvent(
                **of_all,
                slug=f"demo-{slug}-{number}",
                day=day,
                hours=1.5,
                description=f"<p>{series['title']}, number {number} of the season.</p>",
            )


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
        for demo in known.values():
            if demo.every:
                move_series(demo, actor=actors[demo.institution], now=now)
        return
    made = {
        institution: make_surroundings(actor, now=now)
        for institution, actor in actors.items()
    }
    for demo in known.values():
        make(demo, made[demo.institution], users=users, now=now)
        advance(1)


def make_surroundings(actor: Actor, *, now: datetime) -> Made:
    made, place = Made(actor=actor), actor.institution
    for name, venue in calendar()["venues"][place].items():
        made.venues[name] = create_place(Venue, actor=actor, changes=venue, now=now).pk
    for name, organizer in calendar()["organizers"][place].items():
        created = create_place(Organizer, actor=actor, changes=organizer, now=now)
        made.organizers[name] = created.pk
    for name, above in calendar()["categories"][place].items():
        category: TermChanges = {"name": name}
        if above:
            category["parent"] = made.categories[above]
        made.categories[name] = create_term(
            actor=actor, taxonomy=Taxonomy.CATEGORY, changes=category, now=now
        ).pk
    for name in calendar()["tags"][place]:
        made.tags[name] = create_term(
            actor=actor, taxonomy=Taxonomy.TAG, changes={"name": name}, now=now
        ).pk
    for name, colour in PICTURES.items():
        picture = images.decode(draw(colour), name=f"{name}.png")
        made.pictures[name] = images.add(actor=actor, picture=picture, now=now)
    return made


def draw(colour: tuple[int, int, int]) -> bytes:
    picture = PIL.Image.new("RGB", (1200, 800), colour)
    pen = PIL.ImageDraw.Draw(picture)
    for step in range(8):
        lighter = tuple(min(255, part + 16 * step) for part in colour)
        pen.rectangle((150 * step, 0, 150 * step + 149, 799), fill=lighter)
    written = BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def make(demo: DemoEvent, made: Made, *, users: Mapping[str, int], now: datetime) -> None:
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
        "status": Status.PUBLISH if demo.status == Status.TRASH else Status(demo.status),
        "venue": [made.venues[name] for name in demo.venues],
        "organizer": [made.organizers[name] for name in demo.organizers],
        "categories": [made.categories[name] for name in demo.categories],
        "tags": [made.tags[name] for name in demo.tags],
    }
    if demo.event_status:
        changes["event_status"] = demo.event_status
        changes["status_reason"] = demo.status_reason
    for flag in demo.flags:
        changes[flag] = True  # type: ignore[literal-required]
    if demo.image:
        changes["image"] = made.pictures[demo.image]
    if demo.author:
        changes["author"] = users[demo.author]
    if demo.every:
        rule = f"FREQ=DAILY;INTERVAL={demo.every};COUNT={demo.times}"
        changes["recurrence"] = Recurrence(rrule=rule)
        create_series(actor=made.actor, changes=changes, now=now)
        return
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


def move_series(demo: DemoEvent, *, actor: Actor, now: datetime) -> None:
    """Move a series that is still there to the coming days, if it is not there yet."""
    rows = Event.objects.filter(slug__startswith=f"{demo.slug}-", series__isnull=False)
    event = rows.exclude(status=Status.TRASH).order_by("position").first()
    if event is None or event.position is None:
        return
    later = replace(demo, day=demo.day + (event.position - 1) * demo.every)
    changes, stored = dates(later, now=now), Schedule.of(event)
    if plan(changes, current=stored, now=now, site_zone=conf.site_zone.key) != stored:
        update_series(actor=actor, pk=event.pk, scope=ALL, changes=changes, now=now)


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
