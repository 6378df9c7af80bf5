"""Pictures that a write gives by address: how they are fetched, and what waits."""

import random
import resource
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import PIL.Image
import pytest
from django.core.files.storage import default_storage
from django.db import DEFAULT_DB_ALIAS, connections

from calendar_events.models import Event, Image
from calendar_events.tests.bodies import event
from calendar_events.tests.callers import Caller, bad_fields
from calendar_events.tests.web import LOOPBACK, picture, serving

pytestmark = pytest.mark.both_databases

MEBIBYTE = 1024 * 1024


@pytest.fixture(autouse=True)
def _loopback_allowed(settings):
    settings.CALENDAR_EVENTS = {
        **settings.CALENDAR_EVENTS,
        "IMAGE_FETCH_NETWORKS": LOOPBACK,
    }


@pytest.fixture
def patient(editor):
    """An editor whose client returns a 503 instead of raising it."""
    caller = Caller(editor.token, editor.actor)
    caller.client.raise_request_exception = False
    return caller


def test_a_fetched_picture_remembers_its_address_and_its_name(editor):
    with serving((200, {}, picture())) as server:
        url = f"{server.url}/pictures/Summer%20party.png"
        editor.post("/events", event(image=url))

    stored = Image.objects.get()
    assert (stored.title, stored.source_url) == ("summer-party", url)


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_a_picture_is_fetched(editor):
    # This thread's own connection, which the server's thread looks at.
    mine, open_ones = connections[DEFAULT_DB_ALIAS], []

    def answer(handler):
        open_ones.append(mine.in_atomic_block)
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(picture())

    with serving(answer) as server:
        stored = editor.post("/events", event(image=f"{server.url}/1.png")).json()
        editor.put(f"/events/{stored['id']}", {"image": f"{server.url}/2.png"})

    assert open_ones == [False, False]
    assert Image.objects.count() == 2


@pytest.fixture
def slow_server():
    """A server whose one picture comes when ``released`` is set; ``visited`` says when."""
    released, visited = threading.Event(), threading.Event()

    def answer(handler):
        visited.set()
        released.wait(120)
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(picture())

    with serving(answer) as server:
        server.released, server.visited = released, visited
        yield server


@pytest.mark.django_db(transaction=True)
def test_while_one_picture_is_fetched_another_is_refused_at_once(patient, slow_server):

    def write():
        try:
            return patient.post("/events", event(image=f"{slow_server.url}/slow.png"))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(write)
        assert slow_server.visited.wait(120)
        refused = patient.post("/events", event(image=f"{slow_server.url}/other.png"))
        without = patient.post("/events", event())
        slow_server.released.set()

    assert (refused.status_code, refused["Retry-After"]) == (503, "10")
    assert (without.status_code, first.result().status_code) == (201, 201)
    again = patient.post("/events", event(image=f"{slow_server.url}/other.png"))
    assert again.status_code == 201


@pytest.mark.django_db(transaction=True)
def test_who_has_a_slow_picture_keeps_nobody_else_from_theirs(patient, author, slow_server):
    def write():
        try:
            return patient.post("/events", event(image=f"{slow_server.url}/slow.png"))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool, serving((200, {}, picture())) as quick:
        first = pool.submit(write)
        assert slow_server.visited.wait(120)
        other = author.post("/events", event(image=f"{quick.url}/other.png"))
        slow_server.released.set()

    assert (other.status_code, first.result().status_code) == (201, 201)


def test_a_picture_that_fails_leaves_its_place_to_the_next(editor):
    with serving((404, {}, b""), (200, {}, b"no picture"), (200, {}, picture())) as server:
        answers = [
            editor.post("/events", event(image=f"{server.url}/{number}.png")).status_code
            for number in range(3)
        ]

    assert answers == [400, 400, 201]


def test_the_pictures_of_one_write_share_the_time(editor, settings, slow_server):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "IMAGE_FETCH_SECONDS": 1}
    venues = [
        {"venue": f"Hall {number}", "image": f"{slow_server.url}/{number}.png"}
        for number in range(20)
    ]
    response = editor.post("/events", event(venue=venues))

    assert bad_fields(response) == ["image"]
    assert len(slow_server.visits) <= 1  # none where the machine itself was slow


# --- A full disk --------------------------------------------------------------------------


@pytest.fixture
def _small_disk(settings, tmp_path):
    """Media on a disk that takes no file of more than 8 MiB."""
    settings.MEDIA_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    }
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 * MEBIBYTE, most))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.fixture(scope="module")
def nine_mebibytes():
    noise = random.Random(1).randbytes(3 * 1800 * 1800)
    buffer = BytesIO()
    PIL.Image.frombytes("RGB", (1800, 1800), noise).save(buffer, "PNG", compress_level=0)
    return buffer.getvalue()


@pytest.mark.usefixtures("_small_disk")
def test_a_full_disk_is_503_and_leaves_neither_file_nor_row(
    patient, tmp_path, nine_mebibytes
):
    with serving((200, {}, nine_mebibytes), (200, {}, picture(400, 300))) as server:
        refused = patient.post("/events", event(image=f"{server.url}/large.png"))
        left = [path for path in tmp_path.rglob("*") if path.is_file()]
        taken = patient.post("/events", event(image=f"{server.url}/small.png"))

    assert (refused.status_code, refused["Retry-After"]) == (503, "60")
    assert refused.json()["code"] == "rest_unavailable"
    assert left == []
    assert taken.status_code == 201
    assert (Event.objects.count(), Image.objects.count()) == (1, 1)
    assert default_storage.size(Image.objects.get().file.name) > 0
