"""The audit of pinned packages: what fails it, and what does not."""

import datetime as dt
import json

import pytest

from config.tools import audit

TODAY = dt.date(2026, 11, 22)
KNOWN = {
    "name": "example",
    "version": "1.0",
    "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["1.1"]}],
}
CLEAN = {"name": "fine", "version": "2.0", "vulns": []}
SKIPPED = {"name": "private", "skip_reason": "not found"}


def entry(**fields):
    return {
        "package": "example",
        "id": "PYSEC-1",
        "reason": "Never called.",
        "until": TODAY,
        **fields,
    }


def unlisted(*accepted):
    found = audit.vulnerabilities({"dependencies": [KNOWN, CLEAN, SKIPPED]})
    return [str(one) for one in audit.unlisted(found, list(accepted), TODAY)]


def test_a_vulnerability_that_nobody_listed_is_named_with_its_mending():
    assert unlisted() == ["example 1.0: PYSEC-1, CVE-1 (fixed in 1.1)"]


@pytest.mark.parametrize("fields", [{}, {"id": "CVE-1"}])
def test_what_is_listed_with_reason_and_day_passes_by_any_of_its_names(fields):
    assert unlisted(entry(**fields)) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"until": TODAY - dt.timedelta(days=1)},
        {"reason": ""},
        {"id": "PYSEC-2"},
        {"package": "fine"},
    ],
)
def test_a_day_that_has_passed_no_reason_or_another_package_does_not_count(fields):
    assert len(unlisted(entry(**fields))) == 1


@pytest.mark.parametrize(
    ("output", "errors"),
    [
        (json.dumps({"dependencies": [SKIPPED]}), ""),
        ("", "requests.exceptions.ConnectionError: no route"),
        ("", "ERROR:pip_audit._cli:Could not connect to the vulnerability feed"),
    ],
)
def test_a_service_that_is_not_there_is_no_answer(output, errors):
    with pytest.raises(audit.Unreachable):
        audit.answer(output, errors)


@pytest.mark.parametrize("errors", ["Traceback\nKeyError: 'a fault of the tool'", ""])
def test_another_failure_of_the_tool_is_one(errors):
    with pytest.raises(RuntimeError):
        audit.answer("", errors)


@pytest.fixture
def answered(monkeypatch):
    """Let pip-audit be answered with these packages."""

    def answer(*packages):
        text = json.dumps({"dependencies": packages})
        monkeypatch.setattr(
            audit.subprocess,
            "run",
            lambda command, **_: audit.subprocess.CompletedProcess(command, 0, text, ""),
        )

    return answer


def test_the_command_fails_for_what_was_found(answered, capsys):
    answered(KNOWN, CLEAN, SKIPPED)

    assert audit.main(["requirements.txt"]) == 1

    assert capsys.readouterr().out.splitlines() == [
        "pip-audit: example 1.0: PYSEC-1, CVE-1 (fixed in 1.1)",
        "pip-audit: not audited: private",
        "pip-audit: 2 packages, 1 unlisted vulnerabilities.",
    ]


def test_the_command_passes_with_one_line_when_nothing_was_found(answered, capsys):
    answered(CLEAN)

    assert audit.main(["requirements.txt"]) == 0

    assert capsys.readouterr().out == "pip-audit: 1 packages, 0 unlisted vulnerabilities.\n"


def test_without_the_service_it_says_so_in_one_line_and_passes(answered, capsys):
    answered(SKIPPED)

    assert audit.main(["requirements.txt"]) == 0

    assert capsys.readouterr().out == (
        "pip-audit: nothing was audited: the service knows none of the packages.\n"
    )


def test_a_service_that_never_answers_is_given_up(monkeypatch):
    def endless(command, *, timeout, **_options):
        raise audit.subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(audit.subprocess, "run", endless)

    with pytest.raises(audit.Unreachable, match="no answer"):
        audit.asked("requirements.txt")


def test_every_accepted_vulnerability_has_a_reason_and_a_day():
    text = audit.ACCEPTED.read_text(encoding="utf-8")
    for one in audit.tomllib.loads(text).get("accepted", []):
        assert set(one) == {"id", "package", "reason", "until"}
        assert one["reason"]
        assert isinstance(one["until"], dt.date)
