import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.engine.corpus.formats import assembly101
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Event, NativeLabel, Reading, Step, Take, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_storable

CLEAN = "nusar-2021_action_both_9001-a01_9001_user_id_2021-02-01_100000"
MISTAKEN = "nusar-2021_action_both_9065-a01_9095_user_id_2021-02-01_110000"
CLEAN_ROWS = "30,60,attach,base,chassis,correct,\n60,90,attach,arm,base,correct,\n"
MISTAKEN_ROWS = (
    "30,45,attach,arm,base,mistake,worng order\n"
    "45,60,detach,arm,base,correction,\n"
    "60,90,attach,base,chassis,correct\n"
    "90,93,attach,arm,base,mistake,previous one is mistake\n"
    "93,96,attach,roof,cabin,mistake,shouldn't have happened\n"
)


def _write(folder: Path, **rows: str) -> Path:
    (folder / "annots").mkdir(exist_ok=True)
    for name, content in rows.items():
        (folder / "annots" / f"{name}.csv").write_text(content)
    return folder


@pytest.fixture(scope="module")
def published(shared_data) -> Reading:
    return assembly101.read(shared_data / "assembly101")


@pytest.fixture(scope="module")
def expected(shared_data) -> dict:
    counts = json.loads((shared_data / "EXPECTED.json").read_text())
    return counts["assembly101_mistake_detection"]


@pytest.mark.shared_data
def test_published_labels_and_remarks_are_counted_as_expected(published, expected):
    assert published.native_labels == expected["labels"]
    assert sum(published.native_labels.values()) == expected["rows"]
    assert published.derived == expected["remarks_canonical"]


@pytest.mark.shared_data
def test_published_sequences_become_takes_and_traces(published, expected):
    recorded = [take for take in published.takes if take.video_stem]
    written = [take for take in published.takes if not take.video_stem]
    toys = {take.scenario for take in published.takes}

    assert len(recorded) + len(published.traces) == expected["sequences"]
    assert len(published.traces) == expected["sequences_with_a_mistake"]
    assert len(toys) == expected["toys"]
    assert all(take.steps for take in written)
    rows = sum(len(item.steps) for item in (*recorded, *published.traces))
    assert rows == expected["rows"]


@pytest.mark.shared_data
def test_published_remarks_are_kept_verbatim(published, expected):
    remarks = Counter(
        label.note
        for trace in published.traces
        for step in trace.steps
        for label in step.labels
        if label.note
    )

    assert remarks == expected["remarks_raw"]


@pytest.mark.shared_data
def test_published_irregularities_are_named_one_by_one(published, expected):
    where = {
        word: [item.where for item in published.warnings if word in item.message]
        for word in ("two actors", "verb is", "starts and ends", "overlaps", "read as")
    }
    short_rows = sum(
        item.message.count(",") + 1
        for item in published.warnings
        if item.message.startswith("no remark column")
    )

    assert where["two actors"] == expected["ids_not_matching_regex"]
    assert len(where["verb is"]) == expected["verbs"]["interior"]
    assert [place.split("_")[3] for place in where["starts and ends"]] == ["9045-c03e"]
    assert len(where["overlaps"]) == 3
    assert short_rows == expected["rows_with_6_columns"]


@pytest.mark.shared_data
def test_published_frames_are_thirty_per_second(published):
    row = next(item for item in published.traces if "9033-c02a" in item.uid).steps[0]

    assert (row.text, row.start_s, row.end_s) == ("attach interior to chassis", 241.9, 7817 / 30)


@pytest.mark.shared_data
def test_published_reading_can_be_stored(published):
    assert_storable(published)


