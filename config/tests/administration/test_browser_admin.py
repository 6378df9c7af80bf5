"""Every page of admin in Chromium: nothing that axe finds, and the keyboard is enough."""

import pytest
from django.contrib import admin
from django.urls import NoReverseMatch, reverse

from authserver.models import User
from authserver.tests import factories
from authserver.tests.axe import axe, violations
from authserver.tests.browser import follow
from calendar_events.models import Event
from config.tests.administration import pages
from config.tests.administration.conftest import Staff

__all__ = ["axe"]  # a fixture, found here by name

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
]

SCREEN = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
NO_PAGES = ("autocomplete", "export")


@pytest.fixture
def root(here, there):
    """A superuser; rows of every kind are there."""
    factories.RefusalCountFactory()
    return Staff(factories.UserFactory(administrator=True))


@pytest.fixture
def erin(staff, here):
    return staff("editor", at=here.institution, username="erin")


@pytest.fixture
def enter(live_server, chromium, settings):
    """Open a tab for somebody who is signed in: ``enter(root, color_scheme="dark")``."""
    contexts = []

    def enter(someone=None, viewport=SCREEN, **options):
        context = chromium.new_context(
            viewport=viewport, base_url=live_server.url, **options
        )
        contexts.append(context)
        if someone is not None:
            cookie = someone.client.cookies[settings.SESSION_COOKIE_NAME]
            where = {"name": cookie.key, "value": cookie.value, "url": live_server.url}
            context.add_cookies([where])
        return context.new_page()

    yield enter
    for context in contexts:
        context.close()


def addresses(someone, model):
    """Return the address of every page about the model that somebody may open, by name."""
    page = someone.get(pages.about(model))
    rows = page.context["cl"].result_list if page.status_code == 200 else []
    row = rows[0].pk if rows else 0
    found = {}
    for name in {url.name for url in admin.site.get_model_admin(model).get_urls()}:
        for arguments in ([], [row]):
            try:
                address = reverse(f"admin:{name}", args=arguments)
            except NoReverseMatch:
                continue
            is_page = not any(word in address for word in NO_PAGES)
            if is_page and someone.get(address).status_code == 200:
                found[name.removeprefix(f"{model._meta.app_label}_")] = address
    return found


def found_on(page, axe, paths):
    """Open the pages; return what axe finds, by address."""
    problems = {}
    for path in paths:
        page.goto(path)
        if wrong := violations(page, axe):
            problems[path] = wrong
    return problems


def menu(someone):
    """Return the models that somebody finds on the first page."""
    apps = someone.get(reverse("admin:index")).context["app_list"]
    return [model["model"] for app in apps for model in app["models"]]


@pytest.mark.nightly
@pytest.mark.parametrize(("who", "least"), [("root", 80), ("ines", 45), ("erin", 20)])
def test_axe_finds_nothing_on_any_page(request, enter, axe, who, least):
    someone = request.getfixturevalue(who)
    paths = [reverse("admin:index"), reverse("admin:password_change")]
    for model in menu(someone):
        about = addresses(someone, model)
        assert f"{model._meta.model_name}_changelist" in about
        paths += about.values()

    assert len(paths) >= least
    assert found_on(enter(someone), axe, paths) == {}


def test_what_is_typed_on_a_telephone_stays_in_view(enter, erin, here):
    page = enter(erin, viewport=PHONE)

    page.goto(pages.of(here.event))
    box = page.locator(".rich-text").bounding_box()

    assert box["x"] + box["width"] <= PHONE["width"]


LOOKS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": PHONE},
    "dark phone": {"viewport": PHONE, "color_scheme": "dark"},
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "look",
    [pytest.param(look, id=name) for name, look in LOOKS.items()],
)
def test_axe_finds_nothing_however_a_page_is_shown(enter, axe, root, here, look):
    page = enter(root, **look)
    paths = [
        reverse("admin:index"),
        *(pages.about(User), pages.about(Event, "add"), pages.of(here.person)),
        *(pages.of(here.key), pages.of(here.event, "history")),
        *(pages.of(here.consent, "history"), pages.of(here.venue, "delete")),
    ]
    problems = found_on(page, axe, paths)
    page.goto(pages.about(Event))
    page.locator("input.action-select").first.check()
    page.get_by_label("Action (at most 1,000 rows)").select_option("delete_selected")
    follow(page, page.get_by_role("button", name="Go"))
    problems["confirmation"] = violations(page, axe)
    page.get_by_role("button", name="Log out").click()
    page.wait_for_load_state()
    problems |= found_on(enter(**look), axe, [reverse("admin:login")])

    assert problems == {"confirmation": []}


@pytest.mark.nightly
def test_an_open_choice_has_names_too(enter, axe, root):
    page = enter(root)
    page.goto(pages.about(User, "add"))
    page.get_by_role("combobox", name="Institution").click()
    page.get_by_role("searchbox", name="Search").fill("North")
    page.get_by_role("option", name="Northgate").wait_for()

    assert violations(page, axe) == []


def tab_to(page, control):
    """Press Tab until the control has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if control.evaluate("node => node === document.activeElement"):
            return
    raise AssertionError("the keyboard does not get there")


def wait_for_focus(page, control):
    """Wait until the control has the focus, which scripts move when they come to it."""
    page.wait_for_function(
        "node => node === document.activeElement", arg=control.element_handle()
    )


def press_enter(page, control):
    """Go to a link or button by the keyboard, and where it leads."""
    tab_to(page, control)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_the_keyboard_is_enough_from_a_list_to_what_was_saved(enter, ines, here):
    page = enter(ines)
    page.goto(reverse("admin:index"))

    content = page.locator("#content")
    press_enter(page, content.get_by_role("link", name="Users", exact=True))
    press_enter(page, content.get_by_role("link", name=here.person.login, exact=True))
    tab_to(page, page.get_by_label("Full name"))
    page.keyboard.type("A Person")
    press_enter(page, page.get_by_role("button", name="Save", exact=True))

    assert "was changed successfully" in page.get_by_role("main").inner_text()
    here.person.refresh_from_db()
    assert here.person.full_name == "A Person"


def test_the_keyboard_is_enough_to_choose_an_institution(enter, root):
    page = enter(root)
    page.goto(pages.about(User, "add"))

    choice = page.get_by_role("combobox", name="Institution")
    tab_to(page, choice)
    page.keyboard.press("Enter")
    wait_for_focus(page, page.get_by_role("searchbox", name="Search"))
    page.keyboard.type("North")
    # Both were there before anything was typed.
    page.get_by_role("option", name="Riverside").wait_for(state="hidden")
    page.locator(".select2-results__option--highlighted", has_text="Northgate").wait_for()
    page.keyboard.press("Enter")
    wait_for_focus(page, choice)
    page.locator(".select2-selection__rendered", has_text="Northgate").wait_for()
    tab_to(page, page.get_by_label("Username"))
    page.keyboard.type("nora")
    for label in ("Password:", "Password confirmation:"):
        tab_to(page, page.get_by_label(label, exact=True))
        page.keyboard.type("correct horse battery staple")
    press_enter(page, page.get_by_role("button", name="Save", exact=True))

    assert "was added successfully" in page.get_by_role("main").inner_text()
    assert User.objects.filter(login="nora@1002").exists()
