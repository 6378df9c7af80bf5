"""docs/: every page is in the index, says for whom it is, and links to what is there.

And CHANGELOG.md, whose latest version is that of the package.
"""

import re
import tomllib

from config.tests.servers import ROOT

DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
CHANGELOG = ROOT / "CHANGELOG.md"
RECORDS = sorted((DOCS / "decisions").glob("*.md"))
PAGES = sorted(path for path in DOCS.glob("*.md") if path != INDEX)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
READERS = ("client developers", "administrators", "maintainers")


def text_of(path):
    return path.read_text(encoding="utf-8")


def listed():
    """Return (reader, page) of every row of the index."""
    sections = re.findall(
        r"^## For (.+)\n((?:(?!^## ).*\n)*)", text_of(INDEX), re.MULTILINE
    )
    return [
        (reader, page)
        for reader, rows in sections
        for page in re.findall(r"^\| \[[^]]+\]\(([^)#]+)\)", rows, re.MULTILINE)
    ]


def anchors(path):
    """Return what links into a page may name: its headings, as GitHub does, and its ids."""
    text = text_of(path)
    titles = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    slugs = {
        re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles
    }
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


def test_every_page_is_in_the_index_once():
    pages = [page for _, page in listed()]

    assert sorted(pages) == [path.name for path in PAGES]


def test_every_decision_is_in_the_table_of_decisions_once():
    table = text_of(DOCS / "architecture.md").partition("\n## Decisions\n")[2]

    records = re.findall(r"^\| \[\d+\]\(decisions/([^)]+)\)", table, re.MULTILINE)

    assert records == [path.name for path in RECORDS]


def test_the_first_sentence_of_every_page_says_for_whom_it_is():
    listed_for = {page: reader for reader, page in listed()}
    firsts = {path.name: text_of(path).split("\n\n", 2)[1] for path in PAGES}

    said = {
        page: reader
        for page, first in firsts.items()
        for reader in READERS
        if first.startswith(f"For {reader}")
    }

    assert said == listed_for


def test_links_lead_somewhere():
    broken = []
    for path in [INDEX, *PAGES, *RECORDS]:
        for name, anchor in LINK.findall(text_of(path)):
            target = (path.parent / name).resolve() if name else path
            is_page = target.suffix == ".md" and target.is_file()
            if not target.exists() or (
                anchor and is_page and anchor not in anchors(target)
            ):
                broken.append(f"{path.relative_to(DOCS)}: {name}#{anchor}")
    assert broken == []


def test_the_changelog_has_a_section_for_the_version_and_one_for_what_comes():
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]

    versions = re.findall(
        r"^## (\S+)(?: - (\d{4}-\d\d-\d\d))?$", text_of(CHANGELOG), re.MULTILINE
    )

    (first, undated), (latest, day), *_ = versions
    assert (first, undated) == ("Unreleased", "")
    assert latest == project["version"]
    assert day
