"""systemd's unit files, read as far as the tests need them."""

import shlex
import sys
from dataclasses import dataclass, field

from config.tests import prepared

SYSTEMD = prepared.ROOT / "deploy" / "systemd"
PYTHON = ["/usr/bin/env", ".venv/bin/python"]
"""How a unit finds Python in its directory; the tests have it elsewhere."""


@dataclass
class Unit:
    """A service: its settings, several values of one name in their order."""

    settings: dict[str, list[str]] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        (line,) = self.settings["ExecStart"]
        words = shlex.split(line)
        assert words[:2] == PYTHON
        return [sys.executable, *words[2:]]

    @property
    def environment(self) -> dict[str, str]:
        """What ``Environment=`` says; a file of variables would win over it."""
        pairs = [
            pair for line in self.settings["Environment"] for pair in shlex.split(line)
        ]
        return dict(pair.split("=", 1) for pair in pairs)


def read(name: str) -> Unit:
    """Return the unit ``name`` with its drop-in files."""
    unit = Unit()
    stem = name.removesuffix(".service")
    prefix = f"{stem.split('-')[0]}-" if "-" in stem else stem
    drop_ins = sorted((SYSTEMD / f"{prefix}.service.d").glob("*.conf"))
    assert drop_ins, f"no drop-in applies to {name}"
    for path in (SYSTEMD / name, *drop_ins):
        for line in path.read_text(encoding="utf-8").splitlines():
            setting, is_one, value = line.partition("=")
            if is_one and not line.startswith("#"):
                unit.settings.setdefault(setting, []).append(value)
    return unit
