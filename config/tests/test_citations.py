"""Clauses that code, documents and tests cite have an entry in docs/specification.md."""

import re
from collections import Counter, defaultdict

from config.tests.servers import ROOT

PAGE = ROOT / "docs" / "specification.md"
PLACES = (
    *("authserver", "benchmarks", "calendar_events", "config", "docs"),
    *("institution_admin", "platform_errors", "templates"),
)
SUFFIXES = {".css", ".html", ".js", ".md", ".mjs", ".py", ".sql", ".xsd"}
TOP = ("README.md", "CONTRIBUTING.md", ".env.example", "conftest.py", "pyproject.toml")
SOURCES = r"spec|decisions|contract (?:clients|events|pitfalls)"
NUMBER = r"\d+(?:\.\d+)*"
# A line, and the mark of a comment, may end between the two words.
CITATION = re.compile(rf"\b({SOURCES})\s+(?:#\s+)?({NUMBER})\b")
OTHER_SPELLINGS = re.compile(
    rf"\b(?:spec|decisions)(?:\.md)?[`'\"]* sections? {NUMBER}"
    rf"|\b(?:spec|decisions|[a-z]+-observed|[a-z]+-pitfalls)\.md[`'\"]* {NUMBER}"
    rf"|\bcontract[`'\"]+ [a-z]+ {NUMBER}|\b[a-z]+ contract {NUMBER}"
    rf"|\b(?:{SOURCES}) {NUMBER}(?:, | and | to | or ){NUMBER}(?![\w-])"
)


def texts():
    """Return every file that may cite, by its path."""
    found = [
        path
        for place in PLACES
        for path in sorted((ROOT / place).rglob("*"))
        if path.suffix in SUFFIXES and path != PAGE and path.is_file()
    ]
    found += [ROOT / name for name in TOP]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in found}


def cited():
    """Return clause → the files that cite it."""
    clauses = defaultdict(list)
    for name, text in texts().items():
        for match in CITATION.finditer(text):
            clauses[f"{match[1]} {match[2]}"].append(name)
    return clauses


def entries():
    rows = rf"^\| ((?:{SOURCES}) {NUMBER}) \|"
    return re.findall(rows, PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_clause_that_is_cited_has_an_entry():
    known = set(entries())

    missing = {clause: names for clause, names in cited().items() if clause not in known}

    assert missing == {}


def test_every_entry_is_cited_and_stands_there_once():
    clauses = cited()

    assert [entry for entry in entries() if entry not in clauses] == []
    assert [entry for entry, times in Counter(entries()).items() if times > 1] == []


def test_no_page_for_users_cites_what_its_readers_do_not_have():
    pages = [path for path in (ROOT / "docs").glob("*.md") if path != PAGE]

    citing = [
        f"{path.name}: {match[0]}"
        for path in pages
        for match in re.finditer(r"\bspec(?:ification)?('s| \d)", path.read_text())
    ]
    citing += [
        f"{path.name}: {match[0]}"
        for path in pages
        for match in CITATION.finditer(path.read_text())
    ]

    assert citing == []


def test_citations_are_spelled_in_one_way():
    """Each number has its source before it: one search finds all citations of a clause."""
    others = [
        f"{name}: {match[0]}"
        for name, text in texts().items()
        for match in OTHER_SPELLINGS.finditer(text)
    ]

    assert others == []
