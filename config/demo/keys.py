"""Keys for a demonstration server: made once, kept in a file that git ignores.

Without Django, because settings import it before that is configured.
"""

import base64
import os
import secrets
from collections.abc import Callable, MutableMapping
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


def _signing_key() -> str:
    """Return a private RSA key as the one line that ``OIDC_SIGNING_KEYS`` takes."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    der = key.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return base64.b64encode(der).decode()


MAKERS: dict[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: secrets.token_urlsafe(64),
    "ENCRYPTION_KEYS": lambda: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
    "OIDC_SIGNING_KEYS": _signing_key,
}


def make_missing(environ: MutableMapping[str, str], path: Path) -> None:
    """Fill the keys that ``environ`` lacks from the file at ``path``, making the file once.

    Two servers that start together agree: the file is created exclusively, and the loser
    reads what the winner wrote.
    """
    missing = {
        name for name in MAKERS if not environ.get(name) and not environ.get(f"{name}_FILE")
    }
    if not missing:
        return
    if not path.exists():
        scratch = path.with_name(f"{path.name}.{os.getpid()}")
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.writelines(f"{name}={make()}\n" for name, make in MAKERS.items())
        try:
            os.link(scratch, path)
        except FileExistsError:
            pass
        finally:
            scratch.unlink()
    newer = missing - _read(path).keys()  # the file is of a version that lacked them
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{name}={MAKERS[name]()}\n" for name in newer)
    kept = _read(path)
    for name in missing:
        environ[name] = kept[name]


def _read(path: Path) -> dict[str, str]:
    """Return the first value of each name, for two servers may have added one at once."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in reversed(lines) if line)
