"""Which machines a host name means: where requests may go, and where a key may go unencrypted.

The client looks a name up once more, so a name that changes in between is not caught; only a
firewall around the workers catches everything.
"""

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Routers that translate between the protocols take the last 32 bits for an IPv4 address.
WITH_IPV4_INSIDE = tuple(
    ipaddress.IPv6Network(text) for text in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48")
)


def addresses_of(host: str, *, asks_names: bool = True) -> frozenset[Address]:
    """The addresses of a host; empty if it is unknown here, or known only to a proxy.

    Without `asks_names` only addresses are read, in every notation, and no name is looked up:

    >>> [str(it) for it in addresses_of("2852039166", asks_names=False)]
    ['169.254.169.254']
    >>> [str(it) for it in addresses_of("64:ff9b::a9fe:a9fe", asks_names=False)]
    ['169.254.169.254']
    """
    flags = socket.AI_NUMERICHOST if not asks_names else 0
    try:
        entries = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        return frozenset()
    # A zone ("%eth0") does not change what kind of address it is.
    texts = {str(entry[4][0]).partition("%")[0] for entry in entries}
    return frozenset(_where_it_leads(ipaddress.ip_address(text)) for text in texts)


def _where_it_leads(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, if it stands for one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    inside = address.ipv4_mapped or address.sixtofour
    if inside is None and any(address in network for network in WITH_IPV4_INSIDE):
        inside = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    is_own = address.is_loopback or address.is_unspecified
    return address if inside is None or is_own else inside


def stays_inside(host: str) -> bool:
    """Whether requests to a host stay on this machine or in a private network.

    A name that cannot be looked up counts as one of our own network if it has no dot.

    >>> [stays_inside(host) for host in ("127.0.0.1", "[fd00::1]", "192.168.1.20", "8.8.8.8")]
    [True, True, True, False]
    """
    addresses = addresses_of(host)
    if addresses:
        return not any(address.is_global for address in addresses)
    return "." not in host.rstrip(".") and ":" not in host


def leads_inside(target: str, origin: str) -> bool:
    """Whether an address from the server `origin` must not be followed to the host `target`.

    Link-local addresses are never followed, since clouds hand out credentials there, and a server
    outside of our network must not send us to hosts inside it.
    """
    addresses = addresses_of(target)
    if any(address.is_link_local or address.is_unspecified for address in addresses):
        return True
    own = addresses_of(origin)
    is_outside = bool(own) and all(address.is_global for address in own)
    return is_outside and not all(address.is_global for address in addresses)
