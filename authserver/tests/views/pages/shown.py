"""Every page of sign-in and account: how a person without scripts gets to it.

A function is a page, or a state of one that looks different. It walks a visitor there, and
may return what is still to be done in the browser: the answer to a form is a page, too.
"""

from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal import auth as recovery_codes
from allauth.mfa.totp.internal import auth as totp

from authserver.federation import invitations
from authserver.models import SignInRules
from authserver.tests import factories, openid
from authserver.tests.browser import press
from authserver.tests.links import NEW, ask, choose, link_in
from authserver.tests.passkeys import add_key
from authserver.tests.visitor import SITE, Visitor

PASSWORD = factories.PASSWORD
SHOWN = {}
NO_PAGES = {
    "authserver:leave": "a redirect to the provider",
    "authserver:saml-acs": "takes the provider's form, and redirects",
    "authserver:saml-finish": "shows what oidc-callback shows",
    "authserver:saml-metadata": "XML",
    "authserver:switch": "takes a form, and redirects",
    "authserver:finish": "a redirect to the application",
    "authserver:data": "a file",
    "account_login": "a redirect to the choice of institutions",
    "mfa_index": "another name of authserver:factors",
    "mfa_login_webauthn": "takes a form of the login page",
}
"""Routes that show no page of their own."""


@dataclass
class Walk:
    """Where a visitor is, and the fixtures that lead further by their names."""

    visitor: Any
    settings: Any
    use: Any
    goes_by: str = "GET"
    """What a browser asks the last address with."""

    def authserver(self, **changes):
        self.settings.AUTHSERVER = {**self.settings.AUTHSERVER, **changes}

    def request(self, key="key", **changes):
        """Come from an application."""
        self.use("alice")
        return self.visitor.open(self.use("address")(self.use(key), **changes))

    def sign_in(self):
        self.use("alice")
        self.visitor.open("/oauth2/login?institution=1001")
        return self.visitor.press("Sign in", username="alice", password=PASSWORD)

    def own(self, path):
        """Be signed in as alice, at one of her pages."""
        self.sign_in()
        return self.visitor.open(f"/oauth2/{path}")

    def go(self, url):
        """Let the browser be the first to open an address."""
        self.visitor.url = f"{SITE}{url}"


@dataclass(frozen=True)
class Shown:
    """A page: its template, the route it is shown at, and the way to it."""

    template: str
    route: str
    reach: Any


def shown(template, route):
    """Register how to reach a page."""

    def keep(reach):
        SHOWN[reach.__name__] = Shown(template, route, reach)
        return reach

    return keep


def many_institutions(walk):
    key = walk.use("key")
    for number in range(30):
        institution = factories.InstitutionFactory(name=f"Academy {number:02}")
        factories.KeyInstitutionFactory(key=key, institution=institution)


def app_of_alice(walk):
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(walk.use("alice"), secret)
    return secret


def passkey_of_alice(walk):
    walk.authserver(ISSUER="https://platform.example")
    walk.sign_in()
    add_key(walk.visitor)


# --- Institutions and signing in ----------------------------------------------------------


@shown("institution.html", "authserver:institution")
def choice_of_institutions(walk):
    many_institutions(walk)
    walk.request(at="")


@shown("institution.html", "authserver:institution")
def choice_without_a_match(walk):
    walk.request(at="")
    walk.go(f"{walk.visitor.url.removeprefix(SITE)}&q=nowhere+at+all")


@shown("institution.html", "authserver:institution")
def choice_that_is_remembered(walk):
    walk.request(at="")
    walk.visitor.press("institution=1001", remember="1")
    walk.request(at="")


@shown("login.html", "authserver:login")
def login_with_a_password(walk):
    walk.use("mailbox")
    walk.authserver(ISSUER="https://platform.example")  # which offers passkeys
    walk.request()


