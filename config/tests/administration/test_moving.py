"""Many records given another author or venue: by whom, and to whom."""

import pytest

from authserver.tests import factories
from calendar_events.models import Event, Venue
from calendar_events.tests import factories as calendar
from config.tests.administration import pages

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def editor(staff, here):
    return staff("editor", at=here.institution)


def act(someone, action, *records, **fields):
    return someone.client.post(
        pages.about(type(records[0])),
        {"action": action, "_selected_action": [each.pk for each in records], **fields},
    )


def said(response):
    return [str(message) for message in response.wsgi_request._messages]


def venues_of(*events):
    return [set(Event.objects.get(pk=each.pk).venues.all()) for each in events]


def test_events_are_moved_to_a_venue_after_a_page_that_asks(editor, here):
    asked = act(editor, "move_to_venue", here.event, here.draft)
    before = venues_of(here.event, here.draft)
    done = act(editor, "move_to_venue", here.event, here.draft, target=here.venue.pk)

    assert asked.status_code == 200
    assert here.draft.title in asked.content.decode()
    assert before == [set(), set()]
    assert said(done) == ["Move to another venue: 2."]
    assert venues_of(here.event, here.draft) == [{here.venue}, {here.venue}]


@pytest.mark.parametrize("target", ["", "x", "-1", "9" * 30, "0"])
def test_what_is_no_venue_is_said(editor, here, target):
    answer = act(editor, "move_to_venue", here.event, target=target)

    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    assert venues_of(here.event) == [set()]


def test_a_venue_or_an_event_of_another_institution_is_out_of_reach(
    editor, oscar, here, there
):
    foreign_venue = act(editor, "move_to_venue", here.event, target=there.venue.pk)
    foreign_event = act(editor, "move_to_venue", there.event, target=here.venue.pk)
    platform = act(oscar, "move_to_venue", here.event, there.event, target=there.venue.pk)

    assert "errorlist" in foreign_venue.content.decode()
    assert said(foreign_event) == ["Move to another venue: 0."]
    assert len(said(platform)) == 2
    assert venues_of(here.event, there.event) == [set(), {there.venue}]


def test_a_contributor_moves_their_own_drafts_alone(staff, here):
    someone = staff("contributor", at=here.institution)
    own = calendar.EventFactory(
        institution="1001", author=someone.user, draft=True, slug=""
    )

    act(someone, "move_to_venue", own, here.event, target=here.venue.pk)

    assert venues_of(own, here.event) == [{here.venue}, set()]


def test_an_institution_administrator_changes_authors_within_the_institution(
    ines, here, there
):
    heir = factories.UserFactory(institution=here.institution)

    asked = act(ines, "change_author", here.event, here.draft)
    done = act(ines, "change_author", here.event, here.draft, target=heir.pk)
    refused = act(ines, "change_author", here.event, target=there.person.pk)
    venue = act(ines, "change_author", here.venue, target=heir.pk)

    assert asked.status_code == 200
    assert (said(done), said(venue)) == (
        ["Change the author: 2."],
        ["Change the author: 1."],
    )
    assert "errorlist" in refused.content.decode()
    assert {each.author for each in Event.objects.filter(institution="1001")} == {heir}
    assert Venue.objects.get(pk=here.venue.pk).author == heir


def test_who_sees_no_accounts_or_only_looks_changes_no_author(editor, staff, uma, here):
    contributor = staff("contributor", at=here.institution)
    for someone in (editor, contributor, uma):
        listed = someone.get(pages.about(Event)).content.decode()
        act(someone, "change_author", here.event, target=someone.user.pk)
        assert "change_author" not in listed

    act(uma, "move_to_venue", here.event, target=here.venue.pk)

    assert Event.objects.get(pk=here.event.pk).author == here.person
    assert venues_of(here.event) == [set()]


def test_a_page_names_some_and_counts_the_others(editor, here):
    events = calendar.EventFactory.create_batch(23, institution="1001")

    page = act(editor, "move_to_venue", *events).content.decode()

    assert "and 3 more" in page
    assert page.count('name="_selected_action"') == 23


def test_what_is_in_the_trash_is_left(editor, here):
    trashed = calendar.EventFactory(institution="1001", trashed=True)

    done = act(editor, "move_to_venue", trashed, target=here.venue.pk)

    assert said(done) == [
        "Not changed, because you may not change them or somebody else just did: 1."
    ]
