"""What waits for review in admin: who decides, and what the author is told."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_events.models import Event, Organizer, Venue
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services import desk
from calendar_events.services.changesets import InvalidFields
from calendar_events.tests.admin.test_desk import FACTORIES, desk_of, statuses, url
from calendar_events.tests.factories import EventFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

WORDS = "The room is taken.\nPlease <b>choose</b> another."


@pytest.fixture
def editor():
    return desk_of(roles=["editor"])


@pytest.fixture
def contributor():
    return desk_of(roles=["contributor"])


def decide(client, record, decision, comment="", **fields):
    sent = {"decision": decision, "comment": comment, "seen_version": record.version}
    return client.post(url(type(record), "review", record.pk), sent | fields, follow=True)


def said(response):
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize("model", [Event, Venue, Organizer])
def test_what_a_contributor_submits_is_approved(editor, contributor, model):
    record = FACTORIES[model](pending=True, author=contributor.user)

    listed = editor.get(url(model, "changelist"), {"review": "awaiting"})
    page = editor.get(url(model, "change", record.pk)).content.decode()
    answer = decide(editor, record, "approve")

    assert list(listed.context["cl"].result_list) == [record]
    assert url(model, "review", record.pk) in page
    assert said(answer) == [f"“{record}” was published."]
    assert statuses(record) == ["publish"]
    assert record.history.latest().history_user == editor.user


@pytest.mark.parametrize("model", [Event, Venue, Organizer])
def test_it_is_returned_with_a_comment_that_its_author_reads(editor, contributor, model):
    record = FACTORIES[model](pending=True, author=contributor.user)

    answer = decide(editor, record, "return", WORDS)
    page = contributor.get(url(model, "change", record.pk)).content.decode()

    assert said(answer) == [f"“{record}” was returned to its author."]
    assert statuses(record) == ["draft"]
    assert f"Returned\n            by {editor.user}" in page
    assert "The room is taken.<br>Please &lt;b&gt;choose&lt;/b&gt; another." in page
    state = record.history.latest()
    assert state.history_change_reason.split() == ["Returned:", *WORDS.split()]


def test_the_comment_is_kept_and_shown_no_more_once_the_event_is_published(
    editor, contributor
):
    record = EventFactory(pending=True, author=contributor.user)
    decide(editor, record, "return", "Too short.")
    form = contributor.get(url(Event, "change", record.pk)).context["adminform"].form
    sent = {name: form[name].value() for name in form.fields if form[name].value()}
    lists = {name: [] for name in ("at_venues", "by_organizers", "in_terms")}
    contributor.post(url(Event, "change", record.pk), sent | lists | {"status": "publish"})
    record.refresh_from_db()
    assert record.status == "pending"

    page = editor.get(url(Event, "review", record.pk)).content.decode()
    decide(editor, record, "approve")
    after = editor.get(url(Event, "change", record.pk)).content.decode()
    history = editor.get(url(Event, "history", record.pk)).content.decode()

    assert "Too short." in page
    assert "Too short." not in after
    assert "Returned: Too short." in history


def test_the_comment_is_in_no_document(editor, contributor, anonymous):
    record = EventFactory(pending=True, author=contributor.user)
    decide(editor, record, "return", "Not so.")
    record.refresh_from_db()

    texts = [record.fragment, record.feed_text, record.json_ld, record.search_text]
    preview = editor.get(url(Event, "preview", record.pk)).content.decode()

    assert not any("Not so." in each for each in [*texts, preview])


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"decision": "return", "comment": " \n"}, "Say what the author should change."),
        ({"decision": "return", "comment": "x" * 10_000}, "at most 2000 characters"),
        ({"decision": "return", "comment": "a\0b"}, "Null characters are not allowed."),
        ({"decision": "burn"}, "Select a valid choice."),
        ({}, "This field is required."),
    ],
)
def test_a_decision_that_cannot_be_taken_is_answered_in_words(editor, fields, problem):
    record = EventFactory(pending=True)

    answer = editor.post(
        url(Event, "review", record.pk), {"seen_version": record.version, **fields}
    )

    assert answer.status_code == 200
    assert problem in answer.content.decode()
    assert statuses(record) == ["pending"]


@pytest.mark.parametrize("version", ["", "x", "999", "9" * 30])
def test_what_changed_since_it_was_looked_at_is_looked_at_again(editor, version):
    record = EventFactory(pending=True)

    decide(editor, record, "approve", seen_version=version)

    assert statuses(record) == ["pending"]


def test_a_second_decision_finds_nothing_that_waits(editor):
    record = EventFactory(pending=True)
    decide(editor, record, "approve")

    again = decide(editor, record, "return", "No.")

    assert said(again) == [f"“{record}” does not wait for review any more."]
    assert statuses(record) == ["publish"]


@pytest.mark.parametrize("status", ["draft", "publish", "private", "trash"])
def test_the_service_returns_nothing_that_does_not_wait(editor, status):
    record = EventFactory(status=status)

    with pytest.raises(InvalidFields):
        desk.return_record(
            Event,
            actor=_actor(editor.user),
            pk=record.pk,
            comment="No.",
            now=record.modified_at,
        )


def test_the_service_takes_no_comment_that_is_too_long(editor):
    record = EventFactory(pending=True)

    for comment in ("", "x" * 2001):
        with pytest.raises(InvalidFields):
            desk.return_record(
                Event,
                actor=_actor(editor.user),
                pk=record.pk,
                comment=comment,
                now=record.modified_at,
            )


def _actor(user):
    return Actor(user=user, institution="1001")


# --- Neighbours ---------------------------------------------------------------------------


def test_a_contributor_decides_nothing(contributor):
    own = EventFactory(pending=True, author=contributor.user)

    page = contributor.get(url(Event, "change", own.pk)).content.decode()
    listed = contributor.get(url(Event, "changelist")).content.decode()
    answers = [
        contributor.get(url(Event, "review", own.pk)).status_code,
        decide(contributor, own, "approve").status_code,
        decide(contributor, own, "return", "Why not.").status_code,
    ]

    assert answers == [403, 403, 403]
    assert "/review/" not in page
    assert "Awaiting review" not in listed
    assert statuses(own) == ["pending"]


def test_an_author_decides_about_their_own_alone(db):
    author = desk_of(roles=["author"])
    own = EventFactory(pending=True, author=author.user)
    another = EventFactory(pending=True, author=UserFactory())

    answers = [decide(author, each, "approve").status_code for each in (own, another)]

    assert answers == [200, 403]
    assert statuses(own, another) == ["publish", "pending"]


def test_somebody_without_a_right_of_review_is_refused_by_the_service(contributor):
    own = EventFactory(pending=True, author=contributor.user)

    with pytest.raises(NotAllowed):
        desk.return_record(
            Event,
            actor=_actor(contributor.user),
            pk=own.pk,
            comment="No.",
            now=own.modified_at,
        )


@pytest.mark.parametrize("page", ["review", "preview"])
@pytest.mark.parametrize("address", ["0", "x", "-1", "9" * 30, "1%00"])
def test_what_is_not_there_is_not_found(editor, page, address):
    there = url(Event, page, 4711).replace("4711", address)

    assert editor.get(there).status_code == 404


def test_the_list_of_what_waits_costs_the_same_however_much_does(editor):
    def cost():
        with CaptureQueriesContext(connection) as statements:
            editor.get(url(Event, "changelist"), {"review": "awaiting"})
        return len(statements)

    EventFactory(pending=True)
    cost()  # once: content types are remembered, and the session is written back
    one = cost()
    EventFactory.create_batch(5, pending=True)

    assert cost() == one