@shown("login.html", "authserver:login")
def login_with_several_ways(walk):
    method, rules = walk.use("method"), walk.use("rules")
    method.institution.name += " of the Arts and Applied Sciences at the Upper Lake"
    method.institution.save()
    rules.passwords = True
    rules.save()
    factories.SignInMethodFactory(
        institution=method.institution, name="Bibliotheksverwaltungsgesellschaftskonto"
    )
    walk.visitor.open("/oauth2/login?institution=1003")


@shown("login.html", "authserver:login")
def login_with_providers_alone(walk):
    method = walk.use("method")
    factories.SignInMethodFactory(institution=method.institution, name="Guest account")
    walk.visitor.open("/oauth2/login?institution=1003")


@shown("login.html", "authserver:login")
def login_that_failed(walk):
    walk.request()
    return lambda page: log_in(page, "wrong")


@shown("locked.html", "authserver:login")
def login_after_too_many_attempts(walk):
    walk.settings.ACCOUNT_RATE_LIMITS = {"login_failed": "1/900s/key"}
    walk.request()
    walk.visitor.press("Sign in", username="alice", password="wrong")
    return lambda page: log_in(page, "wrong")


def log_in(page, password):
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password", exact=True).fill(password)
    press(page, "Sign in")


# --- Identity providers -------------------------------------------------------------------


@shown("leaving.html", "authserver:login")
def login_with_one_way(walk):
    walk.use("method")
    walk.visitor.open("/oauth2/login?institution=1003")


@shown("invitation.html", "authserver:invitation")
def invitation(walk):
    method = walk.use("method")
    person = factories.UserFactory(username="ann.lee", institution=method.institution)
    token = invitations.make(person, method, by=person)
    walk.visitor.open(f"/oauth2/login/invitation?token={token}")


@shown("not_arrived.html", "authserver:oidc-callback")
def arrival_that_was_refused(walk):
    issuer, method = walk.use("issuer"), walk.use("method")
    SignInRules.objects.update(arrivals=SignInRules.Arrivals.NONE)
    walk.visitor.open(f"/oauth2/login/at/{method.provider_id}?institution=1003")
    walk.go(issuer.back(walk.visitor.left_for))


@shown("not_arrived.html", "authserver:oidc-callback")
def arrival_that_was_cancelled(walk):
    issuer, method = walk.use("issuer"), walk.use("method")
    factories.KeyInstitutionFactory(key=walk.use("key"), institution=method.institution)
    walk.request(at="1003")
    walk.go(issuer.back(walk.visitor.left_for, code=None, error="access_denied"))


@shown("not_arrived.html", "authserver:oidc-callback")
def trial_that_was_cancelled(walk):
    issuer, method = walk.use("issuer"), walk.use("method")
    walk.visitor.client.force_login(walk.use("administrator"))
    walk.visitor.open(f"/admin/authserver/signinmethod/{method.pk}/try/")
    walk.go(issuer.back(walk.visitor.left_for, code=None, error="access_denied"))


@shown("leave.html", "authserver:cancel")
def back_to_the_application(walk):
    arrival_that_was_cancelled(walk)
    return lambda page: press(page, "Back to Campus Planner")


@shown("tried.html", "authserver:oidc-callback")
def trial_in_admin(walk):
    issuer, method = walk.use("issuer"), walk.use("method")
    factories.RoleRuleFactory(method=method, value="staff")
    issuer.claims |= {
        "groups": ["staff", *(f"urn:mace:lakeview.example:{'x' * n}" for n in range(40))],
        "email": "ann@lakeview.example",
        "a_claim_with_a_name_that_is_much_longer_than_any_telephone": "yes",
    }
    walk.visitor.client.force_login(walk.use("administrator"))
    walk.visitor.open(f"/admin/authserver/signinmethod/{method.pk}/try/")
    walk.go(issuer.back(walk.visitor.left_for))


@shown("tried.html", "authserver:oidc-callback")
def trial_of_somebody_who_would_be_refused(walk):
    trial_in_admin(walk)
    SignInRules.objects.update(arrivals=SignInRules.Arrivals.NONE)


