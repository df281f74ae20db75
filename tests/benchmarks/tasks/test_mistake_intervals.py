import json

import pytest

from benchmarks.engine.tasks.mistake_intervals import TASK
from tests.benchmarks.tasks.material import TEA, defaults, figures, read

(ITEM,) = TASK.items(TEA, defaults(TASK), 0)


def interval(start_s, end_s, label="mistake", score=1.0):
    return {"start_s": start_s, "end_s": end_s, "label": label, "score": score}


def test_truth_has_intervals_of_what_has_a_time_and_counts_the_rest():
    assert ITEM.truth == {
        "intervals": [
            {"start_s": 4.0, "end_s": 6.0, "label": "mistake"},
            {"start_s": 6.0, "end_s": 10.0, "label": "correction"},
        ],
        "without_time": 1,
    }
    assert ITEM.choices == ("correction", "mistake")


def test_labels_may_be_types_of_mistakes():
    settings = {**defaults(TASK), "labels": "types of mistakes"}

    (item,) = TASK.items(TEA, settings, 0)

    assert item.choices == ("correction", "substitution")


def test_figures_by_hand():
    # The mistake is hit at .2 and not at .3 (overlap 2 of 8 is .25); the correction is hit.
    answer = {
        "intervals": [interval(0, 8), interval(6, 10, "correction"), interval(11, 12, score=0.5)]
    }

    assert figures(TASK, [ITEM], read(answer)) == {
        "map": 0.833333,
        "map_0.1": 1.0,
        "map_0.2": 1.0,
        "map_0.3": 0.5,
        "map_of_all": 0.833333,
        "per_recording": 3.0,
    }


def test_recording_without_a_read_answer_counts_only_in_the_figure_of_all():
    twice = [ITEM, ITEM]
    right = {"intervals": [interval(4, 6), interval(6, 10, "correction")]}

    found = figures(TASK, twice, read(right, None))

    assert (found["map"], found["map_of_all"]) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([interval(5, 4)], "intervals[0]: is 5 to 4 s; expected 0 or later to later"),
        ([interval(1, 2), interval(2, float("inf"))], "intervals[1]: is 2 to inf s; expected"),
        ([interval(1, 2, "slip")], "label is 'slip'; expected one of correction, mistake"),
        ([interval(20, 22)], "starts at 20 s; the recording has 12 s"),
        (["4-6"], "intervals[0]: is '4-6'; expected an object"),
        ([interval(1, 2, score="sure")], "score is 'sure'; expected a number"),
    ],
)
def test_faults_name_the_interval_and_the_value(entries, reason):
    assert reason in TASK.check(ITEM, {"intervals": entries})


def test_model_may_fence_its_answer_and_leave_scores_out():
    text = json.dumps({"intervals": [{"start_s": 4, "end_s": 6, "label": "mistake"}]})

    reading = TASK.read(ITEM, f"Here it is:\n```json\n{text}\n```")

    assert reading.value == {"intervals": [interval(4.0, 6.0, score=None)]}
    assert TASK.read(ITEM, "From 4 to 6 s.").reason == "no JSON object with a list of intervals"
