"""The documentation page in a real browser, under the policy that the server sends."""

import pytest

pytestmark = pytest.mark.processes


def test_the_interface_can_be_tried_without_filling_in_anything(server, new_page):
    tab = new_page()
    tab.goto(f"{server.url}/platform/events/v1/doc/swagger")
    tab.get_by_text("List events", exact=True).click()
    tab.get_by_role("button", name="Try it out").click()

    tab.get_by_role("button", name="Execute").click()

    tab.locator(".live-responses-table", has_text="Yoga for everybody").wait_for()


def test_only_styles_are_loosened_for_it(server):
    page = server.http.get("/platform/events/v1/doc/swagger")

    policy = page.headers["Content-Security-Policy"]

    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["style-src"] == "'self' 'unsafe-inline'"
    assert directives["script-src"] == "'self'"


@pytest.mark.parametrize("door", ["/admin", "/demo"])
def test_the_doors_open_without_their_last_slash(server, door):
    response = server.http.get(door)

    assert response.headers["Location"] == f"{door}/"
