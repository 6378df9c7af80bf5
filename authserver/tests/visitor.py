"""A person at a browser without scripts, on top of Django's test client.

It keeps cookies, sends CSRF tokens only when a form has one, and submits forms as they
stand on the page, so a test cannot send what no page offers without saying so.
"""

from urllib.parse import parse_qs, urljoin, urlsplit

import lxml.html
from django.test import Client

SITE = "http://testserver"


class Visitor:
    """Follows redirects inside the site and stops where one leaves it (``left_for``)."""

    def __init__(self, **defaults):
        self.client = Client(enforce_csrf_checks=True, **defaults)
        self.response = None
        self.url = SITE
        self.left_for = ""

    def open(self, url):
        """Go to an address."""
        return self._follow(urljoin(SITE, url), self.client.get(url))

    def send(self, url, data=()):
        """Post without a form, as a forger would."""
        return self._follow(urljoin(SITE, url), self.client.post(url, dict(data)))

    def press(self, button=None, *, without=(), **values):
        """Submit the form with this ``name=value`` button (or label) and these fields."""
        form, pressed = self._form(button, values)
        data = {}
        for name, value in form.form_values():
            if name not in values and name not in without:
                data.setdefault(name, []).append(value)
        data.update(values)
        if pressed is not None and pressed.get("name"):
            data[pressed.get("name")] = pressed.get("value", "")
        url = urljoin(self.url, form.get("action") or self.url)
        method = (form.get("method") or "get").lower()
        if method == "get":
            return self._follow(url, self.client.get(urlsplit(url).path, data))
        return self._follow(url, self.client.post(_path(url), data))

    def follow(self, text):
        """Follow the link with this text."""
        (link,) = [a for a in self.page.xpath("//a") if _words(a) == text]
        return self.open(_path(urljoin(self.url, link.get("href"))))

    @property
    def page(self):
        """The document that is shown."""
        return lxml.html.document_fromstring(self.response.content.decode())

    @property
    def text(self):
        """Its words."""
        return _words(self.page.body)

    @property
    def heading(self):
        """Its only top heading."""
        (heading,) = self.page.xpath("//h1")
        return _words(heading)

    @property
    def alert(self):
        """What a screen reader announces at once."""
        return " ".join(_words(node) for node in self.page.xpath("//*[@role='alert']"))

    @property
    def status(self):
        return self.response.status_code

    @property
    def answer(self):
        """The parameters of the redirect that left the site."""
        query = urlsplit(self.left_for).query
        return {name: value for name, (value,) in parse_qs(query).items()}

    def field(self, name):
        """The form field of this name, or ``None``."""
        found = self.page.xpath("//*[self::input or self::select][@name=$name]", name=name)
        return found[0] if found else None

    def values(self, name):
        """The values of all buttons or boxes of this name."""
        return self.page.xpath("//*[@name=$name]/@value", name=name)

    def _form(self, button, values):
        for form in self.page.forms:
            if not set(values) <= set(form.fields.keys()):
                continue
            if button is None:
                return form, None
            for pressed in form.xpath(".//button | .//input[@type='submit']"):
                spelled = f"{pressed.get('name')}={pressed.get('value')}"
                label = _words(pressed) or pressed.get("value")
                if button in {spelled, label}:
                    return form, pressed
        raise AssertionError(f"No form with {set(values)} and {button}:\n{self.text}")

    def _follow(self, url, response):
        for _ in range(10):
            self.url, self.response, self.left_for = url, response, ""
            if response.status_code not in {301, 302, 303, 307, 308}:
                return self
            url = urljoin(url, response["Location"])
            if not url.startswith(f"{SITE}/"):
                self.left_for = url
                return self
            response = self.client.get(_path(url))
        raise AssertionError(f"Too many redirects, the last to {url}")


def _path(url):
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _words(node):
    return " ".join(node.text_content().split())
