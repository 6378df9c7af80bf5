"""A journey through nginx, the application and PgBouncer, from the files of ``deploy/``."""

import contextlib
import json
import os
import re
import signal
import socket
import ssl

import httpx
import psycopg
import pytest

from config.tests.people import Person, Pkce, authorization_address, code_exchange
from config.tests.serving.test_workers import workers
from config.tests.signer import ALICE, signed
from config.tests.waiting import eventually

pytestmark = [
    pytest.mark.postgresql_only,
    pytest.mark.processes,
]
# What differs with the moment, the connection or the file.
OF_THE_ANSWER = {
    *("connection", "content-disposition", "content-length", "date"),
    *("etag", "last-modified", "server"),
}
LIMITS = "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')"


def test_a_code_buys_a_token_that_reads_and_writes(site):
    pkce = Pkce()
    with Person(site.server.url, verify=site.verify) as person:
        person.open(authorization_address(site.server, pkce, institution="1001"))
        person.fill(username="alice", password="alice-demo-pass")
        person.fill("decision=allow")
        code = person.answer["code"]
        assert person.answer["iss"] == site.server.url

    token = site.server.http.post(
        f"{site.server.auth_url}/token",
        data=code_exchange(code, pkce),
    ).json()
    bearer = {"Authorization": f"Bearer {token['access_token']}"}
    created = site.server.http.post(
        f"{site.server.events_root}/events",
        headers=bearer,
        json={
            "title": "Made through the proxy",
            "start_date": "tomorrow 16:00",
            "end_date": "tomorrow 17:00",
        },
    )
    listed = site.server.http.get(
        f"{site.server.events_root}/events?search=through+the+proxy", headers=bearer
    )

    assert created.status_code == 201
    assert created.headers["Location"].startswith(site.server.url)
    assert [event["title"] for event in listed.json()["events"]] == [
        "Made through the proxy"
    ]


def test_a_signed_call_a_list_and_a_feed(site):
    url = f"{site.server.events_root}/events"
    user = {"principalID": ALICE, "principalIDNS": "urn:platform:1001"}

    identity = site.server.http.get(
        site.server.identity,
        headers={
            **signed("GET", site.server.identity, **user),
            "Accept": "application/json",
        },
    )
    page = site.server.http.get(f"{url}?per_page=5")
    unchanged = site.server.http.get(
        f"{url}?per_page=5", headers={"If-None-Match": page.headers["ETag"]}
    )
    feed = site.server.http.get(f"{url}.ics")

    assert identity.json()["principalID"] == ALICE
    assert len(page.json()["events"]) == 5
    assert not page.headers["ETag"].startswith("W/")
    assert unchanged.status_code == 304
    assert feed.text.startswith("BEGIN:VCALENDAR")
    assert feed.text.rstrip().endswith("END:VCALENDAR")


def test_plain_http_is_redirected_for_pages_and_refused_to_programs(site):
    plain = f"http://127.0.0.1:{site.proxy.http}"

    page = httpx.get(f"{plain}/admin/", timeout=240)
    program = httpx.get(f"{plain}/platform/events/v1/events", timeout=240)

    assert page.status_code == 308
    assert page.headers["Location"] == f"{site.server.url}/admin/"
    assert program.status_code == 403


def headers_of(response):
    """Return the headers, with ``there`` for an identifier that is new in each answer."""
    assert response.status_code == 200
    headers = dict(response.headers.items())
    headers["x-svc-requestid"] = "there" if headers["x-svc-requestid"] else "empty"
    headers["content-type"] = re.split(r"[/;]", headers["content-type"])[0]
    headers["cache-control"] = ", ".join(sorted(headers["cache-control"].split(", ")))
    return {name: headers[name] for name in headers.keys() - OF_THE_ANSWER}


def a_style(site):
    return re.search(r'href="(/static/[^"]+\.css)"', site.server.http.get("/").text)[1]


def a_picture(site):
    directory = site.proxy.directory.parent / "files"
    picture = next(path for path in (directory / "media").rglob("*.*") if path.is_file())
    return f"/{picture.relative_to(directory)}"


@pytest.mark.parametrize("find", [a_style, a_picture])
def test_files_from_the_disk_have_all_headers_that_the_application_sends(site, find):
    path = find(site)
    over_https = {"X-Forwarded-Proto": "https"}

    by_nginx = site.server.http.get(path)
    by_application = site.behind.http.get(path, headers=over_https)

    assert by_nginx.content == by_application.content
    assert headers_of(by_application).items() <= headers_of(by_nginx).items()
    assert by_nginx.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert by_nginx.headers["X-Content-Type-Options"] == "nosniff"


