from fractions import Fraction

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.backends.media.h264 import (
    AvcRecord,
    H264Error,
    annex_b_units,
    has_only_frames,
    is_instant_refresh,
    length_prefixed,
    parameter_sets,
    picture_id,
    sample_units,
    sequence_id,
    unit_type,
)

SPS = bytes.fromhex("6764000d4b36505067e784000003000400000300f03c50a658")
PPS = bytes.fromhex("684af82bcb")
RECORD = AvcRecord(b"\x64\x00\x0d", 4, (SPS,), (PPS,), b"\xfd\xf8\xf8\x00")

# Units never hold a start code, and never end in zero.
units = st.binary(min_size=1, max_size=40).map(
    lambda payload: bytes([1]) + payload.replace(b"\x00", b"\x01") + b"\x80"
)


def sets_of_an_encoder(**parameters: object) -> tuple[bytes, ...]:
    context = av.CodecContext.create("libx264", "w")
    context.width, context.height, context.pix_fmt = 64, 48, "yuv420p"
    context.time_base, context.framerate = Fraction(1, 30), Fraction(30)
    context.flags |= av.codec.context.Flags.global_header
    words = ":".join(f"{name}={value}" for name, value in parameters.items())
    context.options = {"x264-params": words}
    context.open()
    return parameter_sets(annex_b_units(context.extradata))


def test_a_record_is_written_as_it_was_read() -> None:
    assert AvcRecord.parse(RECORD.to_bytes()) == RECORD


@given(st.lists(units, max_size=5), st.sampled_from([1, 2, 4]))
def test_units_survive_both_framings(parts: list[bytes], size: int) -> None:
    stream = b"".join(b"\x00\x00\x00\x01" + part for part in parts)

    assert list(annex_b_units(stream)) == parts
    assert list(sample_units(length_prefixed(parts, size), size)) == parts


@pytest.mark.parametrize("number", [0, 1, 7, 30])
def test_ids_are_those_that_the_encoder_was_given(number: int) -> None:
    sets = sets_of_an_encoder(**{"sps-id": number})

    assert [unit_type(unit) for unit in sets] == [7, 8]
    assert (sequence_id(sets[0]), picture_id(sets[1])) == (number, number)


@pytest.mark.parametrize(("parameter", "is_progressive"), [("bframes", True), ("tff", False)])
def test_a_record_tells_whether_fields_may_occur(parameter: str, is_progressive: bool) -> None:
    sets = sets_of_an_encoder(**{parameter: 1})

    assert has_only_frames(sets[0]) is is_progressive


def test_with_sets_adds_what_is_new_once() -> None:
    others = sets_of_an_encoder(**{"sps-id": 9})

    more = RECORD.with_sets(others).with_sets(others).with_sets((SPS, PPS))

    assert more.sequence_ids == {1, 9}
    assert (len(more.sequence_sets), len(more.picture_sets)) == (2, 2)


def test_is_apart_from_sees_another_set_of_the_same_number() -> None:
    same_number = AvcRecord(b"", 4, sets_of_an_encoder(**{"sps-id": 1})[:1], (), b"")
    other_number = AvcRecord(b"", 4, sets_of_an_encoder(**{"sps-id": 2})[:1], (), b"")

    assert RECORD.is_apart_from(RECORD)
    assert not RECORD.is_apart_from(same_number)
    assert RECORD.is_apart_from(other_number)


def test_parameter_sets_and_delimiters_are_left_out_of_samples() -> None:
    picture = b"\x65\x88\x84"

    sample = length_prefixed([b"\x09\x10", SPS, PPS, picture], 4)

    assert sample == b"\x00\x00\x00\x03" + picture
    assert is_instant_refresh(sample, 4)
    assert not is_instant_refresh(length_prefixed([b"\x41\x9a"], 4), 4)


@pytest.mark.parametrize(
    "extradata", [b"", b"\x00\x00\x00\x01\x67\x64\x00\x0d", b"\x01\x64\x00\x0d\xff\xe1\x00\xff"]
)
def test_parse_refuses_what_is_no_record(extradata: bytes) -> None:
    with pytest.raises(H264Error):
        AvcRecord.parse(extradata)
