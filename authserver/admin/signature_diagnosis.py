"""Where a client's string to sign differs from ours, for people who look for the mistake.

Only what the caller already holds is judged: no signature is made that is not compared with
the caller's own, and none is shown.
"""

import hmac
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from platform_errors.logging.redaction import redact
from platform_errors.signing import algorithm, canonicalization

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


class Variant(NamedTuple):
    """What a client may have signed by mistake."""

    words: str
    request: algorithm.SignedRequest
    target: algorithm.SignatureTarget
    secrets: Sequence[bytes]
    is_old: bool = False
    """Whether as clients of the old generation do."""


def likely_mistakes(
    header: algorithm.SignedHeader,
    *,
    request: algorithm.SignedRequest,
    target: algorithm.SignatureTarget,
    address: str,
    secrets: Sequence[bytes],
) -> list[str]:
    """Return the mistakes that explain the caller's signature, in words.

    Raises like ``differences``.
    """
    found = [
        each.words
        for each in _variants(request, target, address, secrets)
        if algorithm.is_valid(
            header,
            request=each.request,
            target=each.target,
            secrets=each.secrets,
            old_generation=each.is_old,
        )
    ]
    lines = canonicalization.canonical_query(request.query)
    message = algorithm.string_to_sign(
        header, method=request.method, target=target, query_lines=lines
    ).removesuffix(b"\n")
    given = header.signature.encode()
    if any(
        hmac.compare_digest(algorithm.sign(message, secret).encode(), given)
        for secret in secrets
    ):
        found.append("The last line: it ends with a line feed, too.")
    return found


def _variants(
    request: algorithm.SignedRequest,
    target: algorithm.SignatureTarget,
    address: str,
    secrets: Sequence[bytes],
) -> Iterator[Variant]:
    for method in METHODS:
        if method != request.method.upper():
            other = request._replace(method=method)
            words = f"The method line: {method} was signed."
            yield Variant(words, other, target, secrets)
    place = algorithm.signature_target(address)
    words = "The lines of host, port and path: those of the address itself were signed."
    yield Variant(words, request, place, secrets)
    if request.query:
        none = request._replace(query=b"")
        yield Variant("The query lines: none was signed.", none, target, secrets)
        words = "The query lines: encoded as clients of the old generation do it."
        yield Variant(words, request, target, secrets, is_old=True)
    ended = [secret + b"\n" for secret in secrets]
    words = "The secret: a line end was taken for a part of it."
    yield Variant(words, request, target, ended)


def differences(
    theirs: str,
    header: algorithm.SignedHeader,
    request: algorithm.SignedRequest,
    target: algorithm.SignatureTarget,
) -> list[Difference]:
    """Compare the string that a caller signed, line by line, with the server's.

    Raises ``canonicalization.QueryMalformed``, or ``ValueError`` for a method that is none.
    """
    lines = canonicalization.canonical_query(request.query)
    ours = algorithm.string_to_sign(
        header, method=request.method, target=target, query_lines=lines
    ).decode()
    pairs = zip_longest(theirs.splitlines(), ours.splitlines())
    return [
        Difference(number, _name(number), _shown(mine), _shown(server))
        for number, (mine, server) in enumerate(pairs, start=1)
        if mine != server
    ]


def _name(number: int) -> str:
    return LINES[number - 1] if number <= len(LINES) else "query"


def _shown(line: str | None) -> str | None:
    return None if line is None else redact(line)
