"""The two families of divisions of CaptainCook4D are recognised by their test recordings."""

import json

import pytest

from annotation.engine.corpus.formats import captaincook4d
from benchmarks.engine.published.splits import (
    DATA_SPLITS,
    ERROR_RECOGNITION,
    SPLIT_BY_TITLE,
    SPLITS,
    published_split,
)
from benchmarks.engine.registry import tasks
from benchmarks.engine.tasks.error_recognition import CUT_IN_TIME, JOINED, OWN_DIVISION
from tests.benchmarks.tasks.material import TEA, defaults

RECOGNITION, LOCALISATION = (tasks()[name] for name in ("error_recognition", "step_localisation"))


def by_recording(parts, **changes):
    given = {"division": "by recording", "recordings": json.dumps(parts), **changes}
    return defaults(RECOGNITION) | given


@pytest.fixture
def families(shared_data):
    """Return the parts of each published division by its family and name."""
    found = {}
    expected = json.loads((shared_data / "detection/EXPECTED_metrics.json").read_text())
    for name, parts in expected["captaincook4d"]["splits_error_recognition"].items():
        found[ERROR_RECOGNITION, name] = parts
    for name in ("recordings", "person", "environment"):
        file = shared_data / f"captaincook4d/data_splits/{name}_data_split_combined.json"
        found[DATA_SPLITS, name] = {
            part: list(map(str, uids)) for part, uids in json.loads(file.read_text()).items()
        }
    return found


@pytest.mark.shared_data
def test_every_published_division_is_known_and_the_families_are_never_taken_for_each_other(
    families,
):
    assert {key: published_split(parts["test"]) for key, parts in families.items()} == {
        (split.family, split.name): split for split in SPLITS.values()
    }
    assert published_split(families[DATA_SPLITS, "person"]["val"]) is None
    for (family, name), parts in families.items():
        shown = RECOGNITION.published(by_recording(parts))
        said = RECOGNITION.warnings(by_recording(parts))
        assert len(shown) == (13 if (family, name) == (ERROR_RECOGNITION, "recordings") else 0)
        assert said[:1] == (JOINED,)
        assert ("Tables 2, 10 and 11" in said[1]) == (family == ERROR_RECOGNITION)
        assert "leaks" in said[2]
        localised = {"only": " ".join(parts["test"])}
        splits = {row.name.rpartition(" ")[2] for row in LOCALISATION.published(localised)}
        assert splits == (
            {name} if family == DATA_SPLITS else {"recordings", "person", "environment"}
        )


@pytest.mark.shared_data
def test_early_rows_stand_beside_early_recognition_alone(families):
    parts = families[ERROR_RECOGNITION, "recordings"]

    whole, early = (
        {row.name: row for row in RECOGNITION.published(by_recording(parts, shown=shown))}
        for shown in ("the whole step", "its first half")
    )

    assert (len(whole), len(early)) == (13, 8)
    assert (whole["Omnivore V1"].figures["f1"], early["Omnivore V1"].figures["f1"]) == (
        0.5091, 0.0398,
    )  # fmt: skip
    assert [row.source for row in (whole["X3D V1"], early["X3D V1"])] == [
        "CaptainCook4D, Table 2, split R", "CaptainCook4D, Table 11, split R",
    ]  # fmt: skip
    assert "no whole numbers" in whole["ImageBind V3, audio"].warning
    assert "no whole numbers" not in whole["ImageBind V3, video"].warning


def test_warnings_name_a_cut_in_time_and_an_own_division():
    by_step = defaults(RECOGNITION) | {"division": "by step"}
    assert RECOGNITION.warnings(by_step) == (JOINED, CUT_IN_TIME)
    assert len(RECOGNITION.published(by_step)) == 13
    assert RECOGNITION.warnings(by_recording({"test": ["a"]})) == (JOINED, *OWN_DIVISION)
    assert RECOGNITION.published(by_recording({"test": ["a"]})) == ()
    assert RECOGNITION.warnings(defaults(RECOGNITION)) == (JOINED,)


@pytest.mark.shared_data
def test_published_divisions_are_chosen_by_name(families, shared_data):
    reading = captaincook4d.read(shared_data / "captaincook4d")
    uids = [one.uid for one in (*reading.takes, *reading.traces)]

    for split in SPLITS.values():
        parts = families[split.family, split.name]
        named = SPLIT_BY_TITLE[f"published: {split.family}, by {split.name}"]
        assert named.recordings("CaptainCook4D", uids) == {
            part: sorted(parts[part]) for part in ("train", "val", "test")
        }
        chosen = defaults(RECOGNITION) | {"division": split.title}
        assert RECOGNITION.warnings(chosen) == RECOGNITION.warnings(by_recording(parts))
        assert RECOGNITION.published(chosen) == RECOGNITION.published(by_recording(parts))
        listed = {"only": " ".join(parts["test"])}
        by_name = {"only": "", "division": split.title}
        assert LOCALISATION.published(by_name) == LOCALISATION.published(listed)
        assert LOCALISATION.warnings(by_name) == LOCALISATION.warnings(listed)


@pytest.mark.parametrize("task", [RECOGNITION, LOCALISATION])
def test_published_divisions_are_refused_for_other_recordings(task):
    chosen = defaults(task) | {"division": next(iter(SPLIT_BY_TITLE))}

    with pytest.raises(ValueError, match="published divisions are of the 384 of CaptainCook4D"):
        list(task.items(TEA, chosen, 0))
