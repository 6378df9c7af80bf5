"""What somebody with a little right tries in admin to get more, or to break it."""

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from authserver.models import (
    AccessToken,
    Institution,
    KeyService,
    ServiceKey,
    User,
)
from authserver.tests import factories
from authserver.tests.locks import is_locked, lock
from calendar_events.models import Event, Term
from calendar_events.tests import factories as calendar
from config.tests.administration import pages

pytestmark = pytest.mark.django_db

SECRET = "open sesame"


def listed(response):
    return list(response.context["cl"].result_list)


@pytest.fixture
def boss(here):
    """A superuser of the institution."""
    return factories.UserFactory(
        institution=here.institution, username="boss", is_superuser=True
    )


@pytest.fixture
def protected(here):
    return calendar.EventFactory(
        institution="1001", author=here.person, title="Guarded", password=SECRET
    )


# --- Columns that are shown nowhere -------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        (Event, "password__startswith=o"),
        (Event, "title__regex=("),
        (Event, "id__in=99999999999999999999999"),
        (Event, "search_text__unaccent=x"),
        (AccessToken, "token_checksum__startswith=a"),
        (ServiceKey, "encrypted_secret__startswith=g"),
        (User, "email__endswith=example"),
        (Institution, "created_at__year=99999999"),
    ],
)
def test_a_list_answers_no_question_that_its_filters_do_not_ask(
    ines, oscar, here, model, lookup
):
    name, value = lookup.split("=")

    for someone in (ines, oscar):
        assert someone.get(pages.about(model), **{name: value}).status_code == 400


@pytest.mark.parametrize("role", ["reader", "contributor", "author"])
def test_a_protected_event_of_others_is_not_shown_without_its_password(
    staff, here, protected, role
):
    someone = staff(role, at=here.institution)

    answers = [
        someone.get(pages.of(protected, page)).status_code for page in ("change", "history")
    ]

    assert protected not in listed(someone.get(pages.about(Event)))
    assert answers == [302, 403]


def test_the_history_shows_no_password_to_an_institution(ines, oscar, here, protected):
    sent = pages.shown(oscar.get(pages.of(protected)))
    oscar.post(pages.of(protected), **sent | {"password": "new word"})

    theirs = ines.get(pages.of(protected, "history")).content.decode()
    ours = oscar.get(pages.of(protected, "history")).content.decode()

    assert SECRET not in theirs
    assert "new word" not in theirs
    assert "new word" in ours


def test_a_protected_event_that_is_brought_back_is_protected(ines, here, protected):
    state = protected.history.latest()
    ines.post(pages.of(protected, "delete"), post="yes")
    version = reverse(
        "admin:calendar_events_event_simple_history", args=[protected.pk, state.history_id]
    )

    ines.post(version, **pages.shown(ines.get(version)))

    assert Event.objects.get(title="Guarded").password == SECRET


def test_the_history_of_others_is_for_those_who_read_drafts(staff, here):
    erin = staff("contributor", at=here.institution)
    mine = calendar.EventFactory(institution="1001", author=erin.user)
    version = here.event.history.latest().history_id
    old = reverse(
        "admin:calendar_events_event_simple_history", args=[here.event.pk, version]
    )

    assert erin.get(pages.of(here.event, "history")).status_code == 403
    assert erin.get(old).status_code == 403
    assert erin.get(pages.of(mine, "history")).status_code == 200


def test_deleted_records_of_others_are_for_those_who_read_drafts(staff, ines, here):
    erin = staff("contributor", at=here.institution)
    mine = calendar.EventFactory(
        institution="1001", author=erin.user, title="My own", status="draft"
    )
    for event in (here.draft, mine):
        ines.post(pages.of(event, "delete"), post="yes")
    address = pages.about(Event, "deleted")

    theirs, all_of_them = (who.get(address).content.decode() for who in (erin, ines))

    assert "My own" in theirs
    assert here.draft.title not in theirs
    assert here.draft.title in all_of_them


# --- Superusers ---------------------------------------------------------------------------


