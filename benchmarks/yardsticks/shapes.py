"""Rows to the documents of the wire, by plain dictionaries, request after request.

This is what an answer costs that is put together when it is asked for; the product puts it
together when it is written.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from benchmarks import paths, servers

ROOT_URL: Final = servers.PUBLIC_URL + paths.ROOT
HOST: Final = servers.PUBLIC_URL.partition("//")[2]
MEDIA_URL: Final = f"{servers.PUBLIC_URL}/media/"
COLLECTIONS: Final = {"tribe_events_cat": "categories", "post_tag": "tags"}
Row = dict[str, Any]


def names(text: str) -> tuple[str, ...]:
    """Return the names of columns or fields that a text lists."""
    return tuple(text.split())


VENUE_DETAILS: Final = names(
    "address city country province state zip phone website stateprovince geo_lat geo_lng"
)
ORGANIZER_DETAILS: Final = names("phone website email")
FLAGS: Final = names(
    "website show_map show_map_link hide_from_listings sticky featured ticketed"
)

_AMOUNT = re.compile(r"\d+(?:\.\d+)?")


def moment(instant: datetime) -> str:
    """Return a moment as the wire writes it; the benchmark's site zone is UTC."""
    return instant.strftime("%Y-%m-%d %H:%M:%S")


def details(text: str) -> dict[str, str]:
    return {
        "year": text[:4],
        "month": text[5:7],
        "day": text[8:10],
        "hour": text[11:13],
        "minutes": text[14:16],
        "seconds": text[17:19],
    }


def cost(given: str) -> tuple[str, dict[str, Any]]:
    """Return the written cost and its details, for the forms that the seed uses."""
    values = _AMOUNT.findall(given)
    has_sign = bool(values)
    written = " – ".join(f"${value}" for value in values) if values else given  # noqa: RUF001 -- the wire's dash
    if given == "Free":
        values = ["free"]
    return written, {
        "currency_symbol": "$" if has_sign else "",
        "currency_code": "USD" if has_sign else "",
        "currency_position": "prefix" if has_sign else "",
        "values": values,
    }


def sizes(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sizes of an image, their addresses in place of file names."""
    return {
        size: {
            "width": found["width"],
            "height": found["height"],
            "mime-type": found["mime-type"],
            "filesize": found["filesize"],
            "url": MEDIA_URL + found["file"],
        }
        for size, found in stored.items()
    }


def image(row: Mapping[str, Any]) -> dict[str, Any] | bool:
    """Return the image object of an event, ``False`` for none."""
    if row["image_id"] is None:
        return False
    name: str = row["image_file"]
    return {
        "url": MEDIA_URL + name,
        "id": row["image_id"],
        "extension": name.rpartition(".")[2],
        "width": row["width"],
        "height": row["height"],
        "filesize": row["filesize"],
        "sizes": sizes(row["sizes"]),
    }


def publication(row: Row, collection: str) -> dict[str, Any]:
    """Return what events, venues and organizers share."""
    published, modified = moment(row["published_at"]), moment(row["modified_at"])
    return {
        "author": row["author_id"],
        "status": row["status"],
        "date": published,
        "date_utc": published,
        "modified": modified,
        "modified_utc": modified,
        "url": f"{ROOT_URL}/{collection}/by-slug/{row['slug']}",
    }


def global_id(query: str) -> dict[str, Any]:
    """Return the identifier that is unique across sites."""
    return {"global_id": f"{HOST}?{query}", "global_id_lineage": [f"{HOST}?{query}"]}


def zone_abbreviation(instant: datetime, zone: str) -> str | None:
    return instant.astimezone(ZoneInfo(zone)).tzname()


def event(row: Row) -> dict[str, Any]:
    """Return an event up to its relations."""
    dates = {
        "start_date": moment(row["start_local"]),
        "end_date": moment(row["end_local"]),
        "utc_start_date": moment(row["start_utc"]),
        "utc_end_date": moment(row["end_utc"]),
    }
    written, cost_details = cost(row["cost"])
    return {
        "id": row["id"],
        **global_id(f"id={row['id']}"),
        **publication(row, "events"),
        "rest_url": f"{ROOT_URL}/events/{row['id']}",
        "title": row["title"],
        "description": row["description"],
        "excerpt": row["excerpt"],
        "slug": row["slug"],
        "image": image(row),
        "all_day": row["all_day"],
        **dates,
        **{f"{name}_details": details(text) for name, text in dates.items()},
        "timezone": row["timezone"],
        "timezone_abbr": zone_abbreviation(row["start_utc"], row["timezone"]),
        "cost": written,
        "cost_details": cost_details,
        **{name: row[name] for name in FLAGS},
    }


def _filled(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names if row[name] not in {"", None}}


def venue(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        **publication(row, "venues"),
        "venue": row["name"],
        "slug": row["slug"],
        "show_map": row["show_map"],
        "show_map_link": row["show_map_link"],
        **global_id(f"type=venue&id={row['id']}"),
        **_filled(row, ("description",)),
        **_filled(row, VENUE_DETAILS),
    }


def organizer(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        **publication(row, "organizers"),
        "organizer": row["name"],
        "slug": row["slug"],
        **global_id(f"type=organizer&id={row['id']}"),
        **_filled(row, ("description",)),
        **_filled(row, ORGANIZER_DETAILS),
    }


def term_urls(taxonomy: str, identifier: int, parent: int | None) -> dict[str, str]:
    """Return where a term, its collection and its parent are."""
    collection = f"{ROOT_URL}/{COLLECTIONS[taxonomy]}"
    urls = {"self": f"{collection}/{identifier}", "collection": collection}
    return urls | ({"up": f"{collection}/{parent}"} if parent else {})


def term(row: Row) -> dict[str, Any]:
    return {
        "name": row["name"],
        "slug": row["slug"],
        "term_group": 0,
        "term_taxonomy_id": row["id"],
        "taxonomy": row["taxonomy"],
        "description": row["description"],
        "parent": row["parent_id"] or 0,
        "filter": "raw",
        "id": row["id"],
        "urls": term_urls(row["taxonomy"], row["id"], row["parent_id"]),
        "count": row["count"],
    }


def one_or_many(venues: list[dict[str, Any]]) -> Any:
    """Return the venue of an event as the wire has it: none, one, or a list."""
    return venues[0] if len(venues) == 1 else venues
