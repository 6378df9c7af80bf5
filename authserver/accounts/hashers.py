"""How passwords are hashed."""

import unicodedata

from django.contrib.auth.hashers import Argon2PasswordHasher

MAX_COMPOSED = 4096


class Argon2idPasswordHasher(Argon2PasswordHasher):
    """Argon2id at OWASP's minimum: 19 MiB, two passes, one lane.

    Django's own defaults cost 100 MiB a login, which one worker per core cannot afford.
    Passwords are compared in NFC (RFC 8265 section 4.2): keyboards differ in how they
    compose an accented letter, and the person typing cannot see which form was sent.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        """Hash the composed form."""
        return super().encode(_composed(password), salt)

    def verify(self, password: str, encoded: str) -> bool:
        """Compare the composed form, in constant time."""
        return bool(super().verify(_composed(password), encoded))


def _composed(password: str) -> str:
    """Return the composed form; what is too long for any of our forms stays as it is.

    Composing takes the square of the marks on one letter, and a login may send anything.
    """
    if len(password) > MAX_COMPOSED:
        return password
    return unicodedata.normalize("NFC", password)
