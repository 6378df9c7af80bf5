"""Records given to another institution: by staff of the platform, leaving nothing."""

import pytest
from django.urls import reverse
from django.utils import timezone

from calendar_events.admin import actions
from calendar_events.models import DayCount, Event, Organizer, Venue
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services import desk, events, records
from calendar_events.store.rebuilding import rebuild_counters
from calendar_events.tests import factories as calendar
from config.tests.administration import pages
from config.tests.administration.test_moving import act, said

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MOVE = "move_to_institution"


def owner(row):
    return type(row).objects.values_list("institution", flat=True).get(pk=row.pk)


def counted():
    """Return the totals that triggers keep."""
    rows = DayCount.objects.exclude(scope="writes").exclude(number=0)
    return set(rows.values_list("scope", "day", "number"))


def version_page(row, version):
    meta = row._meta
    name = f"admin:{meta.app_label}_{meta.model_name}_simple_history"
    return reverse(name, args=[row.pk, version.pk])


def test_events_move_after_a_page_that_asks_and_says_what_follows(oscar, here, there):
    asked = act(oscar, MOVE, here.event, here.draft)
    before = owner(here.event)
    done = act(oscar, MOVE, here.event, here.draft, target="1002")

    page = asked.content.decode()
    assert here.draft.title in page
    assert "Northgate" in page
    assert "its author stays the same" in page
    assert "not even together with them: remove these links first" in page
    assert before == "1001"
    assert said(done) == ["Move to another institution: 2."]
    assert (owner(here.event), owner(here.draft)) == ("1002", "1002")
    last = Event.history.filter(id=here.event.pk).first()
    assert (last.institution, last.history_user) == ("1002", oscar.user)


def test_lists_and_counters_follow(oscar, here, there, client):
    act(oscar, MOVE, here.event, target="1002")

    def listed(registry_id):
        return client.get(f"/platform/events/v1/events?institution={registry_id}").json()[
            "total"
        ]

    assert (listed("1001"), listed("1002")) == (0, 2)
    kept = counted()
    rebuild_counters()
    assert counted() == kept


@pytest.mark.parametrize("kind", ["venue", "organizer"])
def test_places_move_too(oscar, here, there, kind):
    act(oscar, MOVE, getattr(here, kind), target="1002")

    assert owner(getattr(here, kind)) == "1002"


@pytest.mark.parametrize("target", ["", "9999", "x", "1\x00", "9" * 300])
def test_what_is_no_institution_is_said(oscar, here, target):
    answer = act(oscar, MOVE, here.event, target=target)

    assert "errorlist" in answer.content.decode()
    assert owner(here.event) == "1001"


def test_what_it_is_linked_to_keeps_an_event_where_it_is(oscar, here, there):
    parent = calendar.EventFactory(institution="1001")
    event = calendar.EventFactory(
        institution="1001",
        image=here.image,
        post_parent=parent,
        venues=[here.venue],
        organizers=[here.organizer],
        terms=[here.category],
    )

    done = act(oscar, MOVE, event, here.event, target="1002")

    left = "Not moved, because their parent, venues, organizers, categories and "
    assert said(done) == [
        "Move to another institution: 1.",
        f"{left}pictures would stay behind: 1.",
    ]
    assert (owner(event), owner(here.event)) == ("1001", "1002")


def test_what_is_linked_to_it_keeps_a_venue_or_a_parent_where_it_is(oscar, here, there):
    child = calendar.EventFactory(
        institution="1001", post_parent=here.event, venues=[here.venue], trashed=True
    )

    parent = said(act(oscar, MOVE, here.event, target="1002"))
    venue = said(act(oscar, MOVE, here.venue, target="1002"))
    records.delete_record(
        Event, actor=Actor(user=oscar.user, institution="1001"), pk=child.pk
    )
    act(oscar, MOVE, here.venue, target="1002")

    assert parent == ["Not moved, because their child events would stay behind: 1."]
    assert venue[-1:] == ["Not moved, because their events would stay behind: 1."]
    assert owner(here.venue) == "1002"


def test_a_parent_and_its_child_stay_also_when_both_are_chosen(oscar, here, there):
    child = calendar.EventFactory(institution="1001", post_parent=here.event)

    done = said(act(oscar, MOVE, here.event, child, target="1002"))

    assert set(done) == {
        "Not moved, because their child events would stay behind: 1.",
        "Not moved, because their parent would stay behind: 1.",
    }
    assert (owner(here.event), owner(child)) == ("1001", "1001")


