"""Whether the pinned packages have known vulnerabilities, by what pip-audit finds.

Part of ``make check`` for what runs in production; ``make audit`` asks for the tools as
well. Fails for each vulnerability that ``accepted_vulnerabilities.toml`` does not list with
a reason and a day that has not passed. A network without the service is said in one line
and fails nothing.
"""

import datetime as dt
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ACCEPTED = Path(__file__).with_name("accepted_vulnerabilities.toml")
MOST_SECONDS = 120
# How pip-audit ends when it cannot reach the service.
UNREACHABLE = re.compile(
    r"requests\.exceptions\.|Could not connect|timed out", re.IGNORECASE
)


class Unreachable(Exception):
    """The service was not asked, with the reason."""


@dataclass(frozen=True)
class Vulnerability:
    """What is known of one version of a package; ``names`` are its identifiers."""

    package: str
    version: str
    names: tuple[str, ...]
    fixed_in: tuple[str, ...]

    def __str__(self) -> str:
        """Say it in one line."""
        mended = (
            f"fixed in {', '.join(self.fixed_in)}" if self.fixed_in else "not fixed yet"
        )
        return f"{self.package} {self.version}: {', '.join(self.names)} ({mended})"


def asked(*requirements: str) -> dict[str, Any]:
    """Return pip-audit's answer for these files of pinned packages.

    Raises ``Unreachable``, and ``RuntimeError`` when it fails for another reason.
    """
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--desc", "off"]
    command += ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--timeout", "5"]
    command += [part for name in requirements for part in ("--requirement", name)]
    try:
        finished = subprocess.run(  # noqa: S603 -- our own arguments
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Unreachable(f"no answer within {MOST_SECONDS} seconds") from None
    return answer(finished.stdout, finished.stderr)


def answer(output: str, errors: str) -> dict[str, Any]:
    """Return what pip-audit printed. Raises ``Unreachable`` or ``RuntimeError``."""
    if not output.strip():
        if UNREACHABLE.search(errors):
            raise Unreachable("the service could not be reached")
        raise RuntimeError((errors.strip() or "pip-audit said nothing").splitlines()[-1])
    document: dict[str, Any] = json.loads(output)
    if all("skip_reason" in package for package in document["dependencies"]):
        raise Unreachable("the service knows none of the packages")
    return document


def vulnerabilities(document: dict[str, Any]) -> list[Vulnerability]:
    """Return what was found."""
    return [
        Vulnerability(
            package["name"],
            package["version"],
            (found["id"], *found.get("aliases", ())),
            tuple(found.get("fix_versions", ())),
        )
        for package in document["dependencies"]
        for found in package.get("vulns", ())
    ]


def unlisted(
    found: list[Vulnerability], accepted: list[dict[str, Any]], today: dt.date
) -> list[Vulnerability]:
    """Return those that nobody has accepted, or only until a day that has passed."""
    passing = {
        (entry["package"], entry["id"])
        for entry in accepted
        if entry["reason"] and entry["until"] >= today
    }
    return [
        one for one in found if not {(one.package, name) for name in one.names} & passing
    ]


def main(requirements: list[str]) -> int:
    """Ask, print, and return 1 when something unlisted was found."""
    accepted = tomllib.loads(ACCEPTED.read_text(encoding="utf-8")).get("accepted", [])
    try:
        document = asked(*requirements)
    except Unreachable as reason:
        sys.stdout.write(f"pip-audit: nothing was audited: {reason}.\n")
        return 0
    today = dt.datetime.now(tz=dt.UTC).date()
    bad = unlisted(vulnerabilities(document), accepted, today)
    skipped = [
        package["name"] for package in document["dependencies"] if "skip_reason" in package
    ]
    sys.stdout.writelines(f"pip-audit: {one}\n" for one in bad)
    if skipped:
        sys.stdout.write(f"pip-audit: not audited: {', '.join(skipped)}\n")
    audited = len(document["dependencies"]) - len(skipped)
    sys.stdout.write(
        f"pip-audit: {audited} packages, {len(bad)} unlisted vulnerabilities.\n"
    )
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["requirements.txt"]))
