"""Verbs of the reading tests."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode


def path(collection: str, **query: Any) -> str:
    """Return the path of a list with a query; a list value is sent as ``name[]=…``."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if isinstance(value, list):
            pairs += [(f"{name}[]", str(item)) for item in value]
        else:
            pairs.append((name, str(value)))
    return f"/{collection}?{urlencode(pairs)}"


def ids(response: Any) -> list[int]:
    """Return the identifiers of a page, in order."""
    assert response.status_code == 200, response.content
    document = response.json()
    name = next(key for key in document if isinstance(document[key], list))
    return [item["id"] for item in document[name]]


def pks(*records: Any) -> list[int]:
    """Return the identifiers of instances, in order."""
    return [record.pk for record in records]


def at(text: str) -> datetime:
    """Return a wall clock."""
    return datetime.fromisoformat(text)
