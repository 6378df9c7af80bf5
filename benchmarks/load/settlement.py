"""The end of a run: ask again what got no answer, hold the server to its promises."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from benchmarks import paths
from benchmarks.load.ledger import broken_promises
from benchmarks.load.visits import FORM, Line, Visit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.client import Answer
    from benchmarks.load.journeys import Mixture

TRIES: Final = 30
NONCE_SECONDS: Final = 240.0
"""Within the five minutes in which a signature counts: older ones are refused for that."""


async def settle(port: int, mixture: Mixture) -> list[str]:
    """Send again the creates that got no answer, and use again what was used up.

    Returns what should not have worked, or would not work, in words.
    """
    line = Line(port, patience=15.0)
    visit = Visit(line, time.perf_counter(), _ignore)
    found = [
        f"{name} cannot be created"
        for name, body in list(mixture.ledger.unanswered.items())
        if not await _create(visit, mixture, name, body)
    ]
    found += await _nonces_used_twice(visit, mixture)
    found += await _tokens_lost(visit, mixture)
    found += await _codes_used_twice(visit, mixture)
    await line.close()
    return found


def promises(mixture: Mixture, stored: Mapping[int, str]) -> list[str]:
    """Return which promises about events are broken, in words."""
    return broken_promises(mixture.ledger, stored)


async def _create(visit: Visit, mixture: Mixture, name: str, body: bytes) -> bool:
    for _ in range(TRIES):
        if await mixture.send_create(visit, name, body):
            return True
        await asyncio.sleep(1)
    return False


async def _nonces_used_twice(visit: Visit, mixture: Mixture) -> list[str]:
    found = []
    for at, headers in mixture.ledger.nonces:
        if time.time() - at > NONCE_SECONDS:
            continue
        answer = await visit.send("nonce", "GET", paths.EVENTS, headers=headers)
        if answer.status != 401:
            found.append(f"a nonce worked twice: {answer.status}")
    return found


async def _tokens_lost(visit: Visit, mixture: Mixture) -> list[str]:
    found = []
    for token in mixture.ledger.issued:
        headers = {"Authorization": f"Bearer {token}"}
        answer = await visit.send("token", "GET", paths.EVENTS, headers=headers)
        if answer.status != 200:
            found.append(f"a token was issued and does not work: {answer.status}")
    return found


async def _codes_used_twice(visit: Visit, mixture: Mixture) -> list[str]:
    """Last, because a code that comes again ends the tokens that it was exchanged for."""
    found = []
    forms = [
        ("refresh token", mixture.refresh_fields(token))
        for token in mixture.ledger.refreshed
    ]
    forms += [("code", mixture.exchange_fields(code)) for code in mixture.ledger.codes]
    for what, fields in forms:
        body = urlencode(fields).encode()
        path = f"{mixture.authorization}token"
        answer = await visit.send(what, "POST", path, headers=FORM, body=body)
        if answer.status != 400:
            found.append(f"a {what} worked twice: {answer.status}")
    return found


def _ignore(work: str, answer: Answer, milliseconds: float) -> None:
    pass
