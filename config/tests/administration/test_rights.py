"""Nobody gets at more rights than they hold, or at an account that has more."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.urls import reverse

from authserver.models import AuditEvent, User
from authserver.tests import factories
from config.adapters import roles
from config.tests.administration import pages

pytestmark = pytest.mark.django_db

NEW_PASSWORD = "a brand new phrase"
ADD = pages.about(User, "add")


def password_page(user):
    return reverse("admin:auth_user_password_change", args=[user.pk])


def set_password(someone, user):
    """Try to set a password; return the status."""
    return someone.post(
        password_page(user), password1=NEW_PASSWORD, password2=NEW_PASSWORD
    ).status_code


def group(name):
    return Group.objects.get(name=name)


@pytest.fixture
def root():
    return factories.UserFactory(administrator=True, username="root")


@pytest.fixture
def colleague(here):
    """Another institution administrator of the same institution."""
    user = factories.UserFactory(institution=here.institution, username="colleague")
    user.groups.add(group("institution administrator"))
    return user


# --- What the delegation of one institution must not hand over ----------------------------


@pytest.mark.parametrize(
    "extra",
    [
        {"is_superuser": "on"},
        {"is_staff": "on"},
        {"user_permissions": "all"},
        {"principal_namespace": "urn:platform:1002", "principal_id": "1"},
        {"institution": ""},
        {"institution": "there"},
        {"groups": "platform operator"},
        {"groups": "key manager"},
        {"groups": "auditor"},
    ],
    ids=str,
)
@pytest.mark.parametrize("whose", ["own", "person"])
def test_an_institution_administrator_gives_nothing_beyond_their_own_rights(
    ines, here, there, extra, whose
):
    account = ines.user if whose == "own" else here.person
    sent = pages.shown(ines.get(pages.of(account)))
    values = {
        "all": list(Permission.objects.values_list("pk", flat=True)),
        "there": there.institution.pk,
        **{name: [group(name).pk] for name in roles.ROLES},
    }
    before = set(account.groups.all())
    principal = (account.principal_id, account.principal_namespace)

    ines.post(
        pages.of(account), **sent | {name: values.get(v, v) for name, v in extra.items()}
    )

    account = User.objects.get(pk=account.pk)
    assert (account.is_superuser, account.is_staff) == (False, False)
    assert account.institution == here.institution
    assert (account.principal_id, account.principal_namespace) == principal
    assert not account.user_permissions.exists()
    assert set(account.groups.all()) == before


def test_an_institution_administrator_gives_the_roles_that_they_hold(ines, here):
    sent = pages.shown(ines.get(pages.of(here.person)))
    offered = ines.get(pages.of(here.person)).context["adminform"].form.fields["groups"]
    wanted = ["editor", "institution administrator"]

    answer = ines.post(
        pages.of(here.person), **sent | {"groups": [group(name).pk for name in wanted]}
    )

    assert answer.status_code == 302
    assert {each.name for each in offered.queryset} == {
        *("institution administrator", "editor", "author", "contributor", "reader"),
    }
    assert set(here.person.groups.values_list("name", flat=True)) == set(wanted)


def test_the_page_says_what_each_role_lets_people_do(ines, here):
    page = ines.get(pages.of(here.person)).content.decode()

    assert f"author: {roles.IN_WORDS['author']}" in page
    assert set(roles.IN_WORDS) == set(Group.objects.values_list("name", flat=True))


def test_an_institution_administrator_makes_users_of_the_own_institution_only(
    ines, here, there
):
    new = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}

    answers = [
        ines.post(ADD, username=name, institution=where, **new).status_code
        for name, where in (
            ("ours", here.institution.pk),
            ("theirs", there.institution.pk),
            ("platforms", ""),
        )
    ]

    assert answers == [302, 200, 200]
    made = User.objects.filter(username__in=["ours", "theirs", "platforms"])
    assert [user.login for user in made] == ["ours@1001"]


def test_an_institution_administrator_sets_passwords_of_the_own_institution_only(
    ines, here, there, root, colleague
):
    superuser = factories.UserFactory(institution=here.institution, is_superuser=True)

    answers = [
        set_password(ines, user)
        for user in (here.person, colleague, there.person, root, superuser)
    ]

    assert answers[:2] == [302, 302]
    assert set(answers[2:]) <= {403, 404}
    changed = [user for user in User.objects.all() if user.check_password(NEW_PASSWORD)]
    assert set(changed) == {here.person, colleague}


@pytest.mark.parametrize(
    "more",
    [
        {"is_superuser": True},
        {"is_staff": True},
        {"role": "auditor"},
        {"permission": "delete_user"},
    ],
    ids=str,
)
def test_an_account_of_the_institution_with_more_rights_is_not_changed(ines, here, more):
    user = factories.UserFactory(
        institution=here.institution,
        **{name: value for name, value in more.items() if name.startswith("is_")},
    )
    if "role" in more:
        user.groups.add(group(more["role"]))
    if "permission" in more:
        user.user_permissions.add(Permission.objects.get(codename=more["permission"]))
    User.objects.filter(pk=user.pk).update(is_active=False)  # not held, and still more

    answers = [
        ines.post(pages.of(user), full_name="Mallory").status_code,
        set_password(ines, user),
    ]

    assert set(answers) <= {302, 403, 404}
    stored = User.objects.get(pk=user.pk)
    assert stored.full_name == "Some One"
    assert not stored.check_password(NEW_PASSWORD)


# --- Staff of the platform ----------------------------------------------------------------


def test_an_operator_makes_neither_themselves_nor_others_superuser(oscar, here):
    every = list(Permission.objects.values_list("pk", flat=True))

    for account in (oscar.user, here.person):
        sent = pages.shown(oscar.get(pages.of(account)))
        oscar.post(pages.of(account), **sent, is_superuser="on", user_permissions=every)

    assert not User.objects.filter(is_superuser=True).exists()
    assert not User.objects.exclude(user_permissions=None).exists()


def test_an_operator_does_not_touch_a_superuser(oscar, root):
    page = oscar.get(pages.of(root))

    answers = [
        oscar.post(pages.of(root), full_name="Mallory").status_code,
        set_password(oscar, root),
        oscar.post(pages.of(root, "delete"), post="yes").status_code,
    ]

    assert page.status_code == 200  # to look at
    assert answers == [403, 403, 403]
    assert not User.objects.get(pk=root.pk).check_password(NEW_PASSWORD)


def test_an_operator_appoints_an_institution_administrator(oscar, here):
    sent = pages.shown(oscar.get(pages.of(here.person)))
    role = group("institution administrator")

    oscar.post(pages.of(here.person), **sent | {"groups": [role.pk]})

    assert list(here.person.groups.all()) == [role]


def test_only_a_superuser_changes_what_a_role_may_do(oscar, ines, root, client):
    role = group("platform operator")
    sent = {"name": role.name, "permissions": list(Permission.objects.values_list("pk"))}
    before = role.permissions.count()

    answers = [
        someone.post(pages.of(role), **sent).status_code for someone in (oscar, ines)
    ]
    client.force_login(root)
    allowed = client.post(pages.of(role), {"name": role.name, "permissions": []})

    assert answers[0] == 403
    assert answers[1] in {302, 403}
    assert allowed.status_code == 302
    assert before > 0
    assert role.permissions.count() == 0
    assert any(
        "platform operator" in event.details.get("changes", "")
        for event in AuditEvent.objects.all()
    )


def test_an_auditor_sees_everything_and_changes_nothing(uma, here):
    for row in here.rows:
        page = uma.get(pages.of(row))
        assert page.status_code == 200, row
        assert not page.context["has_change_permission"], row
        assert uma.post(pages.of(row), name="Changed").status_code == 403, row
        assert uma.post(pages.of(row, "delete"), post="yes").status_code == 403, row

    version = here.event.history.first().history_id
    address = reverse(
        "admin:calendar_events_event_simple_history", args=[here.event.pk, version]
    )
    assert uma.post(address, title="Reverted").status_code == 403


def test_a_key_manager_manages_keys_and_meets_no_account(kim, here):
    shown = kim.get(pages.of(here.key))

    assert shown.context["has_change_permission"]
    for row in (here.person, here.event, here.consent):
        assert kim.get(pages.of(row)).status_code == 403


# --- What roles are -----------------------------------------------------------------------


@pytest.mark.parametrize("name", roles.ROLES)
def test_a_role_has_the_permissions_of_its_table(name):
    held = {
        f"{permission.content_type.app_label}.{permission.codename}"
        for permission in group(name).permissions.select_related("content_type")
    }

    assert held == set(roles.ROLES[name])


def test_a_role_that_is_gone_comes_back_and_a_changed_one_stays():
    group("auditor").delete()
    group("key manager").permissions.clear()

    roles.create_missing_groups(Group, Permission)

    assert group("auditor").permissions.count() == len(set(roles.ROLES["auditor"]))
    assert group("key manager").permissions.count() == 0


@pytest.mark.parametrize("count", [1, 4])
def test_a_users_page_takes_the_same_number_of_statements_whatever_there_is(
    client, root, here, count, django_assert_max_num_queries
):
    client.force_login(root)
    factories.UserFactory.create_batch(count)
    for number in range(count):
        Group.objects.create(name=f"role {number}").permissions.add(
            Permission.objects.first()
        )

    with django_assert_max_num_queries(15):
        client.get(pages.of(here.person))
