"""Who arrives from an institution's issuer, through HTTP."""

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group
from django.core import signing
from django.core.exceptions import ValidationError

from authserver.federation import invitations
from authserver.models import AuditEvent, RoleRule, SignInRules, User
from authserver.tests import factories
from authserver.tests.federation.conftest import come_back, leave
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.both_databases
Action = AuditEvent.Action


def test_a_person_who_arrives_for_the_first_time_gets_an_account(
    visitor, issuer, method, lakeview
):
    come_back(visitor, issuer, lakeview)

    assert visitor.heading == "My account"
    ann = User.objects.get(login="ann@1003")
    assert (ann.full_name, ann.has_usable_password()) == ("Ann Arrives", False)
    assert SocialAccount.objects.get(user=ann).uid == "ann-1"
    assert [
        (event.action, event.subject) for event in AuditEvent.objects.order_by("pk")
    ] == [(Action.ACCOUNT_MADE, "ann@1003"), (Action.LOGIN_SUCCEEDED, "ann@1003")]


def test_the_account_and_its_principal_stay_the_same_whatever_else_is_claimed(
    visitor, issuer, method, lakeview
):
    come_back(visitor, issuer, lakeview)
    before = User.objects.get(login="ann@1003")
    issuer.claims = {
        **issuer.claims,
        "preferred_username": "anna",
        "name": "Anna Renamed",
        "email": "anna@lakeview.example",
    }

    come_back(Visitor(), issuer, lakeview)

    after = User.objects.get()
    assert (after.pk, after.principal_id, after.principal_namespace) == (
        before.pk,
        before.principal_id,
        before.principal_namespace,
    )
    assert (after.username, after.full_name, after.email) == (
        "ann",
        "Anna Renamed",
        "anna@lakeview.example",
    )


def test_claims_that_are_not_stored_are_not_stored(visitor, issuer, method, lakeview):
    issuer.claims |= {"birthdate": "2000-01-01"}

    come_back(visitor, issuer, lakeview)

    assert SocialAccount.objects.get().extra_data == {}


@pytest.mark.parametrize(
    ("claims", "username"),
    [
        ({"preferred_username": "ANN"}, "ann"),
        ({"preferred_username": None}, "person-"),
        ({"preferred_username": "ann lee"}, "person-"),
        ({"preferred_username": "a" * 151}, "person-"),
        ({"preferred_username": "a\x00b"}, "a\N{REPLACEMENT CHARACTER}b"),
        ({"preferred_username": ["first", "second"]}, "first"),
        ({"preferred_username": {"nested": "x"}}, "person-"),
    ],
)
def test_any_claimed_username_makes_an_account(
    visitor, issuer, method, lakeview, claims, username
):
    issuer.claims |= claims

    come_back(visitor, issuer, lakeview)

    assert visitor.heading == "My account"
    assert User.objects.get().username.startswith(username)


@pytest.mark.parametrize(
    ("claims", "email"),
    [
        ({"email": "ann@lakeview.example"}, "ann@lakeview.example"),
        ({"email": "ann@lakeview.example", "email_verified": True}, "ann@lakeview.example"),
        ({"email": "ann@lakeview.example", "email_verified": False}, ""),
        ({"email": "no address"}, ""),
        ({"email": f"{'a' * 60}@{'b' * 60}.{'c' * 60}.{'d' * 60}.{'e' * 60}.example"}, ""),
    ],
)
def test_a_mail_address_is_taken_over_if_nothing_speaks_against_it(
    visitor, issuer, method, lakeview, claims, email
):
    issuer.claims |= claims

    come_back(visitor, issuer, lakeview)

    assert User.objects.get().email == email


def test_roles_follow_the_claims_and_others_stay(visitor, issuer, method, lakeview):
    editor, author, reader = (
        Group.objects.get_or_create(name=name)[0] for name in ("editor", "author", "reader")
    )
    for value, group in (("staff", editor), ("student", author)):
        RoleRule.objects.create(method=method, claim="groups", value=value, group=group)
    issuer.claims |= {"groups": ["staff", "chess"]}
    come_back(visitor, issuer, lakeview)
    ann = User.objects.get()
    assert set(ann.groups.all()) == {editor}
    ann.groups.add(reader)
    issuer.claims |= {"groups": ["student"]}

    come_back(Visitor(), issuer, lakeview)

    assert set(ann.groups.all()) == {author, reader}
    changed = AuditEvent.objects.filter(action=Action.ACCOUNT_CHANGED).latest("pk")
    assert (changed.details["given"], changed.details["taken"]) == (["author"], ["editor"])


