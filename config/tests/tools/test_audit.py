"""The audit of pinned packages: what fails it, and what does not."""

import datetime as dt

import pytest

from config.tools import audit

TODAY = dt.date(2026, 11, 22)
FOUND = "Name    Version ID      Fix Versions\nexample 1.0     PYSEC-1 1.1\n"
SKIPPED = "private Dependency not found on PyPI and could not be audited: private (1)\n"


def entry(**fields):
    return {"package": "example", "id": "PYSEC-1", "reason": "Unused.", "until": TODAY} | (
        fields
    )


@pytest.fixture
def answered(monkeypatch):
    """Let pip-audit end like this; return the commands that were run."""
    commands = []

    def answer(status, output="", errors=""):
        def run(command, **_options):
            commands.append(command)
            return audit.subprocess.CompletedProcess(command, status, output, errors)

        monkeypatch.setattr(audit.subprocess, "run", run)
        return commands

    return answer


def test_what_is_listed_with_a_reason_and_a_day_to_come_is_ignored():
    assert audit.ignored([entry()], TODAY) == ["PYSEC-1"]


@pytest.mark.parametrize(
    "fields", [{"until": TODAY - dt.timedelta(days=1)}, {"reason": ""}]
)
def test_a_day_that_has_passed_or_no_reason_does_not_count(fields):
    assert audit.ignored([entry(**fields)], TODAY) == []


def test_a_vulnerability_that_nobody_listed_fails_and_is_named(answered, capsys):
    answered(1, FOUND, "Found 1 known vulnerability in 1 package")

    assert audit.main(["requirements.txt"]) == 1

    assert "PYSEC-1 1.1" in capsys.readouterr().out


def test_accepted_ones_are_handed_to_the_tool(answered, tmp_path, monkeypatch):
    listed = tmp_path / "accepted.toml"
    listed.write_text(
        '[[accepted]]\nid = "PYSEC-1"\npackage = "example"\nreason = "Unused."\n'
        "until = 2999-01-01\n"
    )
    monkeypatch.setattr(audit, "ACCEPTED", listed)
    commands = answered(0)

    audit.main(["requirements.txt"])

    (command,) = commands
    assert command[-2:] == ["--ignore-vuln=PYSEC-1", "--requirement=requirements.txt"]


def test_it_says_how_many_packages_the_service_does_not_know(answered, capsys):
    answered(0, SKIPPED * 2)

    assert audit.main(["requirements.txt"]) == 0

    said = capsys.readouterr().out
    assert said == "pip-audit: nothing found; 2 packages were not audited.\n"


@pytest.mark.parametrize(
    "errors",
    [
        "requests.exceptions.ConnectionError: no route",
        "ERROR:pip_audit._cli:Could not connect to the vulnerability feed",
    ],
)
def test_without_the_service_it_says_so_in_one_line_and_passes(answered, capsys, errors):
    answered(1, "", errors)

    assert audit.main(["requirements.txt"]) == 0

    assert capsys.readouterr().out == "pip-audit: the service could not be reached.\n"


def test_another_failure_of_the_tool_is_one(answered):
    answered(1, "", "Traceback\nKeyError: 'a fault of the tool'")

    assert audit.main(["requirements.txt"]) == 1


def test_a_service_that_never_answers_is_given_up(monkeypatch, capsys):
    def endless(command, *, timeout, **_options):
        raise audit.subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(audit.subprocess, "run", endless)

    assert audit.main(["requirements.txt"]) == 0
    assert "no answer" in capsys.readouterr().out


def test_every_accepted_vulnerability_has_a_reason_and_a_day():
    text = audit.ACCEPTED.read_text(encoding="utf-8")
    for one in audit.tomllib.loads(text).get("accepted", []):
        assert set(one) == {"id", "package", "reason", "until"}
        assert one["reason"]
        assert isinstance(one["until"], dt.date)
