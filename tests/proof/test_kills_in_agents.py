"""The assessor, the agent and the worker are killed twenty times in all."""

from collections import Counter

import pytest

from tests.benchmarks.agents.processes import differences, left_by

pytestmark = pytest.mark.proof
WAY = {"judged": True, "repeats": 4}


def test_twenty_kills_leave_the_same_figures_and_nothing_is_asked_or_judged_twice(tmp_path):
    undisturbed = left_by(tmp_path / "alone", "describe_mistake", 24, kill_count=0, **WAY)
    killed = left_by(tmp_path / "killed", "describe_mistake", 24, 20, share=6, **WAY)

    assert differences(killed, undisturbed) == []
    assert killed["killed"] == Counter({"assessor": 7, "agent": 7, "worker": 6})
    assert killed["lost_streams"] >= killed["killed"]["assessor"]