# --- Second factors -----------------------------------------------------------------------


@shown("second_factor.html", "mfa_authenticate")
def second_factor(walk):
    app_of_alice(walk)
    walk.request()
    walk.visitor.press("Sign in", username="alice", password=PASSWORD)


@shown("second_factor.html", "mfa_authenticate")
def second_factor_that_was_wrong(walk):
    second_factor(walk)

    def fill(page):
        page.get_by_label("Code").fill("000000")
        press(page, "Sign in")

    return fill


@shown("second_factor.html", "mfa_authenticate")
def second_factor_by_passkey(walk):
    passkey_of_alice(walk)
    walk.visitor.open("/oauth2/logout")
    walk.visitor.press("Sign out")
    walk.sign_in()


@shown("factors.html", "authserver:factors")
def factors_that_are_there(walk):
    passkey_of_alice(walk)
    app_of_alice(walk)
    recovery_codes.RecoveryCodes.activate(walk.use("alice"))
    walk.visitor.open("/oauth2/factors")


@shown("factors.html", "authserver:factors")
def factors_that_are_missing(walk):
    walk.use("riverside").requires_second_factor = True
    walk.use("riverside").save()
    walk.own("factors")


@shown("factor_codes.html", "mfa_activate_totp")
def app_to_set_up(walk):
    walk.own("factors/app")


@shown("factor_codes.html", "mfa_activate_totp")
def app_with_a_wrong_code(walk):
    walk.own("factors/app")

    def fill(page):
        page.get_by_label("Authenticator code").fill("000000")
        press(page, "Set it up")

    return fill


@shown("factor_remove.html", "mfa_deactivate_totp")
def app_to_remove(walk):
    walk.sign_in()
    app_of_alice(walk)
    walk.visitor.open("/oauth2/factors/app/remove")


@shown("recovery_codes.html", "mfa_view_recovery_codes")
def recovery_codes_that_are_there(walk):
    walk.sign_in()
    app_of_alice(walk)
    recovery_codes.RecoveryCodes.activate(walk.use("alice"))
    walk.visitor.open("/oauth2/factors/recovery")


@shown("recovery_codes_new.html", "mfa_generate_recovery_codes")
def recovery_codes_to_make(walk):
    walk.sign_in()
    app_of_alice(walk)
    walk.visitor.open("/oauth2/factors/recovery/new")


@shown("passkey.html", "mfa_add_webauthn")
def passkey_to_add(walk):
    walk.authserver(ISSUER="https://platform.example")
    walk.own("factors/passkey")


@shown("factor_remove.html", "mfa_remove_webauthn")
def passkey_to_remove(walk):
    passkey_of_alice(walk)
    row = Authenticator.objects.get(type=Authenticator.Type.WEBAUTHN)
    walk.visitor.open(f"/oauth2/factors/passkey/{row.pk}/remove")


# --- Fresh sign-in ------------------------------------------------------------------------


@shown("again.html", "account_reauthenticate")
def password_again(walk):
    walk.own("account/again?next=/oauth2/access")


@shown("again.html", "account_reauthenticate")
def password_again_that_was_wrong(walk):
    walk.own("account/again?next=/oauth2/access")

    def fill(page):
        page.get_by_label("Password", exact=True).fill("wrong")
        press(page, "Go on")

    return fill


@shown("again.html", "mfa_reauthenticate")
def code_again(walk):
    walk.sign_in()
    app_of_alice(walk)
    walk.visitor.open("/oauth2/account/again/code?next=/oauth2/access")


@shown("again.html", "mfa_reauthenticate_webauthn")
def passkey_again(walk):
    passkey_of_alice(walk)
    walk.visitor.open("/oauth2/account/again/passkey?next=/oauth2/access")


# --- My account ---------------------------------------------------------------------------


