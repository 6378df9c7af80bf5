"""``_fields``: answer only some members of a document; dots reach inside, lists too."""

from __future__ import annotations

from typing import Any

import orjson

Tree = dict[str, "Tree"]


def cut(body: bytes, wanted: str | None) -> bytes:
    """Return a JSON document with only the wanted members; all without a wish.

    A member that is not there is passed over.
    """
    if wanted is None or not wanted.strip():
        return body
    return orjson.dumps(_pick(orjson.loads(body), _tree(wanted)))


def _tree(wanted: str) -> Tree:
    tree: Tree = {}
    for path in wanted.split(","):
        branch = tree
        for name in path.strip().split("."):
            branch = branch.setdefault(name, {})
    # ``events,events.id`` wants all of ``events``.
    for path in wanted.split(","):
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
