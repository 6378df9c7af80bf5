"""Which network addresses the server may be sent to by a caller.

An image or an identity provider may be given as a URL, so a caller chooses where we
connect. Only addresses of the public internet are acceptable: anything else would let the
caller reach the machines behind our own firewall (server-side request forgery).
"""

import ipaddress
import socket
from collections.abc import Iterable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Prefixes under which an IPv6 address carries an IPv4 address that a gateway would reach:
# the well-known one of NAT64 (RFC 6052), its local-use sibling (RFC 8215), and the
# deprecated IPv4-compatible form (RFC 4291 section 2.5.5.1).
TRANSLATING = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")))


NOT_PUBLIC = "the address is not on the public internet"


class AddressRefused(Exception):
    """The host has no address, or one that is not on the public internet."""


def is_public(address: Address) -> bool:
    """Return whether the address belongs to the public internet, and to one machine."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        tunnels = address.sixtofour or address.teredo
        if tunnels or any(address in network for network in TRANSLATING):
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def is_acceptable(address: Address, allowed: Iterable[str]) -> bool:
    """Return whether the address is public, or in a network that an operator accepts."""
    networks = map(ipaddress.ip_network, allowed)
    return is_public(address) or any(address in network for network in networks)


def require_acceptable(host: str, *, allowed: Iterable[str] = ()) -> None:
    """Require that a host that is an address, and not a name, is acceptable.

    Asks no name server. Raises ``AddressRefused``.
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return
    if not is_acceptable(address, allowed):
        raise AddressRefused(NOT_PUBLIC)


def resolve(host: str, port: int, *, allowed: Iterable[str] = ()) -> str:
    """Return one address of ``host`` to connect to, as text.

    Every address of the name must be acceptable, so that a name with one public and one
    private address is refused whichever comes first. The caller connects to this address
    and not to the name: a second look-up might answer differently. ``allowed`` are networks
    (CIDR) an operator accepts although they are not public.

    Raises ``AddressRefused``.
    """
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefused("the host of the address is not known") from error
    addresses = [
        ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in entries
    ]
    allowed = tuple(allowed)
    if not addresses or not all(is_acceptable(each, allowed) for each in addresses):
        raise AddressRefused(NOT_PUBLIC)
    return str(addresses[0])
