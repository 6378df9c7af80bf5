"""The complete journey in a real Chromium, through the demo client, and from elsewhere."""

import functools
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from playwright.sync_api import expect

from authserver.tests.browser import picture

pytestmark = pytest.mark.processes


@pytest.fixture
def page(new_page):
    return new_page()


def sign_in(page, username="alice"):
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password", exact=True).fill(f"{username}-demo-pass")
    page.get_by_role("button", name="Sign in").click()


def test_the_demo_client_walks_the_whole_journey(server, page):
    # Given the demo client
    page.goto(f"{server.url}/demo/")
    page.get_by_role("button", name="Connect").click()

    # When the user chooses an institution, signs in and allows
    page.get_by_role("button", name="Riverside University").click()
    sign_in(page)
    page.get_by_role("button", name="Allow").click()

    # Then the client has a token for that institution and shows its events
    page.get_by_text("Connected at institution 1001 as 00000000-").wait_for()
    token = page.locator("#token")
    expect(token).to_contain_text('"token_type": "bearer"')
    expect(token).to_contain_text('"contextInstitutionId": "1001"')
    # Whole, to be copied into a terminal
    copied = json.loads(token.inner_text())["access_token"]
    answer = server.http.get(
        "/platform/identity/v1", headers={"Authorization": f"Bearer {copied}"}
    )
    assert answer.status_code == 200
    page.locator("#events tbody tr").nth(9).wait_for()

    # And no code stays in the address bar
    expect(page).to_have_url(f"{server.url}/demo/callback")

    # And it creates an event as the user
    with page.expect_response("**/events?*"):
        page.get_by_role("button", name="Create the event").click()
    page.get_by_text("Created “Tea with the demo client”").wait_for()
    picture(page, "demo-connected")

    # And it refreshes its token, and disconnects
    before = token.inner_text()
    with page.expect_response("**/events?*"):
        page.get_by_role("button", name="Refresh").click()
    expect(token).not_to_have_text(before)
    page.get_by_role("button", name="Disconnect").click()
    page.locator("#connected").wait_for(state="hidden")


def test_denying_in_the_demo_client_is_told_in_words(server, page):
    page.goto(f"{server.url}/demo/")
    page.get_by_label("Institution").select_option("1001")
    page.get_by_role("button", name="Connect").click()
    sign_in(page)

    page.get_by_role("button", name="Deny").click()

    page.get_by_role("alert").get_by_text("access_denied").wait_for()


def test_an_answer_that_nobody_asked_for_is_refused_by_the_demo_client(server, page):
    page.goto(f"{server.url}/demo/callback?code=auth_stolen&state=guessed")

    page.get_by_role("alert").get_by_text("does not belong to a request").wait_for()


class OtherOrigin(BaseHTTPRequestHandler):
    """A site of somebody else, whose script reads and writes our events."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>Elsewhere</title>")

    def log_message(self, *arguments):
        pass


@pytest.fixture
def elsewhere():
    """Serve an empty page from another origin on the loopback interface."""
    site = HTTPServer(("127.0.0.1", 0), OtherOrigin)
    thread = threading.Thread(target=functools.partial(site.serve_forever, 0.05))
    thread.start()
    yield f"http://127.0.0.1:{site.server_address[1]}"
    site.shutdown()
    thread.join()
    site.server_close()


def test_a_script_of_another_origin_reads_events_headers_and_errors(
    server,
    elsewhere,
    chromium,  # not new_page: the console tells of every refusal
):
    page = chromium.new_page()
    page.goto(elsewhere)

    read = page.evaluate(
        """async (events) => {
            const list = await fetch(`${events}?per_page=1`);
            const refused = await fetch(`${events}/999999999`);
            const write = await fetch(events, {
                method: "POST",
                headers: {
                    "Authorization": "Bearer tk_none",
                    "Content-Type": "application/json",
                    "Idempotency-Key": "from-elsewhere",
                },
                body: "{}",
            });
            return {
                total: list.headers.get("X-TEC-Total"),
                etag: list.headers.get("ETag"),
                events: (await list.json()).events.length,
                refused: [refused.status, (await refused.json()).code],
                write: [write.status, write.headers.get("WWW-Authenticate")],
            };
        }""",
        f"{server.events_root}/events",
    )

    assert int(read["total"]) > 0
    assert read["etag"]
    assert read["events"] == 1
    assert read["refused"] == [404, "rest-event-not-found"]
    assert read["write"] == [401, f'Bearer realm="{server.url}", error="invalid_token"']
    page.close()
