"""The JSON renderer. Stored documents are bytes already; ``_fields`` cuts them."""

from collections.abc import Mapping
from typing import Any

import orjson
from django.http import QueryDict
from rest_framework.renderers import JSONRenderer

from calendar_events.filters.base import by_parameter

Tree = dict[str, "Tree"]


def wanted_fields(query: QueryDict) -> str:
    """Return what a query wants, which is a list in any of the syntaxes (decisions 7)."""
    if not any(name.startswith("_fields") for name in query):
        return ""
    return ",".join(by_parameter(query).getlist("_fields"))


def cut(body: bytes, names: str | None) -> bytes:
    """Return a JSON document with only the named members; unchanged if none is named.

    Unknown names are ignored.
    """
    if names is None or not names.strip():
        return body
    return orjson.dumps(_pick(orjson.loads(body), _tree(names)))


def is_wanted(query: QueryDict, path: str) -> bool:
    """Return whether what ``cut`` leaves has a member, such as ``changes.record``."""
    names = wanted_fields(query)
    if not names.strip():
        return True
    branch = _tree(names)
    for name in path.split("."):
        if name not in branch:
            return False
        if not (branch := branch[name]):
            break
    return True


def _tree(listed: str) -> Tree:
    tree: Tree = {}
    for path in listed.split(","):
        branch = tree
        for name in path.strip().split("."):
            branch = branch.setdefault(name, {})
    # ``events,events.id`` wants all of ``events``.
    for path in listed.split(","):
        names = path.strip().split(".")
        branch = tree
        for name in names[:-1]:
            branch = branch.get(name, {})
        if names[-1] in branch:
            branch[names[-1]] = {}
    return tree


def _pick(value: Any, tree: Tree) -> Any:
    if not tree:
        return value
    if isinstance(value, list):
        return [_pick(item, tree) for item in value]
    if isinstance(value, dict):
        return {name: _pick(value[name], tree[name]) for name in tree if name in value}
    return value


class DocumentRenderer(JSONRenderer):
    """JSON; what was stored as JSON goes out as it is."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> Any:
        if not isinstance(data, bytes):
            return super().render(data, accepted_media_type, renderer_context)
        request = renderer_context["request"] if renderer_context else None
        return cut(data, wanted_fields(request.GET) if request else None)
