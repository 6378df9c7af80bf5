"""Join stored fragments into answers. Text in, text out; addresses are filled last."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import orjson

from calendar_events.documents import addresses
from calendar_events.documents.ical import MARK
from calendar_events.models import Status, Taxonomy, visibility


class Related(NamedTuple):
    """A venue, an organizer or a term of an event."""

    kind: str
    event: int
    position: int
    id: int
    version: int
    modified_at: datetime | None
    """Not with ``of_events``."""
    is_scheduled: bool | None
    fragment: str | None
    """``None`` when the viewer may not see it; it is left out of the answer."""
    number: int
    """Of a term: how many published events have it."""
    name: str
    published_at: datetime | None = None
    """When what is published was or will be; given like ``modified_at``."""
    json_ld: str = ""
    """Of a venue or an organizer, where it was asked for."""


# Plain texts: an enumeration's members are looked up by slower ways.
_TERMS = (str(Taxonomy.CATEGORY.value), str(Taxonomy.TAG.value))
_KINDS = (*_TERMS, visibility.VENUE, visibility.ORGANIZER)
_NOTHING = '"categories":[],"tags":[],"venue":[],"organizer":[],"custom_fields":[]'
_PUBLISHED = f'"status":"{Status.PUBLISH}"'
_SCHEDULED = f'"status":"{Status.FUTURE}"'


def effective(fragment: str, *, is_scheduled: bool) -> str:
    """Return a fragment with the status that it has now.

    A fragment says what is stored; until its moment comes, ``publish`` is ``future``. The
    member cannot be meant by accident: inside a string its quotation marks are escaped.
    """
    return fragment.replace(_PUBLISHED, _SCHEDULED, 1) if is_scheduled else fragment


def with_online_address(fragment: str, address: str | None) -> str:
    """Return a fragment with its online address, or without it if that is ``None``."""
    if address is None:
        return fragment.replace(f",{addresses.ONLINE_MEMBER}", "")
    member = f'"online_address":{orjson.dumps(address).decode()}'
    return fragment.replace(addresses.ONLINE_MEMBER, member)


def event(fragment: str, related: Iterable[Related]) -> str:
    """Return an event with everything that it carries."""
    parts: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for one in related:
        if one.fragment is None:
            continue
        if one.kind in _TERMS:
            text = f'{{{one.fragment},"count":{one.number}}}'
        else:
            text = f"{{{effective(one.fragment, is_scheduled=bool(one.is_scheduled))}}}"
        parts[one.kind].append(text)
    categories, tags, venues, organizers = parts.values()
    venue = venues[0] if len(venues) == 1 else f"[{','.join(venues)}]"
    return (
        f'{{{fragment},"categories":[{",".join(categories)}]'
        f',"tags":[{",".join(tags)}],"venue":{venue}'
        f',"organizer":[{",".join(organizers)}],"custom_fields":[]}}'
    )


def event_with_json_ld(fragment: str, json_ld: str, related: Iterable[Related]) -> str:
    """Return an event with its description for search engines, as single answers do.

    Its venue has its own, unless there are several.
    """
    shown = [one for one in related if one.fragment is not None]
    venues = [one for one in shown if one.kind == visibility.VENUE]
    organizers = [one for one in shown if one.kind == visibility.ORGANIZER]
    first, _, rest = json_ld.partition(MARK)
    last, _, online = rest.partition(MARK)
    parts = [first]
    places = [f"{{{one.json_ld}}}" for one in venues[:1]]
    places += [f"{{{online}}}"] if online else []
    if places:
        location = places[0] if len(places) == 1 else f"[{','.join(places)}]"
        parts.append(f'"location":{location}')
    parts += [f'"organizer":{{{one.json_ld}}}' for one in organizers[:1]]
    if last:
        parts.append(last)
    if len(venues) == 1:
        venue = f'{venues[0].fragment},"json_ld":{{{venues[0].json_ld}}}'
        place = shown.index(venues[0])
        shown[place] = shown[place]._replace(fragment=venue)
    return with_json_ld(event(fragment, shown), ",".join(parts))


def with_json_ld(document: str, json_ld: str) -> str:
    """Return a document with its description for search engines, if it has one, last."""
    if not json_ld:
        return document
    return f'{document.removesuffix("}")},"json_ld":{{{json_ld}}}}}'


def protected_event(fragment: str) -> str:
    """Return an event as it is shown without its password."""
    return f"{{{fragment},{_NOTHING}}}"


def record(fragment: str, *, is_scheduled: bool) -> str:
    """Return a venue or an organizer."""
    return f"{{{effective(fragment, is_scheduled=is_scheduled)}}}"


def envelope(
    name: str, items: Iterable[str], links: dict[str, str], *, total: int, pages: int
) -> bytes:
    body = addresses.fill(f'{{"{name}":[{",".join(items)}],')
    tail = {**links, "total": total, "total_pages": pages}
    return body + orjson.dumps(tail)[1:]
