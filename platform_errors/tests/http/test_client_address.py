"""Only named proxies are believed about where a request comes from."""

import pytest
from django.test import RequestFactory

from platform_errors.http.client_address import (
    address_ident,
    client_address,
    current_client_address,
)


def address(peer, forwarded=None):
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(RequestFactory().get("/", REMOTE_ADDR=peer, headers=headers))


@pytest.fixture
def behind_a_proxy(settings):
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "TRUSTED_PROXIES": ["10.0.0.0/8", "fd00::/8"],
    }


def test_without_proxies_the_header_is_not_believed():
    assert address("192.0.2.1", "198.51.100.9") == "192.0.2.1"


def test_a_named_proxy_is_believed(behind_a_proxy):
    assert address("10.1.2.3", "198.51.100.9") == "198.51.100.9"


def test_a_network_may_be_named_by_an_address_in_it(settings):
    settings.PLATFORM_ERRORS = {
        **settings.PLATFORM_ERRORS,
        "TRUSTED_PROXIES": ["10.1.2.3/8"],
    }

    assert address("10.9.9.9", "198.51.100.9") == "198.51.100.9"


def test_outside_of_a_request_there_is_no_address():
    assert current_client_address() == ""


def test_a_stranger_in_front_of_the_proxies_is_not_believed(behind_a_proxy):
    assert address("192.0.2.1", "198.51.100.9") == "192.0.2.1"


def test_what_the_caller_itself_put_into_the_header_is_not_read(behind_a_proxy):
    assert address("10.1.2.3", "203.0.113.5, 198.51.100.9") == "198.51.100.9"


def test_several_proxies_are_passed_from_right_to_left(behind_a_proxy):
    assert address("10.1.2.3", "198.51.100.9, 10.9.9.9") == "198.51.100.9"


def test_a_header_of_proxies_alone_names_the_farthest(behind_a_proxy):
    assert address("10.1.2.3", "10.7.7.7, 10.9.9.9") == "10.7.7.7"


@pytest.mark.parametrize("nonsense", ["", "unknown", "198.51.100.9:4711", "a, ,", ","])
def test_nonsense_in_the_header_leaves_the_proxy(behind_a_proxy, nonsense):
    assert address("10.1.2.3", nonsense) == "10.1.2.3"


def test_ipv6_is_understood(behind_a_proxy):
    assert address("fd00::1", "2001:db8::7") == "2001:db8::7"


def test_a_mapped_ipv4_address_is_that_address(behind_a_proxy):
    assert address("::ffff:10.1.2.3", "198.51.100.9") == "198.51.100.9"


def test_a_server_on_a_socket_file_knows_no_address():
    assert address("") is None


@pytest.mark.parametrize(
    ("caller", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::", "2001:db8:1:2::"),
        ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ("fe80::1%eth0", "fe80::"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
    ],
)
def test_limits_count_an_ipv6_caller_by_its_network(caller, counted):
    assert address_ident(caller) == counted


@pytest.mark.parametrize("text", ["", "unknown", "2001:db8::/64", "\x00"])
def test_limits_do_not_count_what_is_no_address(text):
    assert address_ident(text) is None
