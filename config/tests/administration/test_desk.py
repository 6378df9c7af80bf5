"""The desk of editors: pages and buttons stay within the institution and the right."""

from datetime import datetime

import pytest

from calendar_events.models import Event
from calendar_events.tests import factories as calendar
from config.tests.administration import pages

pytestmark = pytest.mark.django_db

PAGES = ["preview", "review"]


@pytest.fixture
def editor(staff, here):
    return staff("editor", at=here.institution)


def pending_of(world):
    return calendar.EventFactory(
        pending=True, institution=world.institution.registry_id, author=world.person
    )


@pytest.mark.parametrize("page", PAGES)
def test_an_event_of_another_institution_is_not_found(editor, here, there, page):
    ours, theirs = pending_of(here), pending_of(there)
    address = pages.of(theirs, page)

    assert editor.get(pages.of(ours, page)).status_code == 200
    assert editor.get(address).status_code == 404
    sent = {"decision": "approve", "seen_version": theirs.version, "comment": "No."}
    for decision in ("approve", "return"):
        answer = editor.post(address, **sent | {"decision": decision})
        assert answer.status_code == 404
    assert Event.objects.get(pk=theirs.pk).status == "pending"


@pytest.mark.parametrize("decision", ["approve", "return"])
def test_an_auditor_decides_nothing(uma, here, decision):
    waiting = pending_of(here)

    listed = uma.get(pages.about(Event)).content.decode()
    answer = uma.post(
        pages.of(waiting, "review"), decision=decision, seen_version=1, comment="No."
    )

    assert uma.get(pages.of(waiting, "preview")).status_code == 200
    assert answer.status_code == 403
    assert "Awaiting review" not in listed
    assert Event.objects.get(pk=waiting.pk).status == "pending"


def test_what_waits_elsewhere_is_not_listed(editor, here, there):
    ours = pending_of(here)
    pending_of(there)

    listed = editor.get(pages.about(Event), review="awaiting")

    assert list(listed.context["cl"].result_list) == [ours]


def test_a_month_holds_what_the_institution_and_the_role_may_see(staff, here, there):
    def event(title, **fields):
        start = datetime(2031, 1, 15, 10)  # noqa: DTZ001 -- a wall clock
        calendar.EventFactory(start=start, title=title, **fields)

    event("Ours", institution="1001")
    event("Our draft", institution="1001", draft=True, slug="")
    event("Guarded", institution="1001", password="opensesame")
    event("Theirs", institution="1002")

    def seen(role):
        someone = staff(role, at=here.institution, username=role)
        page = someone.get(pages.about(Event, "month"), month="2031-01", institution="1002")
        days = [day for week in page.context["weeks"] for day in week]
        return {event.title for day in days for event in day.events}

    assert seen("editor") == {"Ours", "Our draft", "Guarded"}
    assert seen("contributor") == {"Ours"}


def test_an_event_of_another_institution_is_not_copied(editor, uma, here, there):
    before = Event.objects.count()

    answers = [
        editor.post(pages.of(there.event, "change"), _saveasnew="1").status_code,
        editor.post(pages.of(there.draft, "change"), _saveasnew="1").status_code,
        uma.post(pages.of(here.event, "change"), _saveasnew="1").status_code,
    ]

    assert answers == [404, 404, 403]
    assert Event.objects.count() == before


def test_a_copy_keeps_what_its_user_may_not_set_or_see(staff, here):
    author = staff("contributor", at=here.institution, username="carl")
    ours = {"institution": "1001"}
    hidden = calendar.VenueFactory(**ours, author=here.person, draft=True)
    record = calendar.EventFactory(
        **ours,
        author=author.user,
        draft=True,
        password="opensesame",
        venues=[here.venue, hidden],
    )
    form = author.get(pages.of(record))
    assert hidden.name not in form.content.decode()

    sent = pages.shown(form) | {"_saveasnew": "1"}
    answer = author.post(pages.of(record), **sent)

    copy = Event.objects.latest("pk")
    assert answer.status_code == 302
    assert copy != record
    assert (copy.status, copy.institution) == ("draft", "1001")
    assert (copy.author, copy.password) == (author.user, "opensesame")
    assert set(copy.venues.all()) == {here.venue, hidden}


def test_a_preview_names_no_draft_that_the_reader_does_not_meet(editor, staff, here):
    venue = calendar.VenueFactory(
        institution="1001", author=here.person, name="Secret place", draft=True
    )
    record = calendar.EventFactory(
        institution="1001", author=here.person, venues=[here.venue, venue]
    )
    contributor = staff("contributor", at=here.institution, username="con")

    theirs = contributor.get(pages.of(record, "preview")).content.decode()
    ours = editor.get(pages.of(record, "preview")).content.decode()

    assert here.venue.name in theirs
    assert "Secret place" not in theirs
    assert f"{here.venue.name}, Secret place (Draft)" in ours


def test_a_protected_event_is_previewed_by_those_who_need_no_password(editor, staff, here):
    record = calendar.EventFactory(
        institution="1001", author=here.person, password="opensesame"
    )
    contributor = staff("contributor", at=here.institution, username="con")

    assert (
        "Without its password" in editor.get(pages.of(record, "preview")).content.decode()
    )
    assert contributor.get(pages.of(record, "preview")).status_code == 404


@pytest.mark.parametrize("name", ["at_venues", "by_organizers", "in_terms"])
def test_an_address_that_names_something_for_a_form_does_not_break_it(editor, name):
    assert editor.get(pages.about(Event, "add"), **{name: "5"}).status_code == 200
