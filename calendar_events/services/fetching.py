"""Pictures that are given by address: fetched before a write begins, and few at a time.

The other server may be slow and belongs to nobody we know, so nothing of ours waits for it
but the one request: no transaction is open, no lock is held, and other requests that want
a picture fetched are sent away at once, so that no address can hold every worker.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from calendar_events.conf import conf
from calendar_events.permissions import Actor, require_add_image
from calendar_events.services import images
from calendar_events.services.changesets import ImageUrl
from calendar_events.services.images import NotAPicture, Picture
from platform_errors.http.outgoing import Request, RequestFailed, send

MAX_REDIRECTS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
HEADERS = {"User-Agent": "calendar-events-image-fetcher", "Accept": "image/*"}


class DownloadFailed(Exception):
    """The file could not be had; the text says why, in words for the caller."""


def download(
    url: str, *, max_bytes: int, max_seconds: float, allowed: Iterable[str] = ()
) -> bytes:
    """Return the content behind an http or https URL.

    ``allowed`` names networks that may be reached although they are not public.

    Raises ``DownloadFailed``.
    """
    deadline = time.monotonic() + max_seconds
    for _hop in range(MAX_REDIRECTS + 1):
        try:
            answer = send(
                Request(url=url, headers=HEADERS),
                max_bytes=max_bytes,
                max_seconds=deadline - time.monotonic(),
                allowed=allowed,
            )
        except RequestFailed as error:
            raise DownloadFailed(str(error)) from error
        if answer.status == 200:
            return answer.body
        if answer.status not in REDIRECTS:
            raise DownloadFailed(f"the address answered {answer.status}")
        url = urljoin(url, answer.headers.get("Location", ""))
    raise DownloadFailed("the address redirects too often")


Changes = TypeVar("Changes")


class TooManyFetches(Exception):
    """As many pictures as may be fetched at once in this process are being fetched."""


@dataclass(slots=True, kw_only=True)
class Pictures:
    """The pictures of one write, each fetched once however often the write is tried."""

    actor: Actor
    fetched: dict[str, Picture] = field(default_factory=dict)
    """By address."""

    def fetch_for(self, changes: Changes) -> Changes:
        """Return ``changes`` with pictures in the places of their addresses.

        ``IMAGE_FETCH_SECONDS`` count for all of them together.

        Raises ``NotAllowed``, ``TooManyFetches`` and ``NotAPicture``.
        """
        places = list(_places(changes))
        if places:
            require_add_image(self.actor)
        addresses = {place["image"].url for place in places} - self.fetched.keys()
        if addresses:
            deadline = time.monotonic() + conf.image_fetch_seconds
            with _slot(self.actor.user.pk, conf.image_fetches_at_once):
                for address in sorted(addresses):
                    self.fetched[address] = fetch(address, deadline=deadline)
        for place in places:
            place["image"] = self.fetched[place["image"].url]
        return changes


def fetch(url: str, *, deadline: float) -> Picture:
    """Return the picture behind a URL; ``deadline`` is a moment of ``time.monotonic``.

    Raises ``NotAPicture``.
    """
    try:
        content = download(
            url,
            max_bytes=conf.image_max_bytes,
            max_seconds=deadline - time.monotonic(),
            allowed=conf.image_fetch_networks,
        )
    except DownloadFailed as error:
        raise NotAPicture(f"could not be fetched: {error}.") from error
    name = unquote(urlsplit(url).path).rpartition("/")[2].rpartition(".")[0]
    return images.decode(content, name=name, source_url=url)


def _places(changes: Any) -> Iterator[Any]:
    if isinstance(changes.get("image"), ImageUrl):
        yield changes
    for name in ("venue", "organizer"):
        for item in changes.get(name, []):
            if not isinstance(item, int):
                yield from _places(item)


_lock = threading.Lock()
_fetching: set[Any] = set()
"""Primary keys of the users whose pictures this process is fetching."""


@contextmanager
def _slot(user_pk: Any, most: int) -> Iterator[None]:
    """Hold the user's one slot; raise ``TooManyFetches`` if it, or ``most``, are taken."""
    with _lock:
        if user_pk in _fetching or len(_fetching) >= most:
            raise TooManyFetches("other pictures are being fetched now")
        _fetching.add(user_pk)
    try:
        yield
    finally:
        with _lock:
            _fetching.remove(user_pk)
