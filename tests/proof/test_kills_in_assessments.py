"""Assessments of every thin task, each killed five times: figures as undisturbed."""

import pytest

from tests.benchmarks.kills import differences, left_by
from tests.benchmarks.made import TASKS

KILLS = 5
ITEMS = 60


@pytest.mark.parametrize("task", TASKS)
def test_twenty_kills_leave_the_figures_of_undisturbed_assessments(tmp_path, task):
    undisturbed = left_by(tmp_path / "alone", task, ITEMS, kill_count=0)
    # A task with an item for each recording has fewer than it was asked for.
    share = max(3, undisturbed.calls // (KILLS + 1))
    killed = left_by(tmp_path / "killed", task, ITEMS, kill_count=KILLS, share=share)

    print(f"{task}: {killed.kills} kills, {killed.lost} requests lost")  # noqa: T201
    assert killed.kills == KILLS
    assert undisturbed.answers
    assert undisturbed.figures
    assert differences(killed, undisturbed) == {}


def test_twenty_kills_of_a_watcher_and_its_planner_pay_for_nothing_twice(tmp_path):
    undisturbed = left_by(tmp_path / "alone", "guide", 2 * ITEMS, kill_count=0)
    kills = 4 * KILLS
    share = max(2, undisturbed.calls // (kills + 1))
    killed = left_by(tmp_path / "killed", "guide", 2 * ITEMS, kill_count=kills, share=share)

    print(f"guide: {killed.kills} kills, {killed.lost} requests lost")  # noqa: T201
    assert killed.kills == kills
    # Plans of the planner are stages, and the state of each answer is compared as well.
    assert 0 < len(undisturbed.stages) < len(undisturbed.answers)
    assert differences(killed, undisturbed) == {}
