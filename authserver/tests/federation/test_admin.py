"""Setting up a provider in admin: by whom, and what can be seen of it."""

import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.fernet import Fernet
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command

from authserver.models import AuditEvent, RoleRule, SignInMethod, SignInRules, User
from authserver.tests import factories
from authserver.tests.federation import saml_provider
from authserver.tests.federation.conftest import come_back
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.both_databases
LIST = "/admin/authserver/signinmethod/"


def administrator(institution, username="ines"):
    user = factories.UserFactory(username=username, institution=institution, is_staff=True)
    codenames = [
        *(f"{verb}_{name}" for verb in ("view", "add", "change", "delete")
          for name in ("signinmethod", "rolerule", "signinrules")),
        *("view_user", "change_user", "view_institution"),
    ]  # fmt: skip
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


def browser_of(user):
    visitor = Visitor()
    visitor.client.force_login(user, backend="authserver.accounts.backends.LoginBackend")
    return visitor


@pytest.fixture
def ines(lakeview):
    return browser_of(administrator(lakeview))


@pytest.fixture
def elsewhere(northgate):
    return browser_of(administrator(northgate, "nia"))


def page_of(method):
    return f"{LIST}{method.pk}/change/"


def test_an_administrator_sets_up_the_provider_of_the_own_institution(
    ines, lakeview, issuer
):
    ines.open(f"{LIST}add/")
    ines.press(
        "Save",
        name="University account",
        issuer=f"{issuer.url}/.well-known/openid-configuration",
        client_id="calendar",
        secret="a secret that nobody sees",
    )

    method = SignInMethod.objects.get()
    assert (method.institution, method.issuer) == (lakeview, issuer.url)
    assert method.secret == "a secret that nobody sees"
    assert not method.is_active
    event = AuditEvent.objects.get(action=AuditEvent.Action.PROVIDER_CHANGED)
    assert (event.actor, event.registry_id) == ("ines@1003", "1003")
    ines.open(page_of(method))
    shown = ines.response.content.decode() + str(event.details)
    assert "a secret that nobody sees" not in shown
    assert f"/oauth2/login/oidc/{method.provider_id}" in ines.text


def test_a_secret_that_is_left_empty_stays(ines, method):
    ines.open(page_of(method))
    ines.press("Save", name="Renamed")

    stored = SignInMethod.objects.get()
    assert (stored.name, stored.secret) == ("Renamed", method.secret)


def test_issuer_institution_and_protocol_are_fixed_once_stored(ines, method):
    ines.open(page_of(method))

    for name in ("issuer", "institution", "kind"):
        assert ines.field(name) is None


@pytest.mark.parametrize(
    "issuer", ["http://issuer.example", "ftp://issuer.example", "issuer", "https://"]
)
def test_an_issuer_that_is_not_https_is_refused(ines, issuer):
    ines.open(f"{LIST}add/")
    ines.press("Save", name="x", issuer=issuer, client_id="calendar")

    assert "Enter an address that begins with https://." in ines.text
    assert not SignInMethod.objects.exists()


@pytest.mark.parametrize("page", ["change/", "try/", "delete/", "history/"])
def test_another_institutions_provider_is_out_of_reach(elsewhere, method, page):
    elsewhere.open(f"{LIST}{method.pk}/{page}")

    assert elsewhere.status in {404, 200}
    assert method.name not in elsewhere.text
    assert elsewhere.left_for == ""


def test_a_trial_shows_claims_and_the_account_and_makes_nothing(
    ines, method, issuer, rules
):
    method.is_active = False
    method.save()
    editor = Group.objects.get_or_create(name="editor")[0]
    RoleRule.objects.create(method=method, claim="groups", value="staff", group=editor)
    issuer.claims |= {"groups": ["staff"], "email": "ann@lakeview.example"}
    before = User.objects.count()

    ines.open(page_of(method))
    ines.follow("Try it")
    ines.open(issuer.back(ines.left_for))

    assert ines.heading == "The provider answered"
    for shown in ("ann-1", "ann", "Ann Arrives", "ann@lakeview.example", "editor", "staff"):
        assert shown in ines.text
    assert User.objects.count() == before
    assert not SocialAccount.objects.exists()
    ines.follow("Back to the provider")
    assert ines.status == 200
    assert AuditEvent.objects.filter(action=AuditEvent.Action.ARRIVAL_TRIED).exists()


def test_a_trial_shows_the_account_that_is_connected_already(
    ines, method, issuer, lakeview
):
    come_back(Visitor(), issuer, lakeview)
    User.objects.filter(username="ann").update(username="ann.of.old")

    ines.open(f"{LIST}{method.pk}/try/")
    ines.open(issuer.back(ines.left_for))

    assert "The account that it opens" in ines.text
    assert "ann.of.old" in ines.text


def test_a_trial_says_why_a_person_would_be_refused(ines, method, issuer, rules):
    rules.arrivals = SignInRules.Arrivals.NONE
    rules.save()

    ines.open(f"{LIST}{method.pk}/try/")
    ines.open(issuer.back(ines.left_for))

    assert "There is no account for you here yet." in ines.alert


