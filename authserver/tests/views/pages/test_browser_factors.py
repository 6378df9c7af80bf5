"""Second factors in a real Chromium, whose virtual authenticator holds the passkeys."""

import pytest

from authserver.models import AuditEvent
from authserver.tests import factories
from authserver.tests.browser import follow, press
from authserver.tests.codes import code_of
from authserver.tests.views.pages.test_browser_journey import ask, log_in

__all__ = ["ask"]  # a fixture, found here by name

pytestmark = [
    pytest.mark.processes,
    pytest.mark.nightly,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def device(new_page, live_server, settings):
    """A page in a browser with a device that knows its owner by a finger."""
    settings.AUTHSERVER = {
        **settings.AUTHSERVER,
        "ISSUER": live_server.url,
        "FRESH_SIGN_IN_SECONDS": 900,
    }
    page = new_page()
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    return page


def link(page, name):
    follow(page, page.get_by_role("link", name=name))


def test_an_app_and_a_passkey_are_set_up_and_sign_in(device, live_server, alice, key, ask):
    page = device
    page.goto(f"{live_server.url}/oauth2/login?institution=1001")
    log_in(page)
    page.goto(f"{live_server.url}/oauth2/factors")
    link(page, "Set up an app")
    page.get_by_text("The picture cannot be scanned").click()
    secret = page.locator("details code").inner_text()
    page.get_by_label("Authenticator code").fill(code_of(secret))
    press(page, "Set it up")
    page.get_by_role("heading", name="Recovery codes").wait_for()
    link(page, "I have kept them")
    link(page, "Add a passkey")
    page.get_by_label("Name").fill("Laptop")
    press(page, "Add a passkey")
    page.get_by_text("Laptop").first.wait_for()
    page.context.clear_cookies()

    # As the second factor, and the request of an application goes on.
    page.goto(ask())
    log_in(page)
    page.get_by_role("heading", name="Second factor").wait_for()
    press(page, "Use a passkey")
    page.get_by_role("heading", name="Allow").wait_for()
    page.context.clear_cookies()

    # As the only one.
    page.goto(ask())
    press(page, "Sign in with a passkey")
    page.get_by_role("heading", name="Allow").wait_for()
    logins = AuditEvent.objects.filter(action="login_succeeded", subject="alice@1001")
    assert logins.count() == 3


def test_a_passkey_of_another_institution_does_not_serve_the_request(
    device, live_server, northgate, riverside, key, ask
):
    page = device
    factories.UserFactory(username="nora", institution=northgate)
    page.goto(f"{live_server.url}/oauth2/login?institution=1002")
    page.get_by_label("Username").fill("nora")
    page.get_by_label("Password", exact=True).fill(factories.PASSWORD)
    press(page, "Sign in")
    page.goto(f"{live_server.url}/oauth2/factors/passkey")
    press(page, "Add a passkey")
    page.context.clear_cookies()

    page.goto(ask())
    press(page, "Sign in with a passkey")

    page.get_by_role("heading", name="Sign in").wait_for()
    assert "1001" in page.locator("main").inner_text()


def test_a_fresh_sign_in_by_passkey(device, live_server, alice, settings):
    page = device
    page.goto(f"{live_server.url}/oauth2/login?institution=1001")
    log_in(page)
    page.goto(f"{live_server.url}/oauth2/factors/passkey")
    press(page, "Add a passkey")
    page.get_by_role("heading", name="Recovery codes").wait_for()
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FRESH_SIGN_IN_SECONDS": 1}

    page.wait_for_timeout(2000)
    page.goto(f"{live_server.url}/oauth2/factors/app")
    page.get_by_role("heading", name="Is it still you?").wait_for()
    settings.AUTHSERVER = {**settings.AUTHSERVER, "FRESH_SIGN_IN_SECONDS": 900}
    link(page, "Use a passkey")
    press(page, "Use a passkey")

    page.get_by_role("heading", name="Set up an authenticator app").wait_for()
