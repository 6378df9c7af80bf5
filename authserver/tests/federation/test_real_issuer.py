"""oidc-provider, a certified issuer, as an institution's: its pages, keys and answers."""

import json
import os
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import jwt
import lxml.html
import pytest
import requests

from authserver.federation.oidc import callback_url
from authserver.models import User
from authserver.tests import factories, npm, openid
from authserver.tests.federation.conftest import leave, request_of
from authserver.tests.federation.issuer import KEY, OTHER_KEY
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.processes
VERSION = "9.13.3"


def private_jwk(key, identifier):
    private = jwt.algorithms.RSAAlgorithm.to_jwk(key, as_dict=True)
    return {**private, "kid": identifier, "use": "sig", "alg": "RS256"}


ONE, TWO = private_jwk(KEY, "one"), private_jwk(OTHER_KEY, "two")


class Browser:
    """Somebody at the issuer's own pages, who says who they are whenever they are asked."""

    def __init__(self):
        self.session = requests.Session()
        self.pages = 0

    def go(self, url, data=None):
        """Open an address and follow redirects at the issuer; return where they end."""
        host = urlsplit(url).netloc
        method = "GET" if data is None else "POST"
        send = self.session.request
        response = send(method, url, data=data, allow_redirects=False, timeout=60)
        while response.is_redirect:
            url = urljoin(url, response.headers["Location"])
            if urlsplit(url).netloc != host:
                return url, b""
            response = send("GET", url, allow_redirects=False, timeout=60)
        assert response.ok, response.text[:500]
        return url, response.content

    def sign_in(self, location, name="ann"):
        """Return where the issuer sends the browser back to."""
        url, page = self.go(location)
        self.pages = 0
        while page:
            self.pages += 1
            (form,) = lxml.html.document_fromstring(page).forms
            sent = {key: value for key, value in form.form_values() if value}
            if "login" in form.fields:
                sent |= {"login": name, "password": "x"}
            url, page = self.go(urljoin(url, form.action), sent)
        parts = urlsplit(url)
        return f"{parts.path}?{parts.query}"


@pytest.fixture
def browser():
    made = Browser()
    with made.session:
        yield made


@pytest.fixture(scope="module")
def _package(request):
    """Install the issuer before a test's transaction, which may not wait long."""
    npm.installed(request.config, "oidc-provider", VERSION)


@pytest.fixture
def serve(request, _package, lakeview, rules, tmp_path):
    """Return a context in which the institution's issuer runs, with keys and a clock."""
    source = Path(__file__).with_name("provider.mjs")
    script = npm.program(source, request.config, "oidc-provider", VERSION, tmp_path)
    errors = tmp_path / "errors"

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port, fd = listening.getsockname()[1], listening.fileno()
        method = factories.SignInMethodFactory(
            institution=lakeview, issuer=f"http://127.0.0.1:{port}"
        )
        arguments = (str(port), str(fd), callback_url(method.provider_id))

        @contextmanager
        def serving(*keys, ahead=0):
            variables = {"KEYS": json.dumps(keys), "AHEAD": str(ahead)}
            with (
                errors.open("w") as written,
                subprocess.Popen(
                    ["node", str(script), *arguments],
                    stdout=subprocess.PIPE,
                    stderr=written,
                    pass_fds=[fd],
                    text=True,
                    env={**os.environ, **variables},
                ) as process,
            ):
                try:
                    assert "listening" in process.stdout.readline(), errors.read_text()
                    yield
                finally:
                    process.terminate()

        yield serving


def test_a_person_signs_in_at_oidc_provider(visitor, serve, lakeview, browser):
    with serve(ONE):
        visitor.open(browser.sign_in(leave(visitor, lakeview)))

    assert visitor.heading == "My account", visitor.text
    ann = User.objects.get()
    assert (ann.login, ann.full_name, ann.email) == (
        "ann@1003",
        "Name of ann",
        "ann@lakeview.example",
    )


def test_oidc_provider_changes_its_key(visitor, serve, lakeview, browser):
    with serve(ONE):
        visitor.open(browser.sign_in(leave(visitor, lakeview)))
        assert visitor.heading == "My account"

    with serve(TWO, ONE):
        second = Visitor()
        second.open(browser.sign_in(leave(second, lakeview)))

    assert second.heading == "My account"


@pytest.mark.parametrize(("ahead", "is_forgiven"), [(-45, True), (45, True), (300, False)])
def test_the_clock_of_oidc_provider_may_be_a_little_wrong(
    visitor, serve, lakeview, browser, ahead, is_forgiven
):
    with serve(ONE, ahead=ahead):
        visitor.open(browser.sign_in(leave(visitor, lakeview)))

    assert (visitor.heading == "My account") is is_forgiven
    assert visitor.response.get("x-svc-Reason") == (
        None if is_forgiven else "answer_invalid"
    )


@pytest.mark.parametrize("asked", [{"prompt": "login"}, {"max_age": "0"}], ids=str)
def test_oidc_provider_asks_again_for_an_application_that_wants_it(
    settings, visitor, serve, lakeview, browser, key, asked
):
    openid.switch_on(settings)
    with serve(ONE):
        visitor.open(browser.sign_in(leave(visitor, lakeview)))
        other = Visitor()
        other.open(browser.sign_in(leave(other, lakeview)))
        assert browser.pages == 0  # it remembers who is there

        other.open(request_of(key, "1003", scope="openid calendar_events", **asked))
        other.open(browser.sign_in(other.left_for))

    assert browser.pages >= 1
    assert other.press("Allow").answer["code"]
