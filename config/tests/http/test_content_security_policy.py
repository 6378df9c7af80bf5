"""Pages get the configured policy, everything else the strictest."""

import pytest

from config.http.headers import NOTHING

HEADER = "Content-Security-Policy"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    [
        "/platform/events/v1/events",
        "/platform/events/v1/events.ics",
        "/platform/identity/v1",
        "/.well-known/oauth-authorization-server",
    ],
)
def test_what_is_no_page_may_load_nothing(client, path):
    response = client.get(path)

    assert response.headers[HEADER] == NOTHING


@pytest.mark.django_db
def test_an_unchanged_answer_has_the_same_policy(client):
    etag = client.get("/platform/events/v1/events").headers["ETag"]

    unchanged = client.get("/platform/events/v1/events", headers={"If-None-Match": etag})

    assert (unchanged.status_code, unchanged.headers[HEADER]) == (304, NOTHING)


@pytest.mark.django_db
def test_a_page_has_the_configured_policy(client):
    page = client.get("/")

    assert "script-src 'self'" in page.headers[HEADER]
