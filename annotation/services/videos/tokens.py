"""Addresses and ETags of recordings, which only this site can read.

A token is a recording, an account and an hour, encrypted and authenticated (AES-SIV, RFC 5297). The
same three give the same token, so a page that is opened again plays from the browser's cache. An
ETag is a keyed hash of the content for one account: it stays as long as the content does, and
neither tells how a file came about nor can be compared with another person's.
"""

import base64
import binascii
import struct
import time
from contextlib import suppress
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.encoding import force_bytes

from annotation.models import User, Video

# Other uses of SECRET_KEY get other keys.
PURPOSE = b"piev video address 1"
KEY_BYTES = 64
HOUR_S = 3600
_HEAD = struct.Struct(">QI")
TAG_SALT = "annotation.video.tag"
TAG_CHARACTERS = 32


class TokenError(ValueError):
    """The token is not one of this site, or no longer good."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a token stands for."""

    video_id: str
    user_id: int


def video_url(video: Video, user: User) -> str:
    """The address under which `user`, and nobody else, can watch `video` for a while.

    What was made of it lies below: add a name and "/".
    """
    return reverse("video", args=[video_token(video, user)])


def video_token(video: Video, user: User) -> str:
    """The token with which `user`, and nobody else, can watch `video` for some hours."""
    plain = _HEAD.pack(user.pk, int(time.time()) // HOUR_S) + video.public_id.encode()
    sealed = _cipher(settings.SECRET_KEY).encrypt(plain, None)
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def read_token(token: str) -> Ticket:
    """What a token stands for; raises TokenError.

    A token lives for `VIDEO_URL_HOURS` after the hour in which it was made.
    """
    try:
        sealed = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise TokenError("not a token") from error
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        with suppress(InvalidTag, ValueError):
            plain = _cipher(secret).decrypt(sealed, None)
            break
    else:
        raise TokenError("not a token of this site")
    user_id, hour = _HEAD.unpack_from(plain)
    if not 0 <= int(time.time()) // HOUR_S - hour <= settings.VIDEO_URL_HOURS:
        raise TokenError("too old")
    return Ticket(plain[_HEAD.size :].decode(), user_id)


def personal_tag(content: str, user: User) -> str:
    """The inside of the ETag under which `user` gets `content`, by its hash or version."""
    keyed = salted_hmac(TAG_SALT, f"{user.pk} {content}", algorithm="sha256")
    return keyed.hexdigest()[:TAG_CHARACTERS]


def _cipher(secret: str | bytes) -> AESSIV:
    derivation = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=PURPOSE)
    return AESSIV(derivation.derive(force_bytes(secret)))
