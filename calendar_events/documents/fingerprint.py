"""What documents are made of, as a text that changes with it.

It is in every entity tag, so that no cached answer outlives a change of the documents.
"""

from functools import cache
from hashlib import blake2b
from typing import Any

from rest_framework.serializers import Serializer

from calendar_events.documents.rendering import document_class
from calendar_events.models.kinds import KINDS

JOINING = "3"
"""Raised when other code makes other bytes of the same stored texts."""


def fingerprint() -> str:
    """Return a digest of the fields of all documents, whatever is inside them."""
    return fingerprint_of(tuple(document_class(kind.singular) for kind in KINDS))


@cache
def fingerprint_of(documents: tuple[type[Serializer[Any]], ...]) -> str:
    """Return a digest of the fields that serializers declare."""
    described = [(document.__name__, _fields(document())) for document in documents]
    return blake2b(repr((JOINING, described)).encode(), digest_size=8).hexdigest()


def _fields(serializer: Any) -> list[Any]:
    inner = getattr(serializer, "child", serializer)
    return [
        (name, type(field).__name__, _fields(field))
        for name, field in getattr(inner, "fields", {}).items()
    ]
