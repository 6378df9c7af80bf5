"""Checks of ``deploy/`` by the linters of its formats. Part of ``make check``.

What can run on a loopback port is tested instead (``config/tests/deploy``).
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kubernetes_validate
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
BINARIES = Path(sys.executable).parent
KUBERNETES = "1.30"
"""The oldest version that the manifest is for."""
YAML_RULES = (
    "{extends: default, rules: {line-length: {max: 120}, document-start: disable, "
    "braces: {max-spaces-inside: 0}, comments: {min-spaces-from-content: 1}}}"
)
COMMANDS = (
    ("hadolint", "deploy/Containerfile"),
    ("shellcheck", *map(str, sorted(DEPLOY.rglob("*.sh")))),
    (
        *("yamllint", "--strict", "-d", YAML_RULES),
        *("deploy/compose.yaml", "deploy/kubernetes.yaml", "deploy/cluster/patroni.yml"),
    ),
    (
        *("check-jsonschema", "--quiet", "--builtin-schema", "vendor.compose-spec"),
        "deploy/compose.yaml",
    ),
)


def run(*words: str) -> bool:
    """Run one command at the root; return whether it found nothing."""
    return subprocess.run(words, cwd=ROOT, check=False).returncode == 0  # noqa: S603 -- our own


def check_kubernetes() -> bool:
    """Return whether each object of the manifest is of its schema."""
    manifest = yaml.safe_load((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
    is_fine = True
    for item in manifest["items"]:
        try:
            kubernetes_validate.validate(item, KUBERNETES, strict=True)
        except kubernetes_validate.ValidationError as error:
            is_fine = False
            sys.stdout.write(f"kubernetes.yaml: {item['kind']}: {error.message}\n")
    return is_fine


def check_units() -> bool:
    """Return whether systemd finds nothing; where there is none, nothing is checked."""
    if shutil.which("systemd-analyze") is None:
        sys.stdout.write("systemd-analyze is missing, so the units are not checked.\n")
        return True
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "systemd"
        shutil.copytree(DEPLOY / "systemd", copy, symlinks=True)
        units = [str(path) for path in copy.iterdir() if path.is_file()]
        return run("systemd-analyze", "verify", "--man=no", *units)


def main() -> int:
    """Run all, and fail when one finds something."""
    sys.stdout.write("deploy/\n")
    sys.stdout.flush()
    found = [run(str(BINARIES / words[0]), *words[1:]) for words in COMMANDS]
    return 0 if all([*found, check_kubernetes(), check_units()]) else 1


if __name__ == "__main__":
    sys.exit(main())
