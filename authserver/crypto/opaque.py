"""Opaque values that callers hold: made at random; codes and tokens are kept as digests."""

import hashlib

from django.utils.crypto import get_random_string

# Letters and digits only: HTTP Basic form-decodes credentials (RFC 6749 section 2.3.1), so
# "+" or "%" would break the many clients that do not encode them.
TOKEN_LENGTH = 43  # 256 bits
SECRET_LENGTH = 43
CLIENT_ID_LENGTH = 40
PROVIDER_ID_LENGTH = 20


def new_access_token() -> str:
    """Return a new access token; ``tk_`` tells leak scanners what they found."""
    return f"tk_{get_random_string(TOKEN_LENGTH)}"


def new_refresh_token() -> str:
    return f"rt_{get_random_string(TOKEN_LENGTH)}"


def new_code() -> str:
    return f"auth_{get_random_string(TOKEN_LENGTH)}"


def new_client_id() -> str:
    """Return a new service key identifier."""
    return get_random_string(CLIENT_ID_LENGTH)


def new_client_secret() -> str:
    """Return a new secret for a service key."""
    return get_random_string(SECRET_LENGTH)


def new_handle() -> str:
    """Return what the address of a page names a row by."""
    return get_random_string(TOKEN_LENGTH)


def new_provider_id() -> str:
    """Return what an identity provider's addresses and accounts are told apart by."""
    return get_random_string(PROVIDER_ID_LENGTH)


def digest(value: str) -> str:
    """Return the SHA-256 of a high-entropy value, as it is stored.

    One round is enough: nobody can enumerate 256 random bits.
    ``surrogatepass`` because a caller may send anything.
    """
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
