"""Duplicates of events: whose, with what, and how often."""

import pytest

from calendar_events.models import Event, IdempotentAnswer
from calendar_events.tests.admin.test_desk import desk_of, statuses, url
from calendar_events.tests.factories import (
    CategoryFactory,
    EventFactory,
    ImageFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

SAME = (
    *("title", "description", "excerpt", "website", "cost", "password", "image"),
    *("timezone", "all_day", "start_local", "end_local", "start_utc", "end_utc"),
    *("show_map", "hide_from_listings", "sticky", "featured", "ticketed", "institution"),
    "post_parent",
)


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


def duplicate(client, event, **sent):
    """Press the button of the event's page; return the answer."""
    page = client.get(url(Event, "change", event.pk))
    key = {"key": page.context.get("duplicate_key", "x")}
    return client.post(url(Event, "duplicate", event.pk), key | sent, follow=True)


def linked(event):
    return {
        name: list(getattr(event, name).order_by(f"{link}__position"))
        for name, link in (
            ("venues", "eventvenue"),
            ("organizers", "eventorganizer"),
            ("terms", "eventterm"),
        )
    }


def test_a_duplicate_is_a_draft_of_whoever_made_it_with_everything_else(editor):
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

    answer = duplicate(editor, record)

    made = Event.objects.latest("pk")
    assert answer.redirect_chain == [(url(Event, "change", made.pk), 302)]
    assert (made.status, made.slug, made.author) == ("draft", "", editor.user)
    for name in SAME:
        assert getattr(made, name) == getattr(record, name), name
    assert linked(made) == linked(record)
    assert made.history.get().history_user == editor.user


def test_a_link_to_what_is_in_the_trash_is_not_copied(editor):
    kept = VenueFactory()
    record = EventFactory(venues=[VenueFactory(trashed=True), kept])

    duplicate(editor, record)

    assert list(Event.objects.latest("pk").venues.all()) == [kept]


def test_a_second_click_makes_no_second_duplicate(editor):
    record = EventFactory()
    key = editor.get(url(Event, "change", record.pk)).context["duplicate_key"]

    answers = [duplicate(editor, record, key=key) for _ in range(3)]

    made = Event.objects.exclude(pk=record.pk).get()
    assert {answer.redirect_chain[-1][0] for answer in answers} == {
        url(Event, "change", made.pk)
    }
    duplicate(editor, record)
    assert Event.objects.count() == 3


def test_a_key_of_one_event_or_person_is_none_of_another(editor):
    first, second = EventFactory.create_batch(2)
    for event in (first, second):
        duplicate(editor, event, key="same")
    duplicate(desk_of(roles=["editor"]), first, key="same")

    assert Event.objects.count() == 5
    assert IdempotentAnswer.objects.count() == 3


@pytest.mark.parametrize("key", ["", "a b", "x" * 10_000, "é"])
def test_without_a_key_nothing_is_duplicated(editor, key):
    record = EventFactory()

    answer = duplicate(editor, record, key=key)

    assert "Nothing was duplicated." in answer.content.decode()
    assert Event.objects.get() == record


def test_what_is_in_the_trash_is_not_duplicated(editor):
    record = EventFactory(trashed=True)

    page = editor.get(url(Event, "change", record.pk)).content.decode()
    duplicate(editor, record)

    assert "/duplicate/" not in page
    assert statuses(record) == ["trash"]
    assert Event.objects.count() == 1
    assert not IdempotentAnswer.objects.exists()


def test_a_look_duplicates_nothing(editor):
    record = EventFactory()

    assert editor.get(url(Event, "duplicate", record.pk)).status_code == 405
    assert editor.post(url(Event, "duplicate", 4711)).status_code == 404


@pytest.mark.parametrize(("role", "status"), [("reader", 403), ("contributor", 200)])
def test_who_may_create_may_duplicate(role, status):
    someone = desk_of(roles=[role])
    record = EventFactory()

    page = someone.get(url(Event, "change", record.pk)).content.decode()
    answer = duplicate(someone, record)

    assert answer.status_code == status
    assert ("/duplicate/" in page) == (status == 200)
    assert Event.objects.filter(author=someone.user, status="draft").count() == (
        1 if status == 200 else 0
    )
