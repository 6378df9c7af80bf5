"""Let three validators judge the OpenAPI document that ``/doc`` serves.

openapi-spec-validator always; redocly and spectral where Node.js is (``npm ci`` first).
Part of ``make check``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "config/tools/openapi"


def document() -> bytes:
    """Return the document, made with the settings of the test suite."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.tests.settings")
    sys.path.insert(0, str(ROOT))
    import django  # noqa: PLC0415 -- after the path and the settings are known

    django.setup()
    from calendar_events.api.schema.document import current  # noqa: PLC0415 -- needs Django

    return current()


def run(*command: str) -> int:
    """Run a validator; print what it says when it objects."""
    sys.stdout.write(f"{Path(command[0]).name} {command[1]}\n")
    sys.stdout.flush()
    finished = subprocess.run(  # noqa: S603 -- our own commands
        command,
        cwd=HERE,
        env={**os.environ, "REDOCLY_TELEMETRY": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        sys.stdout.write(finished.stdout[-8000:] + finished.stderr[-8000:])
    return finished.returncode


def main() -> int:
    """Validate, and fail when one validator objects."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "openapi.json")
        path.write_bytes(document())
        failed = run(sys.executable, "-m", "openapi_spec_validator", str(path))
        if not (shutil.which("node") and shutil.which("npm")):
            sys.stdout.write("redocly and spectral need Node.js, which is not here\n")
            return failed
        if not (HERE / "node_modules/.package-lock.json").exists() and run(
            "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"
        ):
            # A registry that is away says nothing about the document.
            sys.stdout.write("redocly and spectral could not be installed\n")
            return failed
        binaries = HERE / "node_modules/.bin"
        failed |= run(str(binaries / "redocly"), "lint", str(path))
        failed |= run(str(binaries / "spectral"), "lint", "--fail-severity=warn", str(path))
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
