"""The journey in a real Chromium: clicks, keys, no scripts, and what the console says."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from authserver.models import Grant
from authserver.tests import factories
from authserver.tests.browser import follow, picture, press

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def ask(live_server, application, address, key, alice):
    """Return the address that an application sends its user to, on the live server."""

    def build(asking=key, **changes):
        url = address(asking, redirect_uri=application, **changes)
        return f"{live_server.url}{url}"

    return build


def answer(page):
    page.wait_for_url("http://127.0.0.1:*/callback?*")
    return {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}


def choose_riverside(page):
    follow(page, page.get_by_role("button", name="Riverside University"))


def log_in(page, password=factories.PASSWORD):
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password", exact=True).fill(password)
    press(page, "Sign in")


def test_institution_login_grant_and_back(new_page, ask):
    page = new_page()
    page.goto(ask(at=""))
    picture(page, "institution")

    choose_riverside(page)
    picture(page, "login")
    log_in(page)
    picture(page, "grant")
    press(page, "Allow")

    assert answer(page)["code"].startswith("auth_")
    assert answer(page)["state"] == "some state/&="


def test_denying_goes_back_too(new_page, ask):
    page = new_page()
    page.goto(ask())
    log_in(page)

    press(page, "Deny")

    assert answer(page)["error"] == "access_denied"


def test_unticking_narrows(new_page, ask):
    page = new_page()
    page.goto(ask())
    log_in(page)

    page.get_by_label("Directory").uncheck()
    press(page, "Allow")
    answer(page)

    assert Grant.objects.get().scope == "calendar_events"


def test_results_that_arrive_late_leave_the_focus_where_it_is(new_page, ask):
    page = new_page()
    page.goto(ask(at=""))
    page.keyboard.type("river")
    page.get_by_text("1 institution", exact=True).wait_for()
    choice = page.get_by_role("button", name="Riverside University")
    choice.focus()

    with page.expect_response(lambda response: "q=river" in response.url):
        page.locator("#q").dispatch_event("input")
    page.wait_for_timeout(200)

    expect(choice).to_be_focused()


def test_the_keyboard_alone_is_enough(new_page, ask):
    page = new_page()
    page.goto(ask(at=""))

    # The search has the focus; what is typed narrows the list, the arrow enters it.
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("river")
    page.get_by_text("1 institution", exact=True).wait_for()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Riverside University")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#username")).to_be_focused()
    page.keyboard.type("alice")
    page.keyboard.press("Tab")
    page.keyboard.type(factories.PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Allow Campus Planner").wait_for()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "allow":
            break
    expect(page.get_by_role("button", name="Allow", exact=True)).to_be_focused()
    page.keyboard.press("Enter")

    assert answer(page)["code"].startswith("auth_")


def test_without_scripts_everything_works(new_page, ask):
    page = new_page(java_script_enabled=False)
    page.goto(ask(at=""))

    page.get_by_label("Name, place, code or identifier").fill("northgate")
    press(page, "Search")
    assert page.get_by_role("button", name="Riverside University").count() == 0
    page.get_by_label("Name, place, code or identifier").fill("1001")
    page.keyboard.press("Enter")
    choose_riverside(page)
    assert page.get_by_role("button", name="Show").count() == 0
    log_in(page)
    press(page, "Allow")

    assert answer(page)["code"].startswith("auth_")


def test_the_list_narrows_while_one_types_and_the_arrows_move_in_it(
    new_page, ask, northgate
):
    page = new_page()
    page.goto(ask(at=""))
    page.get_by_label("Remember my choice on this device").uncheck()

    page.locator("#q").press_sequentially("NGATE")
    page.get_by_text("1 institution", exact=True).wait_for()

    expect(page.get_by_role("button", name="Northgate")).to_have_count(1)
    expect(page.get_by_role("button", name="Riverside")).to_have_count(0)
    assert page.get_by_label("Remember my choice on this device").is_checked() is False
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("nowhere")
    page.get_by_text("No institution matches “nowhere”").wait_for()
    picture(page, "institution-none")


def test_a_failed_login_is_announced_and_puts_the_focus_on_the_password(new_page, ask):
    page = new_page()
    page.goto(ask())
    expect(page.locator("#username")).to_be_focused()

    log_in(page, password="wrong")

    assert "not right" in page.get_by_role("alert").inner_text()
    expect(page.locator("#password")).to_be_focused()
    assert page.get_by_label("Username").input_value() == "alice"
    picture(page, "login-failed")


def test_the_password_can_be_shown_and_is_hidden_again_before_it_is_sent(new_page, ask):
    page = new_page()
    page.goto(ask())
    password = page.locator("#password")
    password.fill("something")

    page.get_by_role("button", name="Show the password").click()
    expect(password).to_have_attribute("type", "text")
    expect(page.locator("#password")).to_be_focused()
    page.get_by_role("button", name="Hide the password").click()

    expect(password).to_have_attribute("type", "password")


def test_a_double_click_sends_one_answer(new_page, ask):
    page = new_page()
    page.goto(ask())
    log_in(page)

    page.get_by_role("button", name="Allow", exact=True).dblclick()

    assert answer(page)["code"].startswith("auth_")
    assert Grant.objects.count() == 1


def test_going_back_after_the_answer_shows_a_friendly_page(new_page, ask):
    page = new_page()
    page.goto(ask())
    log_in(page)
    press(page, "Allow")
    answer(page)

    page.go_back()

    page.get_by_role("heading", name="This request is no longer open").wait_for()


def test_a_remembered_consent_goes_on_by_itself_after_the_login(
    new_page, ask, confidential_key, alice, riverside
):
    # A form led to the login page's redirect: its policy would block a direct one.
    factories.ConsentFactory(
        user=alice,
        key=confidential_key,
        institution=riverside,
        scope="calendar_events directory",
    )
    page = new_page()
    page.goto(ask(confidential_key))

    log_in(page)

    assert answer(page)["code"].startswith("auth_")


def test_a_key_canceled_during_the_login_still_brings_the_user_back(new_page, ask, key):
    page = new_page()
    page.goto(ask())
    key.status = key.Status.CANCELED
    key.save()

    log_in(page)

    assert answer(page)["error"] == "invalid_client_id"
