"""What requests are made with, and the odds of searches; no models, so no Django here."""

from typing import Final

INSTITUTIONS: Final = ("2001", "2002", "2003", "2004", "2005")
EDITOR: Final = "bench"
"""The username of the author of everything, and the principal identifier."""
PRINCIPAL_NAMESPACE: Final = f"urn:platform:{INSTITUTIONS[0]}"
SIGNING_KEY: Final = "bench-signing"
SIGNING_SECRET: Final = "bench-signing-secret"  # noqa: S105 -- of a throwaway database
PUBLIC_KEY: Final = "bench-public"
REDIRECT: Final = "https://client.example/cb"
SCOPE: Final = "calendar_events"
# The pair of RFC 7636 appendix B.
VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE: Final = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
BEARER: Final = f"tk_{'b' * 43}"
OTHER_TOKENS: Final = 20_000
PASSWORD: Final = "throwaway-of-one-run"  # noqa: S105 -- of a throwaway database

STOP_WORD: Final = "the"
"""In practically every event."""
COMMON: Final = "lantern"
COMMON_SHARE: Final = 0.05
RARE: Final = "zeppelin"
RARE_SHARE: Final = 0.001
TWO_CHARACTERS: Final = "qu"
"""In practically every event, and too short for an index of words."""
ABSENT: Final = "qqxyzzyq"
"""In no event."""


def person(number: int) -> str:
    """Return the username of one of many editors with the same password."""
    return f"person-{number}"
