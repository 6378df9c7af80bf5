"""Every page in Chromium: for all eyes and hands, on a telephone, and without scripts.

With ``SCREENSHOTS=1`` the pages are also kept as pictures: wide, dark and on a telephone.
"""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.test.signals import template_rendered
from django.urls import Resolver404, resolve

from authserver import urls
from authserver.tests.axe import axe, violations
from authserver.tests.browser import picture
from authserver.tests.federation.conftest import (
    issuer,
    lakeview,
    method,
    reaches_loopback,
    rules,
)
from authserver.tests.views.pages.shown import NO_PAGES, SHOWN, Walk
from authserver.tests.visitor import SITE

__all__ = ["axe", "issuer", "lakeview", "method", "reaches_loopback", "rules"]

WIDE = {"width": 1100, "height": 800}
PHONE = {"width": 320, "height": 640}
LOOKS = {"wide": ("light", WIDE), "dark": ("dark", WIDE), "phone": ("light", PHONE)}
TEMPLATES = Path(urls.__file__).parent / "templates" / "authserver"

# Whether a control is shown, may be used, and is not one of several that are one stop.
CONTROLS = """
() => {
    const all = [...document.querySelectorAll("a[href], button, input, select, summary")];
    const shown = all.filter((each) => !each.disabled && each.type !== "hidden"
        && each.checkVisibility({ visibilityProperty: true }));
    shown.forEach((each, number) => { each.dataset.number = number; });
    return shown.map((each) => each.outerHTML.slice(0, 160));
}
"""
# What has the focus, and whether a person sees that.
FOCUSED = """
() => {
    const { activeElement: on } = document;
    const style = getComputedStyle(on);
    const box = on.getBoundingClientRect();
    const isSeen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
        && box.bottom > 0 && box.top < innerHeight
        && box.right > 0 && box.left < innerWidth;
    return [on.dataset.number === undefined ? null : Number(on.dataset.number), isSeen];
}
"""
# Forms are sent nowhere: the test wants to know that the key would send them.
WATCH_FORMS = """
() => {
    for (const [number, form] of [...document.forms].entries()) {
        form.noValidate = true;
        form.dataset.form = number;
    }
    globalThis.sent = [];
    addEventListener("submit", (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
        globalThis.sent.push(event.target.dataset.form);
    }, { capture: true });
}
"""
IN_FORM = """
() => {
    const { activeElement: on } = document;
    const isSent = on.type === "submit"
        || on.matches("input:not([type=checkbox], [type=radio], [readonly])");
    return isSent && on.form ? on.form.dataset.form : null;
}
"""


def test_every_page_is_looked_at():
    extending = {
        file.name
        for file in TEMPLATES.glob("*.html")
        if "{% extends" in file.read_text() and file.name != "message.html"
    }
    names = {f"authserver:{page.name}" for page in urls.pages}
    names |= {page.name for page in urls.accounts}

    assert extending - {page.template for page in SHOWN.values()} == set()
    assert names - {page.route for page in SHOWN.values()} == set(NO_PAGES)


@pytest.fixture
def open_page(request, new_page, live_server, settings, visitor):
    """Walk to a page, and open it in a browser; return the tab."""
    rendered = set()

    def note(template, **more):
        rendered.add(template.name.rpartition("authserver/")[2])

    def open_in_browser(name, **options):
        page = SHOWN[name]
        walk = Walk(visitor, settings, request.getfixturevalue)
        finish = page.reach(walk)
        tab = new_page(base_url=live_server.url, viewport=WIDE, **options)
        cookies = visitor.client.cookies.values()
        tab.context.add_cookies(
            [
                {"name": each.key, "value": each.value, "url": live_server.url}
                for each in cookies
                if each.value
            ]
        )
        if page.template in STAYING:
            tab.route("**/*", stay_after_the_first())
        if walk.goes_by != "GET":
            tab.route("**/*", lambda route: route.continue_(method=walk.goes_by))
        tab.goto(visitor.url.removeprefix(SITE))
        if finish is not None:
            finish(tab)
        assert page.template in rendered
        assert route_of(tab.url) == page.route
        return tab

    template_rendered.connect(note)
    yield open_in_browser
    template_rendered.disconnect(note)


STAYING = {"leaving.html", "continue.html", "leave.html"}
"""Pages that go on by themselves before anybody can look at them."""


def stay_after_the_first():
    """Return what lets a tab open one page, send its forms, and stay there."""
    opened = []

    def handle(route):
        if not route.request.is_navigation_request() or route.request.method == "POST":
            route.continue_()
        elif opened:
            route.fulfill(status=204)
        else:
            opened.append(route.request.url)
            route.continue_()

    return handle


def route_of(url):
    try:
        return resolve(urlsplit(url).path).view_name
    except Resolver404:
        return ""


def unreached(tab):
    """Go through the page by the tabulator; return what it misses, and what is not seen."""
    controls = tab.evaluate(CONTROLS)
    tab.evaluate(WATCH_FORMS)
    tab.evaluate("document.activeElement.blur()")
    reached, unseen, sends = set(), set(), set()
    for _ in range(len(controls) + 2):
        tab.keyboard.press("Tab")
        number, is_seen = tab.evaluate(FOCUSED)
        if number is None:
            continue
        reached.add(number)
        if not is_seen:
            unseen.add(f"no focus is seen on {controls[number]}")
        if (form := tab.evaluate(IN_FORM)) is not None:
            tab.keyboard.press("Enter")
            sends.add(form)
    sent = set(tab.evaluate("sent"))
    return [
        *(f"out of reach: {c}" for n, c in enumerate(controls) if n not in reached),
        *sorted(unseen),
        *(f"Enter does not send form {form}" for form in sends - sent),
    ]


@pytest.mark.processes
@pytest.mark.nightly
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_is_clean_narrow_and_worked_by_the_keyboard(open_page, axe, name):
    tab = open_page(name)
    problems = {}

    for look, (scheme, size) in LOOKS.items():
        tab.emulate_media(color_scheme=scheme)
        tab.set_viewport_size(size)
        picture(tab, f"{name}-{look}")
        problems[look] = violations(tab, axe)

    assert {look: wrong for look, wrong in problems.items() if wrong} == {}
    assert unreached(tab) == []


# What a script alone can do: passkeys, and showing a password.
SCRIPTED = "[data-passkey] *, [data-reveals], noscript *"


@pytest.mark.processes
@pytest.mark.nightly
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_has_all_its_controls_without_scripts(open_page, name):
    tab = open_page(name, java_script_enabled=False)
    picture(tab, f"{name}-bare")
    controls = tab.locator("main").locator("a, button, input:not([type=hidden]), summary")

    hidden = [
        control.evaluate("node => node.outerHTML.slice(0, 160)")
        for control in controls.all()
        if not control.is_visible()
        and not control.evaluate(f"node => node.matches({SCRIPTED!r})")
    ]

    assert hidden == []
    assert tab.get_by_role("heading", level=1).count() == 1
