"""Pictures can be fetched from the address that the events interface gives."""

import pytest

pytestmark = pytest.mark.processes


def test_the_picture_of_an_event_is_at_its_address(server):
    listed = server.http.get(
        f"{server.events_root}/events?per_page=50&_fields=events.image"
    ).json()
    images = [event["image"] for event in listed["events"] if event["image"]]
    addresses = [images[0]["url"], *(one["url"] for one in images[0]["sizes"].values())]

    answers = [server.http.get(address) for address in addresses]

    assert {answer.status_code for answer in answers} == {200}
    assert {answer.headers["Content-Type"] for answer in answers} == {"image/png"}
    assert {answer.headers["X-Content-Type-Options"] for answer in answers} == {"nosniff"}
    assert {answer.headers["Cache-Control"] for answer in answers} == {
        "public, max-age=3600"
    }


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("", 404),
        ("images/", 404),
        ("images/none.png", 404),
        ("a%00b.png", 404),
        ("x" * 1000, 404),
        ("%2e%2e/manage.py", 400),
        ("%2fetc/passwd", 404),
    ],
)
def test_nothing_else_is_served(server, name, status):
    response = server.http.get(f"/media/{name}")

    assert response.status_code == status


@pytest.fixture
def pictures(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "one.png").write_bytes(b"a picture")


def test_a_picture_may_be_kept_for_an_hour(client, pictures):
    response = client.get("/media/one.png")

    assert b"".join(response.streaming_content) == b"a picture"
    assert response["Cache-Control"] == "public, max-age=3600"


@pytest.mark.parametrize("name", ["none.png", "", "a%00b.png", "x" * 1000])
def test_what_is_no_picture_is_not_found(client, pictures, name):
    assert client.get(f"/media/{name}").status_code == 404


def test_a_picture_is_not_written_to(client, pictures):
    assert client.post("/media/one.png").status_code == 405
