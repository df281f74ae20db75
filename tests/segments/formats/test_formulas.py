"""Every format: what an annotator wrote starts no formula and is no markup, and comes back."""

import csv
import io
import re
from xml.etree import ElementTree

import pytest

from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats

FORMULA = '=HYPERLINK("http://evil.example";"go")'
STARTS = ("=", "+", "-", "@", "\t=", "＝", "＋", "－", "＠", " =", "\ufeff=", "\u200b@")
# Behind what ends a cell where no quotes protect it, there is a second one.
TEXTS = [
    *(f"{start}1+1" for start in STARTS), FORMULA, f"a,{FORMULA}", f"a;{FORMULA}", "a\t=1+1",
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "--> =1", "]]>&lt;b&gt;",
]  # fmt: skip
UNSEEN = "[ \t\r\n\v\f\u00a0\u3000\u200b\ufeff]*"
START = re.compile(rf"{UNSEEN}[=+\-@＝＋－＠]")
NUMBER = re.compile(r"-?\d+(\.\d*)?(,|$)")


# Their labels are those of the data set.
OWN_LABELS = ("assembly101", "egooops")


def recording_of(texts, name):
    is_action = name == "assembly101"
    segments = tuple(
        Segment(
            f"k{place}", "steps", place * 2.0, place * 2.0 + 1.0,
            f"{text.replace(',', ' ')},this,that" if is_action else text,
            label="" if name in OWN_LABELS else text, text=text, note=text,
        )
        for place, text in enumerate(texts)
    )  # fmt: skip
    untimed = () if is_action else (Segment("u", "steps", None, None, texts[0], text=texts[1]),)
    return SegmentedRecording(
        texts[0], (*segments, *untimed), scenario=texts[1], rate=30.0, annotator=texts[2],
        steps={text: text for text in texts}, round=texts[3], guideline=texts[4], scheme=texts[5],
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(segment_formats()))
def test_no_text_of_an_annotator_runs_in_a_file(name):
    form = segment_formats()[name]
    written = form.write(SegmentFile((recording_of(TEXTS, name),)), Settings(rate=30.0)).text

    assert written
    if form.suffix == ".csv":
        # Whatever a spreadsheet takes the cells apart at.
        readers = (csv.reader(io.StringIO(written, newline=""), delimiter=it) for it in ",;\t")
        cells = [cell for rows in readers for row in rows for cell in row]
        assert [cell for cell in cells if START.match(cell) and not NUMBER.match(cell)] == []
    if form.suffix == ".eaf":
        tags = {item.tag for item in ElementTree.fromstring(written).iter()}  # noqa: S314
        assert not tags & {"script", "img"}
    if form.suffix == ".vtt":
        cues = [block for block in written.split("\n\n") if not block.startswith("NOTE")]
        assert "<script" not in "".join(cues)


@pytest.mark.parametrize(
    "name", [name for name, form in segment_formats().items() if form.suffix == ".csv"]
)
def test_such_texts_come_back_as_they_were(name, tmp_path):
    form, settings = segment_formats()[name], Settings(rate=30.0)
    # Assembly101 keeps no lines and no leading blanks.
    texts = [" ".join(text.split()) for text in TEXTS] if name == "assembly101" else TEXTS
    recording = recording_of(texts, name)
    path = tmp_path / "file.csv"
    path.write_text(form.write(SegmentFile((recording,)), settings).text, newline="")

    [read] = form.read(path, settings).recordings

    timed = [item for item in read.segments if item.start_s is not None]
    assert [item.text for item in timed] == texts
    wanted = [item.step_id for item in recording.segments if item.start_s is not None]
    assert [item.step_id for item in timed] == wanted
    assert read.uid in {recording.uid, path.stem}
