"""Client pages: their commands answer and their programs print what stands there."""

import json
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

from config.tests import servers
from config.tests.people import Person, Pkce, authorization_address, code_exchange

pytestmark = pytest.mark.processes

DOCS = servers.ROOT / "docs"
PAGE = (DOCS / "quickstart.md").read_text(encoding="utf-8")
PAGES = (
    *("quickstart", "authorization", "signing", "errors"),
    *("calendar-reading", "calendar-writing", "series", "changes", "webhooks"),
)
ANY = "…"
EXAMPLE = re.compile(r"```sh\n([^`]*?\bcurl .*?)```\n\n```(json|text)\n(.*?)```", re.DOTALL)
EXAMPLES = [
    pytest.param(*example, id=f"{page}-{number}")
    for page in PAGES
    for number, example in enumerate(
        EXAMPLE.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    )
]
OTHERWISE = {
    *("A key", "A token", "The same in a program"),  # the programs are run below
    *("In Python", "In JavaScript", "In a shell"),  # run by tests of the signature
    "A program",  # run by the tests of changes
    *("Receive it in Python", "Receive it in JavaScript"),  # run by test_webhook_receivers
    "A message",
    *("One request to compare with", "History"),
}
"""Sections that show no call."""
RUNNERS = {
    "python": ([sys.executable, "-W", "ignore"], ".py"),
    "javascript": ([shutil.which("node")], ".mjs"),
    "php": ([shutil.which("php")], ".php"),
}


@pytest.fixture(scope="module")
def token(server):
    """Return what alice lets the demonstration's application have."""
    return redeemed(server)["access_token"]


def granted(server):
    """Return a code that alice lets the demonstration's application have, and its PKCE."""
    pkce = Pkce()
    with Person(server.url) as person:
        scope = "calendar_events refresh_token"
        person.open(authorization_address(server, pkce, institution="1001", scope=scope))
        person.fill(username="alice", password="alice-demo-pass")
        person.fill("decision=allow")
        return person.answer["code"], pkce


def redeemed(server):
    code, pkce = granted(server)
    answer = server.http.post(f"{server.auth_url}/token", data=code_exchange(code, pkce))
    return answer.json()


@pytest.fixture
def variables(server, token):
    """Return a function for what a page lets its reader have: $TOKEN, $R, $A, $CODE, …"""

    def of(command):
        found = {
            "TOKEN": token,
            "R": server.events_root,
            "A": server.auth_url,
            "PATH": "/usr/bin:/bin",
        }
        if "$CODE" in command:
            found["CODE"], pkce = granted(server)
            found["VERIFIER"] = pkce.verifier
        elif "$VERIFIER" in command:
            found["VERIFIER"] = Pkce().verifier
        if "$REFRESH" in command:
            found["REFRESH"] = redeemed(server)["refresh_token"]
        return found

    return of


def here(text, server):
    return text.replace("http://127.0.0.1:8000", server.url)


def agrees(shown, answered, name=""):
    """Return whether an answer is the one that a page shows; "…" stands for anything."""
    if shown == ANY or name == "id":
        return True
    if isinstance(shown, dict) and isinstance(answered, dict):
        return shown.keys() == answered.keys() and all(
            agrees(shown[name], answered[name], name) for name in shown
        )
    if isinstance(shown, list) and isinstance(answered, list):
        return len(shown) == len(answered) and all(map(agrees, shown, answered))
    return shown == answered


@pytest.mark.parametrize(("command", "form", "answer"), EXAMPLES)
def test_a_command_answers_what_stands_there(
    server, variables, tmp_path, command, form, answer
):
    signing = (DOCS / "signing.md").read_text(encoding="utf-8")
    (tmp_path / "sign.sh").write_text(
        re.search(r"```shell\n(.*?)```", signing, re.DOTALL)[1]
    )

    finished = subprocess.run(
        ["bash", "-euc", here(command, server)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=variables(command),
        check=True,
    )

    if form == "text":
        assert finished.stdout == answer
    else:
        answered = json.loads(finished.stdout)
        assert agrees(json.loads(answer), answered), answered


@pytest.mark.parametrize("page", PAGES)
def test_every_section_has_an_example(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        assert EXAMPLE.search(section) or title in OTHERWISE, title


def test_an_answer_that_differs_is_noticed():
    assert agrees({"a": [1, ANY]}, {"a": [1, 2]})
    assert not agrees({"a": 1}, {"a": 2})
    assert not agrees({"a": 1}, {"a": 1, "b": 2})
    assert not agrees([1], [1, 2])


@pytest.mark.parametrize("language", RUNNERS)
def test_a_program_prints_what_stands_there(server, token, language, tmp_path):
    runner, suffix = RUNNERS[language]
    if runner[0] is None:
        pytest.skip(f"{language} is not installed")
    block = re.search(rf"    ```{language}\n(.*?)    ```", PAGE, re.DOTALL)
    program = tmp_path / f"program{suffix}"
    program.write_text(here(textwrap.dedent(block[1]), server), encoding="utf-8")

    finished = subprocess.run(
        [*runner, program],
        capture_output=True,
        text=True,
        check=False,
        env={"TOKEN": token, "PATH": "/usr/bin:/bin"},
    )

    expected = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()
    printed = finished.stdout.splitlines()
    assert printed[1:] == expected[1:], finished.stderr
    assert printed[0].partition(" ")[2] == expected[0].partition(" ")[2]


def test_the_link_of_an_error_leads_to_its_cure(server, documentation):
    refused = server.http.get(f"{server.events_root}/events/999999")

    address, _, anchor = refused.headers["Link"].partition(">")[0][1:].partition("#")
    page = server.http.get(address)
    assert page.status_code == 200
    assert f'id="{anchor}"' in page.text
