"""Put online addresses into stored documents, for those who may see them.

A document holds only an address that everybody may see at any time. In place of another
there is a mark, which says nothing; ``addresses.fill`` takes away what nobody has filled.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from calendar_events.documents import composition
from calendar_events.documents.addresses import ONLINE
from calendar_events.models import Event, visibility
from calendar_events.models.visibility import Viewer
from calendar_events.store.singles import Single


def resolved(fragments: Mapping[int, str], viewer: Viewer, now: datetime) -> dict[int, str]:
    """Return the fragments of events as a viewer may see them, by identifier.

    One statement if any of them has an address that not everybody may see, else none.
    """
    texts = dict(fragments)
    for event in _restricted(fragments):
        texts[event.pk] = _as_seen(texts[event.pk], event, viewer, now)
    return texts


def of_single(record: Single, viewer: Viewer, now: datetime) -> Single:
    """Return an event as a viewer may see it, and when time changed that."""
    for event in _restricted({record.id: record.fragment}):
        return record._replace(
            fragment=_as_seen(record.fragment, event, viewer, now),
            online_from=event.online_from,
        )
    return record


def _restricted(fragments: Mapping[int, str]) -> Any:
    ids = [pk for pk, text in fragments.items() if ONLINE in text]
    columns = ("online_address", "online_audience", "online_from")
    rows = Event.objects.only(*columns, "institution", "author_id")
    return rows.filter(pk__in=ids) if ids else ()


def _as_seen(text: str, event: Event, viewer: Viewer, now: datetime) -> str:
    is_seen = visibility.sees_online_address(viewer, event, now)
    return composition.with_online_address(text, event.online_address if is_seen else None)
