"""Video files that do not say what made them.

Muxers and encoders sign what they write: the container with an `encoder` tag, x264 with all of its
settings in the first picture (a message of the kind "user data", ITU-T H.264, D.2.6), FFmpeg's AAC
encoder in the first packet. In the middle of a spliced recording that tells where a clip begins.
Cameras put their model and the date into the same messages.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from av import Packet
from av.codec.context import Flags

from annotation.backends.media.h264 import sample_units, unit_type

# For the options of a container: no tag of the muxer's.
QUIET = {"fflags": "+bitexact"}
# The same for every file that people watch, however it came about: contents in front, and a clock
# on which the frames of all usual rates, and the ticks of all usual clocks, are whole numbers.
PLAIN_MP4 = {**QUIET, "movflags": "+faststart", "video_track_timescale": "720000"}
# For the flags of an AAC encoder: no signature in the sound.
QUIET_SOUND = Flags.bitexact
# Sizes of files that people watch are multiples of this.
SIZE_STEP_BYTES = 64 * 1024

_START_CODE = b"\x00\x00\x01"
_USER_DATA = _START_CODE + b"\x06\x05"
# ITU-T H.264, tables 7-1 and D.1: the unit of messages; captions and the like, and user data.
_MESSAGES = 6
_USER_MESSAGES = frozenset({4, 5})
# Long enough that no hour of sound has one by chance.
_SOUND_SIGNATURES = re.compile(rb"(?:Lavc[0-9]{2}\.|libfaac [0-9]|LAME[0-9]\.[0-9])[ -~]*")
# Heads of boxes that say nothing: ISO/IEC 14496-12, section 8.1.2, and RFC 8794, section 11.3.2.
_FREE_BOX = b"free"
_VOID_ELEMENT = b"\xec\x01"
_FREE_HEAD_BYTES, _VOID_HEAD_BYTES = 8, 9


def unsigned(stream: bytes) -> bytes:
    """Encoded pictures (with start codes) without the messages of the encoder's maker."""
    at = stream.find(_USER_DATA)
    while at >= 0:
        end = stream.find(_START_CODE, at + len(_USER_DATA))
        # A longer start code begins with one zero more, which stays where it was.
        stream = stream[:at] + (stream[end:] if end >= 0 else b"")
        at = stream.find(_USER_DATA, at)
    return stream


def unsigned_packet(packet: Packet) -> Packet:
    """A packet of x264, which signs the first picture, without its signature."""
    if not packet.is_keyframe:
        return packet
    return with_data(packet, unsigned(bytes(packet)))


def unsigned_sample(sample: bytes, length_size: int) -> bytes:
    """The units of a picture, as MP4 has them (with lengths), without messages of users' data."""
    parts = []
    for unit in sample_units(sample, length_size):
        if unit_type(unit) == _MESSAGES:
            messages = list(_messages(unit))
            kept = [message for kind, message in messages if kind not in _USER_MESSAGES]
            if not kept:
                continue
            if len(kept) < len(messages):
                # Whatever ends a unit of messages is one bit and zeros (section 7.3.2.11).
                payload = b"".join(kept) + b"\x80"
                # Bytes that keep start codes out of it (section 7.4.1).
                unit = unit[:1] + re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\x00\x00\x03", payload)
        parts.append(len(unit).to_bytes(length_size, "big") + unit)
    return b"".join(parts)


def unsigned_sound(data: bytes) -> bytes:
    """A packet of sound without the name of its encoder; it stands in bytes that are not heard."""
    return _SOUND_SIGNATURES.sub(lambda match: bytes(len(match[0])), data)


def fill_up(path: Path) -> None:
    """Make the size of a finished MP4 or WebM file a multiple of `SIZE_STEP_BYTES`."""
    with path.open("rb") as file:
        is_mp4 = file.read(8)[4:] == b"ftyp"
    head_bytes = _FREE_HEAD_BYTES if is_mp4 else _VOID_HEAD_BYTES
    missing = -path.stat().st_size % SIZE_STEP_BYTES
    if missing and missing < head_bytes:
        missing += SIZE_STEP_BYTES
    if not missing:
        return
    if is_mp4:
        head = missing.to_bytes(4, "big") + _FREE_BOX
    else:
        head = _VOID_ELEMENT + (missing - head_bytes).to_bytes(7, "big")
    with path.open("ab") as file:
        file.write(head + bytes(missing - head_bytes))


def with_data(packet: Packet, data: bytes) -> Packet:
    """The packet with other bytes; the same one where they are the same."""
    if data == bytes(packet):
        return packet
    found = Packet(data)
    found.pts, found.dts, found.duration = packet.pts, packet.dts, packet.duration
    found.time_base, found.is_keyframe = packet.time_base, packet.is_keyframe
    found.stream = packet.stream
    return found


def _messages(unit: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each message of a unit (section 7.3.2.3.1) as its kind and its bytes, head included."""
    payload = unit[1:].replace(b"\x00\x00\x03", b"\x00\x00").rstrip(b"\x00")
    at = 0
    # The last byte is the one that ends the unit.
    while at < len(payload) - 1:
        begin, numbers = at, []
        for _ in ("kind", "size"):
            number = 0
            while payload[at : at + 1] == b"\xff":
                number, at = number + 255, at + 1
            number, at = number + int.from_bytes(payload[at : at + 1], "big"), at + 1
            numbers.append(number)
        at += numbers[1]
        yield numbers[0], payload[begin:at]