def test_files_that_this_host_does_not_have_come_from_the_application(site):
    missing = site.server.http.get("/static/of/another/release.css")
    listed = site.server.http.get("/media/")

    assert (missing.status_code, listed.status_code) == (404, 404)
    assert "There is no such page" in missing.text


def test_a_caller_cannot_pass_for_another_or_choose_its_identifier(site):
    answer = site.server.http.get(
        f"{site.server.events_root}/events/0",
        headers={"x-svc-RequestId": "chosen-by-the-caller", "X_Forwarded_For": "192.0.2.1"},
    )
    identifier = answer.headers["x-svc-RequestId"]

    assert answer.status_code == 404
    assert identifier != "chosen-by-the-caller"
    eventually(lambda: f'"request_id": "{identifier}"' in site.server.log.read_text())
    # nginx writes its line when the answer is with the caller.
    logged = eventually(lambda: line_of(site.proxy.directory / "access.log", identifier))
    assert logged["path"] == "/platform/events/v1/events/0"
    assert logged["client"] == "127.0.0.1"


def line_of(log, identifier):
    """Return what nginx logged of a request that its own identifier names; or None."""
    for line in log.read_text().splitlines():
        if f'"request_id":"{identifier}"' in line and line.endswith("}"):
            return json.loads(line)
    return None


def test_bodies_that_are_too_large_are_refused_by_the_application_or_by_nginx(site):
    url = f"{site.server.events_root}/events"

    def post(size):
        user = {"principalID": ALICE, "principalIDNS": "urn:platform:1001"}
        headers = {**signed("POST", url, **user), "Content-Type": "application/json"}
        return site.server.http.post(url, content=b" " * size, headers=headers)

    by_application, by_nginx = post(3_000_000), post(13_000_000)

    assert (by_application.status_code, by_nginx.status_code) == (413, 413)
    assert by_application.json()["data"]["status"] == 413
    assert by_nginx.text == "The body of the request is too large.\n"
    assert by_nginx.headers["X-Content-Type-Options"] == "nosniff"


def test_bodies_that_drip_hold_nobody_up_and_are_cut_off(site):
    head = (
        b"POST /oauth2/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\na"
    )
    with contextlib.ExitStack() as stack:
        stalled = []
        for _ in range(40):  # more than the application has threads
            raw = socket.create_connection(("127.0.0.1", site.proxy.https), 240)
            held = site.verify.wrap_socket(raw, server_hostname="127.0.0.1")
            stack.enter_context(held)
            held.sendall(head)
            stalled.append(held)

        answered = [
            site.server.http.get(f"{site.server.events_root}/events").status_code
            for _ in range(5)
        ]
        unknown = site.server.http.post(f"{site.server.auth_url}/token", data={"a": "b"})
        # nginx ends them after BODY_PAUSE_SECONDS, and the application hears nothing.
        ends = [end_of(held) for held in stalled]

    assert answered == [200] * 5
    assert unknown.status_code == 400
    assert all(not end or b" 408 " in end.split(b"\r\n")[0] for end in ends)


def end_of(connection):
    """Return what is read when the other side ends a connection, which it may just cut."""
    with contextlib.suppress(ssl.SSLError, ConnectionError):
        return connection.recv(4096)
    return b""


def answers_again(site):
    """Return whether a list is answered again; in between there may be 503."""
    url = f"{site.server.events_root}/events?per_page=1"

    def is_answered():
        answer = site.server.http.get(url)
        assert answer.status_code == 200 or answer.headers["Retry-After"]
        assert answer.status_code in {200, 503}
        return answer.status_code == 200

    return eventually(is_answered)


def test_the_pool_has_the_time_limits_of_the_settings(site):
    with psycopg.connect(
        site.server.environment["DATABASE_POOL_URL"], prepare_threshold=None
    ) as pooled:
        limits = pooled.execute(LIMITS).fetchone()

    assert limits == ("15s", "5s")


def test_options_are_refused_so_that_no_time_limits_are_lost_silently(site):
    with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter"):
        psycopg.connect(
            site.server.environment["DATABASE_POOL_URL"],
            options="-c statement_timeout=1s",
            connect_timeout=60,
        )


def test_the_site_goes_on_when_the_connections_of_the_pool_break(site):
    url = f"{site.server.events_root}/events?per_page=1"
    assert site.server.http.get(url).status_code == 200

    with psycopg.connect(site.server.environment["DATABASE_URL"]) as direct:
        ended = direct.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()[0]

    assert ended >= 1
    assert answers_again(site)


def test_workers_of_the_units_command_line_that_are_killed_come_back(site):
    for _ in range(2):
        os.kill(workers(site.server)[0], signal.SIGKILL)
        assert answers_again(site)
