"""The end of a run: ask again what got no answer, hold the server to its promises."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from benchmarks import messages, paths
from benchmarks.client import Answer
from benchmarks.load.journeys import Mixture
from benchmarks.load.ledger import Used, broken_promises
from benchmarks.load.visits import BROKEN, Line, Visit
from benchmarks.messages import FORM

TRIES: Final = 30
NONCE_SECONDS: Final = 240.0
"""Within the five minutes in which a signature counts: older ones are refused for that."""
CODE_SECONDS: Final = 50.0
"""Within the minute for which a code is valid, in the same way."""


async def settle(port: int, mixture: Mixture) -> list[str]:
    """Send again the creates that got no answer, and use again what was used up.

    Returns what should not have worked, or would not work, in words.
    """
    visit = _visit(port)
    found = [
        f"{name} cannot be created"
        for name, body in list(mixture.ledger.unanswered.items())
        if not await _create(visit, mixture, name, body)
    ]
    await visit.line.close()
    return found + await use_again(port, mixture, mixture.ledger.take_used())


async def use_again(port: int, mixture: Mixture, used: Used) -> list[str]:
    """Use again what was used up; return what worked all the same, or works no more.

    The tokens come first: a code that comes again ends those that it was exchanged for.
    """
    visit, found = _visit(port), []
    for token in used.issued:
        bearer = {"Authorization": f"Bearer {token}"}
        status = await _status(visit, "GET", paths.EVENTS, bearer)
        if status != 200:
            found.append(f"a token was issued and does not work: {status}")
    await visit.line.close()
    return found + await used_up(port, mixture, used)


async def used_up(port: int, mixture: Mixture, used: Used) -> list[str]:
    """Use again what may be used once; return what was answered otherwise, in words.

    What is no longer valid is left out: it would be refused for that.
    """
    visit, found = _visit(port), []

    async def refused(
        what: str, expected: int, method: str, path: str, **sent: Any
    ) -> None:
        mixture.ledger.tried[what] += 1
        status = await _status(visit, method, path, **sent)
        if status != expected:
            found.append(f"a {what} worked twice: {status}")

    for at, headers in used.nonces:
        if time.time() - at < NONCE_SECONDS:
            await refused("nonce", 401, "GET", paths.EVENTS, headers=headers)
    forms = [("refresh token", mixture.refresh_fields(token)) for token in used.refreshed]
    forms += [
        ("code", messages.exchange_fields(code))
        for at, code in used.codes
        if time.time() - at < CODE_SECONDS
    ]
    for what, fields in forms:
        body = urlencode(fields).encode()
        await refused(what, 400, "POST", paths.TOKEN, headers=FORM, body=body)
    await visit.line.close()
    return found


def _visit(port: int) -> Visit:
    return Visit(Line(port, patience=15.0), time.perf_counter(), _ignore)


async def _status(
    visit: Visit, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
) -> int:
    """Return the status, of the last try if the server is not there."""
    for _ in range(TRIES):
        answer = await visit.send("again", method, path, headers=headers, body=body)
        if answer.status not in {BROKEN, 503}:
            break
        await asyncio.sleep(1)
    return answer.status


def promises(mixture: Mixture, stored: Mapping[int, str]) -> list[str]:
    """Return which promises about events are broken, in words."""
    return broken_promises(mixture.ledger, stored)


async def _create(visit: Visit, mixture: Mixture, name: str, body: bytes) -> bool:
    for _ in range(TRIES):
        if await mixture.send_create(visit, name, body):
            return True
        await asyncio.sleep(1)
    return False


def _ignore(work: str, answer: Answer, milliseconds: float) -> None:
    pass
