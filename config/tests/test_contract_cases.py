"""The shared black-box cases of the events interface, run against a served demonstration.

The cases and their runner lie beside the project (``../shared/contract``) and are no part
of it; a checkout without them skips, and says so.
"""

import json
import subprocess
import sys
from urllib.parse import urlencode

import pytest

from config.tests import servers
from config.tests.people import Person, Pkce, authorization_address, code_exchange

pytestmark = pytest.mark.processes

CONTRACT = servers.ROOT.parent / "shared" / "contract"
ROLES = {"editor": "alice", "contributor": "erin", "author": "frank", "subscriber": "bob"}

needs_the_cases = pytest.mark.skipif(
    not (CONTRACT / "run_cases.py").exists(),
    reason="../shared/contract is not beside this checkout",
)


def bearer(server, username):
    """Walk the whole journey for a user of 1001 and return an Authorization header."""
    pkce = Pkce()
    with Person(server.url) as person:
        person.open(authorization_address(server, pkce, institution="1001"))
        person.fill(username=username, password=f"{username}-demo-pass")
        person.fill("decision=allow")
        answer = server.http.post(
            f"{server.auth_url}/token",
            content=urlencode(code_exchange(person.answer["code"], pkce)),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
    return f"Bearer {answer.json()['access_token']}"


def run_cases(server, scratch, *, zone="UTC"):
    """Run every case and return (summary line, failed and skipped cases)."""
    results = scratch / "results.json"
    headers = [
        f"--auth-header-{role}={bearer(server, user)}" for role, user in ROLES.items()
    ]
    finished = subprocess.run(
        [
            *(sys.executable, str(CONTRACT / "run_cases.py")),
            str(CONTRACT / "events_cases.jsonl"),
            *("--root", server.events_root, "--tz", zone, "--json", str(results)),
            *headers,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(results.read_text(encoding="utf-8"))
    failed = [
        row for row in document["results"] if not row["passed"] and not row["skipped"]
    ]
    assert failed == [], finished.stdout
    assert document["passed"] > 400
    return {row["reasons"][0] for row in document["results"] if row["skipped"]}


@pytest.mark.nightly
@needs_the_cases
def test_every_case_holds_at_the_neutral_addresses(server, tmp_path):
    skipped = run_cases(server, tmp_path)

    assert all(reason.startswith("needs a site in ") for reason in skipped)


@needs_the_cases
def test_every_case_holds_at_the_compatible_addresses(compatible_server, tmp_path):
    skipped = run_cases(compatible_server, tmp_path)

    assert all(reason.startswith("needs a site in ") for reason in skipped)
