"""HMAC-signed requests: read the header, build the string to sign, compare (spec 5.2).

Pure: the standard library only, no settings, no clock, no database. The spec leaves the
computation open; the rules are ``docs/signing.md``, pinned by the vectors in ``tests/``.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from platform_errors.signing import canonicalization

MAX_HEADER_LENGTH: Final = 8192
MAX_VALUE_LENGTH: Final = 512
MAX_NONCE_LENGTH: Final = 128
MAX_CLIENT_ID_LENGTH: Final = 255
MAX_EMPTY_ELEMENTS: Final = 8
"""RFC 9110 section 5.6.1.2: a reasonable number of empty list elements is ignored."""

# RFC 9110 section 11.2 (auth-param), quoted form only: every known client quotes. A
# backslash may escape a quote or itself; other escapes have no agreed meaning.
_PARAMETER = re.compile(
    r"[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*"
    r'"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\["\\])*)"[ \t]*(,?)'
)
_EMPTY_ELEMENT = re.compile(r"[ \t]*(,|\Z)")
_ESCAPE = re.compile(r'\\(["\\])')
_VISIBLE = re.compile(r"[!-~]+")
_PRINTABLE = re.compile(r"[ -~]*")
_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

_REQUIRED = {name.lower(): name for name in ("clientId", "timestamp", "nonce", "signature")}
_KNOWN = {**_REQUIRED, "principalid": "principalID", "principalidns": "principalIDNS"}
_LIMITS = {"clientId": MAX_CLIENT_ID_LENGTH, "nonce": MAX_NONCE_LENGTH}


class HeaderMalformed(ValueError):
    """The header is ours but cannot be read; the text tells a client's developer why."""

    signature: str = ""
    """What the header gave as one; empty when reading did not get that far (spec 7.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedHeader:
    """What a signed ``Authorization`` header states, read but not yet believed."""

    client_id: str
    timestamp: str
    """The exact text, because that is signed; whether it is a time is asked later."""
    nonce: str
    signature: str
    principal_id: str = ""
    principal_namespace: str = ""


class SignatureTarget(NamedTuple):
    """The constants signed instead of the real host, port and path."""

    host: str
    port: int
    path: str


@lru_cache(maxsize=8)
def signature_target(url: str) -> SignatureTarget:
    """Split the signature URL into the three lines that are signed."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80}.get(parts.scheme, 443)
    return SignatureTarget(parts.hostname or "", port, parts.path or "/")


# --- The header ---------------------------------------------------------------------------


def parse_parameters(
    text: str, *, max_empty_elements: int = 0
) -> Iterator[tuple[str, str]]:
    """Yield (lower-case name, value) of ``name="value"`` pairs separated by commas.

    Empty elements of the list (leading, doubled and trailing commas) are ignored, as many
    as are allowed. Raises ``HeaderMalformed`` for more of them, and where the grammar ends:
    a bare quote, an unknown escape, a missing comma.
    """
    position = empty_elements = 0
    while True:
        if match := _EMPTY_ELEMENT.match(text, position):
            empty_elements += 1
            comma = match[1]
        elif match := _PARAMETER.match(text, position):
            name, value, comma = match.groups()
            yield name.lower(), _ESCAPE.sub(r"\1", value) if "\\" in value else value
        if match is None or empty_elements > max_empty_elements:
            raise HeaderMalformed('parameters must be name="value", separated by commas')
        position = match.end()
        if not comma:
            break
    if position != len(text):
        raise HeaderMalformed('parameters must be name="value", separated by commas')


def parse_header(text: str) -> SignedHeader:
    """Read the parameters of a signed ``Authorization`` header (what follows the scheme).

    Names are matched without case and unknown ones are ignored, since public libraries
    send ``userid`` and ``password`` along. Raises ``HeaderMalformed`` for everything that
    could be read in two ways: a repeated name, a bare quote, an oversize value.
    """
    values: dict[str, str] = {}
    try:
        _collect(text, values)
    except HeaderMalformed as error:
        error.signature = values.get("signature", "")
        raise
    return SignedHeader(
        client_id=values["clientid"],
        timestamp=values["timestamp"],
        nonce=values["nonce"],
        signature=values["signature"],
        principal_id=values.get("principalid", ""),
        principal_namespace=values.get("principalidns", ""),
    )


