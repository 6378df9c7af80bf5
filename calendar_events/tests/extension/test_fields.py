"""A field more: it is stored or refused, hidden with a password, and ends old 304s."""

import pytest
from django.core.exceptions import FieldDoesNotExist
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator

from calendar_events import checks
from calendar_events.models import Organizer
from calendar_events.tests.bodies import event
from calendar_events.tests.factories import EventFactory, OrganizerFactory
from calendar_events.urls import urlpatterns

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
    pytest.mark.urls("calendar_events.tests.extension.urls"),
]
DOCUMENTS = {"event": "calendar_events.tests.extension.documents.SubtitledEvent"}


@pytest.fixture
def subtitled(settings):
    """Answer with the project's own document of events."""
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "DOCUMENTS": DOCUMENTS}


@pytest.mark.usefixtures("subtitled")
def test_a_text_more_is_stored_and_answered(editor, anonymous):
    made = editor.post("/subtitled/events", event(subtitle="In the park"))

    assert made.status_code == 201
    assert made.json()["subtitle"] == "In the park"
    assert anonymous.get(f"/events/{made.json()['id']}").json()["subtitle"] == "In the park"
    (listed,) = anonymous.get(f"/events?include={made.json()['id']}").json()["events"]
    assert listed["subtitle"] == "In the park"


@pytest.mark.usefixtures("subtitled")
def test_a_text_more_is_hidden_by_the_password(editor, anonymous):
    body = event(subtitle="In the park", password="opensesame")
    pk = editor.post("/subtitled/events", body).json()["id"]

    (hidden,) = anonymous.get(f"/events?include={pk}").json()["events"]
    (opened,) = anonymous.get(f"/events?include={pk}&password=opensesame").json()["events"]

    assert (hidden["title"], hidden["subtitle"]) == (body["title"], "")
    assert opened["subtitle"] == "In the park"


def test_a_field_more_ends_what_caches_keep(anonymous, request):
    organizer = OrganizerFactory()
    record = EventFactory(excerpt="In the park", organizers=[organizer])
    addresses = ["/events", f"/events/{record.pk}", f"/organizers/{organizer.pk}", "/tags"]
    tags = {address: anonymous.get(address).headers["ETag"] for address in addresses}
    again = anonymous.get(addresses[1], If_None_Match=tags[addresses[1]])
    assert again.status_code == 304

    request.getfixturevalue("subtitled")

    for address, tag in tags.items():
        assert anonymous.get(address, If_None_Match=tag).status_code == 200
    before = anonymous.get(addresses[1])
    call_command("rebuild_calendar", verbosity=0)
    after = anonymous.get(addresses[1], If_None_Match=before.headers["ETag"])
    assert after.json()["subtitle"] == "In the park"


@pytest.mark.usefixtures("subtitled")
def test_a_field_more_is_described():
    document = SchemaGenerator(patterns=urlpatterns).get_schema(public=True)

    assert "subtitle" in document["components"]["schemas"]["Event"]["properties"]


def test_a_field_that_no_column_takes_is_never_dropped_with_201(editor):
    with pytest.raises(FieldDoesNotExist):  # answered with 500
        editor.post("/mottoes/organizers", {"organizer": "Club", "motto": "On!"})

    assert not Organizer.objects.exists()


@pytest.mark.parametrize(
    ("documents", "count"),
    [
        (DOCUMENTS, 0),
        ({"event": "calendar_events.nowhere.Document"}, 1),
        ({"venue": DOCUMENTS["event"], "series": DOCUMENTS["event"]}, 2),
    ],
)
def test_documents_that_are_none_are_found_by_a_check(settings, documents, count):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "DOCUMENTS": documents}

    found = checks.check_documents()

    assert [one.id for one in found] == ["calendar_events.E003"] * count
