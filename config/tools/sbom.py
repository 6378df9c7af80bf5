"""The bill of materials of a release, in CycloneDX: pinned packages and vendored files.

cyclonedx-py describes ``requirements.txt``; the files that browsers get and that no package
brings are added here. ``make sbom`` writes it, ``make check`` does, too, and fails when the
document does not satisfy the schema.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / ".make/sbom.json"
SCHEMA = SchemaVersion.V1_6
# name-version.js, in a directory called vendor, its licence beside it.
VENDORED = re.compile(r"(?P<name>[a-z-]+)-(?P<version>\d[\d.]*)\.(?:js|css)")
# What a file is called by the registry that it comes from, and its licence.
ORIGINS = {"squire": ("squire-rte", "MIT")}


def vendored_files() -> list[Path]:
    """Return the vendored files of the apps, without their licences."""
    found = ROOT.glob("*/static/*/vendor/**/*")
    return sorted(path for path in found if path.is_file() and "LICENSE" not in path.name)


def sha256(path: Path) -> str:
    """Return the digest of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def component_of(path: Path) -> dict[str, Any]:
    """Describe a vendored file. Raises ``ValueError`` when its origin is not known."""
    match = VENDORED.fullmatch(path.name)
    if match is None or match["name"] not in ORIGINS:
        raise ValueError(f"{path}: name it in ORIGINS (config/tools/sbom.py)")
    name, licence = ORIGINS[match["name"]]
    return {
        "type": "library",
        "bom-ref": str(path.relative_to(ROOT)),
        "name": name,
        "version": match["version"],
        "purl": f"pkg:npm/{name}@{match['version']}",
        "licenses": [{"license": {"id": licence}}],
        "hashes": [{"alg": "SHA-256", "content": sha256(path)}],
        "evidence": {"occurrences": [{"location": str(path.relative_to(ROOT))}]},
    }


def composed() -> dict[str, Any]:
    """Return the document. Raises ``CalledProcessError`` when cyclonedx-py fails."""
    command = [sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements"]
    command += ["--pyproject", "pyproject.toml", "--mc-type", "application"]
    command += ["--output-reproducible", "--no-validate", "--sv", SCHEMA.to_version()]
    command += ["requirements.txt"]
    finished = subprocess.run(  # noqa: S603 -- our own arguments
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    document: dict[str, Any] = json.loads(finished.stdout)
    document["components"] += [component_of(path) for path in vendored_files()]
    return document


def invalid(document: dict[str, Any]) -> list[str]:
    """Return a sentence saying why the document is not CycloneDX, or nothing."""
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415 -- a second

    error = JsonStrictValidator(SCHEMA).validate_str(json.dumps(document))
    return [f"It does not satisfy CycloneDX: {error}."] if error else []


def main() -> int:
    """Write the document; return 1, and say why, when it is not valid."""
    document = composed()
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(
        json.dumps(document, indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )
    wrong = invalid(document)
    said = wrong or [f"{len(document['components'])} components"]
    sys.stdout.writelines(f"{TARGET.relative_to(ROOT)}: {each}\n" for each in said)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
