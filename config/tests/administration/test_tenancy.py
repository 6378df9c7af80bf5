"""Staff of an institution meet its rows in admin, whichever way they try for others."""

import itertools
import json

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.db.models import ProtectedError
from django.urls import reverse

from authserver.models import (
    AccessToken,
    Institution,
    RefreshToken,
    ServiceKey,
    User,
)
from authserver.tests import factories
from calendar_events.models import Event, Image, Organizer, Status, Term, Venue
from calendar_events.tests import factories as calendar
from config.tests.administration import pages
from institution_admin import InstitutionScopedAdmin, InstitutionScopedInline

pytestmark = pytest.mark.django_db

REGISTERED = list(admin.site._registry.values())
SCOPED = [each for each in REGISTERED if each.institution_path]
PLATFORM_ONLY = {
    *("Change", "DBTaskResult", "DayCount", "Group", "IDToken", "IdempotentAnswer"),
    *("KeyRefusal", "RefusalCount", "SecretLink", "Series", "Service"),
}
RECORDS = [Event, Venue, Organizer]


def name_of(model_admin):
    return model_admin.opts.object_name


def rows_of(world, model):
    """Return rows of a model that are the world's institution's: at least one."""
    rows = [row for row in world.rows if type(row) is model]
    assert rows
    return rows


def listed(response):
    return list(response.context["cl"].result_list)


def offered(response):
    return {int(each["id"]) for each in json.loads(response.content)["results"]}


# --- The rule is everywhere ---------------------------------------------------------------


def test_every_admin_class_keeps_the_rule():
    for model_admin in REGISTERED:
        assert isinstance(model_admin, InstitutionScopedAdmin), model_admin
        assert type(model_admin).get_queryset is not admin.ModelAdmin.get_queryset
        for inline in model_admin.inlines:
            assert issubclass(inline, InstitutionScopedInline), inline


def test_what_names_no_institution_is_for_the_platform_alone(ines, here):
    assert {name_of(each) for each in REGISTERED if not each.institution_path} == (
        PLATFORM_ONLY
    )
    ines.user.is_superuser = True
    ines.user.save()

    for model_admin in REGISTERED:
        if not model_admin.institution_path:
            assert ines.get(pages.about(model_admin.model)).status_code == 403


def test_a_class_that_forgets_to_say_whose_its_rows_are_shows_them_to_nobody(
    rf, ines, here
):
    class Forgetful(InstitutionScopedAdmin):
        pass

    request = rf.get("/")
    request.user = ines.user
    forgetful = Forgetful(User, admin.site)

    assert not forgetful.get_queryset(request).exists()
    assert not forgetful.has_view_permission(request, here.person)


# --- Lists, searches, filters, addresses --------------------------------------------------


def test_a_list_and_a_search_hold_the_own_rows_only(ines, here, there):
    factories.UserFactory(institution=here.institution, is_superuser=True)
    ines.user.is_superuser = True  # no permission of Django's is missing
    ines.user.save()

    for model_admin in SCOPED:
        address = pages.about(model_admin.model)
        found = {row.pk for row in listed(ines.get(address))}
        searched = {row.pk for row in listed(ines.get(address, q="e"))}

        assert {row.pk for row in rows_of(here, model_admin.model)} <= found, address
        theirs = {row.pk for row in rows_of(there, model_admin.model)}
        assert not (theirs & (found | searched)), address


def test_a_row_that_a_list_let_through_is_refused_by_itself(rf, ines, here, there):
    """The second lock: what a queryset forgets, the row's own institution still refuses."""
    request = rf.get("/")
    request.user = ines.user
    ines.user.is_superuser = True  # no permission of Django's is missing

    for model_admin in SCOPED:
        ours = rows_of(here, model_admin.model)
        theirs = rows_of(there, model_admin.model)
        allowed = {model_admin.belongs_to(row, here.institution) for row in ours}
        refused = {model_admin.belongs_to(row, here.institution) for row in theirs}

        assert (allowed, refused) == ({True}, {False}), model_admin
        for row, verb in itertools.product(theirs, ("view", "change", "delete")):
            assert not model_admin.is_allowed(request, verb, row), (model_admin, verb)
            may = getattr(model_admin, f"has_{verb}_permission")
            assert not may(request, row), (model_admin, verb)


