"""The worker that asks an agent is killed twenty times."""

import pytest

from tests.benchmarks.agents.kills import left_by

pytestmark = pytest.mark.proof


def test_twenty_kills_leave_the_same_answers_and_figures(tmp_path):
    answers, figures, asked, _, _ = left_by(tmp_path / "alone", 120, kill_count=0)
    killed = left_by(tmp_path / "killed", 120, kill_count=20)

    assert killed[:2] == (answers, figures)
    assert (killed[2] - asked).total() <= killed[3]
    assert killed[4] == 20
