"""Tokens of the feed of changes: how far a caller has come, signed.

A token holds places and moments, no record. It is for the types that it was made for, and
for those who see what its caller saw.
"""

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple

from django.core.signing import BadSignature, Signer

from calendar_events.models.change import Position
from calendar_events.models.visibility import Viewer
from calendar_events.store.changed import Due, Seen

MAX_LENGTH = 500
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FORM = 1
"""Goes up when what a token holds changes."""


class Token(NamedTuple):
    """What a token says."""

    seen: Seen
    types: str
    """The plurals, joined by commas; empty for all."""
    viewer: str
    """Who it was made for, as a digest."""


class TokenUnreadable(ValueError):
    """A text is no token of this server; the message says so to the caller."""


def viewer_of(viewer: Viewer) -> str:
    """Return a digest of all that decides what a viewer sees."""
    return blake2b(viewer.key.encode(), digest_size=8).hexdigest()


def written(token: Token) -> str:
    """Return a token as its caller keeps it; it needs no escaping in an address."""
    seen = token.seen
    due = [_number(seen.due.at), seen.due.kind, seen.due.id]
    places = [*seen.position, _number(seen.at), *due]
    return _signer().sign_object([_FORM, *places, token.types, token.viewer])


def read(text: str) -> Token:
    """Return what a token says. Raises ``TokenUnreadable``."""
    if len(text) > MAX_LENGTH:
        raise TokenUnreadable("This is no token.")
    try:
        form, *parts = _signer().unsign_object(text)
    except (BadSignature, ValueError) as error:
        raise TokenUnreadable("This is no token.") from error
    if form != _FORM:
        raise TokenUnreadable("This token is of another version of the server.")
    transaction, row, at, due_at, due_kind, due_id, types, viewer = parts
    due = Due(_moment(due_at), due_kind, due_id)
    return Token(Seen(Position(transaction, row), _moment(at), due), types, viewer)


def _signer() -> Any:
    return Signer(salt=__name__, sep=".")


def _number(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _moment(number: int) -> datetime:
    return _EPOCH + timedelta(microseconds=number)
