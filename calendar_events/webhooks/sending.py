"""One attempt: a POST to the receiver's address, and the beginning of its answer.

The receiver is trusted with nothing: the address is checked at each attempt and pinned, no
redirect is followed, and neither time nor bytes are its choice. Knows no database, so that
threads can wait here and hold no connection of one.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.utils import timezone
from django.utils.http import parse_http_date

from calendar_events.conf import conf
from platform_errors.http import addresses, outgoing
from platform_errors.http.outgoing import RequestFailed

MAX_ANSWER_BYTES: Final = 64 * 1024
"""So much of an answer is read at most."""
KEPT_BYTES: Final = 1024
"""So much of it is kept."""
GONE: Final = 410
BUSY: Final = frozenset({429, 503})
"""Statuses at which a receiver may say for how long."""
LONGEST_PAUSE: Final = timedelta(days=3)
HEADERS: Final = {
    "Content-Type": "application/json",
    "User-Agent": "calendar-events-webhooks",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an attempt came to; without a status, ``error`` says why there was none."""

    milliseconds: int
    status: int | None = None
    text: str = ""
    error: str = ""
    pause: timedelta = timedelta(0)
    """For so long the receiver asked to be left alone (``Retry-After``)."""

    @property
    def is_success(self) -> bool:
        """Whether the receiver has the message; a redirect is none."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """Whether the receiver wants no message any more."""
        return self.status == GONE


def require_acceptable(url: str) -> None:
    """Require an address that messages may be sent to, as far as it says so itself.

    A name is not looked up: that is done at each attempt. Raises ``RequestFailed``.
    """
    parts = outgoing.split(url)
    if parts.scheme != "https" and not conf.webhook_http:
        raise RequestFailed("the address is not an https URL")
    try:
        addresses.require_acceptable(parts.hostname or "", allowed=conf.webhook_networks)
    except addresses.AddressRefused as error:
        raise RequestFailed(str(error)) from error


def send(url: str, *, headers: Mapping[str, str], payload: str) -> Answer:
    """Send a message once and return what came of it; raises nothing."""
    started = time.monotonic()
    try:
        require_acceptable(url)
        answer = outgoing.send(
            outgoing.Request(
                url=url,
                method="POST",
                headers={**HEADERS, **headers},
                body=payload.encode(),
            ),
            max_bytes=MAX_ANSWER_BYTES,
            max_seconds=conf.webhook_seconds,
            allowed=conf.webhook_networks,
            is_cut=True,
        )
    except RequestFailed as failure:
        return Answer(milliseconds=_since(started), error=str(failure))
    text = answer.body[:KEPT_BYTES].decode("utf-8", "replace")
    return Answer(
        milliseconds=_since(started),
        status=answer.status,
        text=text.replace("\x00", "\ufffd"),  # neither database stores NUL
        pause=_pause(answer) if answer.status in BUSY else timedelta(0),
    )


def _pause(answer: outgoing.Answer) -> timedelta:
    """Return what ``Retry-After`` asks for: seconds, or until a date (RFC 9110 10.2.3)."""
    text = answer.headers.get("Retry-After", "")[:40].strip()
    if text.isascii() and text.isdigit():
        seconds = float(text)
    else:
        try:
            seconds = parse_http_date(text) - timezone.now().timestamp()
        except ValueError:
            return timedelta(0)
    longest = LONGEST_PAUSE.total_seconds()
    return timedelta(seconds=min(max(seconds, 0), longest))


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
