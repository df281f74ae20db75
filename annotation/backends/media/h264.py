"""The few bits of an H.264 stream that a splice has to read and write; nothing here decodes.

Sources: ITU-T H.264, sections 7.3.1 and 7.3.2.1 (units and sequence parameter sets) and annex B;
ISO/IEC 14496-15, section 5.3.3.1 (`avcC`, the record of parameter sets in an MP4 file).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

UNIT_IDR = 5
UNIT_SPS = 7
UNIT_PPS = 8
UNIT_DELIMITER = 9
_START_CODE = b"\x00\x00\x01"
# Profiles whose parameter sets carry chroma format and scaling lists before the picture size.
_HIGH_PROFILES = frozenset({100, 110, 122, 244, 44, 83, 86, 118, 128})
_MOST_SPS = 31
_MOST_PPS = 255


class H264Error(ValueError):
    """The bytes are not what an H.264 stream in MP4 has."""


class _Bits:
    """Reads bits from the left, without the bytes that keep start codes out of the payload."""

    def __init__(self, payload: bytes) -> None:
        clean = payload.replace(b"\x00\x00\x03", b"\x00\x00")
        self._value = int.from_bytes(clean, "big")
        self._left = 8 * len(clean)

    def take(self, count: int) -> int:
        if count > self._left:
            raise H264Error("a parameter set ends too early")
        self._left -= count
        return (self._value >> self._left) & ((1 << count) - 1)

    def golomb(self) -> int:
        zero_count = 0
        while self.take(1) == 0:
            zero_count += 1
        return (1 << zero_count) - 1 + self.take(zero_count)

    def signed_golomb(self) -> int:
        code = self.golomb()
        return (code + 1) // 2 if code % 2 else -(code // 2)


@dataclass(frozen=True, slots=True)
class AvcRecord:
    """The parameter sets of a track; `head` is profile and level, `tail` what follows the sets."""

    head: bytes
    length_size: int
    sequence_sets: tuple[bytes, ...]
    picture_sets: tuple[bytes, ...]
    tail: bytes = b""

    @classmethod
    def parse(cls, extradata: bytes) -> "AvcRecord":
        if len(extradata) < 7 or extradata[0] != 1:
            raise H264Error("the track has no avcC record")
        try:
            sequence_sets, at = _sets(extradata, 6, extradata[5] & 0x1F)
            picture_sets, at = _sets(extradata, at + 1, extradata[at])
        except IndexError as error:
            raise H264Error("the avcC record ends too early") from error
        return cls(
            extradata[1:4], (extradata[4] & 3) + 1, sequence_sets, picture_sets, extradata[at:]
        )

    def with_sets(self, units: Iterable[bytes]) -> "AvcRecord":
        """The record with more parameter sets; those that it has are not repeated."""
        sequence_sets, picture_sets = list(self.sequence_sets), list(self.picture_sets)
        for unit in units:
            sets = {UNIT_SPS: sequence_sets, UNIT_PPS: picture_sets}.get(unit_type(unit))
            if sets is not None and unit not in sets:
                sets.append(unit)
        if len(sequence_sets) > _MOST_SPS or len(picture_sets) > _MOST_PPS:
            raise H264Error("too many parameter sets for one track")
        return AvcRecord(
            self.head, self.length_size, tuple(sequence_sets), tuple(picture_sets), self.tail
        )

    def to_bytes(self) -> bytes:
        parts = [b"\x01", self.head, bytes([0xFC | (self.length_size - 1)])]
        parts.append(bytes([0xE0 | len(self.sequence_sets)]))
        parts.extend(len(unit).to_bytes(2, "big") + unit for unit in self.sequence_sets)
        parts.append(bytes([len(self.picture_sets)]))
        parts.extend(len(unit).to_bytes(2, "big") + unit for unit in self.picture_sets)
        return b"".join((*parts, self.tail))

    def is_apart_from(self, other: "AvcRecord") -> bool:
        """Whether no set of the other has the number of a different set of this one."""
        new_sequence = [unit for unit in other.sequence_sets if unit not in self.sequence_sets]
        new_picture = [unit for unit in other.picture_sets if unit not in self.picture_sets]
        return not (
            self.sequence_ids & {sequence_id(unit) for unit in new_sequence}
            or self.picture_ids & {picture_id(unit) for unit in new_picture}
        )

    @property
    def sequence_ids(self) -> frozenset[int]:
        return frozenset(sequence_id(unit) for unit in self.sequence_sets)

    @property
    def picture_ids(self) -> frozenset[int]:
        return frozenset(picture_id(unit) for unit in self.picture_sets)

    @property
    def is_progressive(self) -> bool:
        return all(has_only_frames(unit) for unit in self.sequence_sets)


def _sets(extradata: bytes, at: int, count: int) -> tuple[tuple[bytes, ...], int]:
    units = []
    for _ in range(count):
        length = int.from_bytes(extradata[at : at + 2], "big")
        unit = extradata[at + 2 : at + 2 + length]
        if len(unit) != length or not unit:
            raise H264Error("the avcC record ends too early")
        units.append(unit)
        at += 2 + length
    return tuple(units), at


def unit_type(unit: bytes) -> int:
    return unit[0] & 0x1F


def sequence_id(unit: bytes) -> int:
    return _Bits(unit[4:]).golomb()


def picture_id(unit: bytes) -> int:
    return _Bits(unit[1:]).golomb()


def has_only_frames(unit: bytes) -> bool:
    """Whether a sequence parameter set rules fields (interlaced pictures) out."""
    profile = unit[1]
    bits = _Bits(unit[4:])
    bits.golomb()
    if profile in _HIGH_PROFILES:
        _skip_high_profile(bits)
    bits.golomb()  # log2_max_frame_num_minus4
    order_type = bits.golomb()
    if order_type == 0:
        bits.golomb()
    elif order_type == 1:
        bits.take(1)
        bits.signed_golomb()
        bits.signed_golomb()
        for _ in range(bits.golomb()):
            bits.signed_golomb()
    bits.golomb()  # max_num_ref_frames
    bits.take(1)
    bits.golomb()  # width
    bits.golomb()  # height
    return bits.take(1) == 1


def _skip_high_profile(bits: _Bits) -> None:
    chroma = bits.golomb()
    if chroma == 3:
        bits.take(1)
    bits.golomb()
    bits.golomb()
    bits.take(1)
    if not bits.take(1):
        return
    for index in range(8 if chroma != 3 else 12):
        if bits.take(1):
            size = 16 if index < 6 else 64
            last = following = 8
            for _ in range(size):
                if following:
                    following = (last + bits.signed_golomb()) % 256
                last = following or last


def annex_b_units(stream: bytes) -> Iterator[bytes]:
    """Yield the units of a stream with start codes."""
    parts = stream.split(_START_CODE)
    for part in parts[1:]:
        # Zeros before a start code belong to it, and no unit ends in a zero byte.
        unit = part.rstrip(b"\x00")
        if unit:
            yield unit


def parameter_sets(units: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(unit for unit in units if unit_type(unit) in {UNIT_SPS, UNIT_PPS})


def length_prefixed(units: Iterable[bytes], length_size: int) -> bytes:
    """The units as an MP4 sample has them; parameter sets stay in the track's record."""
    left_out = {UNIT_SPS, UNIT_PPS, UNIT_DELIMITER}
    return b"".join(
        len(unit).to_bytes(length_size, "big") + unit
        for unit in units
        if unit_type(unit) not in left_out
    )


def sample_units(sample: bytes, length_size: int) -> Sequence[bytes]:
    units = []
    at = 0
    while at + length_size < len(sample):
        length = int.from_bytes(sample[at : at + length_size], "big")
        units.append(sample[at + length_size : at + length_size + length])
        at += length_size + length
    return [unit for unit in units if unit]


def is_instant_refresh(sample: bytes, length_size: int) -> bool:
    """Whether decoding can start at the sample and nothing after it looks back (IDR)."""
    return any(unit_type(unit) == UNIT_IDR for unit in sample_units(sample, length_size))
