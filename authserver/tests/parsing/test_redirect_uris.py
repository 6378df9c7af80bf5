"""Redirect addresses: what an administrator may register (decisions 3.11)."""

import pytest
from django.core.exceptions import ValidationError

from authserver.parsing.redirect_uris import is_registered, validate_redirect_address
from authserver.tests import factories


@pytest.mark.parametrize(
    "address",
    [
        "https://client.example/cb",
        "https://client.example:8443/cb?a=1&b=%20",
        "https://client.example",
        "http://127.0.0.1/cb",
        "http://127.0.0.1:8000/cb",
        "http://[::1]:8000/cb",
        "http://localhost:8000/cb",
        "http://localhost/cb",
        "com.example.app:/oauth",
        "ncip://testapp",
        "oclcApp://x?y=1",
        "https://client.example/".ljust(2000, "a"),
    ],
)
def test_these_may_be_registered(address):
    validate_redirect_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/cb",
        "client.example/cb",
        "http://client.example/cb",
        "http://127.0.0.2/cb",
        "http://localhost.evil.example/cb",
        "http://127.0.0.1.evil.example/",
        "http://127.0.0.1:0/cb",
        "http://127.0.0.1:99999/cb",
        "https://client.example:99999/cb",
        "https://client.example/cb#fragment",
        "https://client.example/cb#",
        "https://user@client.example/cb",
        "https://user:pass@client.example/cb",
        "https://@client.example/cb",
        "https://*.client.example/cb",
        "https://client.example/*",
        "https://",
        "https:///cb",
        "https:cb",
        "https://[::1/cb",
        "https://client.example/\\evil",
        "https://client.example/ä",
        "https://client.example/a b",
        "https://client.example/\n",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://client.example/x",
        "about:blank",
        "https://client.example/".ljust(2001, "a"),
    ],
)
def test_these_may_not_be_registered(address):
    with pytest.raises(ValidationError):
        validate_redirect_address(address)


def test_a_key_names_each_bad_address():
    key = factories.ServiceKeyFactory.build(
        redirect_uris="https://ok.example/cb\nhttp://bad.example/\njavascript:x"
    )

    with pytest.raises(ValidationError) as caught:
        key.clean()

    assert len(caught.value.message_dict["redirect_uris"]) == 2


@pytest.mark.parametrize(
    ("requested", "registered", "same"),
    [
        ("https://c.example/cb", "https://c.example/cb", True),
        ("https://c.example/CB", "https://c.example/cb", False),
        ("http://127.0.0.1:5000/cb", "http://127.0.0.1/cb", True),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", True),
        ("http://[::1]:5000/cb", "http://[::1]/cb", True),
        ("http://[::1]:5000/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:1/cb", "http://127.0.0.1/cb", True),
        ("http://127.0.0.1:65535/cb", "http://127.0.0.1/cb", True),
        ("http://127.0.0.1:0/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:00080/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:080/cb", "http://127.0.0.1/cb", False),
        ("http://[::1]:080/cb", "http://[::1]/cb", False),
        ("http://127.0.0.1:65536/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5000@evil.example/cb", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5000/cb?x", "http://127.0.0.1/cb", False),
        ("http://127.0.0.1:5000", "http://127.0.0.1", True),
        ("http://localhost:5000/cb", "http://localhost/cb", False),
        ("https://127.0.0.1:5000/cb", "https://127.0.0.1/cb", False),
        ("", "", False),
    ],
)
def test_addresses_are_compared_by_character_but_for_the_loopback_port(
    requested, registered, same
):
    assert is_registered(requested, registered.split()) is same