def test_nested_claims_give_roles_by_their_path(visitor, issuer, method, lakeview):
    editor = Group.objects.get_or_create(name="editor")[0]
    claim = "realm_access.roles"
    RoleRule.objects.create(method=method, claim=claim, value="events", group=editor)
    issuer.claims |= {"realm_access": {"roles": ["events"]}}

    come_back(visitor, issuer, lakeview)

    assert set(User.objects.get().groups.all()) == {editor}


def test_who_lacks_a_required_claim_is_refused(visitor, issuer, method, lakeview):
    method.required_claims = "hd = lakeview.example"
    method.save()

    come_back(visitor, issuer, lakeview)

    assert (visitor.status, visitor.heading) == (403, "You are not signed in")
    assert visitor.response["x-svc-Reason"] == "claims_missing"
    assert not User.objects.exists()
    refused = AuditEvent.objects.get(action=Action.ARRIVAL_REFUSED)
    assert (refused.registry_id, refused.reason) == ("1003", "claims_missing")
    issuer.claims |= {"hd": "lakeview.example"}
    assert come_back(Visitor(), issuer, lakeview).heading == "My account"


def test_a_long_line_that_requires_nothing_costs_no_more_than_its_length(method):
    method.required_claims = "a" + " " * 1_000_000 + "b"

    with pytest.raises(ValidationError):
        method.clean()


@pytest.mark.parametrize("arrivals", ["invited", "none"])
def test_nobody_new_comes_in_where_the_institution_makes_no_accounts(
    visitor, issuer, method, lakeview, rules, arrivals
):
    rules.arrivals = arrivals
    rules.save()

    come_back(visitor, issuer, lakeview)

    assert visitor.response["x-svc-Reason"] == "account_unknown"
    assert not User.objects.exists()


def test_a_username_that_is_taken_opens_no_account(visitor, issuer, method, lakeview):
    factories.UserFactory(username="ann", institution=lakeview)

    come_back(visitor, issuer, lakeview)

    assert visitor.response["x-svc-Reason"] == "username_taken"
    assert not SocialAccount.objects.exists()


def test_a_mail_address_opens_no_account(visitor, issuer, method, lakeview):
    other = factories.UserFactory(institution=lakeview, email="ann@lakeview.example")
    issuer.claims |= {"email": "ann@lakeview.example", "email_verified": True}

    come_back(visitor, issuer, lakeview)

    assert SocialAccount.objects.get().user != other


def invitation(account, method, *, by):
    token = invitations.make(account, method, by=by)
    return f"/oauth2/login/invitation?token={token}"


def test_an_invitation_connects_an_account_once(visitor, issuer, method, lakeview, rules):
    rules.arrivals = SignInRules.Arrivals.INVITED
    rules.save()
    account = factories.UserFactory(username="ann.lee", institution=lakeview)
    page = invitation(account, method, by=account)

    visitor.open(page)
    assert "ann.lee" in visitor.text
    visitor.follow("Sign in and connect")
    visitor.open(issuer.back(visitor.left_for))

    assert visitor.heading == "My account"
    assert SocialAccount.objects.get().user == account
    assert AuditEvent.objects.filter(
        action=Action.ACCOUNT_CONNECTED, subject="ann.lee@1003"
    ).exists()
    assert come_back(Visitor(), issuer, lakeview).heading == "My account"
    again = Visitor().open(page)
    assert (again.status, again.response["x-svc-Reason"]) == (410, "invitation_over")


def test_an_invitation_that_was_used_meanwhile_connects_nobody_else(
    visitor, issuer, method, lakeview
):
    account = factories.UserFactory(institution=lakeview)
    page = invitation(account, method, by=account)
    second = Visitor().open(page)
    second.follow("Sign in and connect")
    visitor.open(page)
    visitor.follow("Sign in and connect")
    visitor.open(issuer.back(visitor.left_for))
    issuer.claims |= {"sub": "mallory"}

    second.open(issuer.back(second.left_for))

    assert second.response["x-svc-Reason"] == "invitation_over"
    assert SocialAccount.objects.get().uid == "ann-1"


