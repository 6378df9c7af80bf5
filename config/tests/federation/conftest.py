"""pysaml2 in a process and an environment of its own, as an institution's provider."""

import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin

import httpx
import lxml.html
import pytest

from config.tests import prepared
from config.tools.with_postgres import free_port

PINNED = prepared.ROOT / "requirements-saml-idp.txt"
ENVIRONMENT = prepared.ROOT / ".make/saml-idp"
SET_UP = """
from authserver.federation import saml, saml_metadata
from authserver.models import Institution, SignInMethod, SignInRules
institution = Institution.objects.get(registry_id="1003")
method = SignInMethod.objects.create(
    institution=institution, kind="saml", name="Lakeview account", is_active=True,
    issuer={metadata!r}, metadata_url={metadata!r},
)
saml_metadata.refresh.call(method.pk)
SignInRules.objects.update_or_create(
    institution=institution, defaults=dict(passwords=False, arrivals="make")
)
print(saml.address_of("saml-metadata", method.provider_id))
"""
TAKE_BACK = """
from allauth.socialaccount.models import SocialAccount
from authserver.models import SignInMethod, SignInRules, User
from django.contrib.auth.models import Group
methods = SignInMethod.objects.filter(institution__registry_id="1003")
arrived = SocialAccount.objects.filter(provider__in=methods.values("provider_id"))
User.objects.filter(pk__in=list(arrived.values_list("user", flat=True))).delete()
methods.delete()
SignInRules.objects.filter(institution__registry_id="1003").delete()
"""


class Provider:
    """A running provider, which is told what to do."""

    def __init__(self, server, url):
        self.server = server
        self.url = url

    def is_to(self, **state):
        """Change what it does from now on."""
        httpx.post(f"{self.url}/state", json=state, timeout=240).raise_for_status()

    def refresh(self):
        """Do the tasks that wait, a look at new metadata among them."""
        self.server.manage("db_worker", "--batch")


class Person:
    """A browser, at our pages and at the provider's."""

    def __init__(self, server, browser):
        self.browser = browser
        self.login = f"{server.auth_url}/login?institution=1003"
        self.response = None

    def in_another_browser(self):
        """Forget every session, here and there."""
        self.browser.cookies.clear()
        return self

    def open(self, path):
        """Open a page of ours."""
        self.response = self.browser.get(urljoin(self.login, path))
        return self

    def leave(self):
        """Go to the provider; its page is shown."""
        self.open(self.login)
        (address,) = self.document.xpath("//a[normalize-space()='Continue']/@href")
        self.response = self.browser.get(urljoin(str(self.response.url), address))
        return self

    def submit(self, **values):
        """Send the form that is shown."""
        (form,) = self.document.forms
        address = urljoin(str(self.response.url), form.action)
        data = {**dict(form.form_values()), **values}
        self.response = self.browser.post(address, data=data)
        return self

    def arrive(self, name="ann"):
        """Say who one is, and bring the answer back."""
        return self.leave().submit(name=name).submit()

    @property
    def document(self):
        return lxml.html.document_fromstring(self.response.text)

    @property
    def heading(self):
        (heading,) = self.document.xpath("//h1")
        return " ".join(heading.text_content().split())

    @property
    def reason(self):
        return self.response.headers.get("x-svc-Reason")


def _python():
    """Return the interpreter that has pysaml2; made anew when its pins change."""
    if shutil.which("xmlsec1") is None:
        pytest.skip("xmlsec1 is not installed")
    stamp, interpreter = ENVIRONMENT / "pinned.txt", ENVIRONMENT / "bin/python"
    with prepared.alone(ENVIRONMENT.with_suffix(".lock")):
        if not stamp.exists() or stamp.read_bytes() != PINNED.read_bytes():
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
            subprocess.run(
                [interpreter, "-m", "pip", "install", "--quiet", "--require-hashes",
                 "--disable-pip-version-check", "--no-input", "-r", PINNED],
                check=True,
            )  # fmt: skip
            shutil.copyfile(PINNED, stamp)
    return interpreter


@pytest.fixture
def provider(server, tmp_path):
    """Lakeview's provider: its metadata is known here, and ours there."""
    port = free_port()
    script = Path(__file__).with_name("identity_provider.py")
    errors = tmp_path / "errors"
    with (
        errors.open("w") as written,
        subprocess.Popen(
            [_python(), str(script), str(port), str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
        ) as process,
    ):
        try:
            assert "listening" in process.stdout.readline(), errors.read_text()
            running = Provider(server, f"http://127.0.0.1:{port}")
            metadata = f"{running.url}/metadata"
            ours = server.manage("shell", "-v0", "-c", SET_UP.format(metadata=metadata))
            running.is_to(served=httpx.get(ours, timeout=240).text)
            yield running
            server.manage("shell", "-c", TAKE_BACK)
        finally:
            process.terminate()


@pytest.fixture
def person(server):
    with httpx.Client(follow_redirects=True, timeout=240) as browser:
        yield Person(server, browser)
