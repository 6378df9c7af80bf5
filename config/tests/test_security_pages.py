"""docs/security.md and docs/asvs.md: named tests exist, no requirement is left out."""

import ast
import re
import tomllib
from functools import cache

import pytest

from config.tests.servers import ROOT

DOCS = ROOT / "docs"
NAMED = re.compile(r"`([\w/]+)::(\w+)`")
# How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has; they are numbered
# without a gap, those of level 3 after them.
SECTIONS = """
    1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2
    4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3
    6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2
    10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1
    12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3
    15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2
"""
STATES = {"met", "partly", "open", "operator", "none"}


ASVS = ROOT / "config/tests/asvs.toml"
THREATS = ROOT / "config/tests/threats.toml"
PAGES = [DOCS / "security.md", DOCS / "asvs.md", ASVS, THREATS]


def text_of(name):
    return (DOCS / name).read_text(encoding="utf-8")


@cache
def modules():
    """Return the names of the tests of each test module, by its path without a suffix."""
    return {
        str(path.relative_to(ROOT).with_suffix("")): {
            node.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        }
        for app in (
            *("authserver", "calendar_events", "config"),
            *("institution_admin", "platform_errors"),
        )
        for path in (ROOT / app).rglob("test_*.py")
    }


def found(module, name):
    """Return the modules whose path ends so and that have the test."""
    return [
        path
        for path, names in modules().items()
        if f"/{path}".endswith(f"/{module}") and name in names
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_is_named_exists_and_is_one(page):
    named = NAMED.findall(page.read_text(encoding="utf-8"))

    assert len(named) > 50 or page.suffix == ".md"
    assert [(module, name) for module, name in named if len(found(module, name)) != 1] == []


def test_what_looks_like_a_test_is_read_as_one():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(NAMED.findall(text)) == text.count("::")


def test_a_test_that_is_gone_would_be_noticed():
    assert found("test_security_pages", "test_a_test_that_is_gone") == []
    assert found("tests/test_security_pages", "test_a_test_that_is_gone_would_be_noticed")


def chapters():
    return tomllib.loads(ASVS.read_text(encoding="utf-8"))


def rows():
    """Return (requirements, state, how) of each row of the chapters."""
    return [
        (numbers.split(", "), state, how)
        for chapter in chapters().values()
        for numbers, state, how in chapter
    ]


def test_every_requirement_is_in_one_row():
    numbers = [number for numbers, _, _ in rows() for number in numbers]
    wanted = [
        f"{section}.{number}"
        for section, count in (pair.split(":") for pair in SECTIONS.split())
        for number in range(1, int(count) + 1)
    ]

    assert len(wanted) == 253
    assert sorted(numbers) == sorted(wanted)


def test_a_requirement_stands_in_its_chapter_and_the_page_shows_all():
    for chapter, listed in chapters().items():
        numbers = ", ".join(numbers for numbers, _, _ in listed).split(", ")
        assert {f"V{number.split('.')[0]}" for number in numbers} == {chapter}
        assert f"<!-- table: asvs {chapter} -->" in text_of("asvs.md")


def test_the_page_shows_every_part_of_the_threats():
    parts = tomllib.loads(THREATS.read_text(encoding="utf-8"))

    shown = re.findall(r"<!-- table: threats (\w+) -->\n", text_of("security.md"))

    assert sorted(shown) == sorted(parts)
    assert all(NAMED.findall(test) for rows in parts.values() for *_, test in rows)


def test_what_is_met_says_by_what():
    assert {state for _, state, _ in rows()} == STATES
    for numbers, state, how in rows():
        evidence = NAMED.findall(how) or "](" in how or "by review" in how
        assert evidence or state != "met", numbers


def test_what_is_open_is_in_the_table_of_what_is_open_and_nothing_else():
    table = text_of("asvs.md").partition("\n## What is open\n")[2]
    listed = re.findall(r"^\| (\d[\d., ]*) \|", table, re.MULTILINE)

    open_numbers = {
        number
        for numbers, state, _ in rows()
        if state in {"open", "partly"}
        for number in numbers
    }
    assert sorted(number for row in listed for number in row.split(", ")) == sorted(
        open_numbers
    )
