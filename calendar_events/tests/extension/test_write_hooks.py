"""DRF's hooks of a subclass are called by writes, and its permissions are asked."""

import pytest

from calendar_events.models import Status, Venue
from calendar_events.tests.factories import VenueFactory

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
    pytest.mark.urls("calendar_events.tests.extension.urls"),
]


@pytest.fixture
def venue(editor):
    """Return a venue of the editor's institution."""
    pk = editor.post("/hooked/venues", {"venue": "Hall"}).json()["id"]
    return Venue.objects.get(pk=pk)


def test_perform_create_may_add_to_what_is_stored_and_answered(editor):
    made = editor.post("/hooked/venues", {"venue": "Hall", "city": "Bonn"})

    assert (made.status_code, made.json()["city"]) == (201, "Rome")
    assert Venue.objects.get().city == "Rome"


def test_perform_create_may_refuse_in_words_of_drf(editor):
    response = editor.post("/hooked/venues", {"venue": "Nowhere"})

    assert response.json()["data"]["params"] == {"venue": "must be somewhere."}
    assert not Venue.objects.exists()


def test_perform_update_may_add_to_what_is_stored_and_answered(editor, venue):
    changed = editor.patch(f"/hooked/venues/{venue.pk}", {"phone": "1"})

    venue.refresh_from_db()
    assert changed.json()["city"] == venue.city == "Oslo"
    assert venue.phone == "1"


def test_perform_update_keeps_the_version_that_was_named(editor, venue):
    tag = editor.get(f"/hooked/venues/{venue.pk}").headers["ETag"]
    assert editor.patch(f"/hooked/venues/{venue.pk}", {}, If_Match=tag).status_code == 200

    again = editor.patch(f"/hooked/venues/{venue.pk}", {"phone": "1"}, If_Match=tag)

    assert again.status_code == 412


def test_perform_destroy_may_refuse_or_go_on(editor, venue):
    trashed = editor.delete(f"/hooked/venues/{venue.pk}")
    venue.refresh_from_db()
    assert trashed.status_code == 200
    assert trashed.json()["status"] == venue.status == Status.TRASH

    oslo = VenueFactory(institution=venue.institution, city="Oslo")
    assert editor.delete(f"/hooked/venues/{oslo.pk}").status_code == 400
    oslo.refresh_from_db()
    assert oslo.status == Status.PUBLISH


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_a_permission_more_is_asked_by_writes_and_by_options(editor, venue, method):
    refused = getattr(editor, method)(f"/closed/venues/{venue.pk}")

    assert refused.status_code == 403
    allowed = editor.send("OPTIONS", f"/closed/venues/{venue.pk}")["Allow"]
    assert allowed == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_a_filter_backend_more_decides_what_may_be_written(editor, venue, method):
    hidden = getattr(editor, method)(f"/tenants/venues/{venue.pk}?tenant=1002")
    shown = getattr(editor, method)(f"/tenants/venues/{venue.pk}?tenant=1001")

    assert (hidden.status_code, shown.status_code) == (404, 200)
