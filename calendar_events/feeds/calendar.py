"""Events as VEVENT components, and the calendar around them.

Made from the same documents that the lists answer, so a feed shows nothing that a list does
not: protected events keep their secrets, unseen venues stay out.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event, vCalAddress, vText

from calendar_events import text, zones
from calendar_events.conf import conf
from calendar_events.feeds.timezones import timezone_component

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

CONTENT_TYPE = "text/calendar; charset=utf-8"
PRODUCT = "-//Calendar Events//events/v1//EN"
STATUSES = {"publish": "CONFIRMED", "private": "CONFIRMED", "trash": "CANCELLED"}


def opening(name: str) -> bytes:
    """Return the beginning of a calendar."""
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    calendar.add("x-wr-timezone", conf.site_zone.key)
    return bytes(calendar.to_ical()).removesuffix(b"END:VCALENDAR\r\n")


def closing() -> bytes:
    """Return the end of a calendar."""
    return b"END:VCALENDAR\r\n"


def components(documents: Iterable[tuple[dict[str, Any], int]]) -> Iterator[bytes]:
    """Return events, given with their versions, each zone before its first event.

    A zone that comes again in years that were not told yet is told again, for more years:
    calendars keep the last they read.
    """
    told: dict[str, tuple[int, int]] = {}
    for document, version in documents:
        zone = zones.zone(document["timezone"])
        if isinstance(zone, ZoneInfo) and document["all_day"] is not True:
            first = int(document["utc_start_date"][:4])
            last = int(document["utc_end_date"][:4])
            known = told.get(zone.key, (first, first - 1))
            if first < known[0] or last > known[1]:
                told[zone.key] = (min(first, known[0]), max(last, known[1]) + 1)
                yield timezone_component(zone, *told[zone.key])
        yield bytes(vevent(document, version, zone).to_ical())


def vevent(document: dict[str, Any], version: int, zone: tzinfo) -> Event:
    """Return one event."""
    component = Event()
    component.add("uid", f"event-{document['id']}@{conf.public_host}")
    component.add("dtstamp", _instant(document["modified_utc"]))
    component.add("sequence", version - 1)
    if document["date_utc"]:
        component.add("created", _instant(document["date_utc"]))
    component.add("last-modified", _instant(document["modified_utc"]))
    _add_times(component, document, zone)
    component.add("summary", document["title"])
    component.add("status", STATUSES.get(document["status"], "TENTATIVE"))
    component.add("url", document["url"])
    _add_words(component, document)
    return component


def _add_times(component: Event, document: dict[str, Any], zone: tzinfo) -> None:
    """Add the beginning and the end, which iCalendar wants exclusive for whole days.

    A zone that is only an offset has no name that other calendars know; its events are
    written in UTC. So are those in an hour that comes a second time when clocks go back: a
    time in a zone means the first (RFC 5545 3.3.5), and an end could precede its start.
    """
    if document["all_day"] is True:
        first = date.fromisoformat(document["start_date"][:10])
        last = date.fromisoformat(document["end_date"][:10])
        component.add("dtstart", first)
        if last < date.max:
            component.add("dtend", last + timedelta(days=1))
        else:  # there is no day after the last
            component.add("duration", last - first + timedelta(days=1))
        return
    start, end = _instant(document["utc_start_date"]), _instant(document["utc_end_date"])
    if isinstance(zone, ZoneInfo):
        here = zones.shown(start, zone), zones.shown(end, zone)
        if not any(moment.fold for moment in here):
            start, end = here
    component.add("dtstart", start)
    component.add("dtend", end)


def _add_words(component: Event, document: dict[str, Any]) -> None:
    if described := text.strip_html(document["description"]):
        component.add("description", described)
    terms = [term["name"] for term in document["categories"] + document["tags"]]
    if terms:
        component.add("categories", terms)
    venues = document["venue"]
    venue = venues[0] if isinstance(venues, list) and venues else venues
    if venue:
        component.add("location", _place(venue))
        if "geo_lat" in venue:
            component.add("geo", (venue["geo_lat"], venue["geo_lng"]))
    for organizer in document["organizer"][:1]:
        if "email" in organizer:
            address = vCalAddress(f"MAILTO:{organizer['email']}")
            address.params["CN"] = vText(organizer["organizer"])
            component.add("organizer", address)
    if document["image"]:
        component.add("attach", document["image"]["url"])


def _place(venue: dict[str, Any]) -> str:
    parts = ("venue", "address", "city", "stateprovince", "zip", "country")
    return ", ".join(venue[part] for part in parts if venue.get(part))


def _instant(written: str) -> datetime:
    return datetime.strptime(written, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
