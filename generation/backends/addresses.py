"""Which machines a host stands for: whom requests may be led to, and whom a key may go to in clear.

A name is looked up here and once more by the client, so one that changes in between is not caught;
a firewall around the workers is what catches everything.
"""

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def addresses_of(host: str, *, asks_names: bool = True) -> frozenset[Address]:
    """The addresses of a host, none where it is not known or only a proxy knows it.

    Without `asks_names` only what is an address itself is read, in all ways of writing one:

    >>> [str(it) for it in addresses_of("2852039166", asks_names=False)]
    ['169.254.169.254']
    """
    flags = socket.AI_NUMERICHOST if not asks_names else 0
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        return frozenset()
    # A zone ("%eth0") says nothing of what kind an address is.
    texts = {str(entry[4][0]).partition("%")[0] for entry in found}
    addresses = [ipaddress.ip_address(text) for text in texts]
    return frozenset(getattr(address, "ipv4_mapped", None) or address for address in addresses)


def stays_inside(host: str) -> bool:
    """Whether requests to a host go to this machine or a network of one's own.

    A name that is not known here counts as one of our network where it has no dot.

    >>> [stays_inside(host) for host in ("127.0.0.1", "[fd00::1]", "192.168.1.20", "8.8.8.8")]
    [True, True, True, False]
    """
    found = addresses_of(host)
    if found:
        return not any(address.is_global for address in found)
    return "." not in host.rstrip(".") and ":" not in host


def leads_inside(target: str, known: str) -> bool:
    """Whether `target` is a machine that nobody may be led to by the host `known`.

    Nobody is led to where clouds keep the credentials of their machines, and no server outside
    of our network leads anybody inside.
    """
    found = addresses_of(target)
    if any(address.is_link_local or address.is_unspecified for address in found):
        return True
    own = addresses_of(known)
    is_outside = bool(own) and all(address.is_global for address in own)
    return is_outside and not all(address.is_global for address in found)
