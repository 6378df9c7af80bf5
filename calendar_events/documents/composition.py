"""Join stored fragments into answers. Text in, text out; addresses are filled last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from calendar_events import viewers
from calendar_events.documents import addresses
from calendar_events.models import Status, Taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calendar_events.queries.relations import Related

_NOTHING = '"categories":[],"tags":[],"venue":[],"organizer":[],"custom_fields":[]'
_PUBLISHED = f'"status":"{Status.PUBLISH}"'
_SCHEDULED = f'"status":"{Status.FUTURE}"'


def effective(fragment: str, *, is_scheduled: bool) -> str:
    """Return a fragment with the status that it has now.

    A fragment says what is stored; until its moment comes, ``publish`` is ``future``. The
    member cannot be meant by accident: inside a string its quotation marks are escaped.
    """
    return fragment.replace(_PUBLISHED, _SCHEDULED, 1) if is_scheduled else fragment


def event(fragment: str, related: Iterable[Related]) -> str:
    """Return an event with everything that it carries."""
    parts: dict[str, list[str]] = {
        Taxonomy.CATEGORY: [],
        Taxonomy.TAG: [],
        viewers.VENUE: [],
        viewers.ORGANIZER: [],
    }
    for one in related:
        if one.fragment is None:
            continue
        text = effective(one.fragment, is_scheduled=bool(one.is_scheduled))
        if one.kind in {Taxonomy.CATEGORY, Taxonomy.TAG}:
            text = f'{text},"count":{one.number}'
        parts[one.kind].append(f"{{{text}}}")
    venues = parts[viewers.VENUE]
    venue = venues[0] if len(venues) == 1 else f"[{','.join(venues)}]"
    return (
        f'{{{fragment},"categories":[{",".join(parts[Taxonomy.CATEGORY])}]'
        f',"tags":[{",".join(parts[Taxonomy.TAG])}],"venue":{venue}'
        f',"organizer":[{",".join(parts[viewers.ORGANIZER])}],"custom_fields":[]}}'
    )


def protected_event(fragment: str) -> str:
    """Return an event as it is shown without its password."""
    return f"{{{fragment},{_NOTHING}}}"


def record(fragment: str, *, is_scheduled: bool) -> str:
    """Return a venue or an organizer."""
    return f"{{{effective(fragment, is_scheduled=is_scheduled)}}}"


def envelope(
    name: str, items: Iterable[str], links: dict[str, str], *, total: int, pages: int
) -> bytes:
    """Return a list in its envelope, addresses filled."""
    body = addresses.fill(f'{{"{name}":[{",".join(items)}]')
    tail = {**links, "total": total, "total_pages": pages}
    return body.encode() + b"," + orjson.dumps(tail)[1:]
