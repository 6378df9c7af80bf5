"""Copies of events by "Save as new": whose, with what, and never published by accident."""

import pytest

from calendar_events.models import Event
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SAME = (
    *("title", "description", "excerpt", "website", "cost", "password", "image"),
    *("timezone", "all_day", "start_local", "end_local", "start_utc", "end_utc"),
    *("show_map", "hide_from_listings", "sticky", "featured", "ticketed", "institution"),
    "post_parent",
)
BUTTON = 'name="_saveasnew"'


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def typed(form):
    """Return what a browser sends of the fields that a form shows."""
    sent = {}
    for bound in form:
        value = bound.value()
        if isinstance(value, list):
            sent[bound.html_name] = [getattr(each, "pk", each) for each in value]
        elif value is not None and value is not False:
            sent[bound.html_name] = value
        if bound.field.show_hidden_initial:
            name = bound.html_initial_name
            sent[name] = form.data.get(name, sent.get(bound.html_name, ""))
    return sent


def copy(client, event, **changed):
    """Press "Save as new" on the event's page; return the answer."""
    page = client.get(url(Event, "change", event.pk))
    sent = typed(page.context["adminform"].form) | changed | {"_saveasnew": "1"}
    return client.post(url(Event, "change", event.pk), sent, follow=True)


def linked(event):
    return {
        name: list(getattr(event, name).order_by(f"{link}__position"))
        for name, link in (
            ("venues", "eventvenue"),
            ("organizers", "eventorganizer"),
            ("terms", "eventterm"),
        )
    }


def test_a_copy_is_a_draft_of_whoever_made_it_with_everything_else(editor):
    record = EventFactory(
        description="<p>Words</p>",
        cost="12, 15",
        timezone="Europe/Berlin",
        password="opensesame",
        featured=True,
        hide_from_listings=True,
        image=ImageFactory(),
        post_parent=EventFactory(),
        venues=VenueFactory.create_batch(2)[::-1],
        organizers=[OrganizerFactory()],
        terms=[CategoryFactory(), TagFactory()],
    )

    answer = copy(editor, record)

    made = Event.objects.latest("pk")
    assert answer.redirect_chain == [(url(Event, "change", made.pk), 302)]
    assert (made.status, made.slug, made.author) == ("draft", "", editor.user)
    for name in SAME:
        assert getattr(made, name) == getattr(record, name), name
    assert linked(made) == linked(record)
    assert made.history.get().history_user == editor.user


@pytest.mark.parametrize("status", ["publish", "future", "private"])
def test_a_copy_is_not_published_whatever_the_form_says(editor, status):
    record = EventFactory()

    copy(editor, record, status=status, date_utc="2020-01-01 10:00:00", slug="mine")

    made = Event.objects.latest("pk")
    assert made != record
    assert (made.status, made.slug, made.published_at) == ("draft", "", None)


def test_what_was_typed_meanwhile_is_of_the_copy_alone(editor):
    record = EventFactory(title="First")

    copy(editor, record, title="Second")

    assert Event.objects.latest("pk").title == "Second"
    record.refresh_from_db()
    assert (record.title, record.version) == ("First", 1)


def test_a_link_to_what_is_in_the_trash_is_not_copied(editor):
    kept = VenueFactory()
    record = EventFactory(venues=[VenueFactory(trashed=True), kept])

    copy(editor, record)

    made = Event.objects.latest("pk")
    assert made != record
    assert list(made.venues.all()) == [kept]


def test_what_is_in_the_trash_offers_no_copy(editor):
    record = EventFactory(trashed=True)

    page = editor.get(url(Event, "change", record.pk)).content.decode()

    assert BUTTON not in page


def test_what_is_in_the_trash_is_not_copied_by_hand_either(editor):
    record = EventFactory(trashed=True)
    form = editor.get(url(Event, "change", EventFactory().pk)).context["adminform"].form

    answer = editor.post(url(Event, "change", record.pk), typed(form) | {"_saveasnew": "1"})

    assert answer.status_code == 403
    assert Event.objects.count() == 2


def test_a_copy_is_of_an_event_that_is_there(editor):
    sent = {"_saveasnew": "1"}

    assert editor.post(url(Event, "change", 4711), sent).status_code == 404
    assert not Event.objects.exists()


def test_a_look_copies_nothing(editor):
    record = EventFactory()

    editor.get(url(Event, "change", record.pk), {"_saveasnew": "1"})

    assert Event.objects.get() == record


@pytest.mark.parametrize(("role", "is_shown"), [("reader", False), ("contributor", True)])
def test_who_may_create_and_change_may_copy(role, is_shown):
    someone = desk_of(roles=[role])
    record = EventFactory(author=someone.user, draft=True)

    page = someone.get(url(Event, "change", record.pk)).content.decode()
    answer = copy(someone, record)

    assert (BUTTON in page) == is_shown
    assert answer.status_code == (200 if is_shown else 403)
    copies = Event.objects.exclude(pk=record.pk)
    assert copies.filter(author=someone.user, status="draft").count() == int(is_shown)


def test_who_may_not_change_an_event_is_offered_no_copy():
    someone = desk_of(roles=["contributor"])

    page = someone.get(url(Event, "change", EventFactory().pk)).content.decode()

    assert BUTTON not in page
