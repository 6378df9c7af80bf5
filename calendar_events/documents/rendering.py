"""One record to its fragment: the members of its JSON object, without the braces.

Event fragments end before ``categories``; term fragments before ``count``: what follows
belongs to other rows. From the same document come the record's text in feeds and its
``json_ld``.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from calendar_events.conf import conf
from calendar_events.documents import addresses, jsonld
from calendar_events.documents.addresses import HOST, ROOT, Address
from calendar_events.documents.ical import texts
from calendar_events.documents.rendered import Rendered, RenderedEvent
from calendar_events.models import Status, Taxonomy
from calendar_events.parsing import costs, text, zones

if TYPE_CHECKING:
    from datetime import datetime

    from calendar_events.models import Event, Image, Organizer, Record, Term, Venue

COLLECTIONS = {Taxonomy.CATEGORY: "categories", Taxonomy.TAG: "tags"}
BLANK_COST: dict[str, Any] = {
    "currency_symbol": "",
    "currency_code": "",
    "currency_position": "",
    "values": [],
}
BLANKED_FLAGS = (
    *("all_day", "show_map", "show_map_link", "hide_from_listings"),
    *("sticky", "featured", "ticketed"),
)
"""Members of a protected event that are null without its password."""
BLANKED: dict[str, Any] = {
    **dict.fromkeys(("description", "excerpt", "cost", "website"), ""),
    "image": False,
    # Of other rows (``composition``):
    **{name: [] for name in ("categories", "tags", "venue", "organizer")},
}
"""Its other members that are blank, and what they are then."""


def moment(instant: datetime | None) -> str:
    """Return an instant in UTC as the wire writes it; ``""`` for none (decisions 7)."""
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M:%S}".zfill(19) if instant else ""


def site_moment(instant: datetime | None) -> str:
    """Return an instant in the site zone as the wire writes it."""
    if instant is None:
        return ""
    return f"{zones.shown(instant, conf.site_zone):%Y-%m-%d %H:%M:%S}".zfill(19)


def details(written: str) -> dict[str, str]:
    """Return the parts of a written moment, zero-padded as callers expect."""
    return {
        "year": written[:4],
        "month": written[5:7],
        "day": written[8:10],
        "hour": written[11:13],
        "minutes": written[14:16],
        "seconds": written[17:19],
    }


def image_document(image: Image) -> dict[str, Any]:
    """Return the image object (``contract/events-observed.md`` 2.2)."""
    name = str(image.file.name)
    return {
        "url": addresses.of_file(name),
        "id": image.pk,
        "extension": name.rpartition(".")[2].lower(),
        "width": image.width,
        "height": image.height,
        "filesize": image.filesize,
        "sizes": {
            size_name: {
                "width": size["width"],
                "height": size["height"],
                "mime-type": size["mime-type"],
                "filesize": size["filesize"],
                "url": addresses.of_file(size["file"]),
            }
            for size_name, size in image.sizes.items()
        },
    }


def _page(record: Record, collection: str) -> Address:
    """Return ``url``: by slug once the record may be read by anybody, else by id."""
    if record.status in {Status.PUBLISH, Status.PRIVATE} and record.slug:
        return Address(ROOT, f"/{collection}/by-slug/{record.slug}")
    return Address(ROOT, f"/{collection}/{record.pk}")


def _publication(record: Record, collection: str) -> dict[str, Any]:
    return {
        "author": record.author_id,
        "status": record.status,
        "date": site_moment(record.published_at),
        "date_utc": moment(record.published_at),
        "modified": site_moment(record.modified_at),
        "modified_utc": moment(record.modified_at),
        "url": _page(record, collection),
    }


def _global_id(query: str) -> dict[str, Any]:
    address = Address(HOST, f"?{query}")
    return {"global_id": address, "global_id_lineage": [address]}


def _dates(event: Event) -> dict[str, Any]:
    written = {
        "start_date": f"{event.start_local:%Y-%m-%d %H:%M:%S}".zfill(19),
        "end_date": f"{event.end_local:%Y-%m-%d %H:%M:%S}".zfill(19),
        "utc_start_date": moment(event.start_utc),
        "utc_end_date": moment(event.end_utc),
    }
    dates: dict[str, Any] = {}
    for name, moment_text in written.items():
        dates[name] = moment_text
        dates[f"{name}_details"] = details(moment_text)
    return {
        **dates,
        "timezone": event.timezone,
        "timezone_abbr": zones.abbreviation(event.timezone, event.start_utc),
    }


def render_event(event: Event) -> RenderedEvent:
    """Return what is made of an event, up to its related records."""
    cost = costs.read(event.cost, currency=conf.currency)
    document = {
        "id": event.pk,
        **_global_id(f"id={event.pk}"),
        **_publication(event, "events"),
        "rest_url": Address(ROOT, f"/events/{event.pk}"),
        "title": event.title,
        "description": text.html(event.description),
        "excerpt": text.html(event.excerpt),
        "slug": event.slug,
        "image": image_document(event.image) if event.image else False,
        "all_day": event.all_day,
        **_dates(event),
        "cost": cost.text,
        "cost_details": {
            "currency_symbol": cost.symbol,
            "currency_code": cost.code,
            "currency_position": cost.position,
            "values": list(cost.values),
        },
        "website": event.website,
        "show_map": event.show_map,
        "show_map_link": event.show_map_link,
        "hide_from_listings": event.hide_from_listings,
        "sticky": event.sticky,
        "featured": event.featured,
        "ticketed": event.ticketed,
    }
    protected = _protected(document) if event.password else None
    described = jsonld.event(document, currency=conf.currency)
    return RenderedEvent(
        fragment=addresses.members(document),
        protected_fragment=addresses.members(protected) if protected else "",
        feed_text=texts.event_text(document, version=event.version),
        protected_feed_text=(
            texts.event_text(protected, version=event.version) if protected else ""
        ),
        json_ld=texts.MARK.join(map(addresses.members, described)),
    )


def _protected(document: dict[str, Any]) -> dict[str, Any]:
    """Blank what the password protects (``contract/events-observed.md`` 4)."""
    blanks = {name: BLANKED[name] for name in BLANKED.keys() & document.keys()}
    return document | blanks | dict.fromkeys(BLANKED_FLAGS) | {"cost_details": BLANK_COST}


def _with_values(document: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is empty, as venues and organizers do."""
    return document | {
        name: value for name, value in optional.items() if value not in ("", None)
    }


