"""What docs/architecture.md draws is what `make check` holds the code to."""

import re
import tomllib

from config.tests.servers import ROOT

DRAWN = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def contract(name):
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return next(one for one in linter["contracts"] if name in one["name"])


def test_the_rooms_of_calendar_events_are_drawn_in_the_order_of_the_contract():
    block = re.search(r"```\n(apps\n.*?)```", DRAWN, re.DOTALL)

    layers = contract("Inside calendar_events")["layers"]

    assert block[1].splitlines() == layers


def test_every_room_is_drawn_and_none_that_is_not_there():
    app = ROOT / "calendar_events"
    drawn = set(re.findall(r"^\| `(\w+)` \|", DRAWN, re.MULTILINE))

    rooms = {
        path.name
        for path in app.iterdir()
        if (path / "__init__.py").exists()
        and path.name not in {"migrations", "tests", "demo", "management", "admin"}
    }

    assert drawn == rooms


def test_the_modules_that_the_text_follows_are_there():
    named = re.findall(
        r"`((?:api|store|models|services|documents|filters)\.[a-z_.]+)", DRAWN
    )

    missing = []
    for name in named:
        parts = name.strip(".").split(".")
        candidates = [
            (ROOT / "calendar_events").joinpath(*parts[:length]).with_suffix(".py")
            for length in range(2, len(parts) + 1)
        ]
        if not any(path.is_file() for path in candidates):
            missing.append(name)
    assert missing == []
