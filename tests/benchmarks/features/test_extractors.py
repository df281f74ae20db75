import numpy as np

from benchmarks.engine.features.extractor import extractors

CELLS = 16


def rows_of(seconds):
    extractor = extractors()["colour-and-motion"]
    rows = np.array(list(extractor.rows(seconds)))
    assert rows.shape == (len(seconds), extractor.width)
    assert rows.dtype == np.float32
    return rows


def test_a_still_red_picture_has_its_colour_and_no_movement():
    red = np.zeros((4, 48, 64, 3), np.uint8)
    red[..., 0] = 255
    rows = rows_of([red, red])
    means, rest = rows[:, : 3 * CELLS].reshape(2, CELLS, 3), rows[:, 3 * CELLS : 6 * CELLS]
    assert np.allclose(means, [0.299, 0.3313, 1.0], atol=1e-3)
    assert not rest.any()
    histograms = rows[:, 6 * CELLS :].reshape(2, 3, 8)
    assert histograms.argmax(axis=2).tolist() == [[2, 2, 7]] * 2
    assert np.allclose(histograms.sum(axis=2), 1)


def test_movement_is_told_where_it_is_also_from_one_second_to_the_next():
    second = np.zeros((4, 48, 64, 3), np.uint8)
    flash = second.copy()
    flash[:, :12, 48:] = 255
    rows = rows_of([second, flash, flash])
    moved = rows[:, 4 * CELLS : 6 * CELLS].reshape(3, 2, CELLS)
    # The fourth part of the first line changes once, in one of four steps.
    expected = np.zeros((3, 2, CELLS))
    expected[1, 0, 3], expected[1, 1, 3] = 0.25, 1
    assert np.allclose(moved, expected, atol=1e-6)
