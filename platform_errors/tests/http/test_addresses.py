"""Which machines a caller may send the server to."""

import ipaddress
import socket

import pytest

from platform_errors.http.addresses import AddressRefused, is_public, resolve


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",  # where clouds keep the credentials of a machine
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 -- nothing is bound to it
        "255.255.255.255",
        "224.0.0.1",
        "240.0.0.1",
        "192.0.2.1",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::a00:1",
        "2002:a00:1::",
        "2001:0:a00:1::",
    ],
)
def test_an_address_that_is_not_on_the_public_internet_is_none_to_visit(address):
    assert is_public(ipaddress.ip_address(address)) is False


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"]
)
def test_a_public_address_may_be_visited(address):
    assert is_public(ipaddress.ip_address(address)) is True


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "127.1", "::1", "0177.0.0.1"],
)
def test_every_spelling_of_the_loopback_address_is_refused(host):
    with pytest.raises(AddressRefused):
        resolve(host, 80)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 300, "", "\udcff.example"])
def test_a_name_without_an_address_is_refused_in_words(host):
    with pytest.raises(AddressRefused):
        resolve(host, 80)


def test_an_operator_may_allow_a_network_of_the_own_house():
    assert resolve("127.0.0.1", 80, allowed=["127.0.0.0/8"]) == "127.0.0.1"


def test_allowing_one_network_allows_no_other():
    with pytest.raises(AddressRefused):
        resolve("127.0.0.1", 80, allowed=["10.0.0.0/8", "::/0"])


@pytest.mark.parametrize("order", [1, -1])
def test_a_name_is_refused_for_one_address_that_is_not_public(monkeypatch, order):
    answers = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))
        for address in ("10.0.0.5", "93.184.215.14")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers[::order])

    with pytest.raises(AddressRefused):
        resolve("two.example", 80)

    assert resolve("two.example", 80, allowed=["10.0.0.0/8"]) == answers[::order][0][4][0]
