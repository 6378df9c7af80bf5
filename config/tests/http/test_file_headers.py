"""Headers of static and uploaded files, and of what is answered before any view."""

import re

import pytest

from config.http.headers import STATIC_FILES, UPLOADED_FILES
from config.serving.server import OVERLOADED
from config.tests.http.test_plain_http import PROXY, https  # noqa: F401 -- a fixture
from platform_errors.tests.documents_of import docs, table

pytestmark = pytest.mark.processes


def of(answer, names):
    return {name: answer.headers.get(name) for name in names}


@pytest.fixture
def style(server):
    """The address of a collected style sheet, whose name has a digest."""
    return re.search(r'/static/[^"]+\.[0-9a-f]{12}\.css', server.http.get("/").text)[0]


@pytest.fixture
def picture(server):
    listed = server.http.get(
        f"{server.events_root}/events?per_page=50&_fields=events.image"
    ).json()
    return next(event["image"]["url"] for event in listed["events"] if event["image"])


def test_a_static_file_has_the_headers_of_the_list(server, style):
    answer = server.http.get(style)

    assert answer.status_code == 200
    assert of(answer, STATIC_FILES) == STATIC_FILES
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_an_uploaded_file_has_the_headers_of_the_list(server, picture):
    answer = server.http.get(picture)

    assert answer.status_code == 200
    assert of(answer, UPLOADED_FILES) == UPLOADED_FILES


# A browser takes headers of a 304 for those of the file that it has.
def test_an_unchanged_file_repeats_its_headers(server, style, picture):
    for address, expected in ((style, STATIC_FILES), (picture, UPLOADED_FILES)):
        changed = server.http.get(address).headers["Last-Modified"]

        answer = server.http.get(address, headers={"If-Modified-Since": changed})

        known = {name: value for name, value in of(answer, expected).items() if value}
        assert answer.status_code == 304
        assert known.items() <= expected.items()
        assert {"Content-Security-Policy", "X-Content-Type-Options"} <= set(known)


def test_a_part_of_a_file_has_the_headers_too(server, style):
    answer = server.http.get(style, headers={"Range": "bytes=0-3"})

    assert answer.status_code == 206
    assert of(answer, STATIC_FILES) == STATIC_FILES


@pytest.mark.parametrize("path", ["/static/none.css", "/media/none.png", "/media/%2e%2e/x"])
def test_a_file_that_is_not_there_is_a_page_that_nobody_keeps_as_a_file(server, path):
    answer = server.http.get(path)

    assert answer.status_code in {400, 404}
    assert answer.headers["Content-Type"].startswith("text/html")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "immutable" not in answer.headers.get("Cache-Control", "")


@pytest.mark.parametrize(
    ("kind", "headers"), [("static", STATIC_FILES), ("uploaded", UPLOADED_FILES)]
)
def test_the_table_for_proxies_is_the_list(kind, headers):
    column = {"static": 1, "uploaded": 2}[kind]
    rows = table(docs("operations.md"), "header of files")

    assert {row[0].strip("`"): row[column].strip("` |") for row in rows} == headers


def assert_is_guarded(response):
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]


def test_a_server_that_is_too_busy_sends_them(client, db):
    response = client.get("/", **{OVERLOADED: True})

    assert response.status_code == 503
    assert_is_guarded(response)


def test_a_probe_has_the_headers_of_every_answer(client, db):
    assert_is_guarded(client.get("/health/live"))


def test_a_host_that_is_not_ours_has_them(client, db):
    response = client.get("/", headers={"host": "evil.example"})

    assert response.status_code == 400
    assert_is_guarded(response)


@pytest.mark.parametrize(
    ("path", "status"), [("/admin/login/", 308), ("/platform/identity/v1", 403)]
)
def test_what_is_turned_away_from_plain_http_has_them(https, client, db, path, status):  # noqa: F811
    response = client.get(path)

    assert response.status_code == status
    assert_is_guarded(response)
    assert "Strict-Transport-Security" not in response


@pytest.mark.parametrize("path", ["/", "/nowhere", "/platform/nowhere"])
def test_over_https_every_answer_asks_for_https(https, client, db, path):  # noqa: F811
    response = client.get(path, headers={"x-forwarded-proto": "https"}, REMOTE_ADDR=PROXY)

    assert response["Strict-Transport-Security"] == "max-age=60"


@pytest.mark.parametrize(
    ("subdomains", "preload", "sent"),
    [
        (False, False, "max-age=60"),
        (True, False, "max-age=60; includeSubDomains"),
        (True, True, "max-age=60; includeSubDomains; preload"),
    ],
)
def test_subdomains_and_preload_are_said_when_they_are_switched_on(
    https,  # noqa: F811
    client,
    db,
    subdomains,
    preload,
    sent,
):
    https.SECURE_HSTS_INCLUDE_SUBDOMAINS = subdomains
    https.SECURE_HSTS_PRELOAD = preload

    response = client.get("/", headers={"x-forwarded-proto": "https"}, REMOTE_ADDR=PROXY)

    assert response["Strict-Transport-Security"] == sent