def test_what_is_in_the_trash_stays_and_what_is_there_already_is_passed_over(
    oscar, here, there
):
    trashed = calendar.EventFactory(institution="1001", trashed=True)
    version = there.event.version

    done = act(oscar, MOVE, trashed, there.event, target="1002")

    assert said(done) == [f"{actions.LEFT}: 1."]
    there.event.refresh_from_db()
    assert (owner(trashed), there.event.version) == ("1001", version)


@pytest.mark.parametrize(
    "role", ["institution administrator", "editor", "author", "contributor", "reader"]
)
def test_staff_of_an_institution_move_nothing_either_way(staff, here, there, role):
    someone = staff(role, at=here.institution)

    listed = someone.get(pages.about(Event)).content.decode()
    for row, target in ((here.event, "1002"), (there.event, "1001")):
        act(someone, MOVE, row, target=target)

    assert MOVE not in listed
    assert (owner(here.event), owner(there.event)) == ("1001", "1002")


def test_a_superuser_of_an_institution_moves_nothing(staff, here, there):
    boss = staff(at=here.institution, is_superuser=True)

    act(boss, MOVE, here.event, target="1002")

    assert owner(here.event) == "1001"
    with pytest.raises(NotAllowed, match="Only staff of the platform may move it"):
        desk.move_record(
            Event,
            actor=Actor(user=boss.user, institution="1001"),
            pk=here.event.pk,
            institution="1002",
            now=timezone.now(),
        )


def test_who_only_looks_moves_nothing(uma, kim, here):
    for someone in (uma, kim):
        act(someone, MOVE, here.event, target="1002")

    assert owner(here.event) == "1001"


def test_after_the_move_the_old_institution_has_no_way_to_it(staff, oscar, here, there):
    editor = staff("editor", at=here.institution)
    heir = staff("editor", at=there.institution, username="heir")
    old = Event.history.get(id=here.event.pk)
    act(oscar, MOVE, here.event, target="1002")

    for page in (version_page(here.event, old), pages.of(here.event, "history")):
        assert editor.get(page).status_code == 403
        assert heir.get(page).status_code == 200
    form = pages.shown(heir.get(version_page(here.event, old)))
    refused = editor.post(version_page(here.event, old), **form | {"title": "Ours"})
    taken = heir.post(version_page(here.event, old), **form | {"title": "Theirs"})

    assert (refused.status_code, taken.status_code) == (403, 302)
    stored = Event.objects.get(pk=here.event.pk)
    assert (stored.title, stored.institution) == ("Theirs", "1002")


def test_a_version_from_before_the_move_does_not_bring_back_what_stayed(oscar, here, there):
    event = calendar.EventFactory(institution="1001", venues=[here.venue])
    old = Event.history.filter(id=event.pk).first()
    actor = Actor(user=oscar.user, institution="1001")
    events.update_event(actor=actor, pk=event.pk, changes={"venue": []}, now=timezone.now())
    act(oscar, MOVE, event, target="1002")

    form = pages.shown(oscar.get(version_page(event, old)))
    answer = oscar.post(version_page(event, old), **form)

    assert "belongs to another institution" in answer.content.decode()
    assert list(Event.objects.get(pk=event.pk).venues.all()) == []


def test_a_record_that_is_deleted_after_the_move_comes_back_where_it_was_last(
    staff, oscar, here, there
):
    heir = staff("editor", at=there.institution)
    old = Event.history.get(id=here.event.pk)
    act(oscar, MOVE, here.event, target="1002")
    heir.post(pages.of(here.event, "delete"), post="yes")

    form = pages.shown(heir.get(version_page(here.event, old)))
    answer = heir.post(version_page(here.event, old), **form)

    assert answer.status_code == 302
    assert set(Event.objects.filter(institution="1001")) == {here.draft}


def test_who_writes_while_it_moves_is_refused(staff, here, there):
    editor = staff("editor", at=here.institution)
    root = staff(is_superuser=True, username="root")
    act(root, MOVE, here.event, target="1002")
    late = Actor(user=editor.user, institution="1001")

    with pytest.raises(NotAllowed, match="another institution"):
        events.update_event(
            actor=late, pk=here.event.pk, changes={"title": "Ours"}, now=timezone.now()
        )


def test_venues_and_organizers_have_the_action_as_well(oscar):
    for model in (Venue, Organizer):
        assert MOVE in oscar.get(pages.about(model)).content.decode()
