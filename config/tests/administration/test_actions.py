"""Actions on many rows: all pages of a list at once, up to a bound that the page says."""

import pytest

from authserver.models import AuditEvent, Institution
from authserver.tests import factories
from calendar_events.models import Event, Image, Venue
from calendar_events.tests import factories as calendar
from config.tests.administration import pages
from institution_admin import bulk

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("_pages_are_short"),
    pytest.mark.both_databases,
]

DELETE = "delete_selected"


@pytest.fixture
def editor(staff, here):
    return staff("editor", at=here.institution)


@pytest.fixture
def drafts(here):
    """Five drafts of one institution, besides its one."""
    of = {"institution": "1001", "author": here.person, "status": "draft"}
    return calendar.EventFactory.create_batch(5, **of)


def act(someone, action, query="", model=Event, **fields):
    return pages.act(someone, model, action, query, **fields)


def of(institution, **conditions):
    return Event.objects.filter(institution=institution, **conditions).count()


def test_every_row_of_the_list_is_changed_not_only_its_first_page(editor, drafts, there):
    act(editor, "publish", query="?status__exact=draft")

    assert of("1001", status="publish") == 7
    assert drafts[0].history.first().history_user == editor.user
    there.draft.refresh_from_db()
    assert there.draft.status == "draft"


def test_the_answer_says_how_many_were_changed_and_refused(staff, here, drafts):
    author = staff("author", at=here.institution)
    for status in ("draft", "draft", "draft", "publish"):
        calendar.EventFactory(institution="1001", author=author.user, status=status)
    calendar.EventFactory(institution="1001", author=here.person)

    answer = act(author, "move_to_trash")  # of two that are published by somebody else
    page = author.get(answer["Location"]).content.decode()

    assert "somebody else just did: 2." in page
    assert ": 4." in page


def test_events_move_to_a_venue_that_is_asked_for_first(editor, here, drafts):
    asked = act(editor, "move_to_venue")
    act(editor, "move_to_venue", target=str(here.venue.pk))

    assert asked.status_code == 200
    assert here.venue.events.count() == 7


def test_a_venue_of_another_institution_is_refused(editor, drafts, there):
    answer = act(editor, "move_to_venue", target=str(there.venue.pk))

    assert answer.status_code == 200
    assert not there.venue.events.filter(institution="1001").exists()


@pytest.mark.parametrize("action", ["publish", DELETE])
def test_more_rows_than_the_bound_are_refused_and_as_many_are_not(
    editor, drafts, monkeypatch, action
):
    monkeypatch.setattr(bulk, "MAX_ROWS", 6)  # the institution has seven
    answer = act(editor, action, post="yes")

    assert "select at most 6 rows" in editor.get(answer["Location"]).content.decode()
    assert (of("1001"), of("1001", status="publish")) == (7, 1)

    monkeypatch.setattr(bulk, "MAX_ROWS", 7)
    act(editor, action, post="yes")

    assert (of("1001"), of("1001", status="publish")) in {(7, 7), (0, 0)}


def test_the_list_says_how_many_rows_an_action_takes(editor, here):
    page = editor.get(pages.about(Event)).content.decode()

    assert "Action (at most 1,000 rows):" in page


def test_rows_are_deleted_after_a_page_that_asks(editor, drafts, there):
    asked = act(editor, DELETE)
    before = of("1001")
    act(editor, DELETE, post="yes")

    assert "Are you sure" in asked.content.decode()
    assert (before, of("1001"), of("1002")) == (7, 0, 2)
    last = Event.history.filter(id=drafts[0].pk).first()
    assert (last.history_type, last.history_user) == ("-", editor.user)
    assert editor.user.logentry_set.count() == 7


def test_an_author_deletes_nothing_with_what_is_somebody_elses_among_it(staff, here):
    author = staff("author", at=here.institution)
    calendar.EventFactory(institution="1001", author=author.user)
    calendar.EventFactory(institution="1001", author=here.person)
    before = of("1001")

    act(author, DELETE, post="yes")

    assert of("1001") == before


def test_a_picture_that_is_shown_keeps_the_selection(editor, here):
    shown = calendar.ImageFactory(institution="1001", author=here.person)
    calendar.VenueFactory(institution="1001", author=here.person, image=shown)
    before = Image.objects.count()

    answer = act(editor, DELETE, model=Image, post="yes")

    assert answer.status_code == 200
    assert Image.objects.count() == before


def test_institutions_that_are_in_use_stay(staff, here, there):
    root = staff(is_superuser=True)
    factories.InstitutionFactory()
    before = Institution.objects.count()

    answer = act(root, DELETE, model=Institution, post="yes")

    assert answer.status_code in {200, 302}
    assert Institution.objects.count() == before


def test_the_end_of_each_institution_is_audited(staff, here):
    root = staff(is_superuser=True)
    free = factories.InstitutionFactory.create_batch(4, place="Nowhere")

    act(root, DELETE, "?q=Nowhere", model=Institution, post="yes")

    ended = AuditEvent.objects.filter(action=AuditEvent.Action.INSTITUTION_CHANGED)
    assert {each.registry_id for each in ended} == {each.registry_id for each in free}
    assert {each.actor for each in ended} == {root.user.login}


def test_venues_go_without_the_events_that_named_them(editor, here):
    calendar.VenueFactory.create_batch(4, institution="1001", author=here.person)
    event = calendar.EventFactory(
        institution="1001", author=here.person, venues=[here.venue]
    )

    act(editor, DELETE, model=Venue, post="yes")

    assert not Venue.objects.filter(institution="1001").exists()
    assert list(Event.objects.get(pk=event.pk).venues.all()) == []


def test_the_page_that_asks_costs_the_same_however_many_rows(
    editor, here, drafts, django_assert_max_num_queries
):
    calendar.EventFactory.create_batch(30, institution="1001", author=here.person)

    with django_assert_max_num_queries(15):
        act(editor, DELETE)