def test_a_lock_of_an_account_with_more_rights_stays(ines, oscar, here, boss):
    root = factories.UserFactory(administrator=True, username="root")
    lock(boss, root)

    for someone in (ines, oscar):
        pks = [boss.pk, root.pk]
        someone.post(pages.about(User), action="unlock", _selected_action=pks)

    assert is_locked(boss)
    assert is_locked(root)


def test_an_institution_does_not_meet_the_tokens_of_superusers(ines, here, boss):
    token = factories.AccessTokenFactory(
        user=boss, application=here.key, institution=here.institution
    )

    page = ines.get(pages.of(token))
    ines.post(pages.about(AccessToken), action="revoke", _selected_action=[token.pk])

    assert page.status_code == 302
    assert AccessToken.objects.get(pk=token.pk).revoked_at is None


@pytest.mark.postgresql_only  # SQLite lets one transaction write at a time
def test_the_account_that_is_written_is_locked_first(oscar, here):
    sent = pages.shown(oscar.get(pages.of(here.person)))
    password = reverse("admin:auth_user_password_change", args=[here.person.pk])

    for address, fields in (
        (pages.of(here.person), sent),
        (password, {"password1": "a brand new phrase", "password2": "a brand new phrase"}),
    ):
        with CaptureQueriesContext(connection) as statements:
            oscar.post(address, **fields)
        assert any("FOR UPDATE" in each["sql"] for each in statements)


def test_a_password_in_a_form_is_kept_out_of_error_reports(oscar, here, rf, monkeypatch):
    def fail(*_arguments, **_options):
        raise RuntimeError

    monkeypatch.setattr(DjangoUserAdmin, "user_change_password", fail)
    request = rf.post("/", {"password1": "a brand new phrase"})
    request.user = oscar.user

    with pytest.raises(RuntimeError):
        admin.site.get_model_admin(User).user_change_password(request, here.person.pk)

    assert request.sensitive_post_parameters == "__ALL__"


# --- Names of others ----------------------------------------------------------------------


def test_the_history_of_a_key_is_kept_to_the_platform(ines, kim, here):
    LogEntry.objects.create(
        user=kim.user,
        content_type=ContentType.objects.get_for_model(ServiceKey),
        object_id=str(here.key.pk),
        action_flag=2,
        change_message="Northgate",
    )

    assert ines.get(pages.of(here.key, "history")).status_code == 403
    assert "Northgate" in kim.get(pages.of(here.key, "history")).content.decode()


def test_filters_name_no_service_and_no_role_of_others(ines, here, there):
    Group.objects.create(name="Northgate volunteers")
    there.key_service.service.name = "Northgate's own"
    there.key_service.service.save()

    users = ines.get(pages.about(User)).content.decode()
    services = ines.get(pages.about(KeyService)).content.decode()

    assert "Northgate" not in users + services
    assert here.key_service.service.name in services


def test_the_next_holder_of_an_identifier_does_not_inherit_the_record(client):
    client.force_login(factories.UserFactory(administrator=True))
    used = factories.InstitutionFactory(registry_id="7777")
    factories.AuditEventFactory(registry_id="7777", action="login_succeeded")

    page = client.get(pages.of(used, "delete"))
    client.post(pages.of(used, "delete"), {"post": "yes"})

    assert "the audit record of" in page.content.decode()
    assert Institution.objects.filter(registry_id="7777").exists()


# --- Moving, and giving entry -------------------------------------------------------------


@pytest.mark.parametrize("to", ["there", "nowhere"])
def test_roles_stay_behind_when_an_account_moves(oscar, here, there, to):
    here.person.groups.add(Group.objects.get(name="institution administrator"))
    here.person.user_permissions.add(Permission.objects.get(codename="change_event"))
    sent = pages.shown(oscar.get(pages.of(here.person)))
    where = {"there": there.institution.pk, "nowhere": ""}[to]

    oscar.post(pages.of(here.person), **sent | {"institution": where, "username": "mover"})

    moved = User.objects.get(pk=here.person.pk)
    assert moved.institution == (there.institution if to == "there" else None)
    assert not moved.get_all_permissions()


