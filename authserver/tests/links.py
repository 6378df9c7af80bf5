"""What a message leads to."""

import re

from authserver.tests.visitor import SITE, Visitor

NEW = "another horse, another staple"


def link_in(message):
    """Return the address in a message, without the site."""
    (link,) = re.findall(r"^http\S+$", message.body, re.MULTILINE)
    assert link.startswith(f"{SITE}/oauth2/password/new?")
    return link.removeprefix(SITE)


def ask(visitor, name, at="1001"):
    visitor.open(f"/oauth2/password/forgotten?institution={at}")
    return visitor.press("Send the link", email=name)


def choose(visitor, link, password=NEW, again=None):
    visitor.open(link)
    return visitor.press(
        "Set the password", password1=password, password2=again or password
    )


def signs_in(username, password, at="1001"):
    """Return whether these are right, in a browser of their own."""
    visitor = Visitor()
    visitor.open(f"/oauth2/login?institution={at}")
    visitor.press("Sign in", username=username, password=password)
    return visitor.heading == "My account"
