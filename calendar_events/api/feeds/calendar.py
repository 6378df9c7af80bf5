"""Calendars put together from the stored texts of events and of what belongs to them."""

from functools import lru_cache

from icalendar import Calendar

from calendar_events.conf import conf
from calendar_events.documents import addresses
from calendar_events.documents.ical.texts import (
    MARK,
    STATUSES,
    UNDECIDED,
    EventText,
    escape,
    fold,
    line,
)
from calendar_events.documents.ical.timezones import ZonesOfFeed
from calendar_events.models import Status
from calendar_events.store.feeds import NOTHING, Embedded

CONTENT_TYPE = "text/calendar; charset=utf-8"
PRODUCT = "-//Calendar Events//events/v1//EN"
CLOSING = "END:VCALENDAR\r\n"
REFRESH = "PT1H"
"""How often calendars should read a feed again; an unchanged one is a 304."""
PUBLISHED = line("STATUS", STATUSES[Status.PUBLISH])
SCHEDULED = line("STATUS", UNDECIDED)


def opening(name: str) -> str:
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    calendar.add("x-wr-timezone", conf.site_zone.key)
    begun = calendar.to_ical().decode().removesuffix(CLOSING)
    # RFC 7986 5.7, and what others read.
    refresh = line("REFRESH-INTERVAL;VALUE=DURATION", REFRESH)
    return begun + refresh + line("X-PUBLISHED-TTL", REFRESH)


# The same few names come again and again.
_escaped = lru_cache(maxsize=4096)(escape)


class Composer:
    """Puts the events of one calendar together, each zone before its first event."""

    def __init__(self, zones: ZonesOfFeed) -> None:
        self._zones = zones
        self._host = conf.public_host
        self._fillings = (
            (addresses.SITE, conf.public_url),
            (addresses.ROOT, conf.root_url),
        )

    def event(
        self, pk: int, text: str, embedded: Embedded = NOTHING, *, is_scheduled: bool
    ) -> str:
        """Return an event; ``embedded`` is what its viewer sees of other rows.

        Without a text there is none.
        """
        if not text:
            return ""
        pieces = EventText(*text.split(MARK))
        geo, _, location = "".join(embedded.places[:1]).partition(MARK)
        terms = ",".join(map(_escaped, embedded.categories + embedded.tags))
        return "".join(
            (
                self._zones.describe(pieces.zone),
                pieces.head,
                fold(f"UID:event-{pk}@{self._host}"),
                "\r\n",
                pieces.sequence,
                self._open(pieces.attach) if pieces.attach else "",
                line("CATEGORIES", terms) if terms else "",
                pieces.described,
                geo,
                pieces.modified,
                location,
                *embedded.organizers[:1],
                SCHEDULED if is_scheduled and pieces.status == PUBLISHED else pieces.status,
                self._open(pieces.url),
                "END:VEVENT\r\n",
            )
        )

    def _open(self, text: str) -> str:
        """Return a line with its address filled in."""
        for marker, address in self._fillings:
            if marker in text:
                text = text.replace(marker, address)
        return f"{fold(text)}\r\n"
