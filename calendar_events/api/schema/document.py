"""The OpenAPI document at ``{events_root}/doc``: paths relative to the root it names."""

from functools import lru_cache
from importlib import import_module
from typing import Any, cast

import orjson
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

from calendar_events.conf import conf
from calendar_events.models.kinds import KINDS

DESCRIPTION = """\
Read, create, update and delete events, venues, organizers, event categories and event tags.

Reading what is published needs no credentials. Writing needs a bearer token or a signed
request, with a user. Dates without an offset are read in the zone of the site, or in
`tz`. Lists take `a=1,2`, `a[]=1&a[]=2` and `a=1&a=2`. Every path also answers with a
trailing slash.

Errors are the JSON object `Error`. A client whose `Accept` names `application/xml` or
`text/xml` with a higher quality than JSON gets them as XML instead: root `error` with the
children `code` (the status), `message` and `detail`.
"""


def tags() -> dict[str, str]:
    """Return what the operations are grouped by, each with its description."""
    types = {kind.plural: kind.summary for kind in KINDS}
    return {
        "namespace": "The parts of the interface.",
        **types,
        "series": "Events that repeat.",
        "webhooks": "Who is told of changes, and where.",
    }


def tidy_paths(endpoints: list[Any], **_kwargs: Any) -> list[Any]:
    """Drop the optional trailing slash from paths (a spectacular preprocessing hook)."""
    return [(path.rstrip("/") or "/", *rest) for path, *rest in endpoints]


def allow_null_by_type(result: Any, **_kwargs: Any) -> Any:
    """Move ``nullable`` into a choice's member (a spectacular postprocessing hook).

    OpenAPI 3.0.3 lets ``nullable`` mean something beside ``type`` alone.
    """
    if isinstance(result, dict):
        choices = result.get("oneOf") or result.get("anyOf") or []
        if result.get("nullable") and "type" not in result and choices:
            del result["nullable"]
            member = next((one for one in choices if "type" in one), None)
            if member is None:
                choices.append({"type": "object", "nullable": True, "enum": [None]})
            else:
                member["nullable"] = True
                if "enum" in member and None not in member["enum"]:
                    member["enum"] = [*member["enum"], None]
    for member in result.values() if isinstance(result, dict) else result:
        if isinstance(member, dict | list):
            allow_null_by_type(member)
    return result


@lru_cache(maxsize=4)
def document(root_url: str) -> bytes:
    """Return the document for a server; made once, it does not change while we run."""
    settings = {
        "TITLE": "Calendar events",
        "DESCRIPTION": DESCRIPTION,
        "VERSION": "1.0.0",
        "SERVERS": [{"url": root_url, "description": "This server"}],
        "TAGS": [{"name": name, "description": text} for name, text in tags().items()],
        "CONTACT": {"name": "The operator of this server", "url": conf.public_url},
        "POSTPROCESSING_HOOKS": [
            "drf_spectacular.hooks.postprocess_schema_enums",
            "calendar_events.api.schema.document.allow_null_by_type",
        ],
    }
    patterns = import_module("calendar_events.urls").urlpatterns
    with patched_settings(settings):
        schema = cast("Any", SchemaGenerator)(patterns=patterns).get_schema(public=True)
    return orjson.dumps(schema)


def current() -> bytes:
    return document(conf.root_url)
