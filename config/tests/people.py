"""A person at a browser without scripts: opens pages, fills forms, follows redirects."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx
import lxml.html

CALLBACK = "http://127.0.0.1/callback"


@dataclass(frozen=True)
class Pkce:
    """A code verifier and its challenge (RFC 7636)."""

    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def code_exchange(code: str, pkce: Pkce, **changes: str) -> dict[str, str]:
    """Return the parameters with which the demonstration's application redeems a code."""
    return {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": "demo-spa",
        "redirect_uri": CALLBACK,
        "code_verifier": pkce.verifier,
        **changes,
    }


class Person:
    """Follows redirects inside one site and stops where one leaves it."""

    def __init__(self, site: str, *, verify=True):
        self.site = site
        self.http = httpx.Client(follow_redirects=False, timeout=240, verify=verify)
        self.page: httpx.Response | None = None
        self.left_for = ""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.http.close()

    def open(self, url: str) -> Person:
        return self._follow(self.http.get(url))

    def fill(self, button: str | None = None, **values) -> Person:
        """Submit the page's form that has these fields (and button), as a browser would."""
        form = self._form(button, values)
        data = [pair for pair in form.form_values() if pair[0] not in values]
        for name, value in values.items():
            data += [
                (name, item) for item in (value if isinstance(value, list) else [value])
            ]
        if button is not None:
            data.append(tuple(button.split("=", 1)))
        action = urljoin(str(self.page.url), form.get("action") or str(self.page.url))
        if (form.get("method") or "get").lower() == "get":
            return self._follow(self.http.get(f"{action.split('?')[0]}?{urlencode(data)}"))
        return self._follow(
            self.http.post(
                action,
                content=urlencode(data),
                headers={
                    "Content-Type": "application/x-www-form-urlencoded",
                    "Origin": self.site,
                },
            )
        )

    @property
    def document(self):
        return lxml.html.document_fromstring(self.page.text)

    @property
    def text(self) -> str:
        return " ".join(self.document.body.text_content().split())

    @property
    def answer(self) -> dict[str, str]:
        """The query parameters of the redirect that left the site."""
        return {
            name: value[0]
            for name, value in parse_qs(urlsplit(self.left_for).query).items()
        }

    def _form(self, button, values):
        for form in self.document.forms:
            names = set(form.fields.keys())
            has_button = button is None or form.xpath(
                ".//button[@name=$n and @value=$v]",
                n=button.split("=", 1)[0],
                v=button.split("=", 1)[-1],
            )
            if set(values) <= names and has_button:
                return form
        raise AssertionError(f"No form with {set(values)} and {button}:\n{self.text}")

    def _follow(self, response: httpx.Response) -> Person:
        for _ in range(10):
            if not response.is_redirect:
                self.page, self.left_for = response, ""
                return self
            target = urljoin(str(response.url), response.headers["Location"])
            if not target.startswith(self.site + "/"):
                self.page, self.left_for = response, target
                return self
            response = self.http.get(target)
        raise AssertionError(f"Too many redirects, the last to {response.url}")


def authorization_address(server, pkce: Pkce, *, institution: str = "", **changes) -> str:
    """Return the address that an application sends its user to."""
    parameters = {
        "client_id": "demo-spa",
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": "calendar_events",
        "state": "some state/&=",
        "code_challenge": pkce.challenge,
        "code_challenge_method": "S256",
        **changes,
    }
    place = f"/{institution}" if institution else ""
    return f"{server.auth_url}/auth{place}?{urlencode(parameters)}"
