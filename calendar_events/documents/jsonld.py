"""schema.org descriptions of records, as single answers carry them (``json_ld``).

Made from the document when a record is written, and stored beside it, so they can say
nothing that the document does not.
"""

from datetime import datetime
from typing import Any, NamedTuple

from calendar_events.documents.addresses import Address
from calendar_events.parsing import dates, text, zones

CONTEXT = "http://schema.org"
_ADDRESS = {
    "streetAddress": "address",
    "addressLocality": "city",
    "addressRegion": "stateprovince",
    "postalCode": "zip",
    "addressCountry": "country",
}

_MODES = {"offline": "Offline", "online": "Online", "mixed": "Mixed"}
_STATUSES = {
    "scheduled": "Scheduled",
    "cancelled": "Cancelled",
    "postponed": "Postponed",
    "moved_online": "MovedOnline",
}


class EventParts(NamedTuple):
    """What describes an event before and after its ``location`` and ``organizer``."""

    first: dict[str, Any]
    last: dict[str, Any]
    online: dict[str, Any]
    """Where it is online, as far as everybody may see that."""


def event(document: dict[str, Any], *, currency: str) -> EventParts:
    """Describe an event, but for what belongs to other records."""
    described = document["excerpt"] or document["description"]
    mode = _mode(document)
    first = {
        "@context": CONTEXT,
        "@type": "Event",
        "name": document["title"],
        "description": text.strip_html(described),
        "image": _image(document),
        "url": document["url"],
        "eventAttendanceMode": f"https://schema.org/{_MODES[mode]}EventAttendanceMode",
        "eventStatus": f"https://schema.org/Event{_status(document)}",
        "previousStartDate": document.get("previous_utc_start_date")
        and _instant(document, "previous_utc_start_date"),
        "startDate": _instant(document, "utc_start_date"),
        "endDate": _instant(document, "utc_end_date"),
    }
    offers = {"offers": _offer(document, currency=currency)}
    address = document.get("online_address")
    online = {"@type": "VirtualLocation", "url": address}
    is_shown = isinstance(address, str) and mode != "offline"
    return EventParts(
        first=_filled(first), last=_filled(offers), online=online if is_shown else {}
    )


def _mode(document: dict[str, Any]) -> str:
    """Return how people take part; what nobody has said follows from the status."""
    is_moved = document.get("event_status") == "moved_online"
    return document.get("attendance_mode") or ("online" if is_moved else "offline")


def _status(document: dict[str, Any]) -> str:
    """Return the end of schema.org's name; with a new date an event is rescheduled."""
    if "previous_utc_start_date" in document:
        return "Rescheduled"
    return _STATUSES[document.get("event_status", "scheduled")]


def place(venue: dict[str, Any]) -> dict[str, Any]:
    address = _filled({name: venue.get(field) for name, field in _ADDRESS.items()})
    parts = {
        "@type": "Place",
        "name": venue["venue"],
        "description": text.strip_html(venue.get("description", "")),
        "image": _image(venue),
        "url": venue["url"],
        "address": {"@type": "PostalAddress", **address} if address else None,
        "telephone": venue.get("phone"),
        "sameAs": venue.get("website"),
    }
    if "geo_lat" in venue:
        parts["geo"] = {
            "@type": "GeoCoordinates",
            "latitude": venue["geo_lat"],
            "longitude": venue["geo_lng"],
        }
    return _filled(parts)


def person(organizer: dict[str, Any]) -> dict[str, Any]:
    return _filled(
        {
            "@type": "Person",
            "name": organizer["organizer"],
            "description": text.strip_html(organizer.get("description", "")),
            "image": _image(organizer),
            "url": organizer["url"],
            "telephone": organizer.get("phone"),
            "email": organizer.get("email"),
            "sameAs": organizer.get("website"),
        }
    )


def _filled(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value not in (None, "")}


def _image(document: dict[str, Any]) -> Address | str | None:
    image = document.get("image")
    return image["url"] if image else None


def _instant(document: dict[str, Any], name: str) -> str:
    utc = datetime.fromisoformat(f"{document[name]}+00:00")
    return dates.localtime(utc, zones.zone(document["timezone"])).isoformat()


def _offer(document: dict[str, Any], *, currency: str) -> dict[str, Any] | None:
    """Describe the lowest price; words such as ``free`` are none."""
    details = document["cost_details"]
    prices = [value for value in details["values"] if value[-1:].isdigit()]
    if not prices:
        return None
    return {
        "@type": "Offer",
        "price": prices[0],
        "priceCurrency": details["currency_code"] or currency,
        "url": document["url"],
        "category": "primary",
        "availability": "https://schema.org/InStock",
        "validFrom": document["date_utc"].replace(" ", "T") + "Z"
        if document["date_utc"]
        else None,
    }