def test_a_trial_that_was_cancelled_leads_back_to_the_provider_in_admin(
    ines, method, issuer
):
    ines.open(f"{LIST}{method.pk}/try/")
    ines.open(issuer.back(ines.left_for, code=None, error="access_denied"))

    assert ines.heading == "The trial did not work"
    assert "Choose another institution" not in ines.text
    ines.follow("Back to the provider")
    assert ines.url.endswith(page_of(method))


def test_a_trial_of_somebody_who_signed_out_shows_nothing(ines, method, issuer):
    ines.open(f"{LIST}{method.pk}/try/")
    address = issuer.back(ines.left_for)
    session = ines.client.session
    del session["_auth_user_id"]
    session.save()

    ines.open(address)

    assert ines.response["x-svc-Reason"] == "trip_unknown"
    assert "Ann Arrives" not in ines.text


def test_a_trial_is_shown_once_where_it_was_begun(
    ines, elsewhere, method, issuer, northgate
):
    other = factories.SignInMethodFactory(institution=northgate, issuer=issuer.url)
    ines.open(f"{LIST}{method.pk}/try/")
    answer = issuer.back(ines.left_for)

    for browser, address in (
        (elsewhere, answer),
        (Visitor(), answer),
        (ines, answer.replace(method.provider_id, other.provider_id)),
    ):
        browser.open(address)
        assert browser.response["x-svc-Reason"] == "trip_unknown"
        assert "Ann Arrives" not in browser.text
    again = issuer.back(trial(ines, method))
    assert ines.open(again).heading == "The provider answered"
    assert ines.open(again).response["x-svc-Reason"] == "trip_unknown"
    assert not SocialAccount.objects.exists()


def trial(browser, method):
    return browser.open(f"{LIST}{method.pk}/try/").left_for


def test_a_role_that_one_does_not_hold_cannot_be_mapped(ines, method):
    group = Group.objects.create(name="mighty")
    group.permissions.add(Permission.objects.get(codename="delete_auditevent"))
    kept = RoleRule.objects.create(method=method, claim="c", value="v", group=group)

    ines.open(page_of(method))
    assert "mighty" not in ines.text
    data = {
        **{name: ines.field(name).get("value") for name in ("name", "client_id", "scopes")},
        "role_rules-TOTAL_FORMS": "1",
        "role_rules-INITIAL_FORMS": "0",
        "role_rules-0-claim": "groups",
        "role_rules-0-value": "x",
        "role_rules-0-group": str(group.pk),
        "csrfmiddlewaretoken": ines.field("csrfmiddlewaretoken").get("value"),
    }
    ines.send(page_of(method), data)

    assert list(RoleRule.objects.all()) == [kept]


def test_a_provider_whose_accounts_exist_cannot_be_deleted(ines, method, issuer, lakeview):
    come_back(Visitor(), issuer, lakeview)

    ines.open(f"{LIST}{method.pk}/delete/")

    assert ines.status == 403


def test_passwords_are_not_switched_off_where_nothing_else_leads_in(ines, lakeview):
    ines.open("/admin/authserver/signinrules/add/")
    ines.press("Save", without=["passwords"], arrivals="make")

    assert "Without an active provider nobody could sign in." in ines.text
    assert not SignInRules.objects.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("requires_second_factor", "Requires a second factor: no → yes"),
        ("lets_people_delete_accounts", "Lets people delete their accounts: no → yes"),
    ],
)
def test_an_administrator_decides_for_the_institution(ines, lakeview, method, name, words):
    ines.open(f"/admin/authserver/signinrules/{lakeview.pk}/change/")
    ines.press("Save", **{name: "on"})

    lakeview.refresh_from_db()
    assert getattr(lakeview, name) is True
    event = AuditEvent.objects.get(action=AuditEvent.Action.INSTITUTION_CHANGED)
    assert (event.actor, event.registry_id) == ("ines@1003", "1003")
    assert event.details["values"] == [words]


def test_what_an_institution_decided_stays_until_it_is_changed(ines, lakeview):
    type(lakeview).objects.update(lets_people_delete_accounts=True)

    ines.open("/admin/authserver/signinrules/add/")
    ines.press("Save and continue editing", arrivals="make")
    ines.press("Save", arrivals="none")

    lakeview.refresh_from_db()
    assert lakeview.lets_people_delete_accounts is True
    assert SignInRules.objects.get().arrivals == "none"


def test_another_institution_decides_for_itself(ines, rules):
    other = factories.InstitutionFactory()
    theirs = factories.SignInRulesFactory(institution=other)

    ines.open(f"/admin/authserver/signinrules/{theirs.pk}/change/")

    assert "Requires a second factor" not in ines.text
    assert ines.url.endswith("/admin/")


