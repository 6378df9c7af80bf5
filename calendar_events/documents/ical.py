"""Records as iCalendar text, made when they are written and stored beside their JSON.

A feed is then a concatenation (``calendar``). As in the JSON fragments, two things are left
open: addresses, because host and mount are settings, and what belongs to other rows
(venues, organizers, terms). Made from the very documents that the lists answer, so a feed
shows nothing that a list does not. Content lines (RFC 5545 section 3.1) are escaped, folded
and ended by CRLF.
"""

import html as entities
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import nh3
from icalendar import Parameters, vText
from icalendar.timezone.tzid import is_utc

from calendar_events.documents.addresses import Address
from calendar_events.parsing import dates, text, zones

MARK = "\x04"
"""Stands between the pieces of a stored text; no line contains it."""
STATUSES = {"publish": "CONFIRMED", "private": "CONFIRMED", "trash": "CANCELLED"}
UNDECIDED = "TENTATIVE"

_COMPACT = str.maketrans({"-": None, ":": None, " ": "T"})
_PREFORMATTED = re.compile(r"<pre\b.*?</pre>", re.IGNORECASE | re.DOTALL)
_NO_TAGS = nh3.Cleaner(tags=set())


class EventText(NamedTuple):
    """The stored pieces of a VEVENT, between which comes what belongs to other rows.

    They follow each other in the order of the properties: those that calendars want first,
    then the others by name.
    """

    zone: str
    """The zone that has to be described, and the years: ``Europe/Berlin 2031 2031``."""
    head: str
    sequence: str
    attach: str
    """A line whose address is left open, not folded; or nothing."""
    described: str
    modified: str
    status: str
    url: str
    """A line whose address may be left open, not folded."""


def event_text(document: Mapping[str, Any], *, version: int) -> str:
    zone, times = _times(document)
    modified = _instant(document["modified_utc"])
    published, image = document["date_utc"], document["image"]
    described = words(document["description"])
    pieces = EventText(
        zone=zone,
        head="".join(
            (
                "BEGIN:VEVENT\r\n",
                line("SUMMARY", escape(document["title"])),
                times,
                line("DTSTAMP", modified),
            )
        ),
        sequence=line("SEQUENCE", str(version - 1)),
        attach=_address("ATTACH", image["url"]) if image else "",
        described=_standing(document)
        + (line("CREATED", _instant(published)) if published else "")
        + (line("DESCRIPTION", escape(described)) if described else ""),
        modified=line("LAST-MODIFIED", modified),
        status=line("STATUS", _status(document)),
        url=_address("URL", document["website"] or document["url"]),
    )
    return MARK.join(pieces)


def _status(document: Mapping[str, Any]) -> str:
    """Return the status; an event that is postponed has one date or none."""
    became = document.get("event_status")
    if became == "cancelled":
        return "CANCELLED"
    if became == "postponed" and "previous_utc_start_date" not in document:
        return UNDECIDED
    return STATUSES.get(document["status"], UNDECIDED)


def _standing(document: Mapping[str, Any]) -> str:
    """Return why it is not as planned, and where it is online if everybody may see it."""
    why, address = document.get("status_reason"), document.get("online_address")
    lines = line("COMMENT", escape(why)) if why else ""
    if isinstance(address, str) and address:
        lines += line("CONFERENCE;VALUE=URI", address)
    return lines


def venue_text(document: Mapping[str, Any]) -> str:
    """Return the lines of a venue: where it is on the globe, and in words."""
    geo = ""
    if "geo_lat" in document:
        geo = line("GEO", f"{document['geo_lat']};{document['geo_lng']}")
    parts = ("venue", "address", "city", "stateprovince", "zip", "country")
    place = ", ".join(document[part] for part in parts if document.get(part))
    return f"{geo}{MARK}{line('LOCATION', escape(place))}"


def organizer_text(document: Mapping[str, Any]) -> str:
    """Return the line of an organizer; without an e-mail address there is none."""
    if "email" not in document:
        return ""
    name = Parameters({"CN": clean(document["organizer"])}).to_ical().decode()
    return line(f"ORGANIZER;{name}", f"MAILTO:{document['email']}")


