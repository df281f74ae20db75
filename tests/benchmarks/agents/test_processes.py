"""Assessor, agent and worker as processes, each killed once; `make proof` kills twenty times."""

from collections import Counter

from tests.benchmarks.agents.processes import differences, left_by


def test_a_killed_assessor_agent_and_worker_change_no_figure_and_ask_nothing_twice(tmp_path):
    undisturbed = left_by(tmp_path / "alone", "describe_mistake", 12, kill_count=0, judged=True)
    killed = left_by(tmp_path / "killed", "describe_mistake", 12, kill_count=3, judged=True)

    assert differences(killed, undisturbed) == []
    assert killed["killed"] == Counter(["assessor", "agent", "worker"])
    assert undisturbed["lost_streams"] == 0 < killed["lost_streams"]
    assert len(killed["answers"]) == 12
