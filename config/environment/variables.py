"""Reading variables: secrets, one that must be set, those that are set, a URL prefix."""

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import environ
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()

MOST_BYTES_OF_A_SECRET = 16 * 1024
MIN_RSA_BITS = 2048


def secret(name: str, default: str = "") -> str:
    """Return a secret: the variable ``name``, or what is in the file ``{name}_FILE`` names.

    A file keeps the secret out of the environment, which child processes inherit and crash
    reports print. White space around its text is left out. What is empty counts as not set.

    Raises ``ImproperlyConfigured``, naming variables and the path and never the text, when
    both are set, and when the file cannot be read, is empty, no UTF-8 or over 16 KiB.
    """
    value: str = env.str(name, "")
    path: str = env.str(f"{name}_FILE", "")
    if value and path:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set. Set one of them.")
    return _text_of(path, f"{name}_FILE") if path else value or default


def _text_of(path: str, name: str) -> str:
    """Return the text of a file. Errors have no cause: it might carry what was read."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES_OF_A_SECRET + 1)
    except OSError as error:
        raise ImproperlyConfigured(
            f"{name}: {path} cannot be read: {error.strerror}."
        ) from None
    if len(content) > MOST_BYTES_OF_A_SECRET:
        raise ImproperlyConfigured(
            f"{name}: {path} has over {MOST_BYTES_OF_A_SECRET} bytes: not a secret."
        )
    try:
        text = content.decode().strip()
    except UnicodeDecodeError:
        raise ImproperlyConfigured(f"{name}: {path} is not UTF-8 text.") from None
    if not text or "\0" in text:
        raise ImproperlyConfigured(f"{name}: {path} is empty or binary.")
    return text


def required(name: str, read: Callable[[str, str], str] = env.str) -> str:
    """Return a variable that must be set; ``read`` is ``secret`` where it may be in a file.

    Raises ``ImproperlyConfigured`` naming it, so that the start stops with a sentence.
    """
    value = read(name, "")
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set. Set it in the environment or in .env (see .env.example), "
            "or set DEMO=1 to try the server with throwaway values."
        )
    return value


def given(cast: Callable[[str], Any], *names: str) -> dict[str, Any]:
    """Return those of the variables that are set; each app has the defaults of the rest."""
    return {name: cast(name) for name in names if name in os.environ}


def mount(name: str, default: str) -> str:
    """Return a URL prefix without a leading and with a trailing slash, or empty."""
    value = env.str(name, default).strip("/")
    return f"{value}/" if value else ""


def signing_keys(text: str) -> list[str]:
    """Return private RSA keys as PEM, from a comma list of their DER in base64.

    Raises ``ImproperlyConfigured``, which does not repeat what it could not read.
    """
    return [_pem(each.strip()) for each in text.split(",") if each.strip()]


def _pem(body: str) -> str:
    try:
        der = base64.b64decode(body, validate=True)
        key = serialization.load_der_private_key(der, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPrivateKey) or key.key_size < MIN_RSA_BITS:
        raise ImproperlyConfigured(
            f"OIDC_SIGNING_KEYS must be RSA keys of {MIN_RSA_BITS} bits or more, each as "
            "the base64 of its DER on one line, with commas between them."
        ) from None
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
