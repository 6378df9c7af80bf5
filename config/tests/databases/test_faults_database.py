"""Every address answers when PostgreSQL does not, and recovers by itself."""

import pytest
from django.test import Client

from authserver.tests import factories
from config.tests import faults
from platform_errors.tests.clients import authorization

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db,
    pytest.mark.postgresql_only,  # needs a PostgreSQL that may be stopped
]
ROOT = "/platform/events/v1"
EVENTS = f"{ROOT}/events"
READS = [
    *(
        f"{ROOT}/{name}"
        for name in ("events", "venues", "organizers", "categories", "tags")
    ),
    f"{EVENTS}/7",
    f"{EVENTS}/by-slug/tea",
    f"{EVENTS}.ics",
    f"{EVENTS}?search=tea",
    f"{EVENTS}/7.ics",
]
PAGES = [
    "/oauth2/institution",
    "/oauth2/login?institution=1001",
    "/oauth2/auth?client_id=x&redirect_uri=https://client.example/cb&response_type=code"
    "&scope=calendar_events&code_challenge_method=S256&code_challenge=" + "c" * 43,
]
STYLE = "/static/authserver/pages.css"
METADATA = "/.well-known/oauth-authorization-server"
IDENTITY = "/platform/identity/v1"
LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
FORM = "application/x-www-form-urlencoded"
TOKEN_REQUEST = "grant_type=client_credentials&client_id=x&scope=calendar_events"
SECRET = "a secret of the tests"
AT_MOST = 60.0  # seconds: for a busy machine, not for a wait without an end


@pytest.fixture
def database(running, db):
    """The connection of the site under test, which leads to a cluster of its own."""
    impatient = faults.settings_for(running) | {"ANSWER_SECONDS": 2}
    with faults.connected("default", impatient) as wrapper:
        yield wrapper


@pytest.fixture
def site(database):
    client = faults.ServedClient(raise_request_exception=False)
    assert client.get(EVENTS).status_code == 200  # the connection is open
    return client


def answers(client, addresses, **headers):
    """Return the answer of each address, each in time."""
    found = []
    for address in addresses:
        with faults.stopwatch() as seconds:
            response = client.get(address, headers=headers)
            response.close()
        found.append(response)
        assert seconds[0] < AT_MOST, address
    return found


def retries(responses):
    return {(each.status_code, each.headers.get("Retry-After")) for each in responses}


def test_every_read_says_when_to_come_back_while_the_database_is_away(site, running):
    with faults.away(running):
        found = answers(site, READS * 2)
        pages = answers(site, PAGES)
        signed_in = Client(raise_request_exception=False)
        signed_in.cookies["session"] = "a" * 32
        pages += answers(signed_in, ["/admin/", "/oauth2/access"])
        start, style = answers(site, ["/", STYLE])

    assert retries(found) == {(503, "2")}
    assert retries(pages) == {(503, "2")}
    assert {r.headers["Content-Type"] for r in found} == {"application/json"}
    assert {r.headers["Cache-Control"] for r in found} == {"no-store"}
    assert all(b"<h1>The server is busy</h1>" in page.content for page in pages)
    assert {"no-store" in page.headers["Cache-Control"] for page in pages} == {True}
    assert (start.status_code, style.status_code) == (200, 200)
    assert site.get(EVENTS).status_code == 200


def test_xml_is_answered_with_xml_while_the_database_is_away(site, running):
    with faults.away(running):
        [identity] = answers(site, [IDENTITY], Authorization="Bearer tk_unknown")
        token = site.post("/oauth2/token", TOKEN_REQUEST, content_type=FORM)

    assert (identity.status_code, identity.headers["Retry-After"]) == (503, "2")
    assert identity.headers["Content-Type"] == "application/xml; charset=utf-8"
    assert (token.status_code, token.headers.get("Retry-After")) == (503, "2")
    assert token.json()["error"] == "temporarily_unavailable"


