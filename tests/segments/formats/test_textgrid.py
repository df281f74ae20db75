"""TextGrid files of Praat: what comes back, other programs, what is refused."""

from dataclasses import replace

import pytest
from pympi import Praat

from annotation.engine.corpus.formats.errors import FormatError
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats
from tests.segments.formats.test_round_trips import again, overlapping, random_file

TEXTGRID = segment_formats()["textgrid"]

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 12.5
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "Ann"
        xmin = 0
        xmax = 12.5
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 1.25
            text = ""
        intervals [2]:
            xmin = 1.25
            xmax = 4
            text = "says ""boil"" ! twice"
        intervals [3]:
            xmin = 4
            xmax = 12.5
            text = "  "
    item [2]:
        class = "TextTier"
        name = "bell"
        xmin = 0
        xmax = 12.5
        points: size = 1
        points [1]:
            number = 5.5
            mark = "ding"
"""
SHORT = """"ooTextFile"
"TextGrid"

0 ! from the start
12.5
<exists>
2
"IntervalTier" "Ann" 0 12.5 3
0 1.25 ""
1.25 4 "says ""boil"" ! twice"
4 12.5 "  "
"TextTier" "bell" 0 12.5 1
5.5 "ding"
"""
THEIRS = SegmentedRecording(
    "tea",
    (
        Segment("p1", "Ann", 1.25, 4, text='says "boil" ! twice'),
        Segment("p2", "bell", 5.5, 5.5, text="ding"),
    ),
)


def read(content, tmp_path):
    path = tmp_path / "tea.TextGrid"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return TEXTGRID.read(path, Settings())


@pytest.mark.parametrize("seed", range(10))
def test_everything_comes_back(seed, tmp_path):
    for recording in random_file(seed).recordings:
        assert again("textgrid", SegmentFile((recording,)), tmp_path).recordings == (recording,)


def test_overlaps_and_points_have_tiers_of_their_own(tmp_path):
    written = TEXTGRID.write(SegmentFile((overlapping(),)), Settings())
    path = tmp_path / "tea.TextGrid"
    path.write_text(written.text)
    document = Praat.TextGrid(str(path))

    shown = {
        tier.name: [
            (*row[:-1], row[-1].partition(" <piev> ")[0]) for row in tier.get_intervals() if row[-1]
        ]
        for tier in document.tiers
        if not tier.name.startswith("piev")
    }
    assert shown == {
        "steps": [(0.0, 5.0, "slip: Boil <it> & wait"), (9.0, 9.00049, "Boil water")],
        "steps-2": [(4.0, 9.0, "Pour")],
        "steps.points": [(6.0, "Pour")],
    }
    assert written.notes == ("1 more tiers hold segments that overlap",)
    [read_again] = read(written.text, tmp_path).recordings
    assert set(read_again.segments) == set(overlapping().segments)


@pytest.mark.parametrize("mode", ["normal", "short"])
@pytest.mark.parametrize("seed", range(5))
def test_what_another_program_saved_is_still_all_there(seed, mode, tmp_path):
    for place, recording in enumerate([*random_file(seed).recordings, overlapping()]):
        path, saved = tmp_path / f"{place}.TextGrid", tmp_path / f"{place}-saved.TextGrid"
        path.write_bytes(TEXTGRID.write(SegmentFile((recording,)), Settings()).text.encode())

        Praat.TextGrid(str(path)).to_file(str(saved), mode=mode)

        assert TEXTGRID.read(saved, Settings()).recordings == (
            TEXTGRID.read(path, Settings()).recordings
        )


@pytest.mark.parametrize(
    "content",
    [
        LONG,
        SHORT,
        LONG.replace("\n", "\r\n"),
        LONG.encode("utf-16"),
        b"\xef\xbb\xbf" + LONG.encode(),
    ],
)
def test_files_of_others_become_tracks_with_their_words(content, tmp_path):
    assert read(content, tmp_path) == SegmentFile((THEIRS,))


def test_a_recording_without_segments_lasts_for_praat(tmp_path):
    empty = SegmentedRecording("v1", (), scenario="tea")

    assert "xmax = 1 \n" in TEXTGRID.write(SegmentFile((empty,)), Settings()).text
    assert again("textgrid", SegmentFile((empty,)), tmp_path).recordings == (empty,)


def test_a_text_that_holds_the_mark_stays_a_text(tmp_path):
    odd = Segment("k", "steps", 1.0, 2.0, text='a <piev> {"key": "b"}')
    file = SegmentFile((SegmentedRecording("v1", (odd,)),))

    assert again("textgrid", file, tmp_path).recordings == file.recordings


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("tea", "line 1: 'tea'; expected a text file of Praat, which begins with File type"),
        (LONG.replace('"TextGrid"', '"Pitch"'), "line 2: Object class is 'Pitch'; expected TextG"),
        (LONG.replace('"TextTier"', '"Box"'), "line 28: class is 'Box'; expected IntervalTier or"),
        (LONG.replace("xmin = 1.25", "xmin = soon"), "line 22: xmax is 'says .*'; expected a num"),
        (LONG.replace("xmax = 4", "xmax = 1"), "line 21: xmax is 1; expected a time not before"),
        (LONG.replace("number = 5.5", "number = -5"), "line 34: number is -5; expected a time fro"),
        (LONG.replace("size = 3", "size = 3.5"), "line 14: intervals: size is '3.5'; expected how"),
        (LONG.replace("size = 3", "size = 4"), "line 28: xmin is 'TextTier'; expected a number"),
        (LONG.replace('mark = "ding"', ""), "mark is 'end of the file'; expected a text"),
        (LONG.replace('"ding"', '"ding'), "line 35: mark is '\"ding.*'; expected a text"),
        (LONG.encode("latin-1") + b"\xe9", "byte .*; expected text in UTF-8 or UTF-16"),
        (LONG.encode("utf-16")[:-1], "byte .*'half a character'; expected UTF-16"),
        (LONG.replace("12.5", "9" * 5000), "xmax is .*; expected a number"),
        (LONG.replace("= 4\n", "= 1e99\n"), "line 21: xmax is 1e\\+99; expected a time not before"),
    ],
)  # fmt: skip
def test_faults_are_named_by_line_and_field(content, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read(content, tmp_path)


def test_a_remark_that_was_spoilt_is_named_by_its_tier(tmp_path):
    [recording, *_] = random_file(3).recordings
    text = TEXTGRID.write(SegmentFile((replace(recording, segments=(
        Segment("k", "steps", 1.0, 2.0),
    )),)), Settings()).text  # fmt: skip

    with pytest.raises(FormatError, match=r"tier steps, interval 2: .*; expected a JSON ob"):
        read(text.replace('""track"": ', '""track"" '), tmp_path)
