"""Every format: what is written and read again is the same."""

import random
from dataclasses import replace

import pytest

from annotation.engine.formats.errors import FormatError
from annotation.engine.segment_formats.exchange import (
    SegmentedRecording,
    SegmentFile,
    Settings,
    segment_formats,
)
from annotation.engine.segments.model import Segment

TRAPS = ["", "Pour oil", 'say "--> now", & <b>', "line\nbreak", "schön; 水", "a,b\ttab", "=1+1"]


def random_file(seed):
    rng = random.Random(seed)
    recordings = []
    for number in range(3):
        segments, at_s = [], 0.0
        for place in range(rng.randrange(1, 8)):
            start_s = round(at_s + rng.random() * 3, 6)
            at_s = round(start_s + 0.1 + rng.random() * 9, 6)
            segments.append(
                Segment(
                    f"k{place}", "steps", start_s, at_s, str(rng.randrange(4)),
                    rng.choice(["", "others"]), rng.choice(TRAPS), is_flagged=rng.random() < 0.2,
                    note=rng.choice(TRAPS), revision=rng.randrange(1, 5),
                )
            )  # fmt: skip
        segments.append(Segment("gone", "steps", None, None, "3"))
        segments.append(
            Segment("m", "mistakes", None, None, label="slip", parent_key="k0", is_proposal=True)
        )
        recordings.append(
            SegmentedRecording(
                f"v{number}", tuple(segments), annotator=f"p{number}", round="r1",
                scheme="egooops", scheme_version=1, guideline="2",
            )
        )  # fmt: skip
    return SegmentFile(tuple(recordings))


def again(name, file, tmp_path, settings=None):
    known, settings = segment_formats()[name], settings or Settings(rate=25)
    text = known.write(file, settings).text
    path = tmp_path / f"file{known.suffix}"
    path.write_text(text, newline="")
    read = known.read(path, settings)
    assert known.write(read, settings).text == text
    return read


@pytest.mark.parametrize("name", ["piev", "table"])
@pytest.mark.parametrize("seed", range(10))
def test_complete_formats_come_back_equal(name, seed, tmp_path):
    file = random_file(seed)

    assert again(name, file, tmp_path).recordings == file.recordings


def test_piev_keeps_everything_of_a_recording(tmp_path):
    [first, *_] = random_file(0).recordings
    full = replace(first, duration_s=61, rate=29.97, steps={"1": "Boil"}, scenario="tea", head=9)
    deleted = replace(full.segments[0], key="x", is_deleted=True)
    full = replace(full, segments=(*full.segments, deleted))

    assert again("piev", SegmentFile((full,)), tmp_path).recordings == (full,)


HEADER = "recording,track,key,start_s,end_s,status\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recording,track\n", r"line 1: 'recording, track'; expected each column once, recording"),
        (HEADER + 'v,steps,k,"1,5",2,\n', "line 2: start_s is '1,5'; expected seconds with a poin"),
        (HEADER + "v,steps,k,1,,\n", "line 2: end_s is ''; expected both times or none"),
        (HEADER + "v,steps,k,3,1,\n", "line 2: end_s is '1'; expected a time not before"),
        (HEADER + "v,steps,k,-1,1,\n", "line 2: start_s is '-1'; expected seconds"),
        (HEADER + "v,steps,k,1,2,odd\n", "line 2: status is 'odd'; expected nothing, flagged"),
        (HEADER + "v,steps,k,1,2,\nv,steps,k,3,4,\n", "line 3: key is 'k'; expected each key once"),
        (HEADER + "v,steps,k,1\n", "line 2: 4; expected 6 cells"),
        (HEADER + ",,k,1,2,\n", "line 2: recording is ''; expected text"),
    ],
)
def test_faults_of_a_table_are_named_by_line(text, message, tmp_path):
    path = tmp_path / "segments.csv"
    path.write_text(text)

    with pytest.raises(FormatError, match=message):
        segment_formats()["table"].read(path, Settings())


def test_table_with_a_byte_order_mark_says_frames(tmp_path):
    path = tmp_path / "segments.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (HEADER + "v,steps,k,1.0,2.0,\n").encode())

    file = segment_formats()["table"].read(path, Settings())
    lines = segment_formats()["table"].write(file, Settings(rate=25)).text.splitlines()

    assert lines[1].startswith("v,steps,k,1.0,2.0,25,49,")