def test_read_makes_take_trace_and_events(tmp_path):
    reading = assembly101.read(_write(tmp_path, **{CLEAN: CLEAN_ROWS, MISTAKEN: MISTAKEN_ROWS}))

    assert reading.takes == (
        Take(
            uid=CLEAN,
            name=CLEAN,
            scenario="a01",
            steps=(
                Step("attach base to chassis", "attach,base,chassis", 1.0, 2.0),
                Step("attach arm to base", "attach,arm,base", 2.0, 3.0),
            ),
            video_stem=CLEAN,
        ),
    )
    trace = reading.traces[0]
    assert [(step.mod, step.reference_index, step.event_id) for step in trace.steps] == [
        (Mod.ERROR, 1, "E01"),
        (Mod.CORRECTION, None, "C01"),
        (Mod.UNCHANGED, 0, None),
        (Mod.ERROR, 1, "E02"),
        (Mod.INSERTION, None, "E03"),
    ]
    assert trace.steps[0] == TraceStep(
        Mod.ERROR,
        "attach arm to base",
        1,
        "E01",
        "attach,arm,base",
        1.0,
        1.5,
        (NativeLabel("mistake", "worng order"), NativeLabel("wrong order", is_derived=True)),
    )
    assert trace.events == (
        Event("E01", EventKind.MISTAKE, TaxonomyLabel.TRANSPOSITION),
        Event("C01", EventKind.CORRECTION, TaxonomyLabel.CORRECTION),
        Event("E02", EventKind.MISTAKE, None),
        Event("E03", EventKind.MISTAKE, TaxonomyLabel.INSERTION),
    )
    assert reading.native_labels == {"correct": 3, "mistake": 3, "correction": 1}
    assert [(item.where, item.message) for item in reading.warnings] == [
        (MISTAKEN, "names two actors, 9065 and 9095"),
        (MISTAKEN, "no remark column in line 3: read as empty"),
        (f"{MISTAKEN} line 1", "remark 'worng order' read as 'wrong order'"),
        (
            f"{MISTAKEN} line 4",
            "remark 'previous one is mistake' read as 'previous one is a mistake'",
        ),
    ]


def test_toy_without_mistake_free_sequence_gets_its_correct_actions(tmp_path):
    rows = CLEAN_ROWS + "90,99,detach,arm,base,correction,\n99,120,attach,arm,base,correct,\n"

    reading = assembly101.read(_write(tmp_path, **{MISTAKEN: rows}))

    assert reading.takes == (
        Take(
            uid=f"{MISTAKEN}:written",
            name=f"a01, written from the correct actions of {MISTAKEN}",
            scenario="a01",
            steps=(
                Step("attach base to chassis", "attach,base,chassis"),
                Step("attach arm to base", "attach,arm,base"),
            ),
        ),
    )
    assert [step.reference_index for step in reading.traces[0].steps] == [0, 1, None, 1]
    assert reading.traces[0].reference_reason == (
        "Toy a01 has no mistake-free sequence: these are the correct actions of this sequence, "
        "each once."
    )


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ("30,60,attach,base", "number of columns is 4; expected 6 or 7"),
        ("1.5,60,attach,base,chassis,correct,", "start is '1.5'; expected a frame number"),
        ("-3,60,attach,base,chassis,correct,", "start is '-3'; expected a frame number"),
        ("nan,60,attach,base,chassis,correct,", "start is 'nan'; expected a frame number"),
        ("60,30,attach,base,chassis,correct,", "end is 30; expected a frame not before"),
        ("30,60,attach,,chassis,correct,", "this is ''; expected text that is not empty"),
        ("30,60,attach,base,chassis,wrong,", "label is 'wrong'; expected correct or mistake"),
    ],
)
def test_wrong_row_is_refused_with_its_line(tmp_path, row, shown):
    folder = _write(tmp_path, **{CLEAN: CLEAN_ROWS + row + "\n"})

    with pytest.raises(FormatError) as caught:
        assembly101.read(folder)

    assert str(caught.value).startswith(f"{CLEAN}.csv, line 3: ")
    assert shown in str(caught.value)


def test_faults_of_all_files_come_together(tmp_path):
    folder = _write(tmp_path, **{CLEAN: "1\n", MISTAKEN: "", "other": CLEAN_ROWS})

    with pytest.raises(FormatError) as caught:
        assembly101.read(folder)

    assert [item.file for item in caught.value.problems] == [
        f"{CLEAN}.csv",
        f"{MISTAKEN}.csv",
        "other.csv",
    ]


def test_folder_without_sequences_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"No CSV file in these files"):
        assembly101.read(tmp_path)


@settings(max_examples=150, deadline=None)
@given(
    cut_at=st.integers(0, len(MISTAKEN_ROWS)),
    noise=st.text(alphabet='0,9"\n\r\x00 -aé\ud7ff', max_size=8),
)
def test_spoiled_file_is_read_or_refused(tmp_path_factory, cut_at, noise):
    folder = _write(tmp_path_factory.mktemp("spoiled"))
    content = MISTAKEN_ROWS[:cut_at] + noise + MISTAKEN_ROWS[cut_at:]
    (folder / "annots" / f"{MISTAKEN}.csv").write_bytes(content.encode())
    try:
        reading = assembly101.read(folder)
    except FormatError:
        return
    assert_storable(reading)
