"""The documentation at ``/docs/`` of a demonstration, as a browser sees it."""

import httpx
import pytest

from platform_errors.errors import base

pytestmark = pytest.mark.processes


def test_a_page_is_found_by_a_search_under_the_strict_policy(
    server, documentation, new_page
):
    page = new_page()
    page.goto(f"{server.url}/docs/")

    page.keyboard.press("/")
    page.keyboard.type("nonce")
    results = page.locator("a.md-search-result__link", has_text="Signing requests")
    results.first.click()
    page.wait_for_url("**/docs/signing.html**")

    policy = server.http.get("/docs/").headers["Content-Security-Policy"]
    assert "unsafe" not in policy


def test_no_page_asks_another_host_for_anything(documentation):
    for path in documentation.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for attribute in ('src="http', 'rel="stylesheet" href="http', "@import"):
            assert attribute not in text, path.name


def test_every_reason_has_its_place_on_the_page_of_errors(documentation):
    def all_of(cls):
        for one in cls.__subclasses__():
            yield one
            yield from all_of(one)

    text = (documentation / "errors.html").read_text(encoding="utf-8")
    ours = [one for one in all_of(base.ApiError) if ".tests." not in one.__module__]
    reasons = {one.default_code for one in ours}
    assert len(reasons) > 50
    assert {reason for reason in reasons if f'id="{reason}"' not in text} == set()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("docs", 302),
        ("docs/decisions/0013-nonces.html", 404),
        ("docs/..%2f..%2fMakefile", 400),
        ("docs/..%2fmigrated.lock", 400),
    ],
)
def test_nothing_but_the_site_is_served(server, documentation, path, status):
    with httpx.Client(timeout=240) as client:
        request = client.build_request("GET", f"{server.url}/x")
        request.url = request.url.copy_with(raw_path=f"/{path}".encode())
        assert client.send(request).status_code == status