@shown("access.html", "authserver:access")
def my_account(walk):
    alice = walk.use("alice")
    walk.use("mailbox")
    alice.email = "alice.archer.of.riverside@students.department.riverside.example"
    alice.save()
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    for name in ("Reading Room", "Old Room"):
        key = factories.ServiceKeyFactory(
            name=name, status="canceled" if name == "Old Room" else "active"
        )
        factories.AccessTokenFactory(
            user=alice, application=key, scope="calendar_events directory refresh_token"
        )
    elsewhere = Visitor(HTTP_USER_AGENT="Mozilla/5.0 (Macintosh) Firefox/144.0")
    elsewhere.open("/oauth2/login?institution=1001")
    elsewhere.press("Sign in", username="alice", password=PASSWORD)
    walk.own("access")


@shown("access.html", "authserver:access")
def my_account_after_a_withdrawal(walk):
    my_account(walk)
    walk.visitor.press("Withdraw access of Reading Room")
    return lambda page: press(page, "Withdraw access of Old Room")


@shown("name.html", "authserver:name")
def name(walk):
    walk.own("access/name")


@shown("mail_address.html", "authserver:mail")
def mail_address(walk):
    walk.use("mailbox")
    walk.own("access/mail")


@shown("mail_address.html", "authserver:mail")
def mail_address_that_is_none(walk):
    walk.use("mailbox")
    walk.own("access/mail")

    def fill(page):
        page.get_by_role("textbox").fill("alice@nowhere")
        press(page, "Send the message")

    return fill


@shown("mail_confirm.html", "account_confirm_email")
def mail_address_to_confirm(walk):
    address = EmailAddress.objects.create(
        user=walk.use("alice"), email="alice@riverside.example"
    )
    walk.own(f"access/mail/confirm?key={EmailConfirmationHMAC(address).key}")


@shown("mail_confirm.html", "account_confirm_email")
def mail_link_that_is_over(walk):
    walk.own("access/mail/confirm?key=none")


@shown("password.html", "authserver:password")
def password_to_change(walk):
    walk.own("access/password")


@shown("password.html", "authserver:password")
def password_that_was_refused(walk):
    walk.own("access/password")

    def fill(page):
        page.get_by_label("Current password").fill("wrong")
        page.get_by_label("New password", exact=True).fill("12345678")
        page.get_by_label("New password (again)").fill("87654321")
        press(page, "Change the password")

    return fill


@shown("password.html", "authserver:password")
def password_that_must_be_changed(walk):
    type(walk.use("alice")).objects.update(must_change_password=True)
    walk.request()
    walk.visitor.press("Sign in", username="alice", password=PASSWORD)


@shown("delete_account.html", "authserver:delete")
def account_to_delete(walk):
    walk.use("riverside").lets_people_delete_accounts = True
    walk.use("riverside").save()
    walk.own("access/delete")


@shown("delete_account.html", "authserver:delete")
def account_whose_end_may_be_asked_for(walk):
    walk.own("access/delete")


@shown("account_deleted.html", "authserver:delete")
def account_that_was_deleted(walk):
    account_to_delete(walk)
    return lambda page: press(page, "Delete it")


# --- Password links and secrets -----------------------------------------------------------


@shown("forgotten.html", "authserver:forgotten")
def password_forgotten(walk):
    walk.use("mailbox"), walk.use("riverside")
    walk.visitor.open("/oauth2/password/forgotten?institution=1001")


@shown("asked.html", "authserver:asked")
def password_link_on_its_way(walk):
    walk.use("mailbox"), walk.use("riverside")
    ask(walk.visitor, "alice")


def link_of_alice(walk):
    mailbox, alice = walk.use("mailbox"), walk.use("alice")
    alice.email = "alice@riverside.example"
    alice.save()
    ask(walk.visitor, "alice")
    return link_in(mailbox.pop())


@shown("new_password.html", "authserver:new-password")
def password_to_choose(walk):
    walk.visitor.open(link_of_alice(walk))


@shown("new_password.html", "authserver:new-password")
def password_that_is_too_short(walk):
    walk.visitor.open(link_of_alice(walk))

    def fill(page):
        page.get_by_label("New password", exact=True).fill("short")
        page.get_by_label("New password (again)").fill("short")
        press(page, "Set the password")

    return fill


