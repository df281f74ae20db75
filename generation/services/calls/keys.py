"""Keys of endpoints, encrypted at rest with keys derived from SECRET_KEY.

Reading also tries `SECRET_KEY_FALLBACKS`, so the site's key can be changed without typing every
endpoint's key again.
"""

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

# Separates this key from other uses of SECRET_KEY; changing it makes every stored key unreadable.
PURPOSE = b"piev text endpoint key 1"
KEY_BYTES = 32


class UnreadableKeyError(Exception):
    """The key was stored under another SECRET_KEY; it has to be typed again."""


def encrypted(key: str) -> str:
    """The text to store for a key; empty for no key."""
    return _cipher(_secrets()).encrypt(key.encode()).decode() if key else ""


def decrypted(stored: str) -> str:
    """The key behind a stored text; raises UnreadableKeyError."""
    if not stored:
        return ""
    try:
        return _read(stored, _secrets())
    except InvalidToken as error:
        raise UnreadableKeyError(
            "the stored key cannot be read with this site's SECRET_KEY; type the key again"
        ) from error


@lru_cache
def _read(stored: str, secrets: tuple[str | bytes, ...]) -> str:
    # Read for every call, and there are few keys.
    return _cipher(secrets).decrypt(stored.encode()).decode()


def _secrets() -> tuple[str | bytes, ...]:
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def _cipher(secrets: tuple[str | bytes, ...]) -> MultiFernet:
    return MultiFernet([_fernet(secret) for secret in secrets])


@lru_cache
def _fernet(secret: str | bytes) -> Fernet:
    derivation = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=PURPOSE)
    return Fernet(base64.urlsafe_b64encode(derivation.derive(force_bytes(secret))))
