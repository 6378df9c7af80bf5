"""From a parsed request body to plain data: JSON objects and PHP-style forms.

Clients of the deployed peer send either (contract events 1). Both become
the same plain data, so that nothing behind this module knows which one it was.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from rest_framework.request import Request

from calendar_events.documents.events import FLAGS, SHOWN
from platform_errors.errors import writes

MAX_FORM_DEPTH = 5
# ``venue[address]``, ``organizer[0][id]``, ``tags[]``: a name and what is in its brackets.
_FORM_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
# Neither database stores NUL, and a lone surrogate is no character; the other controls
# would be invisible in every place a text is shown. Tabs and line ends are text.
_NOT_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def read(request: Request, *, lists: Iterable[str]) -> dict[str, Any]:
    """Return the body of a write as plain data.

    ``lists`` names the fields of which a form may hold several under one name.

    Raises ``MalformedJson`` and what ``platform_errors.parsers`` raises.
    """
    data = request.data
    if isinstance(data, QueryDict):
        data = _from_form(data, lists=frozenset(lists))
    if not isinstance(data, dict):
        raise writes.MalformedJson("The body must be a JSON object.", json_error=None)
    return {str(name): _printable(value) for name, value in data.items()}


def without_blanks(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a body without what a list had blanked of a protected event.

    Lists show such an event without what its password protects, to everybody
    (contract events 4). Sent back, that would clear all of it. It can be
    told from a wish to clear: no answer but a blanked one has flags that are null.
    """
    if any(body.get(name, ...) is not None for name in FLAGS):
        return body
    return {
        name: value
        for name, value in body.items()
        if name in SHOWN or not (value is None or value is False or value in ("", []))
    }


def _printable(value: Any) -> Any:
    """Drop what is no text from every text in the body."""
    if isinstance(value, str):
        return _NOT_TEXT.sub("", value)
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {name: _printable(item) for name, item in value.items()}
    return value


def _from_form(form: QueryDict, *, lists: frozenset[str]) -> dict[str, Any]:
    """Read names as PHP does: brackets nest, of a repeated plain name the last counts."""
    root: dict[str, Any] = {}
    for name, values in form.lists():
        match = _FORM_NAME.fullmatch(name)
        if match is None or name.count("[") >= MAX_FORM_DEPTH:
            continue  # not a name that any field has
        if match[2]:
            keys = [match[1], *re.findall(r"\[([^\[\]]*)\]", match[2])]
            for value in values:
                _put(root, keys, value)
        else:
            root[name] = values if len(values) > 1 and name in lists else values[-1]
    return {name: _without_numbers(value) for name, value in root.items()}


def _put(root: dict[str, Any], keys: list[str], value: str) -> None:
    """Store a value under its path; an empty key is the next number."""
    for key in keys[:-1]:
        branch = root.get(key or str(len(root)))
        if not isinstance(branch, dict):
            branch = root[key or str(len(root))] = {}
        root = branch
    root[keys[-1] or str(len(root))] = value


def _without_numbers(value: Any) -> Any:
    """Make a list of what has numbers (``a[]``, ``a[0]``) and not names in its brackets."""
    if not isinstance(value, dict):
        return value
    members = {name: _without_numbers(member) for name, member in value.items()}
    return list(members.values()) if all(map(str.isdecimal, members)) else members
