"""The OpenAPI document at ``{events_root}/doc``: paths relative to the root it names."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, cast

import orjson
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

from calendar_events.conf import conf

DESCRIPTION = """\
Read, create, update and delete events, venues, organizers, event categories and event tags.

Reading what is published needs no credentials. Writing needs a bearer token or a signed
request, with a user. Dates without an offset are read in the zone of the site, or in
`tz`. Lists take `a=1,2`, `a[]=1&a[]=2` and `a=1&a=2`. Every path also answers with a
trailing slash.
"""


def tidy_paths(endpoints: list[Any], **_kwargs: Any) -> list[Any]:
    """Drop the optional trailing slash from paths (a spectacular preprocessing hook)."""
    return [(path.rstrip("/") or "/", *rest) for path, *rest in endpoints]


@lru_cache(maxsize=4)
def document(root_url: str) -> bytes:
    """Return the document for a server; made once, it does not change while we run."""
    settings = {
        "TITLE": "Calendar events",
        "DESCRIPTION": DESCRIPTION,
        "VERSION": "1.0.0",
        "SERVERS": [{"url": root_url, "description": "This server"}],
    }
    patterns = import_module("calendar_events.urls").urlpatterns
    with patched_settings(settings):
        schema = cast("Any", SchemaGenerator)(patterns=patterns).get_schema(public=True)
    return orjson.dumps(schema)


def current() -> bytes:
    """Return the document for this server."""
    return document(conf.root_url)
