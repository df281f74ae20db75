"""Which machines a host name means: where requests may go, and where a key may go unencrypted.

The client looks a name up once more, so a name that changes in between is not caught; only a
firewall around the workers catches everything.
"""

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def addresses_of(host: str, *, asks_names: bool = True) -> frozenset[Address]:
    """The addresses of a host; empty if it is unknown here, or known only to a proxy.

    Without `asks_names` only addresses are read, in every notation, and no name is looked up:

    >>> [str(it) for it in addresses_of("2852039166", asks_names=False)]
    ['169.254.169.254']
    """
    flags = socket.AI_NUMERICHOST if not asks_names else 0
    try:
        entries = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        return frozenset()
    # A zone ("%eth0") does not change what kind of address it is.
    texts = {str(entry[4][0]).partition("%")[0] for entry in entries}
    addresses = [ipaddress.ip_address(text) for text in texts]
    return frozenset(getattr(address, "ipv4_mapped", None) or address for address in addresses)


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
