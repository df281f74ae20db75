"""A process that trains is killed meanwhile; `make proof` does more of it."""

from tests.benchmarks.training.training_kills import differences, trained_with_kills

EPOCHS = 12


def test_killed_training_has_the_figures_of_an_undisturbed_one(tmp_path):
    undisturbed = trained_with_kills(tmp_path / "alone", EPOCHS, kill_count=0)
    killed = trained_with_kills(tmp_path / "killed", EPOCHS, kill_count=1)

    assert (killed.kills, undisturbed.attempts, killed.attempts) == (1, 1, 2)
    assert [len(log) for _, log in killed.epochs] == [EPOCHS, EPOCHS]
    assert undisturbed.figures
    assert differences(killed, undisturbed) == []
    assert undisturbed.weights == []
