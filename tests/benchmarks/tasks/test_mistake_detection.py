"""Mistake detection on the published EgoOops: folds, ceilings, files with the paper's columns."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotation.engine.corpus.formats import egooops
from annotation.engine.corpus.formats.errors import FormatError
from benchmarks.engine.answers.files import read_answers
from benchmarks.engine.folds import POOLED
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.tasks.mistake_detection import OVERLAPS, TASK
from tests.benchmarks.tasks.material import TEA, defaults, figures, read


@pytest.fixture(scope="module")
def material(shared_data):
    reading = egooops.read(shared_data / "egooops")
    takes = {take.uid: take for take in reading.takes}
    recordings = [Recording(f"take:{take.uid}", take) for take in reading.takes]
    recordings += [
        Recording(f"trace:{trace.uid}", takes[trace.take_uid], trace) for trace in reading.traces
    ]
    return Material("EgoOops", tuple(recordings))


def items_of(material, **settings):
    return list(TASK.items(material, defaults(TASK) | settings, 0))


def kinds_of(items):
    found = Counter(
        one["label"].partition(":")[0] for item in items for one in item.truth["intervals"]
    )
    return [found[kind] for kind in ("correct", "mistake", "correction")]


@pytest.mark.shared_data
def test_our_folds_are_the_recommended_ones(material, shared_data):
    expected = json.loads((shared_data / "detection/EXPECTED_metrics.json").read_text())
    pooled = items_of(material)

    assert len(pooled) == 50
    for fold in expected["egooops"]["folds"]:
        there = [item for item in pooled if item.groups["fold"] == str(fold["fold"])]
        assert sorted(item.take for item in there) == sorted(fold["videos"])
        assert kinds_of(there) == [fold["correct"], fold["mistake"], fold["correction"]]
    by_part = {
        part: {item.take for item in items_of(material, fold="fold 4") if item.part == part}
        for part in ("train", "val", "test")
    }
    assert by_part["test"] == set(expected["egooops"]["folds"][4]["videos"])
    assert by_part["val"] == set(expected["egooops"]["folds"][0]["videos"])
    assert len(by_part["train"]) == 30


@pytest.mark.shared_data
def test_ceilings_are_as_counted_and_a_fold_without_corrections_says_so(material):
    items = items_of(material)
    *_, rule, all_pieces, one_each, trained = TASK.baselines(items, np.random.default_rng(0))

    found = [figures(TASK, items, read(*one.values)) for one in (rule, all_pieces, one_each)]
    own = figures(TASK, items, read(*trained.values))

    # The paper's oracle, which sees the video, has 34.7.
    assert 0.15 < own["map"] < 0.34
    assert 0.05 < own["map_known"] < own["ap_mistake"]
    assert [round(100 * one["map"], 1) for one in found] == [15.2, 34.1, 31.8]
    assert [round(100 * one["map_known_0.3"], 1) for one in found] == [0, 100, 93.3]
    assert [round(100 * one["ap_mistake"], 1) for one in found] == [30.4, 68.2, 63.6]
    fourth = [item for item in items if item.groups["fold"] == "4"]
    values = [all_pieces.values[items.index(item)] for item in fourth]
    alone = figures(TASK, fourth, read(*values))
    [table] = TASK.details(fourth, read(*values), {})
    assert np.isnan(alone["ap_correction"])
    assert alone["map"] == alone["ap_mistake"]
    assert table.notes == ("Without corrections here, mAP is that of mistakes alone.",)


def test_a_hit_names_recording_step_and_class():
    [item] = items_of(TEA)
    truth = [one["label"] for one in item.truth["intervals"]]
    right = {"start_s": 4.0, "end_s": 6.0, "label": "mistake:Add tea", "score": None}
    values = [
        {"intervals": [right]},
        {"intervals": [{**right, "label": "mistake:Pour water"}]},
        {"intervals": [{**right, "label": "correction:Add tea"}]},
        {"intervals": [{**right, "label": "correct:Pour water", "score": 0.9}, right]},
    ]

    assert truth == [
        "correct:Boil water", "mistake:Add tea", "correction:-1", "correct:Pour water",
    ]  # fmt: skip
    assert [(one.label, one.kind) for one in TASK.claims(item, item.truth)[1:3]] == [
        ("mistake, step Add tea", "mistake"), ("correction, no step", "correction"),
    ]  # fmt: skip
    found = [figures(TASK, [item], read(value)) for value in values]
    assert [one["map"] for one in found] == [0.5, 0.0, 0.0, 0.5]
    assert [one["map_known"] for one in found] == [1.0, 0.0, 0.0, 1.0]


def test_each_overlap_counts_by_itself_and_what_could_not_be_read_found_nothing():
    [item] = items_of(TEA)
    other = replace(item, key="other", recording="other")
    # A quarter of what was done wrongly.
    value = {"intervals": [{"start_s": 4.0, "end_s": 4.5, "label": "mistake:Add tea"}]}

    found = figures(TASK, [item, other], read(value, None))

    assert [found[f"map_known_{overlap:g}"] for overlap in OVERLAPS] == [1.0, 1.0, 0.0]
    assert [found[f"map_{overlap:g}"] for overlap in OVERLAPS] == [0.5, 0.5, 0.0]
    assert (found["ap_mistake"], found["ap_correction"]) == (round(2 / 3, 6), 0.0)
    assert found["map_of_all"] == pytest.approx(found["map"] / 2, abs=1e-6)


def test_ceilings_are_true_segments_and_a_piece_that_is_wrong_stands_for_its_step():
    [item] = items_of(TEA)
    labels = ["correct:Add tea", "mistake:Add tea", "correct:Add tea", "correction:-1"]
    pieces = [
        {"start_s": place, "end_s": place + 1, "label": label} for place, label in enumerate(labels)
    ]
    item = replace(item, truth={"intervals": pieces})

    said = {
        one.name: [(given["start_s"], given["label"]) for given in one.values[0]["intervals"]]
        for one in TASK.baselines([item], np.random.default_rng(0))
    }

    assert said["Ceiling: every true segment of a step"] == list(enumerate(labels[:3]))
    assert said["Ceiling: one true segment of a step"] == [(1, "mistake:Add tea")]
    assert said["A segment of no step is a mistake (true segments)"] == [(3, "mistake:-1")]


def test_a_file_with_the_papers_columns_is_read_by_recording():
    [item] = items_of(TEA)
    rows = (
        "video,step,start,end,class,score\ntea-a,Add tea,4,6,mistake,0.5\ntea-a,-1,6,9,correct,\n"
    )

    found = read_answers(TASK, {"k1": item}, "theirs.csv", rows.encode()).values["k1"]

    assert [(one["label"], one["score"]) for one in found["intervals"]] == [
        ("mistake:Add tea", 0.5), ("correct:-1", None),
    ]  # fmt: skip


def test_a_file_as_actionformer_writes_it_is_read_by_recording():
    [item] = items_of(TEA)

    def said(row):
        content = json.dumps({"version": "1", "results": {"tea-a": [row]}}).encode()
        return read_answers(TASK, {"k1": item}, "theirs.json", content).values["k1"]

    row = {"segment": [4, 6], "label": "mistake:Add tea", "score": 0.5}
    assert said(row)["intervals"] == [
        {"start_s": 4.0, "end_s": 6.0, "label": "mistake:Add tea", "score": 0.5}
    ]
    for fault, shown in (
        (row | {"segment": [6, 4]}, "end_s is 4; expected a second after 6"),
        (row | {"segment": 4}, "end_s is None"),
        (row | {"label": 7}, "label is '7'; expected one of correct:Boil water"),
        (row | {"frame": 7}, "an object of start_s, end_s, label, score"),
        ("4-6", "start_s is '4-6'"),
    ):
        with pytest.raises(FormatError, match=f"results of tea-a.*: .*{shown}"):
            said(fault)


@pytest.mark.shared_data
def test_own_folds_name_workers_and_leave_other_recordings_out(material):
    own = "video,fold,worker S1720001,0,ann S1720005,1,ann S1730002,2,ben S1730004,2"

    items = items_of(material, own_folds=own, fold="fold 0")

    assert {item.take: (item.part, item.person) for item in items} == {
        "S1720001": ("test", "ann"),
        "S1720005": ("val", "ann"),
        "S1730002": ("train", "ben"),
        "S1730004": ("train", ""),
    }


@pytest.mark.parametrize(
    ("own", "fold", "words"),
    [
        ("tea-a", POOLED, "entry 1 is 'tea-a'; expected video,fold,worker"),
        ("tea-a,11", POOLED, "entry 1 is 'tea-a,11'"),
        ("tea-a,1,x,y", POOLED, "entry 1 is 'tea-a,1,x,y'"),
        ("tea-b,1", POOLED, "entry 1 names 'tea-b', which Tea lacks"),
        ("tea-a,1\ntea-a,2", POOLED, "entry 2: 'tea-a' is there twice"),
        ("tea-a,1", "fold 3", "there is no fold 3; there are 1"),
        ("tea-a,1", "everything is test, without folds", "folds are given"),
    ],
)
def test_folds_with_a_fault_are_named(own, fold, words):
    with pytest.raises(ValueError, match=words):
        items_of(TEA, own_folds=own, fold=fold)


def test_warning_names_our_folds_but_not_a_users_own():
    default = defaults(TASK)

    assert "PIE-V’s own" in TASK.warnings(default)[1]
    for changes in ({"own_folds": "tea-a,1"}, {"fold": "everything is test, without folds"}):
        assert "PIE-V’s own" not in " ".join(TASK.warnings(default | changes))
