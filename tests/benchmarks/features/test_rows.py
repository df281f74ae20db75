import pytest

from benchmarks.engine.features.rows import first_half, rows_of


@pytest.mark.parametrize(
    ("pieces", "seconds", "count", "expected", "lost"),
    [
        ([(1.0, 3.0)], 1.0, 10, [1, 2], 0),
        ([(1.2, 3.1)], 1.0, 10, [1, 2, 3], 0),
        ([(5.5, 5.5)], 1.0, 10, [5], 0),
        ([(7.0, 9.5), (1.0, 2.0)], 1.0, 9, [7, 8, 1], 1),
        ([(1.0, 3.0)], 2.0, 10, [0, 1], 0),
        ([(0.3, 0.6)], 0.1, 10, [3, 4, 5], 0),
        ([(12.0, 14.0)], 1.0, 10, [], 2),
        ([], 1.0, 10, [], 0),
    ],
)
def test_rows_of_a_step_lie_between_its_floor_and_ceiling(pieces, seconds, count, expected, lost):
    rows = rows_of(pieces, seconds, count)
    assert (rows.index.tolist(), rows.lost_count) == (expected, lost)


def test_early_recognition_sees_the_first_half_rounded_down():
    rows = rows_of([(7.0, 9.0), (1.0, 4.0)], 1.0, 10).index
    assert first_half(rows).tolist() == [7, 8]