def test_who_is_no_staff_makes_nobody_staff(staff, here):
    operator = staff("platform operator")
    User.objects.filter(pk=operator.user.pk).update(is_staff=False)
    sent = pages.shown(operator.get(pages.of(here.person)))

    operator.post(pages.of(here.person), **sent, is_staff="on")

    assert not User.objects.get(pk=here.person.pk).is_staff


def test_a_page_that_may_only_be_looked_at_offers_no_new_password(uma, oscar, here):
    assert "Set a new password" not in uma.get(pages.of(here.person)).content.decode()
    assert "Set a new password" in oscar.get(pages.of(here.person)).content.decode()


# --- Work that goes on --------------------------------------------------------------------


@pytest.mark.parametrize("where", ["platform", "superuser", "moved"])
def test_a_record_whose_author_is_not_met_is_saved(ines, oscar, here, there, boss, where):
    author = {"platform": oscar.user, "superuser": boss, "moved": there.person}[where]
    event = calendar.EventFactory(institution="1001", author=author)
    sent = pages.shown(ines.get(pages.of(event)))

    answer = ines.post(pages.of(event), **sent | {"title": "Changed"})

    assert answer.status_code == 302
    assert Event.objects.get(pk=event.pk).title == "Changed"
    assert Event.objects.get(pk=event.pk).author == author


def test_what_is_linked_and_not_met_stays_linked(staff, here):
    erin = staff("contributor", at=here.institution)
    hidden = calendar.VenueFactory(
        institution="1001", author=here.person, name="Secret hall", status="draft"
    )
    event = calendar.EventFactory(
        institution="1001", author=erin.user, status="draft", venues=[here.venue, hidden]
    )
    page = erin.get(pages.of(event))

    answer = erin.post(pages.of(event), **pages.shown(page) | {"title": "Changed"})

    assert "Secret hall" not in page.content.decode()
    assert answer.status_code == 302
    stored = Event.objects.get(pk=event.pk)
    assert (stored.title, set(stored.venues.all())) == ("Changed", {here.venue, hidden})


def test_an_author_is_offered_to_those_who_may_see_people(staff, ines, here):
    editor = staff("editor", at=here.institution)

    assert "author" not in pages.shown(editor.get(pages.of(here.event)))
    assert "author" in pages.shown(ines.get(pages.of(here.event)))


# --- What must not break ------------------------------------------------------------------

HUGE = "9" * 40


@pytest.mark.parametrize(
    "address",
    [
        *("event/abc/history/", "event/abc/history/1/", "event/1/history/abc/"),
        *(f"venue/{HUGE}/history/", f"event/1/history/{HUGE}/", "term/a/history/"),
    ],
)
def test_a_history_of_nothing_is_not_found(ines, here, address):
    assert ines.get(f"/admin/calendar_events/{address}").status_code == 404


@pytest.mark.parametrize(
    "field", ["at_venues", "by_organizers", "in_terms", "image", "author", "post_parent"]
)
def test_a_choice_that_is_no_number_is_refused_beside_the_field(oscar, here, field):
    sent = pages.shown(oscar.get(pages.of(here.event)))

    for value in ("abc", HUGE, "-1", "1.5"):
        answer = oscar.post(pages.of(here.event), **sent | {field: value})

        assert list(answer.context["adminform"].form.errors) == [field], value


def test_a_term_without_a_kind_is_refused(ines, here):
    answer = ines.post(pages.about(Term, "add"), institution="1001", name="Yoga")

    assert "taxonomy" in answer.context["adminform"].form.errors


def test_a_term_that_was_made_again_meanwhile_is_not_brought_back(ines, here):
    name = here.category.name
    state = here.category.history.latest()
    version = reverse(
        "admin:calendar_events_term_simple_history",
        args=[here.category.pk, state.history_id],
    )
    ines.post(pages.of(here.category, "delete"), post="yes")
    calendar.CategoryFactory(institution="1001", name=name)
    sent = pages.shown(ines.get(version))

    answer = ines.post(version, **sent)

    assert answer.status_code in {200, 302}
    assert Term.objects.filter(name=name).count() == 1
