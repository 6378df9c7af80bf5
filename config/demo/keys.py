"""Keys for a demonstration server: made once, kept in a file that git ignores.

Standard library only, because settings import it before Django is configured.
"""

import base64
import os
import secrets
from collections.abc import Callable, MutableMapping
from pathlib import Path

MAKERS: dict[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: secrets.token_urlsafe(64),
    "ENCRYPTION_KEYS": lambda: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
}


def make_missing(environ: MutableMapping[str, str], path: Path) -> None:
    """Fill the keys that ``environ`` lacks from the file at ``path``, making the file once.

    Two servers that start together agree: the file is created exclusively, and the loser
    reads what the winner wrote.
    """
    missing = [
        name for name in MAKERS if not environ.get(name) and not environ.get(f"{name}_FILE")
    ]
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
    kept = dict(
        line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines() if line
    )
    for name in missing:
        environ[name] = kept[name]
