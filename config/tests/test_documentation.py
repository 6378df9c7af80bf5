"""docs/: every page says for whom it is; `make docs` sees to the links and the index.

And CHANGELOG.md, whose latest version is that of the package.
"""

import re
import tomllib

import pytest
import yaml

from config.tests.servers import ROOT
from config.tools import documentation_tables

DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
CHANGELOG = ROOT / "CHANGELOG.md"
RECORDS = sorted((DOCS / "decisions").glob("*.md"))
PAGES = sorted({*DOCS.rglob("*.md")} - {INDEX, *RECORDS})
FOR = {
    "Client developers": "For client developers",
    "Operators": "For administrators",
    "Django developers": "For maintainers",
}


LONGEST = 35
"""Words of a sentence."""
MOST = 40_000
"""Words of all pages; 1,900 of them say how four products are connected."""


def text_of(path):
    return path.read_text(encoding="utf-8")


def tabs():
    """Return the reader of each page, by the tabs of the site."""
    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    return {
        page: reader
        for tab in navigation
        if isinstance(tab, dict)
        for reader, parts in tab.items()
        for page in pages_of(parts)
    }


def pages_of(part):
    if isinstance(part, str):
        yield part
    for inner in part.values() if isinstance(part, dict) else part:
        if not isinstance(part, str):
            yield from pages_of(inner)


def test_every_decision_is_in_the_table_of_decisions_once():
    built = documentation_tables.decisions("")

    rows = re.findall(r"^\| \[(\d+)\]\(decisions/([^)]+)\) \| \S", built, re.MULTILINE)

    assert [name for _, name in rows] == [path.name for path in RECORDS]
    assert all(int(name[:4]) == int(number) for number, name in rows)
    assert "\n<!-- table: decisions -->\n" in text_of(DOCS / "architecture.md")


def test_the_pages_are_short_enough_to_be_read():
    """Without the decisions; 35,000 words are the aim."""
    assert sum(len(text_of(page).split()) for page in [INDEX, *PAGES]) <= MOST


def test_the_first_sentence_of_every_page_says_for_whom_it_is():
    readers = tabs()
    for path in PAGES:
        first = text_of(path).split("\n\n", 2)[1]
        name = path.relative_to(DOCS).as_posix()
        assert first.startswith(FOR[readers[name]]), name


def sentences(text):
    """Return the sentences of a page, without tables, headings and code."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith(("|", "#", "<!--", "===")):
            continue
        for item in re.split(r"(?:^|\n)\s*(?:[-*]|\d+\.) ", block):
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", item)
            yield from re.split(r"(?<=[.!?])\s+(?=[A-Z`*\"])|: (?=[A-Z])", plain)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_sentence_is_too_long_to_read_aloud(page):
    long = [one for one in sentences(text_of(page)) if len(one.split()) > LONGEST]

    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_sentence_begins_with_a_question_that_it_does_not_ask(page):
    """As "What is sent is stored" does: say "The server stores the body"."""
    turned = [one for one in sentences(text_of(page)) if re.match(r"\W*What\b", one)]

    assert turned == []


def test_a_change_that_comes_is_one_line():
    coming = text_of(CHANGELOG).partition("## Unreleased\n")[2].partition("\n## ")[0]

    assert [
        line for line in coming.splitlines() if line and line[:2] not in ("- ", "##")
    ] == []


def test_the_changelog_has_a_section_for_the_version_and_one_for_what_comes():
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]

    versions = re.findall(
        r"^## (\S+)(?: - (\d{4}-\d\d-\d\d))?$", text_of(CHANGELOG), re.MULTILINE
    )

    (first, undated), (latest, day), *_ = versions
    assert (first, undated) == ("Unreleased", "")
    assert latest == project["version"]
    assert day