def test_who_may_only_look_sees_what_an_institution_decided(lakeview, rules):
    type(lakeview).objects.update(requires_second_factor=True)
    auditor = factories.UserFactory(institution=None, is_staff=True)
    auditor.user_permissions.set(Permission.objects.filter(codename="view_signinrules"))
    browser = browser_of(auditor)

    browser.open(f"/admin/authserver/signinrules/{rules.pk}/change/")

    shown = browser.response.content.decode()
    assert "Requires a second factor" in shown
    assert [icon.get("alt") for icon in browser.page.xpath("//main//img")][1:] == [
        "True",
        "False",
    ]


def test_an_administrator_invites_to_the_provider(ines, method, lakeview):
    person = factories.UserFactory(username="ann.lee", institution=lakeview)

    ines.open("/admin/authserver/user/")
    ines.press("Go", action="connect_with_provider", _selected_action=str(person.pk))

    assert "/oauth2/login/invitation?token=" in ines.text
    event = AuditEvent.objects.get(action=AuditEvent.Action.INVITED)
    assert (event.actor, event.subject) == ("ines@1003", "ann.lee@1003")


def test_nobody_is_invited_to_an_account_with_more_rights(ines, method, lakeview):
    chief = factories.UserFactory(institution=lakeview)
    chief.user_permissions.add(Permission.objects.get(codename="delete_user"))

    ines.open("/admin/authserver/user/")
    ines.press("Go", action="connect_with_provider", _selected_action=str(chief.pk))

    assert "No link" in ines.text
    assert "token=" not in ines.text


def test_the_list_asks_as_much_of_the_database_however_long_it_is(
    ines, method, lakeview, django_assert_max_num_queries
):
    with django_assert_max_num_queries(30) as few:
        ines.open(LIST)
    for _ in range(10):
        factories.SignInMethodFactory(institution=lakeview)

    with django_assert_max_num_queries(len(few)):
        ines.open(LIST)


def test_the_secret_of_a_provider_is_moved_to_a_new_encryption_key(method, settings):
    old, new = settings.AUTHSERVER["ENCRYPTION_KEYS"][0], Fernet.generate_key().decode()
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [new, old]}

    call_command("reencrypt_secrets", verbosity=0)

    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [new]}
    assert SignInMethod.objects.get().secret == "provider secret of 32 bytes and more"


def test_a_secret_that_no_key_opens_stops_the_trip_in_words(
    visitor, method, lakeview, settings
):
    key = Fernet.generate_key().decode()
    settings.AUTHSERVER = {**settings.AUTHSERVER, "ENCRYPTION_KEYS": [key]}

    visitor.open(f"/oauth2/login/at/{method.provider_id}?institution=1003")

    assert (visitor.status, visitor.response["x-svc-Reason"]) == (502, "secret_unreadable")


def test_an_administrator_sets_up_a_saml_provider_by_its_metadata(ines, lakeview, issuer):
    issuer.answers = {"/saml": saml_provider.metadata().encode()}
    ines.open(f"{LIST}add/")
    ines.press(
        "Save",
        name="University account",
        kind="saml",
        issuer=saml_provider.ENTITY,
        metadata_url=f"{issuer.url}/saml",
    )

    method = SignInMethod.objects.get()
    assert method.metadata == saml_provider.metadata()
    assert method.metadata_fetched_at is not None
    ines.open(page_of(method))
    assert f"/oauth2/login/saml/{method.provider_id}/metadata" in ines.text


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"metadata": ""}, "This is no metadata"),
        ({"metadata": "<a/>"}, "of this entity ID"),
        ({"metadata": saml_provider.metadata(entity="x")}, "of this entity ID"),
        ({"metadata_url": "https://127.0.0.1:1/"}, "could not be fetched"),
        ({"metadata_url": "file:///etc/passwd"}, "could not be fetched"),
    ],
)
def test_a_saml_provider_without_fit_metadata_is_not_saved(ines, values, words):
    ines.open(f"{LIST}add/")
    ines.press("Save", name="x", kind="saml", issuer=saml_provider.ENTITY, **values)

    assert words in ines.text
    assert not SignInMethod.objects.exists()


def test_an_issuer_needs_a_client_identifier(ines, issuer):
    ines.open(f"{LIST}add/")
    ines.press("Save", name="x", issuer=issuer.url)

    assert "The issuer gives this server an identifier." in ines.text


def test_a_trial_of_a_saml_provider_shows_what_it_says(ines, lakeview, rules):
    method = factories.SignInMethodFactory(
        institution=lakeview,
        kind=SignInMethod.Kind.SAML,
        issuer=saml_provider.ENTITY,
        client_id="",
        metadata=saml_provider.metadata(),
    )
    ines.open(f"{LIST}{method.pk}/try/")

    answer = saml_provider.Answer(ines.left_for).sign()
    response = ines.client.post(
        f"/oauth2/login/saml/{method.provider_id}", {"SAMLResponse": answer.encoded()}
    )
    ines.open(response["Location"])

    assert ines.heading == "The provider answered"
    assert "nameid:ann-1" in ines.text
    assert not SocialAccount.objects.exists()
