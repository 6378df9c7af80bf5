"""Random values that callers hold, and how they are kept.

Codes and tokens are hashed. The secrets of service keys are encrypted, because a signed
request can only be verified with the secret's own text.
"""

from __future__ import annotations

import hashlib
import secrets
import string
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from authserver.conf import conf

# Letters and digits only: HTTP Basic form-decodes credentials (RFC 6749 section 2.3.1), so
# "+" or "%" would break the many clients that do not encode them.
ALPHABET = string.ascii_letters + string.digits
_FAIR_BYTES = 256 - 256 % len(ALPHABET)
TOKEN_LENGTH = 43  # 256 bits
SECRET_LENGTH = 43
CLIENT_ID_LENGTH = 40


class SecretUnreadable(Exception):
    """No configured encryption key decrypts the stored secret."""


def random_text(length: int) -> str:
    """Return ``length`` random letters and digits, all equally likely."""
    text = ""
    while len(text) < length:
        # Bytes from the last, incomplete run of the alphabet would favour its beginning.
        fair = (byte for byte in secrets.token_bytes(2 * length) if byte < _FAIR_BYTES)
        text += "".join(ALPHABET[byte % len(ALPHABET)] for byte in fair)
    return text[:length]


def new_access_token() -> str:
    """Return a new access token; ``tk_`` tells leak scanners what they found."""
    return f"tk_{random_text(TOKEN_LENGTH)}"


def new_refresh_token() -> str:
    """Return a new refresh token."""
    return f"rt_{random_text(TOKEN_LENGTH)}"


def new_code() -> str:
    """Return a new authorization code."""
    return f"auth_{random_text(TOKEN_LENGTH)}"


def new_client_id() -> str:
    """Return a new service key identifier."""
    return random_text(CLIENT_ID_LENGTH)


def new_client_secret() -> str:
    """Return a new secret for a service key."""
    return random_text(SECRET_LENGTH)


def digest(value: str) -> str:
    """Return the SHA-256 of a high-entropy value, as it is stored.

    One round is enough: nobody can enumerate 256 random bits.
    ``surrogatepass`` because a caller may send anything.
    """
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=8)
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def encrypt(secret: str) -> str:
    """Return the secret encrypted with the first configured key."""
    return _cipher(conf.encryption_keys).encrypt(secret.encode()).decode("ascii")


def decrypt(stored: str) -> bytes:
    """Return the secret's bytes.

    Raises ``SecretUnreadable`` when no configured key fits.
    """
    return _decrypted(conf.encryption_keys, stored)


# Every signed request asks for its key's secret. What is remembered is no more than what
# the encryption keys beside it in memory open, and it decides nothing: the stored text is
# read from the database each time, so a secret that was replaced is never asked for again.
@lru_cache(maxsize=1024)
def _decrypted(keys: tuple[str, ...], stored: str) -> bytes:
    try:
        return _cipher(keys).decrypt(stored.encode("ascii"))
    except InvalidToken as error:
        raise SecretUnreadable from error


def rotate_encryption(stored: str) -> str:
    """Return the stored secret encrypted anew with the first configured key.

    Raises ``SecretUnreadable`` when no configured key fits.
    """
    try:
        return _cipher(conf.encryption_keys).rotate(stored.encode("ascii")).decode("ascii")
    except InvalidToken as error:
        raise SecretUnreadable from error
