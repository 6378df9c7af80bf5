"""Checks that need Django with production-like settings: deploy, migrations, OpenAPI.

Part of ``make check``; each is a management command, run in its own process.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION_LIKE = {
    "READ_DOT_ENV": "0",
    "DEMO": "0",
    "DEBUG": "0",
    "PUBLIC_URL": "https://platform.example",
    "SECRET_KEY": "only-for-make-check-" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2,
    "ENCRYPTION_KEYS": "b25seS1mb3ItbWFrZS1jaGVjay0zMi1ieXRlcy1vayE=",
    "DATABASE_URL": "sqlite:///:memory:",
    "TRUSTED_PROXIES": "127.0.0.1",
    "WORKERS": "1",
}
COMMANDS = (
    ("check", "--deploy", "--fail-level", "WARNING"),
    ("makemigrations", "--check", "--dry-run"),
    ("spectacular", "--validate", "--fail-on-warn", "--file", os.devnull),
)


def main() -> int:
    """Run every command, and fail when one does."""
    kept = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ
    }
    failed = 0
    for command in COMMANDS:
        sys.stdout.write(f"manage.py {' '.join(command)}\n")
        sys.stdout.flush()
        failed += subprocess.run(  # noqa: S603 -- our own arguments
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env={**kept, **PRODUCTION_LIKE},
            check=False,
        ).returncode
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
