"""Trainings that are killed again and again: figures as undisturbed, bit for bit."""

import pytest

from benchmarks.engine.training.recipes import MLP, V1
from tests.benchmarks.training.training_kills import differences, trained_with_kills


@pytest.mark.parametrize(("model", "epochs", "kills"), [(V1, 60, 10), (MLP, 150, 2)])
def test_kills_leave_the_figures_of_an_undisturbed_training(tmp_path, model, epochs, kills):
    undisturbed = trained_with_kills(tmp_path / "alone", epochs, 0, model)
    killed = trained_with_kills(tmp_path / "killed", epochs, kills, model)

    print(f"{killed.kills} kills, {killed.attempts} attempts")  # noqa: T201
    assert killed.kills == kills
    assert killed.attempts == kills + 1
    assert undisturbed.figures
    assert differences(killed, undisturbed) == []
