"""A process that works on an assessment is killed meanwhile; `make proof` does more of it."""

import pytest

from tests.benchmarks.kills import differences, left_by


@pytest.mark.parametrize("task", ["speak_or_stay_silent", "guide"])
def test_figures_are_those_of_an_undisturbed_assessment_and_no_answer_is_paid_twice(task, tmp_path):
    undisturbed = left_by(tmp_path / "alone", task, 24, kill_count=0)
    killed = left_by(tmp_path / "killed", task, 24, kill_count=1)

    assert killed.kills == 1
    assert undisturbed.figures
    assert differences(killed, undisturbed) == {}


def test_nothing_is_asked_twice_where_an_item_takes_two_requests(tmp_path):
    undisturbed = left_by(tmp_path / "alone", "error_types", 24, kill_count=0)
    killed = left_by(tmp_path / "killed", "error_types", 24, kill_count=3, share=7)

    assert killed.kills == 3
    assert 0 < len(undisturbed.stages) < len(undisturbed.answers)
    assert differences(killed, undisturbed) == {}
