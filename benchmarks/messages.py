"""The requests of the benchmark as bytes."""

import itertools
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from benchmarks import paths
from benchmarks.seed import constants
from platform_errors.signing import algorithm, canonicalization

HMAC_SCHEME: Final = "http://platform.example/hmac/v2/v1"
HMAC_TARGET: Final = algorithm.signature_target("https://platform.example/signature")
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
JSON: Final = {"Content-Type": "application/json"}
BEARER: Final = {"Authorization": f"Bearer {constants.BEARER}"}


def request(
    method: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> bytes:
    """Return the bytes of a request on a persistent connection."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "User-Agent: benchmark"]
    given = {"Accept": "application/json", **(headers or {})}
    lines += [f"{name}: {value}" for name, value in given.items()]
    if method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def get(path: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a GET request."""
    return request("GET", path, headers=headers)


def in_turns(*addresses: str, headers: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Yield GET requests without end."""
    return itertools.cycle([get(path, headers) for path in addresses])


def signed(path: str) -> dict[str, str]:
    """Return the header that signs a GET request once, for the editor."""
    header = algorithm.SignedHeader(
        client_id=constants.SIGNING_KEY,
        timestamp=str(int(time.time())),
        nonce=secrets.token_hex(16),
        signature="",
        principal_id=constants.EDITOR,
        principal_namespace=constants.PRINCIPAL_NAMESPACE,
    )
    message = algorithm.string_to_sign(
        header,
        method="GET",
        target=HMAC_TARGET,
        query_lines=canonicalization.canonical_query(path.partition("?")[2].encode()),
    )
    signature = algorithm.sign(message, constants.SIGNING_SECRET.encode())
    complete = replace(header, signature=signature)
    return {"Authorization": algorithm.build_header(complete, scheme=HMAC_SCHEME)}


def signed_gets(path: str) -> Iterator[bytes]:
    """Yield signed requests without end, a nonce each."""
    while True:
        yield get(path, signed(path))


def form(path: str, fields: Mapping[str, str]) -> bytes:
    """Return the request that sends a form."""
    return request("POST", path, headers=FORM, body=urlencode(fields).encode())


def exchange_fields(code: str) -> dict[str, str]:
    """Return the form that redeems an authorization code."""
    return {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": constants.PUBLIC_KEY,
        "redirect_uri": constants.REDIRECT,
        "code_verifier": constants.VERIFIER,
    }


def create(event: Mapping[str, Any]) -> bytes:
    """Return the request that creates an event, by bearer token."""
    headers = {**BEARER, **JSON}
    return request("POST", paths.EVENTS, headers=headers, body=orjson.dumps(event))


def creates(seed: str) -> Iterator[bytes]:
    """Yield requests without end that create events, of different titles and days."""
    random = Random(seed)  # noqa: S311 -- repeatable is the point
    for number in itertools.count():
        words = (f"word{random.randrange(5000)}" for _ in range(110))
        event = {
            "title": f"Reading {number} of {random.getrandbits(40):x}",
            "description": f"<p>{' '.join(words)}</p>",
            "start_date": f"2027-{random.randint(1, 12):02}-12 19:30:00",
            "end_date": "2028-01-01 21:00:00",
            "timezone": "Europe/Berlin",
            "cost": "$10 - $20",
            "venue": [random.randint(1, 8)],
            "organizer": random.sample(range(1, 7), 2),
            "categories": random.sample(range(1, 41), 2),
            "tags": random.sample(range(41, 141), 3),
        }
        yield create(event)


def mixture() -> list[bytes]:
    """Return reads of all kinds: records and pages vary, some callers hold a token."""
    kinds = [
        [get(paths.EVENTS)],
        [get(paths.FIFTY)],
        [get(paths.page(number)) for number in range(2, 40)],
        [get(paths.event(number), BEARER) for number in range(1, 400)],
        [get(f"{paths.EVENTS}?categories={number}") for number in range(1, 41)],
        [get(f"{paths.ROOT}/venues?page={number}") for number in (1, 2, 3)],
        [get(f"{paths.ROOT}/categories")],
        [get(paths.search(word)) for word in (constants.COMMON, constants.RARE)],
        [get(paths.around(10))],
        [get(f"{paths.EVENTS}?per_page=5", BEARER)],
        [get(f"{paths.EVENTS}?page=zero")],
        [get(paths.event(10**12))],
    ]
    turns = zip(*map(itertools.cycle, kinds), strict=True)
    return list(itertools.chain.from_iterable(itertools.islice(turns, 400)))
