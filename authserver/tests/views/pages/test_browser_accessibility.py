"""Every page: labels, headings, names, contrast and reflow, asked of Chromium itself.

With ``SCREENSHOTS=1`` the pages are also kept as pictures: light, dark and on a phone.
"""

import pytest

from authserver.models import Grant
from authserver.tests import factories
from authserver.tests.browser import follow, picture, press
from authserver.tests.links import NEW, link_in
from authserver.tests.views.pages.test_browser_journey import ask, choose_riverside, log_in

__all__ = ["ask"]  # a fixture, found here by name

pytestmark = [
    pytest.mark.processes,
    pytest.mark.nightly,
    pytest.mark.django_db(transaction=True),
]

SCREEN = {"width": 1280, "height": 720}
PHONE = {"width": 320, "height": 640}
# The phone is the last, so that it is a phone on which the test goes on.
LOOKS = {"light": ("light", SCREEN), "dark": ("dark", SCREEN), "phone": ("light", PHONE)}

# Returns what a person with a screen reader, weak eyes or a narrow screen would miss.
AUDIT = """
() => {
    const missing = [];
    const seen = (node) => node.checkVisibility({ visibilityProperty: true });
    const words = (node) => (node.textContent || node.value || "").trim();
    const say = (what, node) => missing.push(`${what}: ${node.outerHTML.slice(0, 120)}`);

    if (document.documentElement.lang !== "en") missing.push("language");
    if (!document.title.trim()) missing.push("title");
    if (document.querySelectorAll("h1").length !== 1) missing.push("one h1");
    if (document.querySelectorAll("main").length !== 1) missing.push("one main");
    let level = 0;
    for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
        if (Number(heading.tagName[1]) > level + 1) say("skipped level", heading);
        level = Number(heading.tagName[1]);
    }
    for (const field of document.querySelectorAll("input:not([type=hidden]), select")) {
        if (seen(field) && !(field.labels.length || field.ariaLabel)) say("label", field);
    }
    for (const control of document.querySelectorAll("button, a")) {
        if (seen(control) && !words(control)) say("name", control);
        const box = control.getBoundingClientRect();
        const inline = getComputedStyle(control).display === "inline";
        if (seen(control) && !inline && box.height && box.height < 24) say("size", control);
    }
    for (const image of document.querySelectorAll("img")) {
        if (!image.hasAttribute("alt")) say("alt", image);
    }
    const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
    if (new Set(ids).size !== ids.length) missing.push("unique ids");
    for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
        for (const node of document.querySelectorAll(`[${name}]`)) {
            const named = node.getAttribute(name).split(" ");
            if (!named.every((id) => document.getElementById(id))) say(name, node);
        }
    }
    if (document.documentElement.scrollWidth > window.innerWidth) missing.push("reflow");

    const rgb = (text) => text.match(/[0-9.]+/g).map(Number);
    const luminance = ([r, g, b]) =>
        [r, g, b]
            .map((c) => c / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const backdrop = (node) => {
        for (let at = node; at; at = at.parentElement) {
            const [r, g, b, a = 1] = rgb(getComputedStyle(at).backgroundColor);
            if (a > 0) return [r, g, b];
        }
        return [255, 255, 255];
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !seen(node)) continue;
        const colors = [rgb(getComputedStyle(node).color), backdrop(node)];
        const pair = colors.map(luminance);
        const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        if (ratio < 4.5) say(`contrast ${ratio.toFixed(2)}`, node);
    }
    return missing;
}
"""


@pytest.fixture
def look(new_page):
    """Return a page, and what audits and perhaps pictures it in every look."""
    page = new_page()

    def inspect(name):
        for look, (scheme, size) in LOOKS.items():
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            picture(page, f"{name}-{look}")
            assert page.evaluate(AUDIT) == [], f"{name}, {look}"

    return page, inspect


