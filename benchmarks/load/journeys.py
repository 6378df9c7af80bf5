"""The mixture: what callers of every kind do, and how often."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import count
from random import Random
from typing import Final
from urllib.parse import urlencode

import orjson

from benchmarks import messages, paths
from benchmarks.load import ledger as ledgers
from benchmarks.load.ledger import Ledger
from benchmarks.load.visits import BROKEN, Visit, code_of
from benchmarks.messages import FORM, JSON
from benchmarks.seed import constants

Journey = Callable[[Visit], Awaitable[None]]

DESCRIPTION: Final = f"<p>{' '.join(f'word{number}' for number in range(110))}</p>"
SIGN_IN_SCOPE: Final = f"{constants.SCOPE} refresh_token"


@dataclass(slots=True)
class Mixture:
    """Every kind of work, for one run whose events are named after ``run``."""

    ledger: Ledger
    events: Sequence[int]
    """Identifiers of events that anybody may read."""
    run: str = field(default_factory=lambda: f"Load {secrets.token_hex(4)}")
    people: int = 100
    random: Random = field(default_factory=lambda: Random("mixture"))  # noqa: S311 -- repeatable
    _numbers: count[int] = field(default_factory=count)
    _tags: dict[str, str] = field(default_factory=dict)

    def kinds(self) -> dict[str, tuple[int, Journey]]:
        """Return the work by name, with how many of a hundred arrivals it is."""
        return {
            "nothing": (2, self.nothing),
            "list": (24, self.list),
            "single": (19, self.single),
            "unchanged single": (12, self.unchanged),
            "search": (8, self.search),
            "near a place": (4, self.near),
            "feed of a category": (2, self.feed),
            "signed list": (12, self.signed),
            "bearer single": (9, self.bearer),
            "sign in": (2, self.sign_in),
            "create": (3, self.create),
            "update": (3, self.update),
        }

    async def nothing(self, visit: Visit) -> None:
        """Send the liveness probe: a round trip without any work, the yardstick."""
        await visit.send("nothing (yardstick)", "GET", paths.LIVE)

    async def list(self, visit: Visit) -> None:
        """Read a page of ten, of the first forty."""
        await visit.send("list", "GET", paths.page(self.random.randint(1, 40)))

    async def single(self, visit: Visit) -> None:
        """Read one event."""
        await visit.send("single", "GET", self._any_event())

    async def unchanged(self, visit: Visit) -> None:
        """Read one of few events, with its entity tag after the first time."""
        path = paths.event(self.random.choice(self.events[:50]))
        tag = self._tags.get(path)
        headers = {"If-None-Match": tag} if tag else {}
        answer = await visit.send("unchanged single", "GET", path, headers=headers)
        if answer.status == 200:
            self._tags[path] = answer.headers["etag"]

    async def search(self, visit: Visit) -> None:
        """Search a word that one event in twenty, or in a thousand, has."""
        word = self.random.choice((constants.COMMON, constants.RARE))
        await visit.send("search", "GET", paths.search(word))

    async def near(self, visit: Visit) -> None:
        """List what is ten kilometres around the first town."""
        await visit.send("near a place", "GET", paths.around(10))

    async def feed(self, visit: Visit) -> None:
        """Read the coming events of a category as iCalendar."""
        path = f"{paths.FEED}?categories={self.random.randint(9, 40)}"
        page = {"Accept": "text/calendar"}
        await visit.send("feed of a category", "GET", path, headers=page)

    async def signed(self, visit: Visit) -> None:
        """Read a list, signed with a nonce of its own."""
        signed = time.time()
        headers = messages.signed(paths.EVENTS)
        answer = await visit.send("signed list", "GET", paths.EVENTS, headers=headers)
        if answer.status == 200:
            self.ledger.used.nonces.append((signed, headers))

    async def bearer(self, visit: Visit) -> None:
        """Read one event, with a token."""
        path = self._any_event()
        await visit.send("bearer single", "GET", path, headers=messages.BEARER)

    async def create(self, visit: Visit) -> None:
        """Create an event; without an answer it is sent again at the end, same key."""
        name = f"{self.run} no. {next(self._numbers)}"
        await self.send_create(visit, name, self.new_event(ledgers.title_of(name, 0)))

    async def send_create(self, visit: Visit, name: str, body: bytes) -> bool:
        """Create an event, perhaps again; return whether it is known to be there."""
        headers = {**messages.BEARER, **JSON, "Idempotency-Key": name.replace(" ", "-")}
        self.ledger.unanswered[name] = body
        answer = await visit.send(
            "create", "POST", paths.EVENTS, headers=headers, body=body
        )
        if answer.status != 201:
            return False
        pk = int(orjson.loads(answer.body)["id"])
        del self.ledger.unanswered[name]
        self.ledger.created[pk] = name
        self.ledger.documents[pk] = ledgers.Document()
        return True

    async def update(self, visit: Visit) -> None:
        """Give an event of ours, that nobody is changing, its next title."""
        idle = [pk for pk, found in self.ledger.documents.items() if not found.is_busy]
        if not idle:
            await self.create(visit)
            return
        pk = self.random.choice(idle)
        document, name = self.ledger.documents[pk], self.ledger.created[pk]
        document.is_busy = True
        document.sent += 1
        change = document.sent
        body = orjson.dumps({"title": ledgers.title_of(name, change)})
        headers = {**messages.BEARER, **JSON}
        answer = await visit.send(
            "update", "PUT", paths.event(pk), headers=headers, body=body
        )
        if answer.status == 200:
            document.acknowledged = change
        # Without an answer it may still be done, later than one that is sent after it.
        document.is_busy = answer.status == BROKEN

    async def sign_in(self, visit: Visit) -> None:
        """Go from an application's link to a token, and to the next one.

        An answer that is no page ends the journey. Raises ``UnexpectedAnswer`` for a page
        that asks for something else.
        """
        number = self.random.randrange(self.people)
        asked = {
            "response_type": "code",
            "client_id": constants.PUBLIC_KEY,
            "redirect_uri": constants.REDIRECT,
            "scope": SIGN_IN_SCOPE,
            "state": secrets.token_urlsafe(8),
            "code_challenge": constants.CHALLENGE,
            "code_challenge_method": "S256",
        }
        address = f"/oauth2/auth?{urlencode(asked)}"
        address, page = await visit.open("sign-in pages", address)
        known = {"username": constants.person(number), "password": constants.PASSWORD}
        forms = {
            "choice of institution": {"institution": constants.INSTITUTIONS[0]},
            "login": known,
            "grant": {"decision": "allow"},
        }
        for work, values in forms.items():
            if page.status != 200:
                return
            address, page = await visit.submit(work, address, page, **values)
        if page.status == 302:
            await self.exchange(visit, code_of(page))

    async def exchange(self, visit: Visit, code: str) -> None:
        """Exchange a code for tokens, and the refresh token for others."""
        made = time.time()
        first = await self._tokens(visit, "exchange", messages.exchange_fields(code))
        if first is None:
            return
        token = first["refresh_token"]
        second = await self._tokens(visit, "refresh", self.refresh_fields(token))
        # Only now: whoever uses the code again ends what came of it.
        used = self.ledger.used
        used.codes.append((made, code))
        if second is not None:
            used.refreshed.append(token)
            used.issued.append(second["access_token"])

    def refresh_fields(self, token: str) -> dict[str, str]:
        """Return the form that exchanges a refresh token for others."""
        return {
            "grant_type": "refresh_token",
            "client_id": constants.PUBLIC_KEY,
            "refresh_token": token,
        }

    async def _tokens(
        self, visit: Visit, work: str, fields: dict[str, str]
    ) -> dict[str, str] | None:
        body = urlencode(fields).encode()
        answer = await visit.send(work, "POST", paths.TOKEN, headers=FORM, body=body)
        if answer.status != 200:
            return None
        tokens: dict[str, str] = orjson.loads(answer.body)
        return tokens

    def new_event(self, title: str) -> bytes:
        """Return the body of a request that creates an event."""
        random = self.random
        # To come, so that lists, feeds and totals change with it.
        starts = date.today() + timedelta(days=random.randint(30, 400))  # noqa: DTZ011 -- any day will do
        return orjson.dumps(
            {
                "title": title,
                "description": DESCRIPTION,
                "start_date": f"{starts} 19:30:00",
                "end_date": f"{starts} 21:00:00",
                "timezone": "Europe/Berlin",
                "venue": [random.randint(1, 8)],
                "categories": random.sample(range(1, 41), 2),
            }
        )

    def _any_event(self) -> str:
        return paths.event(self.random.choice(self.events))