def test_a_filter_shows_no_other_institution_and_cannot_be_turned_around(ines, here, there):
    tokens = ines.get(pages.about(AccessToken))
    asked = ines.get(pages.about(AccessToken), institution__id__exact=there.institution.pk)
    events = ines.get(pages.about(Event), institution="1002")

    assert "Northgate" not in tokens.content.decode()
    assert asked.status_code == 302 or not listed(asked)
    assert {event.institution for event in listed(events)} <= {"1001"}


@pytest.mark.parametrize("page", ["change", "history", "delete"])
def test_a_row_of_another_institution_is_not_found_by_its_address(ines, there, page):
    ines.user.is_superuser = True
    ines.user.save()

    for row in there.rows:
        response = ines.get(pages.of(row, page))
        assert response.status_code in {302, 403}, row
        if response.status_code == 302:  # Django's answer to an address without a row
            assert response["Location"] == reverse("admin:index")


def test_a_record_that_was_deleted_is_not_found_by_another_institution(
    ines, staff, here, there
):
    deleted = [here.event.pk, there.event.pk]
    versions = [event.history.first().history_id for event in (here.event, there.event)]
    editor = staff("editor", at=there.institution)
    for someone, event in ((ines, here.event), (editor, there.event)):
        someone.post(pages.of(event, "delete"), post="yes")
    assert not Event.objects.filter(pk__in=deleted).exists()

    answers = [
        ines.get(reverse(f"admin:calendar_events_event_{page}", args=args)).status_code
        for pk, version in zip(deleted, versions, strict=True)
        for page, args in (("history", [pk]), ("simple_history", [pk, version]))
    ]

    assert answers == [200, 200, 403, 403]


@pytest.mark.parametrize("model", [Event, ServiceKey])
def test_a_link_to_view_on_the_site_tells_nothing(ines, here, there, model):
    kind = ContentType.objects.get_for_model(model).pk
    rows = [row for row in there.rows if type(row) is model]

    for row in rows:
        assert ines.get(f"/admin/r/{kind}/{row.pk}/").status_code == 404


# --- What forms offer ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "field", "name"),
    [
        (Event, "image", "image"),
        (Event, "venues", "venue"),
        (Event, "organizers", "organizer"),
        (Event, "terms", "category"),
        (Term, "parent", "category"),
        (User, "institution", "institution"),
    ],
)
def test_an_autocomplete_offers_the_own_rows_only(ines, here, there, source, field, name):
    response = ines.get(
        reverse("admin:autocomplete"),
        app_label=source._meta.app_label,
        model_name=source._meta.model_name,
        field_name=field,
    )

    assert getattr(here, name).pk in offered(response)
    assert getattr(there, name).pk not in offered(response)


def test_a_pop_up_shows_the_own_rows_only(ines, here, there):
    found = listed(ines.get(pages.about(Venue), _popup="1", _to_field="id"))

    assert here.venue in found
    assert there.venue not in found


@pytest.mark.parametrize(
    ("field", "name"),
    [("image", "image"), ("at_venues", "venue"), ("by_organizers", "organizer")],
)
def test_a_form_takes_no_row_of_another_institution(ines, here, there, field, name):
    address = pages.of(here.event)
    sent = pages.shown(ines.get(address)) | {field: getattr(there, name).pk}

    response = ines.post(address, **sent)

    assert list(response.context["adminform"].form.errors) == [field]


@pytest.mark.parametrize("model", [*RECORDS, Term])
def test_a_record_cannot_be_made_at_another_institution(ines, here, there, model):
    form = ines.get(pages.about(model, "add")).context["adminform"].form
    sent = {
        "title": "Evening",
        "name": "Hall",
        "status": "publish",
        "taxonomy": "post_tag",
        "start_date": "2031-01-15 19:00:00",
        "end_date": "2031-01-15 21:00:00",
    }
    before = model.objects.filter(institution="1002").count()

    elsewhere = ines.post(pages.about(model, "add"), institution="1002", **sent)
    at_home = ines.post(pages.about(model, "add"), institution="1001", **sent)

    assert form.fields["institution"].choices == [("1001", str(here.institution))]
    assert list(elsewhere.context["adminform"].form.errors) == ["institution"]
    assert at_home.status_code == 302
    assert model.objects.filter(institution="1002").count() == before