def test_a_frozen_server_is_noticed_and_found_again(site, running):
    with faults.frozen(running):
        found = answers(site, [EVENTS, PAGES[0]])
        live = answers(site, ["/health/live", "/", STYLE])

    assert retries(found) == {(503, "2")}
    assert [response.status_code for response in live] == [200, 200, 200]
    assert site.get(EVENTS).status_code == 200


def test_a_connection_that_is_made_to_a_frozen_server_gives_up_in_time(
    site, database, running
):
    database.close()
    with faults.frozen(running):
        found = answers(site, [EVENTS])

    assert retries(found) == {(503, "2")}


def test_the_metadata_has_the_last_services_known_while_the_database_is_away(site, running):
    factories.ServiceFactory(code="known_before")
    assert "known_before" in site.get(METADATA).json()["scopes_supported"]

    with faults.away(running):
        [found] = answers(site, [METADATA])

    assert found.status_code == 200
    assert "known_before" in found.json()["scopes_supported"]


def test_a_database_that_only_reads_is_503_for_what_writes(site, database):
    key = factories.ServiceKeyFactory(client_id="signer", secret=SECRET)
    signed = authorization("GET", IDENTITY, client_id=key.client_id, secret=SECRET)
    with database.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    identity = site.get(IDENTITY, headers={"Authorization": signed})
    login = site.post("/admin/login/", {"username": "root", "password": "x"})
    reading = site.get(EVENTS)
    database.close()

    assert retries([identity, login]) == {(503, "2")}
    assert reading.status_code == 200


def test_a_locked_table_is_503_within_the_lock_limit_and_keeps_nobody_else(running, db):
    short = faults.settings_for(running, options="-c lock_timeout=1s")
    lock = "LOCK TABLE platform_errors_nonce IN ACCESS EXCLUSIVE MODE"
    with faults.connected("default", short), faults.holding(running, lock):
        site = Client(raise_request_exception=False)
        key = factories.ServiceKeyFactory(client_id="locked", secret=SECRET)
        signed = authorization("GET", IDENTITY, client_id=key.client_id, secret=SECRET)
        found = site.get(IDENTITY, headers={"Authorization": signed})
        rest = [site.get(address).status_code for address in ("/", EVENTS, METADATA)]

    assert (found.status_code, found.headers["Retry-After"]) == (503, "2")
    assert rest == [200, 200, 200]


def test_the_time_limits_of_a_connection_are_the_settings(database):
    with database.cursor() as cursor:
        cursor.execute(
            "SELECT name, setting || unit FROM pg_settings WHERE name IN (%s, %s, %s)",
            LIMITS,
        )
        limits = dict(cursor.fetchall())

    assert limits == dict(zip(LIMITS, ["15000ms", "5000ms", "15000ms"], strict=True))
    assert database.settings_dict["OPTIONS"]["connect_timeout"] == 3


def test_a_statement_beyond_its_limit_is_503(running, db):
    short = faults.settings_for(running, options="-c statement_timeout=300ms")
    lock = "LOCK TABLE calendar_events_event IN ACCESS EXCLUSIVE MODE"
    with faults.connected("default", short), faults.holding(running, lock):
        found = Client(raise_request_exception=False).get(EVENTS)

    assert (found.status_code, found.headers["Retry-After"]) == (503, "2")


def test_no_connection_left_is_503_and_the_next_one_that_is_free_is_used(site, database):
    with database.cursor() as cursor:
        cursor.execute("CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
    crowded = {**database.settings_dict, "USER": "crowded"}
    with faults.connected("default", crowded):
        found = answers(site, READS)

    assert retries(found) == {(503, "2")}
    assert site.get(EVENTS).status_code == 200


def test_backends_that_are_ended_do_not_break_the_next_read(site, running):
    with faults.holding(running) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )

    assert site.get(EVENTS).status_code == 200
