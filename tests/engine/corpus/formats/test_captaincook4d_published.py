"""The published files of CaptainCook4D: what is in them is what is read."""

import itertools
import json
import re
from collections import Counter

import pytest

from annotation.engine.corpus.formats import captaincook4d
from annotation.engine.corpus.formats.captaincook4d import shown_text
from annotation.engine.corpus.procedure import Reading
from annotation.engine.taxonomy import Mod
from tests.engine.corpus.formats.bad_input import assert_storable


@pytest.fixture(scope="module")
def published(shared_data) -> Reading:
    return captaincook4d.read(shared_data / "captaincook4d")


@pytest.fixture(scope="module")
def expected(shared_data) -> dict:
    return json.loads((shared_data / "EXPECTED.json").read_text())["captaincook4d"]


@pytest.fixture(scope="module")
def where_warned(published) -> dict[str, set[str]]:
    """Return the places of the published files' warnings by a word of their message."""
    words = ("sorted", "no time", "has a time", "modified", "step_idx_description")
    return {
        word: {item.where for item in published.warnings if word in item.message} for word in words
    }


@pytest.mark.shared_data
def test_published_tags_are_counted_as_expected(published, expected):
    assert published.native_labels == expected["error_records_per_tag"]
    assert sum(published.native_labels.values()) == expected["error_records"]


@pytest.mark.shared_data
def test_published_recordings_become_takes_and_traces(published, expected):
    of_trace = {take.uid: take.scenario for take in published.takes}
    per_activity = {
        name: {
            "normal": sum(take.scenario == name for take in published.takes),
            "error": sum(of_trace[trace.take_uid] == name for trace in published.traces),
        }
        for name in expected["recordings_per_activity"]
    }

    assert len(published.takes) == expected["normal_recordings"]
    assert len(published.traces) == expected["error_recordings"]
    assert per_activity == expected["recordings_per_activity"]


@pytest.mark.shared_data
def test_published_steps_are_counted_timed_and_untimed(published, expected):
    steps = [step for item in (*published.takes, *published.traces) for step in item.steps]
    timed = sum(step.start_s is not None for step in steps)

    assert len(steps) == expected["step_rows"]
    assert timed == published.derived["timed_steps"] == expected["timed_steps"]
    assert published.derived["untimed_steps"] == expected["untimed_steps_minus1"]


@pytest.mark.shared_data
def test_published_task_graphs_have_the_expected_nodes_and_edges(published, expected):
    found = {
        graph.scenario.replace(" ", "").lower(): {
            "nodes_incl_start_end": len(graph.nodes),
            "edges": len(graph.edges),
        }
        for graph in published.task_graphs
    }

    assert found == expected["task_graphs"]
    assert published.derived["task_graphs"] == 24
    assert published.derived["graph_nodes"] == 406
    assert published.derived["graph_edges"] == 480


@pytest.mark.shared_data
def test_published_graphs_join_to_recordings_by_text(published):
    nodes = {graph.scenario: {text for _id, text in graph.nodes} for graph in published.task_graphs}

    foreign = [
        step.text
        for take in published.takes
        for step in take.steps
        if step.text not in nodes[take.scenario]
    ]

    assert foreign == []


@pytest.mark.shared_data
def test_published_steps_keep_several_and_equal_tags(published, expected):
    histogram = Counter()
    steps_per_tag = Counter()
    for item in (*published.takes, *published.traces):
        for step in item.steps:
            names = [label.name for label in getattr(step, "labels", ())]
            histogram[str(len(names))] += 1
            steps_per_tag.update(set(names))

    assert histogram == expected["errors_per_step_histogram"]
    assert steps_per_tag == expected["steps_per_distinct_tag"]


@pytest.mark.shared_data
def test_published_irregular_rows_are_named_one_by_one(where_warned, expected):
    as_place = {
        "recording {} step_id {}".format(*place.split("/"))
        for place in expected["missing_step_but_timed"]
    }

    assert where_warned["has a time"] == as_place
    assert len(where_warned["no time"]) == expected["untimed_not_tagged_missing"]
    assert len(where_warned["sorted"]) == expected["recordings_with_steps_not_in_time_order"]
    assert len(where_warned["modified"]) == expected["modified_description_without_errors"]
    differing = expected["description_differs_from_step_idx_description"]
    assert len(where_warned["step_idx_description"]) == differing


@pytest.mark.shared_data
def test_published_missing_steps_without_time_are_deletions(published):
    mods = Counter(
        step.mod
        for trace in published.traces
        for step in trace.steps
        if any(label.name == "Missing Step" for label in step.labels)
    )

    assert mods == {Mod.DELETION: 281, Mod.ERROR: 4}


@pytest.mark.shared_data
def test_published_timed_steps_stand_in_time_order(published):
    for item in (*published.takes, *published.traces):
        starts = [step.start_s for step in item.steps if step.start_s is not None]
        assert starts == sorted(starts)


@pytest.mark.shared_data
def test_published_repeats_and_overlaps_are_kept(published, expected):
    repeating_count = overlap_count = 0
    for item in (*published.takes, *published.traces):
        ids = [step.step_id for step in item.steps]
        repeating_count += len(ids) > len(set(ids))
        timed = [step for step in item.steps if step.start_s is not None]
        overlap_count += sum(
            after.start_s < before.end_s - 1e-6 for before, after in itertools.pairwise(timed)
        )

    assert repeating_count == expected["recordings_with_a_repeated_step_id"]
    # Counted in the published files by more than a microsecond, which is rounding.
    assert overlap_count == 428


@pytest.mark.shared_data
def test_published_texts_keep_their_verb_prefix_and_modified_wording(published):
    texts = {step.text for item in (*published.takes, *published.traces) for step in item.steps}

    assert "Coat -Coat a 6-oz. ramekin cup with cooking spray" in texts
    assert "Cut 1/2 garlic clove" in texts


@pytest.mark.shared_data
def test_published_mean_step_is_as_expected(published, expected):
    durations_s = [
        step.end_s - step.start_s
        for item in (*published.takes, *published.traces)
        for step in item.steps
        if step.start_s is not None
    ]

    mean_s = sum(durations_s) / len(durations_s)
    assert round(mean_s, 3) == expected["mean_timed_step_seconds"]


@pytest.mark.shared_data
def test_published_reading_can_be_stored(published):
    assert_storable(published)


@pytest.mark.shared_data
def test_no_published_text_is_shown_with_its_prefix(shared_data):
    path = shared_data / "captaincook4d" / "annotation_json" / "error_annotations.json"
    steps = [step for item in json.loads(path.read_text()) for step in item["step_annotations"]]
    texts = {step["description"] for step in steps}

    shown = {shown_text(text) for text in texts}

    assert all("-" in text for text in texts)
    # What is left are hyphens of words and ranges: microwave-safe, 15-30 seconds.
    assert [text for text in shown if re.match(r"[A-Za-z]+( \w+)*\s*-\s*[A-Z]", text)] == []
    assert min(len(text.split()) for text in shown) >= 2