def test_a_picture_cannot_be_added_to_another_institution(ines, here, there):
    response = ines.post(pages.about(Image, "add"), institution="1002", title="Theirs")

    assert "institution" in response.context["adminform"].form.errors


def test_what_only_the_platform_may_set_is_neither_shown_nor_taken(ines, here):
    address = pages.of(here.event)
    sent = pages.shown(ines.get(address))

    response = ines.post(address, **sent, password="secret", post_parent=here.draft.pk)

    stored = Event.objects.get(pk=here.event.pk)
    assert response.status_code == 302
    assert not {"password", "post_parent"} & sent.keys()
    assert (stored.password, stored.post_parent) == ("", None)


# --- Actions ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_only_the_own_tokens_are_revoked(ines, here, there, kind):
    model = {"access_token": AccessToken, "refresh_token": RefreshToken}[kind]
    both = [getattr(here, kind).pk, getattr(there, kind).pk]

    ines.post(pages.about(model), action="revoke", _selected_action=both)

    name = "revoked_at" if kind == "access_token" else "revoked"
    ended = model.objects.exclude(**{name: None}).values_list("pk", flat=True)
    assert list(ended) == both[:1]


@pytest.mark.parametrize("action", ["move_to_trash", "delete_selected"])
def test_an_action_meets_the_own_events_only(ines, here, there, action):
    both = [here.event.pk, there.event.pk]

    ines.post(pages.about(Event), action=action, _selected_action=both, post="yes")

    assert Event.objects.get(pk=there.event.pk).status == Status.PUBLISH
    assert not Event.objects.filter(pk=here.event.pk, status=Status.PUBLISH).exists()


# --- Service keys -------------------------------------------------------------------------


def test_a_key_is_seen_as_far_as_the_institution_is_on_it_and_not_changed(
    ines, here, there
):
    factories.KeyInstitutionFactory(key=here.key, institution=there.institution)

    page = ines.get(pages.of(here.key))
    changed = ines.post(pages.of(here.key), name="Mine", status="canceled")
    rotated = ines.post(
        reverse("admin:authserver_servicekey_rotate_secret", args=[here.key.pk])
    )
    unknown = ines.get(
        reverse("admin:authserver_servicekey_rotate_secret", args=[there.key.pk])
    )

    assert here.key_service.service.name in page.content.decode()
    assert "Northgate" not in page.content.decode()
    assert (changed.status_code, rotated.status_code, unknown.status_code) == (
        403,
        403,
        404,
    )
    assert ServiceKey.objects.get(pk=here.key.pk).status == "active"


# --- Inside the institution, the calendar's own rules -------------------------------------


def test_a_contributor_meets_what_is_published_and_their_own(staff, here, there):
    erin = staff("contributor", at=here.institution)
    mine = calendar.EventFactory(institution="1001", author=erin.user, status="draft")
    soon = calendar.EventFactory(institution="1001", author=here.person, scheduled=True)

    found = set(listed(erin.get(pages.about(Event))))
    answers = [erin.get(pages.of(row)).status_code for row in (mine, here.event)]
    hidden = [
        erin.get(pages.of(row)).status_code for row in (here.draft, soon, there.event)
    ]

    assert found == {mine, here.event}
    assert answers == [200, 200]
    assert hidden == [302] * 3


