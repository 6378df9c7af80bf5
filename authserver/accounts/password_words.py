"""Words that everybody connects with an account do not make its password long."""

import re
from typing import Any

from django.core.exceptions import ValidationError

from authserver.models import User
from authserver.parsing.usernames import MAX_LENGTH, fold

SHORTEST_WORD = 4
PARTS = re.compile(r"[^\W_]+")
"""Words between punctuation: ``anna`` and ``hamburg`` of ``St. Anna-Schule (Hamburg)``."""


class KnownWordsValidator:
    """Refuse a password that is too short without the words that a guesser tries first.

    Those are ``words``, which settings give for the platform, and the name, place, code and
    registry identifier of the user's institution. A long sentence may have them in it.
    """

    def __init__(self, words: tuple[str, ...] = (), min_rest: int = 8) -> None:
        """Take words of the platform, and how many other characters are needed at least."""
        self.words = words
        self.min_rest = min_rest

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ``ValidationError`` when too little is left."""
        folded = rest = fold(password[:MAX_LENGTH])
        for word in sorted(self._words_about(user), key=len, reverse=True):
            rest = rest.replace(word, "")
        if rest != folded and len(rest) < self.min_rest:
            raise ValidationError(
                "Without the names of the institution and of this service the password has "
                f"fewer than {self.min_rest} characters.",
                code="password_of_known_words",
            )

    def get_help_text(self) -> str:
        """Return the rule, for the pages that ask for a new password."""
        return (
            f"Your password needs at least {self.min_rest} characters that are not part of "
            "the names of your institution and of this service."
        )

    def _words_about(self, user: Any) -> set[str]:
        """Return the words, folded; those that are very short are in too many others."""
        texts = [*self.words]
        if isinstance(user, User) and user.institution is not None:
            institution = user.institution
            texts += [
                *(institution.name, institution.place, institution.code),
                institution.registry_id,
            ]
        folded = [fold(text) for text in texts]
        words = {word for text in folded for word in (*text.split(), *PARTS.findall(text))}
        return {word for word in words if len(word) >= SHORTEST_WORD}
