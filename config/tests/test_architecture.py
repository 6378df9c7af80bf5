"""What docs/architecture.md draws is what `make check` holds the code to."""

import re
import tomllib

import pytest

from config.tests.servers import ROOT

DRAWN = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
APPS = ["authserver", "calendar_events", "config", "institution_admin", "platform_errors"]
MOST_AT_THE_TOP = {
    "authserver": 8,
    "calendar_events": 8,
    "config": 5,
    "institution_admin": 9,
    "platform_errors": 14,
}
SELF_EXPLANATORY = {"migrations", "tests", "demo", "management", "admin"}


def contract(name):
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return next(one for one in linter["contracts"] if name in one["name"])


def section(app):
    return DRAWN.partition(f"## The rooms of {app}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("app", APPS)
def test_the_rooms_are_drawn_in_the_order_of_the_contract(app):
    block = re.search(r"```\n(.*?)```", section(app), re.DOTALL)

    layers = contract(f"Inside {app}")["layers"]

    assert block[1].splitlines() == layers


@pytest.mark.parametrize("app", APPS)
def test_every_room_is_drawn_and_none_that_is_not_there(app):
    drawn = set(re.findall(r"^\| `(\w+)` \|", section(app), re.MULTILINE))

    rooms = {path.parent.name for path in (ROOT / app).glob("*/__init__.py")}

    assert drawn == rooms - SELF_EXPLANATORY


@pytest.mark.parametrize(("app", "most"), MOST_AT_THE_TOP.items())
def test_few_modules_stand_outside_of_a_room(app, most):
    modules = {path.stem for path in (ROOT / app).glob("*.py")} - {"__init__"}

    assert len(modules) <= most


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


def test_who_signs_requests_needs_nothing_of_admin():
    importing = [
        path
        for path in (ROOT / "platform_errors").rglob("*.py")
        if "tests" not in path.parts
        and re.search(r"django\.contrib\.admin|institution_admin", path.read_text())
    ]

    assert importing == []
