"""Why somebody who comes back from a provider is not let in."""

from typing import Any, Final

WORDS: Final = {
    "cancelled": "You did not finish signing in at your institution.",
    "trip_unknown": "This sign-in was answered before, took too long, or was begun in"
    " another browser.",
    "provider_refused": "Your institution's sign-in refused the request.",
    "provider_unreachable": "Your institution's sign-in could not be reached.",
    "provider_busy": "Too many people are signing in at institutions now. Try again in a"
    " moment.",
    "provider_misconfigured": "Your institution's sign-in is not set up correctly.",
    "answer_invalid": "The answer of your institution's sign-in could not be verified.",
    "issuer_wrong": "The answer came from somebody else than your institution's sign-in.",
    "subject_invalid": "Your institution's sign-in did not say who you are.",
    "sign_in_old": "Your institution's sign-in did not ask once more who you are, or did"
    " not say when it did.",
    "claims_missing": "Your institution's sign-in did not say that you may use this"
    " service.",
    "account_unknown": "There is no account for you here yet.",
    "invitation_over": "The invitation was used before, or is too old.",
    "username_taken": "There is an account with your username already, which is not"
    " connected with this sign-in.",
    "account_moved": "Your account belongs to another institution now.",
    "account_disabled": "Your account is disabled.",
    "secret_unreadable": "Your institution's sign-in is not set up correctly.",
}
"""In words, by the reason that stays the same."""


class ArrivalRefused(Exception):
    """Nobody is signed in; ``reason`` is one of ``WORDS``.

    ``state`` is what was kept for the trip, as far as it is known; ``is_verified`` says
    that the provider did vouch for the person.
    """

    is_verified = False

    def __init__(self, reason: str, *, state: dict[str, Any] | None = None) -> None:
        super().__init__(WORDS[reason])
        self.reason = reason
        self.state = state