def more_rights(account, inviter):
    User.objects.filter(pk=account.pk).update(is_staff=True)


def inviter_disabled(account, inviter):
    User.objects.filter(pk=inviter.pk).update(is_active=False)


@pytest.mark.parametrize("change", [more_rights, inviter_disabled])
def test_an_invitation_ends_once_its_account_may_do_more_than_who_invited(
    visitor, method, lakeview, change
):
    account, inviter = factories.UserFactory.create_batch(2, institution=lakeview)
    page = invitation(account, method, by=inviter)
    assert visitor.open(page).heading == "Connect your account"

    change(account, inviter)

    assert visitor.open(page).response["x-svc-Reason"] == "invitation_over"


def test_an_invitation_that_does_not_say_who_invited_is_over(visitor, method, lakeview):
    account = factories.UserFactory(institution=lakeview)
    former = [account.pk, method.pk, account.login]

    token = signing.dumps(former, salt="authserver.federation.invitation")

    answer = visitor.open(f"/oauth2/login/invitation?token={token}")
    assert (answer.status, answer.response["x-svc-Reason"]) == (410, "invitation_over")


def test_nobody_is_led_past_the_page_of_an_invitation(visitor, issuer, method, lakeview):
    account = factories.UserFactory(username="ann.lee", institution=lakeview)
    page = invitation(account, method, by=account)
    attacker = Visitor().open(page)
    (foreign,) = attacker.page.xpath("//a[contains(., 'Sign in and connect')]/@href")

    for address in (f"{page}&go=1", f"{page}&go=", f"{page}&go=None", foreign):
        visitor.open(address)
        assert visitor.heading == "Connect your account"
        assert not visitor.left_for
    visitor.follow("Sign in and connect")
    assert visitor.left_for


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "\x00", "x" * 5000])
def test_a_made_up_invitation_is_refused_in_words(visitor, token):
    response = visitor.client.get("/oauth2/login/invitation", {"token": token})

    assert response.status_code == 410


def test_an_account_that_moved_is_not_reached_by_its_old_institution(
    visitor, issuer, method, lakeview, northgate
):
    come_back(visitor, issuer, lakeview)
    ann = User.objects.get()
    ann.institution = northgate
    ann.save()

    come_back(Visitor(), issuer, lakeview)
    stranger = come_back(Visitor(), issuer, lakeview)

    assert stranger.response["x-svc-Reason"] == "account_moved"


def test_a_disabled_account_stays_out(visitor, issuer, method, lakeview):
    come_back(visitor, issuer, lakeview)
    User.objects.update(is_active=False)

    stranger = come_back(Visitor(), issuer, lakeview)

    assert stranger.response["x-svc-Reason"] == "account_disabled"


def test_the_session_is_for_the_providers_institution_alone(
    visitor, issuer, method, lakeview, northgate
):
    come_back(visitor, issuer, lakeview)

    visitor.open("/oauth2/login?institution=1002")

    assert visitor.heading == "Sign in"
    assert "Northgate" in visitor.text


def test_a_provider_that_is_switched_off_during_the_trip_signs_nobody_in(
    visitor, issuer, method, lakeview
):
    location = leave(visitor, lakeview)
    method.is_active = False
    method.save()

    visitor.open(issuer.back(location))

    assert visitor.response["x-svc-Reason"] == "provider_misconfigured"
    assert not User.objects.exists()


def test_a_long_subject_finds_its_own_account(visitor, issuer, method, lakeview):
    for end in "ab":
        issuer.claims |= {"sub": "s" * 250 + end, "preferred_username": end}
        come_back(Visitor(), issuer, lakeview)
        come_back(Visitor(), issuer, lakeview)

    assert SocialAccount.objects.count() == User.objects.count() == 2


@pytest.mark.parametrize("subject", ["", " ", "s" * 301, "a\x00b", "a\nb", 5, None, ["a"]])
def test_a_subject_that_is_none_is_refused(visitor, issuer, method, lakeview, subject):
    issuer.claims |= {"sub": subject}

    come_back(visitor, issuer, lakeview)

    assert visitor.status == 403
    assert not User.objects.exists()
