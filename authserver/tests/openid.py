"""OpenID Connect switched on for a test, with keys made once."""

from functools import cache

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


@cache
def private_key(number):
    """Return a private key as PEM; the same number is the same key."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


def switch_on(settings, *, signing=1, published=(), issuer="http://testserver"):
    """Sign with one key and publish others beside it."""
    settings.OAUTH2_PROVIDER = {
        **settings.OAUTH2_PROVIDER,
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": issuer,
        "OIDC_RSA_PRIVATE_KEY": private_key(signing),
        "OIDC_RSA_PRIVATE_KEYS_INACTIVE": [private_key(each) for each in published],
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
    }
