"""Metrics and access log of a real server with two workers."""

import os
import signal
from base64 import b64encode

import httpx
import pytest

from config.tests import faults, prepared, servers
from config.tests.monitoring.conftest import Monitored
from config.tests.people import Person, Pkce, authorization_address, code_exchange
from config.tests.serving.test_workers import answers, is_gone, workers
from config.tests.signer import signed
from config.tests.waiting import eventually

pytestmark = pytest.mark.processes


def test_what_two_workers_count_adds_up_whichever_answers_the_scrape(monitored):
    route = {"route": "calendar_events:events", "method": "GET", "status": "200"}
    before = monitored.scrape().value("platform_requests_total", **route)

    address = f"{monitored.server.events_root}/events"
    for _ in range(12):  # each on a connection of its own, so that both workers get some
        assert httpx.get(address, timeout=240).status_code == 200

    totals = {
        monitored.scrape().value("platform_requests_total", **route) - before
        for _ in range(6)
    }
    assert totals == {12}
    eventually(lambda: monitored.scrape().value("platform_workers") == 2)


def test_a_login_a_token_a_nonce_and_a_refusal_are_counted(monitored):
    server, pkce = monitored.server, Pkce()
    before = monitored.scrape()

    with Person(server.url) as person:
        person.open(authorization_address(server, pkce, institution="1001"))
        person.fill(username="alice", password="not her password")
        person.fill(username="alice", password="alice-demo-pass")
        person.fill("decision=allow")
        code = person.answer["code"]
    redeemed = server.http.post(
        f"{server.auth_url}/token",
        data=code_exchange(code, pkce),
    )
    header = signed("GET", server.identity)
    first, second = (server.http.get(server.identity, headers=header) for _ in range(2))
    after = monitored.scrape()

    assert [redeemed.status_code, first.status_code, second.status_code] == [200, 200, 401]

    def grown(name, **labels):
        return after.value(name, **labels) - before.value(name, **labels)

    assert grown("platform_logins_total", result="failed") == 1
    assert grown("platform_logins_total", result="succeeded") == 1
    assert grown("platform_tokens_issued_total", grant="authorization_code") == 1
    assert grown("platform_nonces_total", result="stored") == 1
    assert grown("platform_nonces_total", result="replayed") == 1
    refused = {"reason": "nonce_replayed", "dialect": "platform"}
    assert grown("platform_refusals_total", **refused) == 1
    assert grown("platform_statement_seconds_count") > 0


def test_no_line_of_the_log_has_anything_secret_in_it(monitored):
    server, pkce = monitored.server, Pkce()
    planted = {
        name: f"planted{name}secret" for name in ("query", "path", "cookie", "basic")
    }
    basic = b64encode(f"demo-hmac:{planted['basic']}".encode()).decode()

    with Person(server.url) as person:
        person.open(authorization_address(server, pkce, institution="1001"))
        person.fill(username="alice", password="planted-password-secret")
        person.fill(username="alice", password="alice-demo-pass")
        person.fill("decision=allow")
        code = person.answer["code"]
        cookies = [cookie.value for cookie in person.http.cookies.jar]
    tokens = server.http.post(
        f"{server.auth_url}/token",
        params=code_exchange(code, pkce),
    ).json()
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    header = signed("GET", server.identity)
    signature = header["Authorization"].split('signature="')[1].rstrip('"')
    link = f"{server.auth_url}/secret?token={planted['query']}"
    requests = [
        server.http.get(server.identity, headers=header),
        server.http.get(f"{server.events_root}/events?password={planted['query']}"),
        server.http.get(f"{server.events_root}/events", headers=bearer),
        server.http.get(link, headers={"Cookie": f"session={planted['cookie']}"}),
        server.http.post(
            f"{server.auth_url}/token",
            data={"grant_type": "client_credentials"},
            headers={"Authorization": f"Basic {basic}"},
        ),
    ]
    statuses = [response.status_code for response in requests]

    lines, _ = monitored.access_lines()

    assert statuses[:3] == [200, 200, 200]
    assert statuses[4] == 401
    written = "\n".join(map(str, lines))
    for secret in (
        *planted.values(),
        "planted-password-secret",
        *(code, pkce.verifier, signature, basic),
        *(tokens["access_token"], "alice-demo-pass", *cookies),
    ):
        assert secret
        assert secret not in written
    identifier = requests[2].headers["x-svc-RequestId"]
    line = next(line for line in lines if line["request_id"] == identifier)
    assert (line["route"], line["status"]) == ("calendar_events:events", 200)
    assert (line["key"], line["institution"]) == ("demo-spa", "1001")


def test_a_path_that_holds_a_secret_is_not_logged(monitored):
    secret = "plantedinthepathsecret"

    monitored.server.http.get(f"/oauth2/secret/{secret}")
    monitored.server.http.get(f"{monitored.server.events_root}/events/by-slug/{secret}")

    lines, _ = monitored.access_lines()
    assert secret not in "\n".join(map(str, lines))
    assert [line["route"] for line in lines[-2:]] == [
        "unresolved",
        "calendar_events:events-by-slug",
    ]


def test_what_a_killed_worker_counted_is_kept_and_its_successor_is_seen(tmp_path):
    port = servers.free_port()
    with servers.demo_server(tmp_path, METRICS_PORT=str(port), WORKERS="2") as running:
        monitored = Monitored(running)
        route = {"route": "home", "method": "GET", "status": "200"}
        for _ in range(10):
            httpx.get(running.url, timeout=240)
        before = monitored.scrape()

        for pid in workers(running):
            os.kill(pid, signal.SIGKILL)
            eventually(lambda pid=pid: is_gone(pid))
            assert answers(running)
        eventually(lambda: monitored.scrape().value("platform_workers") == 2)
        after = [monitored.scrape() for _ in range(4)]

        totals = {found.value("platform_requests_total", **route) for found in after}
        starts = after[0].value("platform_worker_starts_total")
    assert totals == {before.value("platform_requests_total", **route)}
    assert starts >= before.value("platform_worker_starts_total") + 2
    assert not list(tmp_path.glob("platform-metrics-*"))


@pytest.mark.postgresql_only  # a file cannot be frozen
def test_a_scrape_answers_while_the_database_is_frozen(tmp_path):
    port = servers.free_port()
    with (
        faults.cluster_like(prepared.demonstration(tmp_path)[0]) as cluster,
        servers.demo_server(
            tmp_path, METRICS_PORT=str(port), DATABASE_URL=cluster.url
        ) as running,
    ):
        monitored = Monitored(running)

        def scrape_with_database(is_up):
            """Return a scrape that says so."""
            scraped = monitored.scrape()
            return scraped if scraped.value("platform_database_up") == is_up else None

        eventually(lambda: scrape_with_database(1))
        with faults.frozen(cluster):
            frozen = eventually(lambda: scrape_with_database(0))

    assert frozen.value("platform_build_info") == 1
    assert frozen.value("platform_workers") == 1
