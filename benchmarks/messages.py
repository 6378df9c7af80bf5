"""The requests of the benchmark as bytes, made before anything is measured."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from platform_errors import signing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.seed.credentials import Accounts

HMAC_SCHEME: Final = "http://platform.example/hmac/v2/v1"
HMAC_TARGET: Final = signing.signature_target("https://platform.example/signature")


def request(
    method: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> bytes:
    """Return the bytes of a request on a persistent connection."""
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Accept: application/json",
        "User-Agent: benchmark",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    if method not in {"GET", "HEAD"}:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def get(path: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a GET request."""
    return request("GET", path, headers=headers)


def bearer(token: str) -> dict[str, str]:
    """Return the header that presents an access token."""
    return {"Authorization": f"Bearer {token}"}


def signed(
    method: str, path: str, *, accounts: Accounts, client_id: str, secret: str
) -> dict[str, str]:
    """Return the header that signs a request once, on behalf of the benchmark's user."""
    header = signing.SignedHeader(
        client_id=client_id,
        timestamp=str(int(time.time())),
        nonce=secrets.token_hex(16),
        signature="",
        principal_id=accounts.principal_id,
        principal_namespace=accounts.principal_namespace,
    )
    query = path.partition("?")[2].encode()
    message = signing.string_to_sign(
        header,
        method=method,
        target=HMAC_TARGET,
        query_lines=signing.canonical_query(query),
    )
    signature = signing.sign(message, secret.encode())
    complete = replace(header, signature=signature)
    return {"Authorization": signing.build_header(complete, scheme=HMAC_SCHEME)}


def form(path: str, fields: Mapping[str, str]) -> bytes:
    """Return a POST request with form fields, as OAuth clients send them."""
    return request(
        "POST",
        path,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        body=urlencode(fields).encode(),
    )
