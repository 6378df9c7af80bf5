"""Addresses inside stored fragments: left open on writing, filled in on answering.

A marker is a raw control character. JSON text can never contain one (a serializer escapes
it), so no input can forge one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.core.files.storage import default_storage

from calendar_events.conf import conf

SITE = "\x01"
"""Stands for ``PUBLIC_URL``."""
ROOT = "\x02"
"""Stands for ``{events_root}`` as an absolute address."""
HOST = "\x03"
"""Stands for the host of ``PUBLIC_URL``."""
ONLINE = "\x05"
"""Stands for an online address that not everybody may see (``store.online``)."""
ONLINE_MEMBER = f'"online_address":"{ONLINE}"'
"""How it stands in a document, never as the first member."""
_UNFILLED = f",{ONLINE_MEMBER}".encode()


@dataclass(frozen=True, slots=True)
class Address:
    """A text whose beginning is a setting."""

    marker: str
    rest: str

    def json(self) -> str:
        """Return the JSON string, its beginning left open."""
        return f'"{self.marker}{orjson.dumps(self.rest).decode()[1:]}'


def of_file(name: str) -> Address | str:
    """Return the address of a stored file; storages elsewhere give absolute ones."""
    address = default_storage.url(name)
    return Address(SITE, address) if address.startswith("/") else address


def dumps(value: Any) -> str:
    """Return ``value`` as JSON text in which each ``Address`` is left open."""
    return orjson.dumps(value, _left_open, orjson.OPT_PASSTHROUGH_DATACLASS).decode()


def _left_open(address: Address) -> orjson.Fragment:
    return orjson.Fragment(address.json())


def members(document: Mapping[str, Any]) -> str:
    """Return the members of an object without its braces."""
    return dumps(document)[1:-1]


def fill(text: str) -> bytes:
    """Return ``text`` as it is sent, with every address in its place.

    Bytes are filled three times as fast as a text with characters of several widths.
    """
    return (
        text.encode()
        .replace(SITE.encode(), conf.public_url.encode())
        .replace(ROOT.encode(), conf.root_url.encode())
        .replace(HOST.encode(), conf.public_host.encode())
        .replace(_UNFILLED, b"")
    )
