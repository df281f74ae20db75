"""A worker that asks an agent is killed meanwhile; `make proof` does more of it."""

from tests.benchmarks.agents.kills import left_by


def test_answers_and_figures_survive_and_no_answered_question_is_asked_again(tmp_path):
    answers, figures, asked, lost, _ = left_by(tmp_path / "alone", 24, kill_count=0)
    killed = left_by(tmp_path / "killed", 24, kill_count=1)

    assert (lost, max(asked.values()), len(answers)) == (0, 1, 24)
    assert figures
    assert killed[:2] == (answers, figures)
    assert set(killed[2]) == set(asked)
    assert (killed[2] - asked).total() <= killed[3]
    assert killed[4] == 1
