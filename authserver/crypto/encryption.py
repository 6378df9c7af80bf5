"""Secrets of service keys, encrypted at rest.

Not hashed like tokens: a signed request can only be verified with the secret's own text.
"""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from authserver.conf import conf
from platform_errors.keys import SecretUnreadable


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


def is_current(stored: str) -> bool:
    """Whether the first configured key alone opens the stored secret."""
    try:
        _cipher(conf.encryption_keys[:1]).decrypt(stored.encode("ascii"))
    except InvalidToken:
        return False
    return True


def rotate_encryption(stored: str) -> str:
    """Return the stored secret encrypted anew with the first configured key.

    Raises ``SecretUnreadable`` when no configured key fits.
    """
    try:
        return _cipher(conf.encryption_keys).rotate(stored.encode("ascii")).decode("ascii")
    except InvalidToken as error:
        raise SecretUnreadable from error
