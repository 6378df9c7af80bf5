"""oidc-provider, a certified issuer, as an institution's: its pages, keys and answers."""

import socket
import subprocess
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest
import requests

from authserver.federation.oidc import callback_url
from authserver.models import User
from authserver.tests import factories, npm
from authserver.tests.federation.conftest import leave

pytestmark = pytest.mark.processes
VERSION = "9.13.3"


def go(browser, url, data=None):
    """Open an address and follow redirects at the issuer; return where they end."""
    host = urlsplit(url).netloc
    method = "GET" if data is None else "POST"
    response = browser.request(method, url, data=data, allow_redirects=False, timeout=60)
    while response.is_redirect:
        url = urljoin(url, response.headers["Location"])
        if urlsplit(url).netloc != host:
            return url, b""
        response = browser.get(url, allow_redirects=False, timeout=60)
    assert response.ok, response.text[:500]
    return url, response.content


@pytest.fixture
def running(request, lakeview, rules):
    """Yield the method of an institution whose issuer runs."""
    directory = npm.installed(request.config, "oidc-provider", VERSION)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    method = factories.SignInMethodFactory(
        institution=lakeview, issuer=f"http://127.0.0.1:{port}"
    )
    script = directory / "provider.mjs"
    script.write_text(Path(__file__).with_name("provider.mjs").read_text("utf-8"), "utf-8")
    with subprocess.Popen(
        ["node", str(script), str(port), callback_url(method.provider_id)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert "listening" in process.stdout.readline()
        yield method
        process.terminate()


def sign_in(location, name):
    """Go through the issuer's own pages; return where it sends the browser back to."""
    browser = requests.Session()
    url, page = go(browser, location)
    for values in ({"login": name, "password": "x"}, {}):
        (form,) = lxml.html.document_fromstring(page).forms
        sent = {key: value for key, value in form.form_values() if value} | values
        url, page = go(browser, urljoin(url, form.action), sent)
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def test_a_person_signs_in_at_oidc_provider(visitor, running, lakeview):
    visitor.open(sign_in(leave(visitor, lakeview), "ann"))

    assert visitor.heading == "My account", visitor.text
    ann = User.objects.get()
    assert (ann.login, ann.full_name, ann.email) == (
        "ann@1003",
        "Name of ann",
        "ann@lakeview.example",
    )
