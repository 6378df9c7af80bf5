"""docs/quickstart.md: its commands answer what stands there, its programs print it."""

import json
import re
import shutil
import subprocess
import sys
import textwrap

import httpx
import pytest

from config.tests import servers
from config.tests.people import Person, Pkce, authorization_address, code_exchange

pytestmark = pytest.mark.processes

PAGE = (servers.ROOT / "docs/quickstart.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(curl .*?)```\n\n```json\n(.*?)```", PAGE, re.DOTALL)
VARIES = ("id", "total", "start_date")
RUNNERS = {
    "python": ([sys.executable, "-W", "ignore"], ".py"),
    "javascript": ([shutil.which("node")], ".mjs"),
    "php": ([shutil.which("php")], ".php"),
}


@pytest.fixture(scope="module")
def token(server):
    """Return what alice lets the demonstration's application have."""
    pkce = Pkce()
    with Person(server.url) as person:
        person.open(authorization_address(server, pkce, institution="1001"))
        person.fill(username="alice", password="alice-demo-pass")
        person.fill("decision=allow")
        code = person.answer["code"]
    redeemed = server.http.post(f"{server.auth_url}/token", data=code_exchange(code, pkce))
    return redeemed.json()["access_token"]


def here(text, server):
    return text.replace("http://127.0.0.1:8000", server.url)


def without_what_varies(value):
    """Return an answer without identifiers, sums and dates of the demonstration."""
    if isinstance(value, list):
        return [without_what_varies(item) for item in value]
    if isinstance(value, dict) and "params" not in value:
        return {
            name: type(item) if name in VARIES else without_what_varies(item)
            for name, item in value.items()
        }
    return value


@pytest.mark.parametrize(
    ("command", "answer"), SHELL, ids=["list", "create", "error"][: len(SHELL)]
)
def test_a_command_answers_what_stands_there(server, token, command, answer):
    finished = subprocess.run(
        ["bash", "-euc", f"TOKEN={token}\n{here(command, server)}"],
        capture_output=True,
        check=True,
    )

    answered = json.loads(finished.stdout)
    assert without_what_varies(answered) == without_what_varies(json.loads(answer))


def test_there_is_a_command_for_each_section():
    assert len(SHELL) == 3


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
    refused = httpx.get(f"{server.events_root}/events/999999")

    address, _, anchor = refused.headers["Link"].partition(">")[0][1:].partition("#")
    page = httpx.get(address)
    assert page.status_code == 200
    assert f'id="{anchor}"' in page.text
