"""The rich-text editor of descriptions: what it allows, and what it writes."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from lxml import html

from calendar_events.models import Event, Organizer, Venue
from calendar_events.parsing import text
from calendar_events.tests.admin.test_desk import desk_of, url
from calendar_events.tests.factories import EventFactory, UserFactory

VENDORED = "calendar_events/vendor/squire-2.4.8.js"
SHA256 = "eb02e4b6d8be703e8e1f27114c811e528b3ff88d29ccb50f302b4da984278a7d"
HOSTILE = (
    '<p onclick="x()" style="color:red" id="i">Words <strong>bold</strong></p>'
    "<script>x()</script><svg><circle/></svg><iframe src='/'></iframe>"
    '<p><a href="javascript:x()">bad</a> <a href="https://x.example/">good</a></p>'
    '<form action="/x"><input name="y"><p>kept</p></form><img src="data:x" alt="A">'
)


def test_the_editor_is_the_file_that_was_chosen():
    content = Path(finders.find(VENDORED)).read_bytes()

    assert hashlib.sha256(content).hexdigest() == SHA256
    assert (
        b"MIT License"
        in Path(finders.find(VENDORED.replace(".js", ".LICENSE.txt"))).read_bytes()
    )


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Event, Venue, Organizer])
def test_what_the_editor_allows_is_what_the_sanitiser_keeps(model):
    page = desk_of(is_superuser=True).get(url(model, "add"))

    area = html.fromstring(page.content).get_element_by_id("id_description")
    allowed = json.loads(area.get("data-rich-text"))

    assert area.tag == "textarea"  # without scripts it is one
    assert set(allowed["tags"]) == text.ALLOWED_TAGS
    assert {
        tag: set(names) for tag, names in allowed["attributes"].items()
    } == text.ALLOWED_ATTRIBUTES
    assert set(allowed["schemes"]) == text.ALLOWED_SCHEMES
    assert VENDORED.rpartition("/")[2].removesuffix(".js") in page.content.decode()


@pytest.fixture
def form(transactional_db, new_page, live_server):
    """Open the form of an event in a browser; return the page."""

    def go(record, page=None):
        user = UserFactory(is_staff=True, is_superuser=True)
        client = Client()
        client.force_login(user)
        page = page or new_page()
        name = settings.SESSION_COOKIE_NAME
        cookie = {"name": name, "value": client.cookies[name].value}
        page.context.add_cookies([cookie | {"url": live_server.url}])
        page.goto(f"{live_server.url}{url(Event, 'change', record.pk)}")
        return page

    return go


def stored(record):
    return Event.objects.get(pk=record.pk).description


def save(page):
    page.click("input[name=_continue]")
    page.wait_for_load_state()
    assert "was changed successfully" in page.locator(".messagelist").inner_text()


@pytest.mark.processes
def test_words_are_formatted_with_keys_and_buttons_and_stored(form):
    record = EventFactory(description="<p>Old</p>")
    page = form(record)
    editor = page.get_by_role("textbox", name="Description")

    editor.press("Control+a")
    page.get_by_role("button", name="Bold").click()
    pressed = page.get_by_role("button", name="Bold").get_attribute("aria-pressed")
    editor.press("Control+End")
    editor.press("Enter")
    editor.type("One")
    page.get_by_role("button", name="List").click()
    save(page)

    assert pressed == "true"
    assert stored(record).startswith("<p><b>Old</b></p><ul><li>")
    assert "One" in stored(record)


@pytest.mark.processes
def test_hostile_html_never_reaches_the_page_or_the_database(form, chromium):
    record = EventFactory()
    # A page whose console may say that the policy refused the handlers, too.
    context = chromium.new_context()
    page = form(record, context.new_page())
    page.get_by_role("button", name="HTML").click()
    page.locator("#id_description").fill(HOSTILE)
    page.get_by_role("button", name="HTML").click()

    shown = page.locator(".rich-text").inner_html()
    save(page)

    for markup in (shown, stored(record)):
        assert not re.search(r"script|svg|iframe|form|onclick|style|id=|data:", markup)
        assert 'href="https://x.example/"' in markup
        assert "kept" in markup
    context.close()


@pytest.mark.processes
def test_what_nobody_touches_stays_as_it_is(form):
    description = "<table><tbody><tr><td><em>x</em></td></tr></tbody></table>"
    record = EventFactory(description=description)
    page = form(record)

    page.fill("#id_title", "Another title")
    save(page)

    assert stored(record) == description
