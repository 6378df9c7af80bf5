"""From the tables of the version before accounts and series: nothing is lost."""

import contextlib
import sqlite3
from http import HTTPStatus

import httpx
import psycopg
import pytest

from config.tests.people import Person, Pkce, authorization_address, code_exchange
from config.tests.servers import demo_server

pytestmark = [pytest.mark.processes, pytest.mark.nightly]

BEFORE = {
    "config": "0006_no_permissions_of_jobs",
    "calendar_events": "0011_guard_base_managers",
    "authserver": "0018_remove_jobs",
    "mfa": "zero",
    "socialaccount": "zero",
    "account": "zero",
}
"""Where its migrations ended; django-allauth had no tables."""
FAILED = """
    INSERT INTO authserver_loginfailure (account, at, is_over)
    VALUES ('frank@1001', CURRENT_TIMESTAMP, false)
"""
ASKED = """
    INSERT INTO authserver_passwordlink (purpose, name, address, place,
        request_id, asked_at)
    VALUES ('reset', 'alice', '192.0.2.1', '192.0.2.1', '', CURRENT_TIMESTAMP)
"""
LISTS = ("/events?per_page=50", "/venues", "/organizers", "/categories", "/events.ics")


def allow(alice, server):
    """Sign in and return the token of an application that she allows."""
    pkce = Pkce()
    scope = "calendar_events refresh_token"
    alice.open(authorization_address(server, pkce, institution="1001", scope=scope))
    alice.fill(username="alice", password="alice-demo-pass")
    alice.fill("decision=allow")
    return redeem(server, code_exchange(alice.answer["code"], pkce))


def redeem(server, form):
    answer = server.http.post(
        f"{server.auth_url}/token", data=form, headers={"Accept": "application/json"}
    )
    assert answer.status_code == HTTPStatus.OK, answer.text
    return answer.json()


def read(server, token):
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    with httpx.Client(headers=headers, timeout=240) as application:
        return {path: application.get(server.events_root + path).text for path in LISTS}


def ask(server, statement):
    """Return the rows of a statement, if it has any."""
    url = server.environment["DATABASE_URL"]
    connect = psycopg.connect
    if url.startswith("sqlite"):
        connect, url = sqlite3.connect, url.removeprefix("sqlite:///")
    with contextlib.closing(connect(url)) as database:
        cursor = database.execute(statement)
        rows = cursor.fetchall() if cursor.description else []
        database.commit()
    return rows


def test_nothing_is_lost_on_the_way_from_the_version_before(tmp_path):
    with demo_server(tmp_path) as server, Person(server.url) as alice:
        token = allow(alice, server)
        answers = read(server, token)
        audit = "SELECT id, action, actor, subject FROM authserver_auditevent ORDER BY id"
        recorded = ask(server, audit)
        for app, migration in BEFORE.items():
            server.manage("migrate", app, migration)
        for _ in range(10):
            ask(server, FAILED)
        ask(server, ASKED)
        server.manage("migrate")

        # Events, venues, terms and feeds answer the same bytes; the token opens them
        assert read(server, token) == answers
        assert len(recorded) > 2
        assert ask(server, audit)[: len(recorded)] == recorded

        # The old session is signed in, and what was allowed is still listed
        alice.open(authorization_address(server, Pkce(), institution="1001"))
        assert "Signed in as Alice" in alice.text
        alice.open(f"{server.auth_url}/access")
        assert "Campus Calendar" in alice.text

        # The refresh token and old passwords work
        redeem(
            server,
            {
                "grant_type": "refresh_token",
                "refresh_token": token["refresh_token"],
                "client_id": "demo-spa",
            },
        )
        with Person(server.url) as erin:
            erin.open(authorization_address(server, Pkce(), institution="1001"))
            erin.fill(username="erin", password="erin-demo-pass")
            assert "Allow Campus Calendar to act for you?" in erin.text

        # Limits in force stay in force
        with Person(server.url) as frank:
            frank.open(authorization_address(server, Pkce(), institution="1001"))
            frank.fill(username="frank", password="frank-demo-pass")
            assert frank.page.status_code == HTTPStatus.TOO_MANY_REQUESTS

        # Who asked for a link to choose a password is forgotten
        assert ask(server, "SELECT COUNT(*) FROM authserver_passwordlink") == [(0,)]

        # And what is new begins: planned events without series, and the log of changes
        new = (
            "SELECT DISTINCT event_status, series_id, overridden FROM calendar_events_event"
        )
        assert ask(server, new) == [("scheduled", None, "")]
        headers = {"Authorization": f"Bearer {token['access_token']}"}
        changes = f"{server.events_root}/changes"
        first = server.http.get(changes, headers=headers).json()
        since = {"since": first["next"]}
        after = server.http.get(changes, params=since, headers=headers)
        assert after.json()["changes"] == first["changes"] == []
