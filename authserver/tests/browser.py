"""A real Chromium for tests: one process for each test process, one context for each test.

``config/tests`` imports the same fixtures.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = Path(__file__).resolve().parents[2] / ".screenshots"


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
        if message.type == "error":
            problems.append(message.text)

    def build(**options):
        context = chromium.new_context(**options)
        contexts.append(context)
        # The application's address: whatever it is asked, it answers.
        context.route(
            "https://client.example/**", lambda route: route.fulfill(body="the application")
        )
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", listen)
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    yield build
    for context in contexts:
        context.close()
    assert problems == []


def picture(page, name):
    """Keep a picture of the page when ``SCREENSHOTS=1`` asks for them."""
    if os.environ.get("SCREENSHOTS"):
        SCREENSHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
