"""Set the version of a release, and make the files that a release is.

``make version VERSION=1.1.0`` writes the version wherever it stands and dates the changes
that are *Unreleased*. ``make release`` puts the source (the context of the Containerfile),
the wheels, the bill of materials and their digests into ``.make/release``, and names
the tag.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("authserver", "calendar_events", "institution_admin", "platform_errors")
DESCRIPTIONS = ("pyproject.toml", *(f"{app}/pyproject.toml" for app in APPS))
# Where the version stands besides: how the name of what carries it begins.
PLACES = {
    **dict.fromkeys(DESCRIPTIONS, r'^version = "|"institution-calendar-(?:admin|errors)=='),
    "config/__init__.py": r'^__version__ = "',
    "deploy/Containerfile": r"-t calendar:",
    "deploy/compose.yaml": r"image: calendar(?:-pgbouncer)?:",
    "deploy/install.sh": r"/opt/calendar-",
    "deploy/kubernetes.yaml": r"image: calendar:",
    "docs/deployment.md": r"calendar-|--branch v",
}
VERSION = r"\d+\.\d+\.\d+"
UNRELEASED = "## Unreleased\n"


def version(root: Path) -> str:
    """Return the version of a checkout."""
    described = tomllib.loads((root / DESCRIPTIONS[0]).read_text(encoding="utf-8"))
    return str(described["project"]["version"])


def set_version(root: Path, new: str) -> None:
    """Write the version wherever it stands. Raises ``SystemExit`` for a wrong one."""
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.fullmatch(VERSION, new):
        sys.exit(f"{new!r} is not a version such as 1.2.3.")
    if f"## {new} - " in changelog:
        sys.exit(f"CHANGELOG.md has a version {new} already.")
    for name, before in PLACES.items():
        path = root / name
        text = path.read_text(encoding="utf-8")
        text = re.sub(f"({before}){VERSION}", rf"\g<1>{new}", text, flags=re.MULTILINE)
        path.write_text(text, encoding="utf-8")
    today = datetime.now(UTC).date()
    heading = f"{UNRELEASED}\n## {new} - {today}\n"
    text = changelog.replace(UNRELEASED, heading, 1)
    (root / "CHANGELOG.md").write_text(text, encoding="utf-8")


def git(root: Path, *arguments: str) -> str:
    """Return what git prints. Raises ``CalledProcessError`` when it fails."""
    command = ["git", "-C", str(root), *arguments]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 -- our own arguments
    return finished.stdout.strip()


def refusals(root: Path) -> list[str]:
    """Return the reasons why the checkout cannot be released, one sentence each."""
    number = version(root)
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    latest = re.search(rf"^## ({VERSION}) - ", changelog, re.MULTILINE)
    reasons = []
    if git(root, "status", "--porcelain"):
        reasons.append("There are changes that are not committed.")
    if latest is None or latest[1] != number:
        reasons.append(f"The latest version in CHANGELOG.md is not {number}.")
    elif re.search(rf"{UNRELEASED}\s*- ", changelog):
        reasons.append("Changes are Unreleased: run make version VERSION=… and commit.")
    tagged = git(root, "tag", "--list", f"v{number}")
    if tagged and git(root, "rev-list", "-n1", tagged) != git(root, "rev-parse", "HEAD"):
        reasons.append(f"The tag {tagged} is on another commit: run make version VERSION=…")
    return reasons


def collect(root: Path) -> Path:
    """Fill ``.make/release`` from the commit and from what was built, and return it."""
    name = f"calendar-{version(root)}"
    target = root / ".make/release"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    archive = str(target / f"{name}.tar.gz")
    git(root, "archive", f"--prefix={name}/", f"--output={archive}", "HEAD")
    for built in (*sorted((root / ".make/wheels").glob("*.whl")), root / ".make/sbom.json"):
        shutil.copy(built, target)
    digests = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(target.iterdir())
    ]
    (target / "SHA256SUMS").write_text("".join(digests), encoding="utf-8")
    return target


def main(arguments: list[str]) -> None:
    """Set the version that is given, or make the release."""
    match arguments:
        case ["set", new]:
            set_version(ROOT, new)
        case ["refuse"]:
            if reasons := refusals(ROOT):
                sys.exit("\n".join(reasons))
        case _:
            target = collect(ROOT)
            sys.stdout.write(f"{target.relative_to(ROOT)}:\n")
            sys.stdout.writelines(f"  {path.name}\n" for path in sorted(target.iterdir()))
            sys.stdout.write(f"Tag this commit: git tag --annotate v{version(ROOT)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
