"""Every format: what is written and read again is the same."""

import random
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats
from segments.formats.packing import frame_time, whole_ms

TRAPS = ["", "Pour oil", 'say "--> now", & <b>', "line\nbreak", "schön; 水", "a,b\ttab", "=1+1",
         "odd\x0b\u2028\x85\rend"]  # fmt: skip


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
    plain, *others = random_file(seed).recordings
    scored = [replace(item, scores={"k0": 0.25, "m": -3.0}) for item in others]
    file = SegmentFile((plain, *scored))

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


def rounded_to_ms(recording):
    segments = [
        item if item.start_s is None
        else replace(item, start_s=round(item.start_s, 3), end_s=round(item.end_s, 3))
        for item in recording.segments
    ]  # fmt: skip
    return replace(recording, segments=tuple(segments))


@pytest.mark.parametrize("name", ["elan", "webvtt"])
@pytest.mark.parametrize("seed", range(10))
def test_formats_of_milliseconds_come_back_to_the_millisecond(name, seed, tmp_path):
    for recording in random_file(seed).recordings:
        read = again(name, SegmentFile((recording,)), tmp_path)

        assert read.recordings == (rounded_to_ms(recording),)


def overlapping():
    segments = (
        Segment("a", "steps", 0.0, 5.0, "0", "slip", "Boil <it> & wait"),
        Segment("b", "steps", 4.0, 9.0, "1"),
        Segment("c", "steps", 6.0, 6.0, "1"),
        Segment("d", "steps", 9.0, 9.00049, "0"),
    )
    steps = {"0": "Boil water", "1": "Pour"}
    return SegmentedRecording("v1", segments, steps=steps, annotator="p7")


def test_elan_puts_what_overlaps_on_another_tier(tmp_path):
    written = segment_formats()["elan"].write(SegmentFile((overlapping(),)), Settings())
    root = ElementTree.fromstring(written.text)  # noqa: S314 - our own document

    slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")}
    tiers = {
        tier.get("TIER_ID"): [
            (slots[item.get("TIME_SLOT_REF1")], slots[item.get("TIME_SLOT_REF2")],
             item.findtext("ANNOTATION_VALUE"))
            for item in tier.iter("ALIGNABLE_ANNOTATION")
        ]
        for tier in root.iter("TIER") if not tier.get("PARENT_REF")
    }  # fmt: skip
    assert tiers == {
        "steps": [("0", "5000", "0 Boil water"), ("6000", "6001", "1 Pour"),
                  ("9000", "9001", "0 Boil water")],
        "steps-2": [("4000", "9000", "1 Pour")],
    }  # fmt: skip
    assert {tier.get("PARTICIPANT") for tier in root.iter("TIER")} == {"p7"}
    assert written.notes == (
        "2 edges were moved to a whole millisecond",
        "1 more tiers hold segments that overlap",
    )
    ids = [item.get("ANNOTATION_ID") for item in root.iter() if item.get("ANNOTATION_ID")]
    assert sorted(ids) == sorted(f"a{number}" for number in range(1, 17))
    types = {item.get("LINGUISTIC_TYPE_ID") for item in root.iter("LINGUISTIC_TYPE")}
    assert {tier.get("LINGUISTIC_TYPE_REF") for tier in root.iter("TIER")} == types
    order = list(dict.fromkeys(item.tag for item in root))
    assert order == ["HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE", "LANGUAGE", "CONSTRAINT",
                     "CONTROLLED_VOCABULARY"]  # fmt: skip


def test_elan_holds_several_annotators(tmp_path):
    first, second, _ = random_file(1).recordings
    file = SegmentFile((first, replace(second, uid="v0")))

    read = again("elan", file, tmp_path)

    assert [item.annotator for item in read.recordings] == ["p0", "p1"]
    assert read.recordings[1] == rounded_to_ms(file.recordings[1])


def test_webvtt_shows_labels_and_cannot_be_ended_by_its_text(tmp_path):
    written = segment_formats()["webvtt"].write(SegmentFile((overlapping(),)), Settings())

    assert (
        "\n\na\n00:00:00.000 --> 00:00:05.000\nslip: Boil &lt;it&gt; &amp; wait\n\n" in written.text
    )
    assert "00:00:06.000 --> 00:00:06.001\nPour\n" in written.text