def test_the_pages_of_the_journey(look, ask, key, alice, riverside):
    page, inspect = look
    for number in range(30):
        institution = factories.InstitutionFactory(name=f"Academy {number:02}")
        factories.KeyInstitutionFactory(key=key, institution=institution)
    factories.ConsentFactory(
        user=alice, key=key, institution=riverside, scope="calendar_events"
    )

    page.goto(ask(at="", scope="calendar_events directory refresh_token"))
    inspect("institution")
    page.locator("#q").fill("nowhere at all")
    page.get_by_text("No institution matches").wait_for()
    inspect("institution-none")
    page.locator("#q").fill("riverside u")
    page.get_by_text("1 institution", exact=True).wait_for()
    page.get_by_label("Remember my choice").check()
    choose_riverside(page)
    inspect("login")
    log_in(page, password="wrong")
    inspect("login-failed")
    log_in(page)
    inspect("grant")

    page.goto(ask(at=""))
    page.get_by_text("Your last choice on this device").wait_for()
    inspect("institution-remembered")


def test_the_users_own_pages(look, live_server, ask, key, alice):
    page, inspect = look
    service = "calendar_events directory refresh_token"
    factories.RefreshTokenFactory(user=alice, application=key, scope=service)
    factories.AccessTokenFactory(
        user=alice, application__name="Reading Room", scope="calendar_events"
    )
    factories.AccessTokenFactory(
        user=alice, application__name="Old Room", application__status="canceled"
    )
    page.goto(ask())
    log_in(page)

    page.goto(f"{live_server.url}/oauth2/access")
    inspect("access")
    press(page, "Withdraw access of Reading Room")
    page.get_by_text("Reading Room can no longer act for you.").wait_for()
    inspect("access-withdrawn")
    follow(page, page.get_by_role("link", name="Change password"))
    inspect("password")
    page.get_by_label("Current password").fill("wrong")
    page.get_by_label("New password", exact=True).fill("12345678")
    page.get_by_label("New password (again)").fill("87654321")
    press(page, "Change the password")
    page.get_by_role("alert").wait_for()
    inspect("password-failed")
    page.goto(f"{live_server.url}/oauth2/logout")
    inspect("sign-out")
    press(page, "Sign out")
    inspect("signed-out")


def test_the_pages_of_refusals(look, live_server, ask, key):
    page, inspect = look
    url = ask()
    page.goto(url.replace("client_id=spa", "client_id=nobody&x=" + "y" * 300))
    inspect("refused")
    page.goto(f"{live_server.url}/oauth2/grant?request=nonsense")
    inspect("outdated")
    page.goto(f"{live_server.url}/oauth2/auth/nowhere")
    inspect("not-found")
    page.goto(url)
    page.context.clear_cookies()
    log_in(page)
    inspect("out-of-date")
    assert not Grant.objects.exists()


def test_the_page_of_too_many_attempts(look, ask, settings):
    page, inspect = look
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "1/900s/key"}
    page.goto(ask())
    log_in(page, password="wrong")
    log_in(page, password="wrong")

    page.get_by_role("heading", name="Too many attempts").wait_for()
    inspect("too-many")


def test_the_pages_of_a_forgotten_and_of_a_required_password(
    look, live_server, ask, key, alice, mailbox
):
    page, inspect = look
    type(alice).objects.update(email="alice@library.example", must_change_password=True)
    page.goto(ask())
    inspect("login-with-mail")
    log_in(page)
    inspect("password-required")
    page.goto(f"{live_server.url}/oauth2/password/forgotten?institution=1001")
    inspect("forgotten")
    page.get_by_label("Username or e-mail address").fill("alice")
    press(page, "Send the link")
    page.get_by_role("heading", name="Look into your mailbox").wait_for()
    inspect("asked")
    query = link_in(mailbox[0])
    page.goto(f"{live_server.url}{query}")
    inspect("new-password")
    page.get_by_label("New password", exact=True).fill("short")
    page.get_by_label("New password (again)").fill("short")
    press(page, "Set the password")
    page.get_by_role("alert").wait_for()
    inspect("new-password-failed")
    page.get_by_label("New password", exact=True).fill(NEW)
    page.get_by_label("New password (again)").fill(NEW)
    press(page, "Set the password")
    page.get_by_role("heading", name="Your password is set").wait_for()
    inspect("password-set")
    page.goto(f"{live_server.url}{query}")
    inspect("link-over")