@shown("password_done.html", "authserver:password-done")
def password_that_is_set(walk):
    choose(walk.visitor, link_of_alice(walk), NEW)


@shown("link_over.html", "authserver:new-password")
def password_link_that_is_over(walk):
    link = link_of_alice(walk)
    choose(walk.visitor, link, NEW)
    walk.visitor.open(link)


@shown("secret.html", "authserver:secret")
def secret_that_waits(walk):
    key = factories.ServiceKeyFactory(name="Library Portal", secret="a secret")
    factories.SecretLinkFactory(key=key, token_text="opens")
    walk.visitor.open("/oauth2/secret?token=opens")


@shown("secret.html", "authserver:secret")
def secret_that_is_shown(walk):
    secret_that_waits(walk)
    return lambda page: press(page, "Show the secret")


@shown("secret_gone.html", "authserver:secret")
def secret_that_is_gone(walk):
    walk.visitor.open("/oauth2/secret?token=none")


# --- Allowing, going on, signing out ------------------------------------------------------


@shown("grant.html", "authserver:grant")
def grant(walk):
    factories.ConsentFactory(
        user=walk.use("alice"),
        key=walk.use("key"),
        institution=walk.use("riverside"),
        scope="calendar_events",
    )
    walk.request(scope="calendar_events directory refresh_token")
    walk.visitor.press("Sign in", username="alice", password=PASSWORD)


@shown("continue.html", "authserver:continue")
def consent_that_is_remembered(walk):
    factories.ConsentFactory(
        user=walk.use("alice"),
        key=walk.use("confidential_key"),
        institution=walk.use("riverside"),
        scope="calendar_events directory",
    )
    walk.request("confidential_key")
    walk.visitor.press("Sign in", username="alice", password=PASSWORD)


@shown("leave.html", "authserver:login")
def request_of_a_key_that_was_canceled(walk):
    walk.request()
    type(walk.use("key")).objects.update(status="canceled")
    walk.go(walk.visitor.url.removeprefix(SITE))


@shown("signed_out.html", "authserver:logout")
def sign_out(walk):
    walk.own("logout")


@shown("signed_out.html", "authserver:logout")
def signed_out(walk):
    walk.own("logout")
    walk.visitor.press("Sign out")


@shown("end_session.html", "authserver:end-session")
def sign_out_for_an_application(walk):
    openid.switch_on(walk.settings)
    walk.use("key")
    walk.own("end-session?client_id=spa")


@shown("end_session_error.html", "authserver:end-session")
def sign_out_for_nobody_known(walk):
    openid.switch_on(walk.settings)
    walk.own("end-session?client_id=nobody")


# --- Errors -------------------------------------------------------------------------------


@shown("error.html", "authserver:authorize")
def request_that_is_refused(walk):
    walk.request(client_id="nobody", redirect_uri="https://x.example/" + "y" * 300)


@shown("outdated.html", "authserver:grant")
def request_that_is_no_longer_open(walk):
    walk.visitor.open("/oauth2/grant?request=nonsense")


@shown("403_csrf.html", "authserver:login")
def form_that_is_out_of_date(walk):
    walk.request()

    def fill(page):
        page.context.clear_cookies()
        log_in(page, PASSWORD)

    return fill


@shown("405.html", "authserver:authorize")
def method_that_is_not_possible(walk):
    walk.goes_by = "POST"
    walk.go("/oauth2/auth")


@shown("429.html", "authserver:grant")
def too_many_requests(walk):
    walk.settings.PLATFORM_ERRORS = {
        **walk.settings.PLATFORM_ERRORS,
        "RATE_LIMITS": {"address": "1/minute"},
    }
    walk.visitor.open("/oauth2/grant?request=nonsense")


@shown("404.html", "")
def no_such_page(walk):
    walk.visitor.open("/oauth2/auth/nowhere")
