"""Sessions that end after a quiet while, with their account, or after a working day.

The row's own expiry is the earlier of the two moments, so nothing but the query that loads
a session decides whether it is alive. Rows are found by the digest of the key: the table
holds nothing that works as a cookie.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from allauth.socialaccount.internal.statekit import STATES_SESSION_KEY
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.http import HttpRequest
from django.utils import timezone

from authserver.conf import conf
from authserver.crypto import opaque
from authserver.models import Session, User
from platform_errors.errors.handler import is_unavailable

STARTED_AT = "started_at"
INSTITUTION = "institution"
"""Where the person signed in: an account that was moved since has to sign in again."""
ENTERING = "entering"
"""Whose session it becomes once the last stage of signing in is passed."""
BROWSER = "user_agent"
MOST_OF_BROWSER = 200
MOST_SHOWN = 50
BINDING = "browser"
CHOOSING = "choosing"
WANTED = "wanted"
"""The page that somebody asked for who has to sign in first."""
_BEGUN = (BINDING, CHOOSING, WANTED, STATES_SESSION_KEY)
"""The last one holds trips to identity providers."""
KEY = re.compile(r"[a-z0-9]{32}")
"""What Django makes, and all that a cookie may claim."""
TOUCH_SECONDS = 60
"""A session in use is written back at most once a minute."""

BROWSERS = (
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS", "Firefox")),
    *(("CriOS", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari")),
)
"""The first that fits: most browsers name the others, too."""
SYSTEMS = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS")),
    *(("Windows", "Windows"), ("Mac OS X", "macOS"), ("Linux", "Linux")),
)


class SessionStore(DatabaseSessionStore):
    """Idle and absolute lifetimes (decisions 3.10)."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """Keep sessions where they can be found by user."""
        return Session

    def _validate_session_key(self, key: str | None) -> bool:
        """Believe only keys that Django makes: a NUL from a cookie breaks PostgreSQL."""
        return key is not None and KEY.fullmatch(key) is not None

    def get_session_cookie_age(self) -> int:
        """Return for how many seconds the session lives on from now."""
        started_at = self.get(STARTED_AT, _now())
        remaining = started_at + conf.session_absolute_seconds - _now()
        return max(0, min(conf.session_idle_seconds, remaining))

    def cycle_key(self) -> None:
        """Start anew: Django calls this when somebody logs in."""
        self[STARTED_AT] = _now()
        super().cycle_key()

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 -- Django's
        """Write the row. A database that is away is that, and no session that was ended.

        Django takes every failed update for a row that somebody deleted meanwhile.
        """
        try:
            super().save(must_create=must_create)
        except UpdateError as error:
            if is_unavailable(error.__context__):
                raise error.__context__ from error.__context__.__cause__
            raise

    def load(self) -> dict[str, Any]:
        """Return the data of a session that is alive, and prolong one that is in use."""
        row = Session.objects.filter(
            session_key=opaque.digest(self.session_key or ""),
            expire_date__gt=timezone.now(),
        ).first()
        if row is None:
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(row.session_data)
        idle_since = conf.session_idle_seconds - (row.expire_date.timestamp() - _now())
        if idle_since >= TOUCH_SECONDS:
            self.modified = True
        return data

    def exists(self, session_key: str) -> bool:
        """Return whether a row is stored under the digest of this key."""
        return super().exists(opaque.digest(session_key))

    def delete(self, session_key: str | None = None) -> None:
        """End the session of this key, or this session."""
        key = session_key or self.session_key
        if key is not None:
            Session.objects.filter(session_key=opaque.digest(key)).delete()

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """Remember when the session began, and whose it is; keep the key out of it.

        Also whose it is to be: what ends the sessions of an account ends that one as well.
        """
        data.setdefault(STARTED_AT, _now())
        row = cast("Session", super().create_model_instance(data))
        row.session_key = opaque.digest(row.session_key)
        row.user_id = data.get(SESSION_KEY) or data.get(ENTERING)
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """A session as its owner sees it."""

    pk: str
    """The digest of its key, which is of no use as a cookie."""
    browser: str
    since: datetime
    until: datetime
    """When it ends if it is not used."""
    is_current: bool


def of(user: User, now: datetime, *, current: str | None = None) -> list[OpenSession]:
    """Return the sessions of an account that are alive, the newest 50."""
    mine = opaque.digest(current or "")
    rows = Session.objects.filter(user_id=user.pk, expire_date__gt=now)
    found = []
    for row in rows.order_by("-expire_date", "pk")[:MOST_SHOWN]:
        data = SessionStore().decode(row.session_data)
        if SESSION_KEY not in data:
            continue
        since = datetime.fromtimestamp(data.get(STARTED_AT, 0), tz=UTC)
        browser = browser_in_words(str(data.get(BROWSER, "")))
        found.append(
            OpenSession(
                pk=row.pk,
                browser=browser,
                since=since,
                until=row.expire_date,
                is_current=row.pk == mine,
            )
        )
    return found


def browser_in_words(agent: str) -> str:
    """Return what a ``User-Agent`` says to a person, such as ``Firefox on Windows``."""
    browser = next((name for sign, name in BROWSERS if sign in agent), "Unknown browser")
    system = next((name for sign, name in SYSTEMS if sign in agent), "")
    return f"{browser} on {system}" if system else browser


@contextmanager
def keeping_what_was_begun(request: HttpRequest) -> Iterator[None]:
    """Let requests that are under way outlive a session that ends here."""
    kept = {key: request.session[key] for key in _BEGUN if key in request.session}
    yield
    request.session.update(kept)


def signed_in_at(request: HttpRequest, user: User) -> None:
    """Remember the institution of whoever just signed in, if there is one."""
    request.session[BROWSER] = request.META.get("HTTP_USER_AGENT", "")[:MOST_OF_BROWSER]
    request.session.pop(INSTITUTION, None)
    if user.institution is not None:
        request.session[INSTITUTION] = user.institution.registry_id


def _now() -> int:
    return int(timezone.now().timestamp())
