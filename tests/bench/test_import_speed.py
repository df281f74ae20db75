import json
from pathlib import Path

from annotation.engine.corpus.formats import captaincook4d
from bench.import_speed import Measured, compare, measure, write_copies
from bench.measure import in_fresh_process
from tests.migrated import give_tables

RECORDING = {
    "recording_id": "1_7",
    "activity_id": 1,
    "is_error": False,
    "step_annotations": [
        {"description": "Stir", "step_id": 3, "start_time": 1.0, "end_time": 2.0, "errors": []}
    ],
}


def write_one_recording(folder: Path) -> Path:
    (folder / "annotation_json").mkdir(parents=True)
    (folder / "annotation_json" / "error_annotations.json").write_text(json.dumps([RECORDING]))
    return folder


def test_write_copies_repeats_every_recording_under_its_own_id(tmp_path):
    source = write_one_recording(tmp_path / "source")

    copies = write_copies(source, tmp_path / "copies", 3)

    takes = captaincook4d.read(copies).takes
    assert [take.uid for take in takes] == ["1_70", "1_71", "1_72"]


def test_measure_imports_and_counts_the_rows(tmp_path):
    source = write_one_recording(tmp_path / "source")
    give_tables(tmp_path / "state")

    (measured,) = in_fresh_process(measure, [source], tmp_path / "state", 1)

    # a data set, a take, a step
    assert measured.row_count == 3
    assert measured.import_seconds[0] > measured.floor_seconds[0] > 0


def test_compare_judges_growth_by_the_median_of_the_rounds():
    once = Measured((1.0, 1.0, 2.0), (1.0, 1.0, 1.0), (0.1, 0.1, 0.1), 10)

    good = compare(once, Measured((9.0, 30.0, 20.0), (9.0, 9.0, 9.0), (1.0, 1.0, 1.0), 100), 10)
    bad = compare(once, Measured((11.0, 11.0, 22.0), (9.0, 9.0, 9.0), (1.0, 1.0, 1.0), 100), 10)

    assert "processor time alone: 9.00" in good[0]
    assert ("growth 10.00" in good[0], good[1]) == (True, True)
    assert ("growth 11.00" in bad[0], bad[1]) == (True, False)