def render_venue(venue: Venue) -> Rendered:
    """Return what is made of a venue (``contract/events-observed.md`` 2.3)."""
    document = {
        "id": venue.pk,
        **_publication(venue, "venues"),
        "venue": venue.name,
        "slug": venue.slug,
        "show_map": venue.show_map,
        "show_map_link": venue.show_map_link,
        **_global_id(f"type=venue&id={venue.pk}"),
    }
    document = _with_values(
        document,
        {
            "description": text.html(venue.description),
            "image": image_document(venue.image) if venue.image else None,
            "address": venue.address,
            "city": venue.city,
            "country": venue.country,
            "province": venue.province,
            "state": venue.state,
            "zip": venue.zip,
            "phone": venue.phone,
            "website": venue.website,
            "stateprovince": venue.stateprovince,
            "geo_lat": venue.geo_lat,
            "geo_lng": venue.geo_lng,
        },
    )
    return Rendered(
        fragment=addresses.members(document),
        feed_text=texts.venue_text(document),
        json_ld=addresses.members(jsonld.place(document)),
    )


def render_organizer(organizer: Organizer) -> Rendered:
    """Return what is made of an organizer (``contract/events-observed.md`` 2.4)."""
    document = {
        "id": organizer.pk,
        **_publication(organizer, "organizers"),
        "organizer": organizer.name,
        "slug": organizer.slug,
        **_global_id(f"type=organizer&id={organizer.pk}"),
    }
    document = _with_values(
        document,
        {
            "description": text.html(organizer.description),
            "image": image_document(organizer.image) if organizer.image else None,
            "phone": organizer.phone,
            "website": organizer.website,
            "email": organizer.email,
        },
    )
    return Rendered(
        fragment=addresses.members(document),
        feed_text=texts.organizer_text(document),
        json_ld=addresses.members(jsonld.person(document)),
    )


def term_urls(term: Term) -> dict[str, Address]:
    """Return ``urls``: itself, its collection and, under a parent, the parent."""
    collection = COLLECTIONS[Taxonomy(term.taxonomy)]
    urls = {
        "self": Address(ROOT, f"/{collection}/{term.pk}"),
        "collection": Address(ROOT, f"/{collection}"),
    }
    if term.parent_id:
        urls["up"] = Address(ROOT, f"/{collection}/{term.parent_id}")
    return urls


def render_term(term: Term) -> str:
    """Return a term as events carry it (``contract/events-observed.md`` 2.5)."""
    return addresses.members(
        {
            "name": term.name,
            "slug": term.slug,
            "term_group": 0,
            "term_taxonomy_id": term.pk,
            "taxonomy": term.taxonomy,
            "description": text.plain(term.description),
            "parent": term.parent_id or 0,
            "filter": "raw",
            "id": term.pk,
            "urls": term_urls(term),
        }
    )
