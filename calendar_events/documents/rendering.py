"""From a record to the columns that are made of its document.

A fragment is the members of the document's JSON object, without the braces. Event fragments
end before ``categories``, term fragments before ``count``: what follows belongs to other
rows. From the same document come the record's text in feeds and its ``json_ld``.
"""

from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any, cast

from django.utils.module_loading import import_string

from calendar_events.conf import conf
from calendar_events.documents import addresses
from calendar_events.documents.base import Document, serializer_of
from calendar_events.documents.terms import OwnTerm
from calendar_events.models import Event, Organizer, Term, Venue
from calendar_events.models.kinds import KINDS, Kind, kind_for, kind_of

_OWN_TERM = OwnTerm()
LONGEST_KEPT = 2_000
"""Characters of a description that a process keeps rendered."""
_UNCOUNTED = '"count":0'
"""The second member of a term; only its identifier stands before it."""


def document_class(singular: str) -> type[Document]:
    """Return the serializer of a kind: the project's (``DOCUMENTS``) or the calendar's."""
    return _class_of(kind_for(singular))


def _class_of(kind: Kind) -> type[Document]:
    path = conf.documents.get(kind.singular) or kind.document
    return cast("type[Document]", import_string(path))


def columns(record: Event | Organizer | Term | Venue) -> dict[str, str]:
    return serializer_of(_class_of(kind_of(record))).columns(record)


def term_answer(row: Any) -> str:
    """Return a term as its own answer, given its columns and the number of its events.

    Of what is answered this alone is not stored. It is rendered when it is first read and
    kept while its columns are the same. Rendered each time, a page of 50 took 40 % more.
    Long descriptions are not kept: the memory of a process must not depend on them.
    """
    is_kept = len(row.description) <= LONGEST_KEPT
    text = (_own_term if is_kept else _render_own_term)(row._replace(number=0))
    return text.replace(_UNCOUNTED, f'"count":{row.number}', 1)


def _render_own_term(row: Any) -> str:
    return addresses.dumps(_OWN_TERM.to_representation(row))


_own_term = lru_cache(maxsize=512)(_render_own_term)

JOINING = "3"
"""Raised when other code makes other bytes of the same stored texts."""


def fingerprint() -> str:
    """Return a digest of the fields of all documents, whatever is inside them."""
    return _fingerprint(tuple(conf.documents.items()))


@cache
def _fingerprint(_documents: tuple[tuple[str, str], ...]) -> str:
    """Return the digest; the setting that decides which documents there are is its key."""
    documents = [_class_of(kind) for kind in KINDS]
    described = [(document.__name__, _fields(document())) for document in documents]
    return blake2b(repr((JOINING, described)).encode(), digest_size=8).hexdigest()


def _fields(serializer: Any) -> list[Any]:
    inner = getattr(serializer, "child", serializer)
    return [
        (name, type(field).__name__, _fields(field))
        for name, field in getattr(inner, "fields", {}).items()
    ]