def test_webvtt_of_another_maker_becomes_steps(tmp_path):
    path = tmp_path / "tea.vtt"
    path.write_text(
        "WEBVTT - tea\r\n\r\nSTYLE\r\n::cue {}\r\n\r\nintro\r\n00:01.000 --> 00:02.500 line:0\r\n"
        "<v Ann>Boil &amp; wait\r\nfor it\r\n",
        newline="",
    )

    [recording] = segment_formats()["webvtt"].read(path, Settings()).recordings

    assert recording == SegmentedRecording(
        "tea", (Segment("c1", "steps", 1.0, 2.5, text="Boil & wait for it"),)
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("webvtt", "1\n00:00", "expected a file that begins with WEBVTT"),
        ("webvtt", "WEBVTT\n\n1 --> 2\nx\n", "line 3: times is '1 --> 2'; expected 00:00:01.000"),
        ("webvtt", "WEBVTT\n\nNOTE piev [\n\n00:01.000 --> 00:02.000\nx\n", "expected a JSON obj"),
        ("elan", "<a", "expected XML"),
        ("elan", "<a/>", "expected an ANNOTATION_DOCUMENT"),
        ("elan", "<!DOCTYPE a><a/>", "'a DOCTYPE'; expected an EAF without one"),
        (
            "piev",
            '{"format": "other", "version": 1, "recordings": []}',
            "expected piev-segments of",
        ),
    ],
)
def test_files_that_are_not_of_the_format_are_refused(name, text, message, tmp_path):
    path = tmp_path / "file"
    path.write_text(text)

    with pytest.raises(FormatError, match=message):
        segment_formats()[name].read(path, Settings())


# 23.976, 29.97 and 59.94 as cameras mean them.
RATES = [24000 / 1001, 30000 / 1001, 30, 60000 / 1001]


def frames_s(rate, *, step=1):
    return [round(frame / rate, 6) for frame in range(0, int(3600 * rate) + 1, step)]


@pytest.mark.parametrize("rate", RATES)
def test_every_frame_of_an_hour_is_found_again_in_whole_milliseconds(rate):
    edges = frames_s(rate)

    assert [frame_time(whole_ms(edge_s) / 1000, rate) for edge_s in edges] == edges


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", ["elan", "webvtt"])
def test_files_of_whole_milliseconds_give_frames_back(name, rate, tmp_path):
    edges = pairwise(frames_s(rate, step=997))
    steps = (Segment(f"k{start_s}", "steps", start_s, end_s) for start_s, end_s in edges)
    recording = SegmentedRecording("v", tuple(steps), rate=rate)

    assert again(name, SegmentFile((recording,)), tmp_path).recordings == (recording,)


def test_an_edge_that_somebody_moved_in_the_other_tool_stays_where_it_was_put(tmp_path):
    step = Segment("k", "steps", round(5 / 29.97, 6), 1.0)
    known = segment_formats()["elan"]
    text = known.write(
        SegmentFile((SegmentedRecording("v", (step,), rate=29.97),)), Settings()
    ).text
    path = tmp_path / "file.eaf"
    path.write_text(text.replace('TIME_VALUE="167"', 'TIME_VALUE="170"'))

    assert known.read(path, Settings()).recordings[0].segments[0].start_s == 0.17


@pytest.mark.parametrize("name", ["via3", "boris", "label_studio", "activitynet", "piev", "table"])
def test_steps_of_one_id_keep_the_words_of_their_own_recording(name, tmp_path):
    segment = Segment("k0", "steps", 1.0, 2.0, "rinse")
    chain, wound = (
        SegmentedRecording(uid, (segment,), steps={"rinse": words}, scenario=uid)
        for uid, words in (("chain", "Rinse the chain"), ("wound", "Rinse the wound"))
    )

    read = again(name, SegmentFile((chain, wound)), tmp_path)

    assert [item.segments for item in read.recordings] == [(segment,), (segment,)]
    assert read.notes == ()