def words(markup: str) -> str:
    """Return the words of a description; blocks and line breaks end a line."""
    flat = _PREFORMATTED.sub(lambda found: found[0].replace("\n", "<br>"), markup)
    bare = _NO_TAGS.clean(text.BREAK.sub("\n", flat.replace("\n", " ")))
    lines = (" ".join(part.split()) for part in entities.unescape(bare).split("\n"))
    return "\n".join(filter(None, lines))


def _times(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return the zone to describe, and the beginning and the end.

    For whole days iCalendar wants an exclusive end. A zone that is only an offset has no
    name that other calendars know; its events are written in UTC. So are those in an hour
    that comes a second time when clocks go back: a time in a zone means the first (RFC 5545
    3.3.5), and an end could precede its start.
    """
    if document["all_day"] is True:
        return "", _days(document)
    start, end = document["utc_start_date"], document["utc_end_date"]
    zone = zones.zone(document["timezone"])
    if isinstance(zone, ZoneInfo) and not is_utc(zone):
        shown = _clock(start, zone), _clock(end, zone)
        if not any(moment.fold for moment in shown):
            first, last = (dates.written(clock).translate(_COMPACT) for clock in shown)
            return (
                f"{zone.key} {int(start[:4])} {int(end[:4])}",
                line(f"DTSTART;TZID={zone.key}", first)
                + line(f"DTEND;TZID={zone.key}", last),
            )
    return "", line("DTSTART", _instant(start)) + line("DTEND", _instant(end))


def _days(document: Mapping[str, Any]) -> str:
    first = date.fromisoformat(document["start_date"][:10])
    last = date.fromisoformat(document["end_date"][:10])
    start = line("DTSTART;VALUE=DATE", _day(first))
    if last < date.max:
        return start + line("DTEND;VALUE=DATE", _day(last + timedelta(days=1)))
    # There is no day after the last.
    return start + line("DURATION", f"P{(last - first).days + 1}D")


def _day(day: date) -> str:
    return day.isoformat().replace("-", "")


def _instant(written: str) -> str:
    return f"{written.translate(_COMPACT)}Z"


def _clock(written: str, zone: tzinfo) -> datetime:
    return dates.localtime(datetime.fromisoformat(written).replace(tzinfo=UTC), zone)


def _address(name: str, address: Address | str) -> str:
    if isinstance(address, str):
        return clean(f"{name}:{address}")
    return f"{name}:{address.marker}{clean(address.rest)}"


LONGEST = 74
"""Octets of a line before it is folded; with the blank of a continuation, 75."""

# A value may not contain control characters (RFC 5545 3.1), save for tabs. So the marks
# that stored texts are put together with cannot come from a value either.
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f]")


def line(name: str, value: str) -> str:
    """Return a whole line; ``value`` is escaped already where its type wants it."""
    return f"{fold(clean(f'{name}:{value}'))}\r\n"


def clean(text: str) -> str:
    """Return ``text`` without the characters that no line may contain."""
    return _CONTROLS.sub("", text)


def escape(text: str) -> str:
    """Return a value of type TEXT (RFC 5545 3.3.11)."""
    return vText(text).to_ical().decode()


def fold(text: str) -> str:
    """Return one line as several, none longer than 75 octets.

    Characters stay whole, and so do pairs that begin with a backslash or a circumflex,
    which some readers take apart wrongly. icalendar folds the same, in twenty times the
    time, and feeds fold addresses while they are sent.
    """
    if len(text) <= LONGEST and text.isascii():
        return text
    octets = text.encode()
    parts: list[bytes] = []
    start = 0
    while len(octets) - start > LONGEST:
        end = start + LONGEST
        while octets[end] & 0xC0 == 0x80:  # within a character
            end -= 1
        if octets[end - 1] in b"\\^":
            end -= 1
        parts.append(octets[start:end])
        start = end
    parts.append(octets[start:])
    return b"\r\n ".join(parts).decode()