def _collect(text: str, values: dict[str, str]) -> None:
    """Fill ``values`` and check them; what was read before an error stays in it."""
    if len(text) > MAX_HEADER_LENGTH:
        raise HeaderMalformed(f"the header is longer than {MAX_HEADER_LENGTH} characters")
    for name, value in parse_parameters(text, max_empty_elements=MAX_EMPTY_ELEMENTS):
        if name in values:
            raise HeaderMalformed(f"parameter {_KNOWN.get(name, name[:64])} is repeated")
        values[name] = value
    for name, spelling in _KNOWN.items():
        _check_value(spelling, values.get(name), required=name in _REQUIRED)


def _check_value(name: str, value: str | None, *, required: bool) -> None:
    """Refuse what no client sends and no log or database should see."""
    # A timestamp that is not a number gets its own error, further down the ladder.
    is_opaque = required and name != "timestamp"
    if value is None or (is_opaque and not value):
        if required:
            raise HeaderMalformed(f"parameter {name} is missing")
        return
    limit = _LIMITS.get(name, MAX_VALUE_LENGTH)
    if len(value) > limit:
        raise HeaderMalformed(f"parameter {name} is longer than {limit} characters")
    if not (_VISIBLE if is_opaque else _PRINTABLE).fullmatch(value):
        raise HeaderMalformed(f"parameter {name} has characters that are not allowed")


# --- The signature ------------------------------------------------------------------------


def string_to_sign(
    header: SignedHeader, *, method: str, target: SignatureTarget, query_lines: str
) -> bytes:
    """Return the lines of the contract, each ending in LF.

    The fourth line is the body hash, reserved and always empty. Raises ``ValueError`` when
    a part could run into the next line.
    """
    if "\n" in f"{header.client_id}{header.timestamp}{header.nonce}":
        raise ValueError("a signed part contains a line feed")
    head = f"{header.client_id}\n{header.timestamp}\n{header.nonce}\n\n"
    request = canonical_request(method=method, target=target, query_lines=query_lines)
    return f"{head}{request}".encode()


def canonical_request(*, method: str, target: SignatureTarget, query_lines: str) -> str:
    """Return the lines from the method on: what the signature says of the request.

    Raises ``ValueError`` for a method that is not an HTTP token.
    """
    if not _METHOD.fullmatch(method):
        raise ValueError("the method is not an HTTP token")
    head = (method.upper(), *map(str, target))
    return "".join(f"{line}\n" for line in head) + query_lines


def sign(message: bytes, secret: bytes) -> str:
    """Return Base64 of HMAC-SHA256; the key is the secret's text, not a decoding of it."""
    return base64.b64encode(hmac.digest(secret, message, hashlib.sha256)).decode()


class SignedRequest(NamedTuple):
    """The two facts of a request that its signature covers."""

    method: str
    query: bytes


def is_valid(
    header: SignedHeader,
    *,
    request: SignedRequest,
    target: SignatureTarget,
    secrets: Iterable[bytes],
    old_generation: bool = False,
) -> bool:
    """Return whether any live secret makes this signature for this request.

    ``old_generation`` tries the query's two older forms, too. All secrets and forms are
    tried and compared in constant time, so the time taken tells nothing about which of them
    came close. Raises ``canonicalization.QueryMalformed``.
    """
    forms = [canonicalization.canonical_query(request.query)]
    if old_generation:
        older = (canonicalization.literal_plus_query, canonicalization.as_it_stands_query)
        forms += filter(None, (lines_of(request.query) for lines_of in older))
    if not _METHOD.fullmatch(request.method):
        return False
    given = header.signature.encode()
    valid = False
    for query_lines in dict.fromkeys(forms):
        message = string_to_sign(
            header, method=request.method, target=target, query_lines=query_lines
        )
        for secret in secrets:
            # With an empty secret anybody could sign.
            matches = hmac.compare_digest(sign(message, secret).encode(), given)
            valid |= bool(secret) and matches
    return valid


def build_header(header: SignedHeader, *, scheme: str) -> str:
    """Return the ``Authorization`` value that states these facts, as clients write it."""
    parts = {
        "clientId": header.client_id,
        "timestamp": header.timestamp,
        "nonce": header.nonce,
        "signature": header.signature,
    }
    if header.principal_id or header.principal_namespace:
        parts["principalID"] = header.principal_id
        parts["principalIDNS"] = header.principal_namespace
    quoted = (
        '{}="{}"'.format(name, re.sub(r'(["\\])', r"\\\1", value))
        for name, value in parts.items()
    )
    return f"{scheme} {', '.join(quoted)}"
