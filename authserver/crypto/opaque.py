"""Opaque values that callers hold: made at random; codes and tokens are kept as digests."""

import hashlib
import secrets
import string

# Letters and digits only: HTTP Basic form-decodes credentials (RFC 6749 section 2.3.1), so
# "+" or "%" would break the many clients that do not encode them.
ALPHABET = string.ascii_letters + string.digits
_FAIR_BYTES = 256 - 256 % len(ALPHABET)
TOKEN_LENGTH = 43  # 256 bits
SECRET_LENGTH = 43
CLIENT_ID_LENGTH = 40
PROVIDER_ID_LENGTH = 20


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
    return f"rt_{random_text(TOKEN_LENGTH)}"


def new_code() -> str:
    return f"auth_{random_text(TOKEN_LENGTH)}"


def new_client_id() -> str:
    """Return a new service key identifier."""
    return random_text(CLIENT_ID_LENGTH)


def new_client_secret() -> str:
    """Return a new secret for a service key."""
    return random_text(SECRET_LENGTH)


def new_link_token() -> str:
    """Return the token of a new link to a secret."""
    return random_text(TOKEN_LENGTH)


def new_provider_id() -> str:
    """Return what an identity provider's addresses and accounts are told apart by."""
    return random_text(PROVIDER_ID_LENGTH)


def digest(value: str) -> str:
    """Return the SHA-256 of a high-entropy value, as it is stored.

    One round is enough: nobody can enumerate 256 random bits.
    ``surrogatepass`` because a caller may send anything.
    """
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
