"""Fetch a file from a URL that a caller chose: each redirect is checked anew."""

import time
from collections.abc import Iterable
from urllib.parse import urljoin

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