def test_a_contributor_looks_at_the_events_of_others_and_changes_their_own(staff, here):
    erin = staff("contributor", at=here.institution)
    mine = calendar.EventFactory(institution="1001", author=erin.user, status="draft")
    sent = pages.shown(erin.get(pages.of(mine)))

    own = erin.post(pages.of(mine), **sent | {"title": "Changed"})
    others = erin.post(pages.of(here.event), **sent | {"title": "Changed"})
    author = erin.post(pages.of(mine), **sent, author=here.person.pk)

    assert (own.status_code, others.status_code) == (302, 403)
    assert "author" not in sent
    assert author.status_code == 200  # somebody else's version was seen
    assert Event.objects.get(pk=mine.pk).title == "Changed"
    assert Event.objects.get(pk=mine.pk).author == erin.user
    assert Event.objects.get(pk=here.event.pk).title == here.event.title


def test_an_institution_administrator_chooses_among_the_own_authors(ines, here, there):
    sent = pages.shown(ines.get(pages.of(here.event)))

    theirs = ines.post(pages.of(here.event), **sent | {"author": there.person.pk})
    ours = ines.post(pages.of(here.event), **sent | {"author": ines.user.pk})

    assert list(theirs.context["adminform"].form.errors) == ["author"]
    assert ours.status_code == 302
    assert Event.objects.get(pk=here.event.pk).author == ines.user


# --- Who may come in ----------------------------------------------------------------------


def test_a_user_without_any_role_cannot_enter(staff, here):
    nobody = staff(at=here.institution)

    answer = nobody.get(reverse("admin:index"))

    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize("role", ["editor", "author", "contributor", "reader"])
def test_whoever_has_a_role_in_the_calendar_finds_it_and_nothing_else(staff, here, role):
    someone = staff(role, at=here.institution)

    page = someone.get(reverse("admin:index"))

    apps = [each["app_label"] for each in page.context["app_list"]]
    assert apps == ["calendar_events"]


def test_a_disabled_account_does_not_enter(ines):
    User.objects.filter(pk=ines.user.pk).update(is_active=False)

    assert ines.get(reverse("admin:index")).status_code == 302


@pytest.mark.parametrize(
    ("roles", "enters"), [(["editor"], True), ([], False)], ids=["a role", "no role"]
)
def test_the_login_page_of_admin_lets_in_who_may_do_something_there(
    client, here, roles, enters
):
    here.person.groups.set(Group.objects.filter(name__in=roles))

    answer = client.post(
        reverse("admin:login"),
        {"username": "person@1001", "password": factories.PASSWORD, "next": "/admin/"},
    )

    assert (answer.status_code == 302) is enters


def test_the_login_page_of_admin_says_where_capital_letters_count(client, here):
    here.person.groups.set(Group.objects.filter(name="editor"))
    form = {"username": "PERSON@1001", "password": factories.PASSWORD, "next": "/admin/"}

    refused = client.post(reverse("admin:login"), form | {"password": "wrong"})
    entered = client.post(reverse("admin:login"), form)

    assert "Capital letters matter in the password only." in refused.content.decode()
    assert entered.status_code == 302


# --- Without an institution ---------------------------------------------------------------


def test_staff_of_the_platform_meet_the_rows_of_all(oscar, here, there):
    for model_admin in SCOPED:
        found = {row.pk for row in listed(oscar.get(pages.about(model_admin.model)))}

        for world in (here, there):
            theirs = {row.pk for row in world.rows if type(row) is model_admin.model}
            assert theirs <= found, model_admin


@pytest.mark.parametrize(
    "build",
    [
        *(calendar.EventFactory, calendar.VenueFactory, calendar.OrganizerFactory),
        *(calendar.CategoryFactory, calendar.ImageFactory),
    ],
)
def test_an_institution_with_something_in_its_calendar_cannot_be_deleted(client, build):
    client.force_login(factories.UserFactory(administrator=True))
    used, empty = factories.InstitutionFactory.create_batch(2)
    build(institution=used.registry_id)

    page = client.get(pages.of(used, "delete"))
    for institution in (used, empty):
        client.post(pages.of(institution, "delete"), {"post": "yes"})

    assert f"in the calendar of {used}" in page.content.decode()
    assert set(Institution.objects.filter(pk__in=[used.pk, empty.pk])) == {used}
    with pytest.raises(ProtectedError):
        Institution.objects.filter(pk=used.pk).delete()
