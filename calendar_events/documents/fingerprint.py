"""What documents are made of, as a text that changes with it.

It is in every entity tag, so that no cached answer outlives a change of the documents.
"""

from functools import cache
from hashlib import blake2b
from typing import Any

from calendar_events.conf import conf
from calendar_events.documents.rendering import document_class
from calendar_events.models.kinds import KINDS

JOINING = "3"
"""Raised when other code makes other bytes of the same stored texts."""


def fingerprint() -> str:
    """Return a digest of the fields of all documents, whatever is inside them."""
    return _fingerprint(tuple(conf.documents.items()))


@cache
def _fingerprint(_documents: tuple[tuple[str, str], ...]) -> str:
    """Return the digest; the setting that decides which documents there are is its key."""
    documents = [document_class(kind.singular) for kind in KINDS]
    described = [(document.__name__, _fields(document())) for document in documents]
    return blake2b(repr((JOINING, described)).encode(), digest_size=8).hexdigest()


def _fields(serializer: Any) -> list[Any]:
    inner = getattr(serializer, "child", serializer)
    return [
        (name, type(field).__name__, _fields(field))
        for name, field in getattr(inner, "fields", {}).items()
    ]
