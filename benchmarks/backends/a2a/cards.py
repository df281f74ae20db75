"""What the card of an agent says: its name, whether it takes pictures, and where it is reached.

A card is somebody else's text. It may name no other server than the one it was read from, so that
who may use an address need not also be asked about what is found there.
"""

import importlib.util
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from benchmarks.backends.a2a.exceptions import CardError
from generation.backends.addresses import leads_inside
from generation.backends.server_text import storable

JSONRPC = "JSONRPC"
MOST_NAME_CHARACTERS = 150
PORTS = {"http": 80, "https": 443}
MISSING = 'agents need the package a2a-sdk: pip install "piev[a2a]"'


def is_installed() -> bool:
    return importlib.util.find_spec("a2a") is not None


def takes_pictures(card: Mapping[str, Any]) -> bool:
    """Whether a card says that the agent takes JPEG pictures.

    >>> takes_pictures({"defaultInputModes": ["text/plain", "image/*"]})
    True
    """
    modes = card.get("defaultInputModes", [])
    return any(mode in {"image/jpeg", "image/jpg", "image/*", "*/*"} for mode in modes)


def name_of(card: Mapping[str, Any]) -> str:
    """The agent's name and version."""
    words = f"{card.get('name', '')} {card.get('version', '')}"
    return storable(" ".join(words.split()))[:MOST_NAME_CHARACTERS] or "agent without a name"


def origin_of(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address; raises CardError for what is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError as error:
        raise CardError(f"{url!r} is not an address: {error}") from error
    return parts.scheme, (parts.hostname or "").rstrip(".").lower(), port


def refuse_address(url: str, base_url: str) -> None:
    """Raise CardError where messages must not go to an address that an agent's card names."""
    origin = origin_of(base_url)
    if origin_of(url) != origin:
        raise CardError(
            f"its card names {url!r}, which is another server than {base_url}; nothing was sent"
        )
    if leads_inside(origin[1], origin[1]):
        raise CardError(f"{origin[1]} is a link-local address; nothing was sent")


def check_card(card: Mapping[str, Any], base_url: str) -> None:
    """Raise CardError where a card names no address that can be used, or one that is refused."""
    interfaces = [
        interface
        for interface in card.get("supportedInterfaces", [])
        if interface.get("protocolBinding") == JSONRPC
    ]
    if not interfaces:
        raise CardError("its card names no address for JSON-RPC; expected one in its interfaces")
    for interface in interfaces:
        refuse_address(str(interface.get("url", "")), base_url)
