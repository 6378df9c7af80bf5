"""Whether the pinned packages have known vulnerabilities: pip-audit, and what it may pass.

Part of ``make check`` for what runs in production; ``make audit`` asks for the tools as
well. ``accepted_vulnerabilities.toml`` lists what passes until a day, with a reason. A
network without the service is said in one line and fails nothing.
"""

import datetime as dt
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
ACCEPTED: Final = Path(__file__).with_name("accepted_vulnerabilities.toml")
MOST_SECONDS: Final = 120
COMMAND: Final = (
    *(sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--desc", "off"),
    *("--progress-spinner", "off", "--timeout", "5"),
)
UNREACHABLE: Final = re.compile(
    r"requests\.exceptions\.|Could not connect|timed out", re.IGNORECASE
)
"""How pip-audit ends when it cannot reach the service."""


def ignored(accepted: list[dict[str, Any]], today: dt.date) -> list[str]:
    """Return the identifiers that pass today."""
    return [one["id"] for one in accepted if one["reason"] and one["until"] >= today]


def main(requirements: list[str]) -> int:
    """Ask, print, and return 1 when something unlisted was found."""
    accepted = tomllib.loads(ACCEPTED.read_text(encoding="utf-8")).get("accepted", [])
    today = dt.datetime.now(tz=dt.UTC).date()
    options = [f"--ignore-vuln={name}" for name in ignored(accepted, today)]
    options += [f"--requirement={name}" for name in requirements]
    try:
        finished = subprocess.run(  # noqa: S603 -- our own arguments
            [*COMMAND, *options],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        sys.stdout.write(f"pip-audit: no answer within {MOST_SECONDS} seconds.\n")
        return 0
    if finished.returncode and UNREACHABLE.search(finished.stderr):
        sys.stdout.write("pip-audit: the service could not be reached.\n")
        return 0
    if finished.returncode:
        sys.stdout.write(finished.stdout + finished.stderr)
        return 1
    unknown = finished.stdout.count("could not be audited")
    sys.stdout.write(f"pip-audit: nothing found; {unknown} packages were not audited.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["requirements.txt"]))
