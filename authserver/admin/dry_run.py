"""Would this signed request be let in? The ladder again, without a trace.

The nonce is looked up and not used; nothing is logged or signalled. Only what the caller
already holds is judged: no signature is made that is not compared with the caller's own.
"""

import hmac
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, repeat, zip_longest
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import Resolver404, resolve
from rest_framework.request import Request

from platform_errors.authentication import HmacAuthentication
from platform_errors.errors import catalogue
from platform_errors.errors.base import ApiError
from platform_errors.logging.redaction import redact
from platform_errors.signing import algorithm, canonicalization
from platform_errors.signing.ladder import LADDER, SignedAttempt, signature_target
from platform_errors.signing.nonces import is_claimed

MAX_LENGTH = 8192
"""Characters of an address or a header, as the server reads them."""
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
LINES = (
    *("client identifier", "timestamp", "nonce", "body hash, always empty", "method"),
    *("host", "port", "path"),
)


class Difference(NamedTuple):
    """One line, as the caller and as the server has it; ``None`` where one has none."""

    number: int
    name: str
    theirs: str | None
    ours: str | None


@dataclass(slots=True)
class Trial:
    """How far a request came."""

    passed: list[str] = field(default_factory=list)
    """Names of ``LADDER``, then ``permissions``."""
    refusals: list[tuple[str, ApiError]] = field(default_factory=list)
    """The first; after clock and nonce, which are those of another moment, others."""
    guesses: list[str] = field(default_factory=list)
    """Mistakes that explain a wrong signature."""
    differences: list[Difference] | None = None
    """Against the string that the caller says was signed; ``None`` without one."""


def try_signed(
    method: str,
    address: SplitResult,
    authorization: str,
    *,
    may_ask: Callable[[str], bool],
    signed_text: str = "",
) -> Trial:
    """Climb the ladder with a request, and then ask what its view asks for.

    ``may_ask`` says whether the key of this identifier is the asker's business; any other
    is answered like one that does not exist. A stale clock and a used nonce, as of any
    request that is looked into later, do not end the climb.
    """
    trial, request = Trial(), _request(method, address, authorization)
    now = time.time()
    try:
        rest = HmacAuthentication().after_scheme(authorization)
    except ApiError as error:
        trial.refusals.append(("header", error))
        return trial
    attempt = SignedAttempt(request, rest, now=now)
    for name, climb in _rungs(attempt, may_ask):
        try:
            climb()
        except ApiError as error:
            trial.refusals.append((name, error))
            if name == "signature":
                _explain(trial, attempt, address.geturl(), signed_text)
            if name not in {"clock", "nonce"}:
                return trial
        else:
            trial.passed.append(name)
    _try_permissions(trial, attempt)
    return trial


def _request(method: str, address: SplitResult, authorization: str) -> Request:
    request = HttpRequest()
    request.method = method
    request.path = request.path_info = unquote(address.path)
    # As a server hands it on: the bytes of the wire, each a character (PEP 3333).
    query = address.query.encode().decode("latin-1")
    request.META = {"QUERY_STRING": query, "HTTP_AUTHORIZATION": authorization}
    return Request(request)


def _rungs(
    attempt: SignedAttempt, may_ask: Callable[[str], bool]
) -> Iterator[tuple[str, Callable[[], None]]]:
    def find_key() -> None:
        if not may_ask(attempt.header.client_id):
            raise catalogue.KeyInvalid(key=attempt.header.client_id)
        attempt.find_key()

    def look_at_nonce() -> None:
        header, stated = attempt.header, attempt.stated_time
        if stated is not None and is_claimed(
            client_id=header.client_id, timestamp=stated, nonce=header.nonce
        ):
            raise catalogue.NonceReplayed

    instead = {"key": find_key, "nonce": look_at_nonce}
    for name, climb in LADDER.items():
        yield name, instead.get(name, partial(climb, attempt))


def _explain(trial: Trial, attempt: SignedAttempt, address: str, signed_text: str) -> None:
    with suppress(canonicalization.QueryMalformed, ValueError):
        header, request, target = attempt.header, attempt.signed_request, signature_target()
        lines = canonicalization.canonical_query(request.query)
        ours = algorithm.string_to_sign(
            header, method=request.method, target=target, query_lines=lines
        )
        trial.guesses = list(_mistakes(attempt, address, ours))
        if signed_text:
            pairs = zip_longest(signed_text.splitlines(), ours.decode().splitlines())
            trial.differences = [
                Difference(number, name, *(line and redact(line) for line in pair))
                for number, (name, pair) in enumerate(
                    zip(chain(LINES, repeat("query")), pairs, strict=False), 1
                )
                if pair[0] != pair[1]
            ]


def _mistakes(attempt: SignedAttempt, address: str, ours: bytes) -> Iterator[str]:
    """Yield the usual mistakes that explain the caller's signature, in words."""
    header, request = attempt.header, attempt.signed_request
    secrets = attempt.lookup.key.secrets
    signed: dict[str, Any] = {
        "request": request,
        "target": signature_target(),
        "secrets": secrets,
    }
    instead: dict[str, dict[str, Any]] = {
        f"The method line: {name} was signed.": {"request": request._replace(method=name)}
        for name in METHODS
    } | {
        "The lines of host, port and path: those of the address itself were signed.": {
            "target": algorithm.signature_target(address)
        },
        "The query lines: none was signed.": {"request": request._replace(query=b"")},
        "The query lines: encoded as clients of the old generation do it.": {
            "old_generation": True
        },
        "The secret: a line end was taken for a part of it.": {
            "secrets": [secret + b"\n" for secret in secrets]
        },
    }
    for words, changes in instead.items():
        if algorithm.is_valid(header, **signed | changes):
            yield words
    without_end = (algorithm.sign(ours[:-1], secret).encode() for secret in secrets)
    if any(hmac.compare_digest(each, header.signature.encode()) for each in without_end):
        yield "The last line: it ends with a line feed, too."


def _try_permissions(trial: Trial, attempt: SignedAttempt) -> None:
    """Ask what the view asks of credentials; nothing where no view of an API is."""
    request = attempt.request
    try:
        credentials = attempt.credentials()
        view = _view(request.path)
        if view is None:
            return
        principal = credentials.principal
        user: Any = AnonymousUser() if principal is None else principal.user
        request.user, request.auth = user, credentials
        for permission in view.get_permissions():
            if not permission.has_permission(request, view):
                raise catalogue.MissingPermission
    except ApiError as error:
        trial.refusals.append(("permissions", error))
    else:
        trial.passed.append("permissions")


def _view(path: str) -> Any:
    """Return the API view of a path, as DRF makes it for a request; else ``None``."""
    try:
        func: Any = resolve(path).func
    except Resolver404:
        return None
    if not hasattr(func, "cls"):
        return None
    view = func.cls(**func.initkwargs)
    for method, action in (getattr(func, "actions", None) or {}).items():
        setattr(view, method, getattr(view, action))
    return view
