import pytest

from bench.alpha import compare, time_both, write_inputs
from bench.measure import Peak

PEAKS = {"own": Peak(5, 50), "krippendorff": Peak(100, 200)}


def test_both_sides_measure_the_same_ratings(tmp_path):
    ratings_path, counts_path = tmp_path / "ratings.npy", tmp_path / "counts.npy"
    write_inputs(ratings_path, counts_path, units=500, raters=5)

    seconds, difference = time_both(ratings_path, counts_path, runs=1)

    assert set(seconds) == {"own", "krippendorff"}
    assert difference < 1e-12


@pytest.mark.parametrize(
    ("own_seconds", "own_peak", "difference", "is_met"),
    [
        (1.0, 5, 0.0, True),
        (1.1, 5, 0.0, False),
        (1.0, 10, 0.0, False),
        (1.0, 5, 1e-9, False),
    ],
)
def test_compare_says_whether_the_goals_are_met(own_seconds, own_peak, difference, is_met):
    peaks = PEAKS | {"own": Peak(own_peak, 50)}

    text, found = compare({"own": own_seconds, "krippendorff": 5.0}, peaks, difference)

    assert found is is_met
    assert text.endswith("goals met" if is_met else "GOALS MISSED")
    assert f"times faster    {5 / own_seconds:6.1f}" in text
