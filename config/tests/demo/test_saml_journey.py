"""A whole trip to a SAML provider of another site, in a real Chromium.

The provider's form comes from another site, so no cookie of ours is sent with it.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from authserver.tests.browser import picture
from authserver.tests.federation import saml_provider
from authserver.tests.federation.saml_provider import Answer

pytestmark = pytest.mark.processes
SET_UP = """
from authserver.models import Institution, SignInMethod, SignInRules
institution = Institution.objects.get(registry_id="1003")
SignInMethod.objects.create(
    institution=institution, kind="saml", name="Lakeview account", is_active=True,
    issuer={entity!r}, metadata={metadata!r},
)
SignInRules.objects.update_or_create(
    institution=institution, defaults=dict(passwords=False, arrivals="make")
)
"""
TAKE_BACK = """
from authserver.models import SignInMethod, SignInRules
SignInMethod.objects.filter(institution__registry_id="1003").delete()
SignInRules.objects.filter(institution__registry_id="1003").delete()
"""
PAGE = """<!DOCTYPE html><title>Lakeview sign-in</title><link rel="icon" href="data:,">
<h1>Lakeview sign-in</h1><form method="post" action={acs}>
<input type="hidden" name="SAMLResponse" value={response}>
<input type="hidden" name="RelayState" value="https://evil.example/">
<button>I am Ann</button></form>"""


class Provider(BaseHTTPRequestHandler):
    def do_GET(self):
        """Show a form on another site than ours: localhost, where we are 127.0.0.1."""
        if self.headers["Host"].startswith("127."):
            self.send_response(302)
            port = self.server.server_port
            self.send_header("Location", f"http://localhost:{port}{self.path}")
            self.end_headers()
            return
        answer = Answer(self.path).sign()
        page = PAGE.format(
            acs=json.dumps(answer.asked["acs"]), response=json.dumps(answer.encoded())
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture
def lakeview_signs_in_by_saml(server):
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as provider:
        threading.Thread(target=provider.serve_forever, args=[0.02], daemon=True).start()
        sso = f"http://127.0.0.1:{provider.server_port}/sso"
        metadata = saml_provider.metadata(sso=sso)
        server.manage(
            "shell", "-c", SET_UP.format(entity=saml_provider.ENTITY, metadata=metadata)
        )
        yield
        server.manage("shell", "-c", TAKE_BACK)
        provider.shutdown()


def test_a_person_of_a_saml_provider_of_another_site_arrives_in_their_session(
    server, new_page, lakeview_signs_in_by_saml
):
    page = new_page()
    page.goto(f"{server.auth_url}/login?institution=1003")

    page.get_by_role("heading", name="Lakeview sign-in").wait_for()
    page.get_by_role("button", name="I am Ann").click()

    page.get_by_role("heading", name="My account").wait_for()
    page.get_by_text("ann").first.wait_for()
    picture(page, "federation-saml-arrived")
