"""What OpenID Connect adds to an authorization request (Core 1.0, section 3.1.2.1).

Read only where ``openid`` is among the scopes: elsewhere these parameters are ignored, as
RFC 6749 section 3.1 asks for those that a server does not know.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from authserver import errors
from authserver.models import User
from authserver.oauth import openid

MAX_LENGTH = 255
"""Of ``nonce`` and ``login_hint``, in characters."""
MAX_AGE = 10**9
"""Seconds; no session lasts so long, and no date begins so early."""
MAX_AGE_DIGITS = 20
PROMPTS = {"none", "login", "consent", "select_account"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIDRequest:
    """How the user is to be authenticated, and what the ID token repeats."""

    nonce: str = ""
    prompt: tuple[str, ...] = ()
    max_age: int | None = None
    """Seconds between the sign-in and the request, at most."""
    login_hint: str = ""
    subject: str = ""
    """The ``sub`` of ``id_token_hint``: nobody else will do."""

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Self:
        """Read the parameters. Raises ``InvalidRequest`` or ``RequestNotSupported``."""
        for name in ("request", "request_uri"):
            if values.get(name):
                raise errors.RequestNotSupported(f"{name} is not supported")
        for name in ("nonce", "login_hint"):
            text = values.get(name, "")
            if len(text) > MAX_LENGTH or not text.isprintable():
                raise errors.InvalidRequest(
                    f"{name} is longer than {MAX_LENGTH} characters or not printable"
                )
        return cls(
            nonce=values.get("nonce", ""),
            prompt=_prompt(values.get("prompt", "")),
            max_age=_max_age(values.get("max_age", "")),
            login_hint=values.get("login_hint", ""),
            subject=_subject(values.get("id_token_hint", "")),
        )

    @classmethod
    def load(cls, stored: Mapping[str, Any]) -> Self:
        """Return what ``dump`` stored."""
        return cls(**{**stored, "prompt": tuple(stored["prompt"])})

    def dump(self) -> dict[str, Any]:
        """Return the values as JSON takes them."""
        return asdict(self)

    @property
    def is_silent(self) -> bool:
        """Whether no page may be shown (``prompt=none``)."""
        return self.prompt == ("none",)

    @property
    def asks_again(self) -> bool:
        """Whether the grant page is shown although all was allowed before.

        It names the account and offers another, so it answers ``select_account`` too.
        """
        return not {"consent", "select_account"}.isdisjoint(self.prompt)

    def is_about(self, user: User) -> bool:
        """Return whether the user is whom ``id_token_hint`` names, if it is there."""
        return self.subject in {"", openid.subject_of(user)}

    def sign_in_since(self, asked_at: datetime) -> datetime | None:
        """Return the moment after which the user must have signed in, if there is one.

        Counted back from the request, so that a sign-in for this request always suffices.
        """
        if "login" in self.prompt:
            return asked_at
        if self.max_age is not None:
            return asked_at - timedelta(seconds=self.max_age)
        return None


def _prompt(text: str) -> tuple[str, ...]:
    """Return the values that are asked for, which must be among ``PROMPTS``."""
    prompt = sorted(set(text.split()))
    if "none" in prompt and len(prompt) > 1:
        raise errors.InvalidRequest("prompt=none excludes other values of prompt")
    for value in prompt:
        if value not in PROMPTS:
            raise errors.InvalidRequest(f"prompt={value[:50]} is not supported")
    return tuple(prompt)


def _max_age(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_AGE_DIGITS):
        raise errors.InvalidRequest("max_age must be a number of seconds")
    return min(int(text), MAX_AGE)


def _subject(hint: str) -> str:
    """Return the subject of an ID token of ours, an expired one too."""
    if not hint:
        return ""
    claims = openid.read_id_token(hint)
    if claims is None:
        raise errors.InvalidRequest("id_token_hint is no ID token of this server")
    return str(claims["sub"])
