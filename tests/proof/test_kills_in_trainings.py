"""A training that is killed ten times: figures as undisturbed, bit for bit."""

from tests.benchmarks.training.training_kills import differences, trained_with_kills

KILLS = 10
EPOCHS = 60


def test_ten_kills_leave_the_figures_of_an_undisturbed_training(tmp_path):
    undisturbed = trained_with_kills(tmp_path / "alone", EPOCHS, kill_count=0)
    killed = trained_with_kills(tmp_path / "killed", EPOCHS, kill_count=KILLS)

    print(f"{killed.kills} kills, {killed.attempts} attempts")  # noqa: T201
    assert killed.kills == KILLS
    assert killed.attempts == KILLS + 1
    assert undisturbed.figures
    assert differences(killed, undisturbed) == []
