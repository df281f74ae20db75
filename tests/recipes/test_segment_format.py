"""The recipe of a format of segments: one file, and rounds are written in it and read from it.

`segment_formats/stopwatch.py` is the file; nothing else knows of it.
"""

import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.engine.corpus.formats.errors import FormatError
from segments import formats
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats
from segments.forms.rounds import ProposalForm
from segments.models import SegmentSource
from segments.services.proposals import ProposalRequest, import_proposals
from tests.factories import SegmentRoundFactory, UserFactory
from tests.segments.segmented_rounds import finish, make_take, steps_of

FOLDER = Path(__file__).parent / "segment_formats"
KNOWN = SegmentedRecording(
    "cup", (
        Segment("a", "steps", 0, 2.5, "s1", text="Boil; \"the\" water", note="or\ttea\n\u2028"),
        Segment("b", "mistakes", 1.25, 1.25, label="slip", parent_key="a", is_flagged=True),
    ),
    annotator="p1", round="r1", scheme="egooops", scheme_version=1, guideline="2",
)  # fmt: skip


@pytest.fixture
def stopwatch():
    """Add `segment_formats/stopwatch.py` for one test."""
    path = list(formats.__path__)
    formats.__path__.append(str(FOLDER))
    segment_formats.cache_clear()
    try:
        yield segment_formats()["stopwatch"]
    finally:
        sys.modules.pop(f"{formats.__name__}.stopwatch", None)
        formats.__path__[:] = path
        segment_formats.cache_clear()


def test_what_is_written_and_read_again_is_the_same(stopwatch, tmp_path):
    path = tmp_path / "cup.stopwatch"
    written = stopwatch.write(SegmentFile((KNOWN,)), Settings())
    path.write_text(written.text)

    file = stopwatch.read(path, Settings())

    assert written.notes == ()
    assert file.recordings == (KNOWN,)
    assert stopwatch.write(file, Settings()) == written


def test_what_a_line_cannot_keep_is_counted(stopwatch):
    untimed = Segment("c", "steps", None, None, "s2")
    odd = replace(KNOWN.segments[0], end_s=2.50001)

    written = stopwatch.write(SegmentFile((replace(KNOWN, segments=(odd, untimed)),)), Settings())

    assert written.notes == ("1 edge was moved to a whole millisecond", "1 without times left out")


def test_lines_of_others_are_steps_and_each_fault_is_named(stopwatch, tmp_path):
    path = tmp_path / "cup.stopwatch"
    path.write_text("# Made on Monday\n0\t2500\tBoil the water\n")
    [recording] = stopwatch.read(path, Settings()).recordings
    assert (recording.uid, recording.segments) == (
        "cup", (Segment("s1", "steps", 0, 2.5, text="Boil the water"),),
    )  # fmt: skip

    path.write_text("soon\t2500\tBoil\n9\t3\tPour\n")
    with pytest.raises(FormatError) as caught:
        stopwatch.read(path, Settings())
    assert [(item.place, item.field) for item in caught.value.problems] == [
        ("line 1", "times"), ("line 2", "end"),
    ]  # fmt: skip


@pytest.mark.django_db
def test_rounds_go_out_and_come_in_with_it(stopwatch, tmp_path):
    finished = SegmentRoundFactory().round
    take = make_take(uid="V1")
    finish(finished, take, UserFactory(), steps_of(("a", 0, 4), ("b", 5, 9)))
    archive, folder = tmp_path / "round.zip", tmp_path / "files"
    call_command(
        "export_segments", "--campaign", finished.campaign.name, "--round", "1",
        "--format", "stopwatch", "--out", str(archive),
    )  # fmt: skip
    zipfile.ZipFile(archive).extractall(folder)
    assert [path.suffix for path in folder.iterdir()] == [".stopwatch"]
    choices = dict(ProposalForm().fields["format"].choices)
    assert choices["stopwatch"] == "Lists of a stopwatch (.stopwatch)"
    again = SegmentRoundFactory(source=SegmentSource.FILE).round
    row = again.recordings.create(take=take)

    import_proposals(
        round_=again, paths=[folder], request=ProposalRequest("stopwatch", "people"), actor=None
    )

    row.refresh_from_db()
    assert [(item["start_s"], item["end_s"], item["step_id"]) for item in row.proposals] == [
        (0.0, 4.0, "a"), (5.0, 9.0, "b"),
    ]  # fmt: skip
