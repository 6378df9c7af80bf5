"""Admin files records under institutions that exist, chosen by name."""

import pytest
from django.core.checks import run_checks
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from calendar_events.models import Event, Image, Organizer, Taxonomy, Term, Venue
from calendar_events.tests.factories import EventFactory, UserFactory
from calendar_events.tests.web import picture

pytestmark = pytest.mark.django_db

NEW = {
    Event: {"title": "Tea", "start_date": "2031-01-15", "end_date": "2031-01-15"},
    Venue: {"name": "Hall"},
    Organizer: {"name": "Club"},
    Term: {"name": "Music", "taxonomy": Taxonomy.TAG},
    Image: {"title": "Hall"},
}


@pytest.fixture
def administrator():
    client = Client()
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    return client


def url(model, page, *args):
    return reverse(f"admin:calendar_events_{model._meta.model_name}_{page}", args=args)


def add(client, model, **values):
    data = {**NEW[model], **values}
    if model is Image:
        data["upload"] = SimpleUploadedFile("hall.png", picture())
    return client.post(url(model, "add"), data)


@pytest.mark.parametrize("model", NEW)
def test_institutions_are_offered_by_name(administrator, model):
    field = administrator.get(url(model, "add")).context["adminform"].form["institution"]

    assert list(field.field.choices) == [
        ("", "---------"),
        ("1001", "Riverside University (1001)"),
        ("1002", "Northgate (1002)"),
    ]


@pytest.mark.parametrize("model", NEW)
@pytest.mark.parametrize("institution", ["9999", "", "Northgate"])
def test_nothing_is_added_at_an_institution_that_does_not_exist(
    administrator, model, institution
):
    response = add(administrator, model, institution=institution)

    assert "institution" in response.context["adminform"].form.errors
    assert model.objects.count() == 0


@pytest.mark.parametrize("model", NEW)
def test_what_is_added_is_filed_under_the_institution_that_was_chosen(administrator, model):
    add(administrator, model, institution="1002")

    assert model.objects.get().institution == "1002"


def test_a_stored_record_stays_where_it_is(administrator):
    event = EventFactory(institution="1001")

    administrator.post(url(Event, "change", event.pk), {"institution": "1002"})

    event.refresh_from_db()
    assert event.institution == "1001"


def test_without_a_directory_identifiers_are_typed(administrator, settings):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "INSTITUTIONS": ""}

    add(administrator, Venue, institution="9999")

    assert Venue.objects.get().institution == "9999"


@pytest.mark.parametrize("path", ["no.such.function", "calendar_events.conf.conf"])
def test_a_directory_that_is_none_is_noticed_at_the_start(settings, path):
    settings.CALENDAR_EVENTS = {**settings.CALENDAR_EVENTS, "INSTITUTIONS": path}

    assert [message.id for message in run_checks(tags=["calendar_events"])] == [
        "calendar_events.E001"
    ]


# --- Files that cannot be written ---------------------------------------------------------


def test_an_upload_that_cannot_be_stored_is_answered_in_words(
    administrator, settings, tmp_path
):
    (tmp_path / "file").touch()
    settings.MEDIA_ROOT = tmp_path / "file"
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    }

    response = add(administrator, Image, institution="1001")
    page = administrator.get(response["Location"])

    assert "The picture was not added" in page.content.decode()
    assert Image.objects.count() == 0
