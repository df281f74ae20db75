"""Video files that do not say what made them.

Muxers and encoders sign what they write: the container with an `encoder` tag, x264 with all of its
settings in the first picture (a message of the kind "user data", ITU-T H.264, D.2.6), FFmpeg's AAC
encoder in the first packet. In the middle of a spliced recording that tells where a clip begins.
"""

from av import Packet
from av.codec.context import Flags

# For the options of a container: no tag of the muxer's.
QUIET = {"fflags": "+bitexact"}
# For the flags of an AAC encoder: no signature in the sound.
QUIET_SOUND = Flags.bitexact

_START_CODE = b"\x00\x00\x01"
_USER_DATA = _START_CODE + b"\x06\x05"


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
    data = bytes(packet)
    plain = unsigned(data)
    if plain == data:
        return packet
    found = Packet(plain)
    found.pts, found.dts, found.duration = packet.pts, packet.dts, packet.duration
    found.time_base, found.is_keyframe = packet.time_base, packet.is_keyframe
    found.stream = packet.stream
    return found
