"""A real Chromium for tests: one process for each test process, one context for each test.

A plugin that the root ``conftest.py`` loads, so that every app has the same fixtures.
"""

import os
import shutil
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # a container's shared memory may be too small for a page
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = Path(__file__).resolve().parents[2] / ".screenshots"

# Milliseconds that a busy machine may need; nothing waits longer than it must.
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def chromium():
    """Yield a running Chromium; skip where none is installed."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        pytest.skip("Chromium is not installed")
    # Playwright keeps an event loop in this thread while it runs; Django takes whatever
    # else happens in the thread for asynchronous code and would refuse its queries.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def new_page(chromium):
    """Open pages in contexts of their own, and fail on any script or policy error.

    A page's ``problems`` are what its console complained about: a blocked form, a refused
    style sheet, an exception.
    """
    contexts, problems = [], []

    def listen(message):
        # That a page is gone or refused is an answer of ours, not a problem of the page.
        is_answer = "/oauth2/" in message.location["url"] and "status of" in message.text
        if message.type == "error" and not is_answer:
            problems.append(message.text)

    def build(**options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", listen)
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    yield build
    for context in contexts:
        context.close()
    assert problems == []


class _Application(BaseHTTPRequestHandler):
    """A program on the device that waits for its code (RFC 8252 section 7.3)."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<title>The application</title><link rel='icon' href='data:,'>")

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture(scope="session")
def application():
    """Yield the redirect address of an application on a loopback port of its own."""
    with HTTPServer(("127.0.0.1", 0), _Application) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/callback"
        server.shutdown()


def press(page, name):
    """Click the button of that name and wait for the page that it leads to.

    A click alone returns before the answer is there: what follows would read the old page.
    """
    follow(page, page.get_by_role("button", name=name, exact=True))


def follow(page, control):
    """Click a link or button and wait for the page that it leads to."""
    with page.expect_navigation():
        control.click()


def picture(page, name):
    """Keep a picture of the page when ``SCREENSHOTS=1`` asks for them."""
    if os.environ.get("SCREENSHOTS"):
        SCREENSHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
