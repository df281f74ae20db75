"""Colours and movement in the parts of a picture: simple, fast, nothing to install.

It recognises neither objects nor hands. It is there to try things out, and as a baseline for
trained backbones.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from benchmarks.engine.features.extractor import Extractor, Pictures, Row

# A picture in CELLS x CELLS parts, and histograms of BINS bins.
CELLS, BINS = 4, 8
# Brightness, blue against yellow, red against green: JPEG's matrix (ITU-T T.871), from 0 to 1.
TO_YCC = np.array([[0.299, 0.587, 0.114], [-0.1687, -0.3313, 0.5], [0.5, -0.4187, -0.0813]])
MIDDLE = np.array([0.0, 0.5, 0.5])

Floats = npt.NDArray[np.float64]


class ColourAndMotion(Extractor):
    """Means, spread and movement by parts of the picture, and histograms of the whole."""

    name = "colour-and-motion"
    title = "Colour and motion"
    description = (
        "Colours, contrast and movement in 4 x 4 parts of the picture, 120 numbers per second. It"
        " knows no objects; a trained backbone should beat it."
    )
    # Three means, a spread, and mean and greatest movement of each part; three histograms.
    width = CELLS * CELLS * 6 + 3 * BINS
    pictures_per_row = 4
    size = (64, 48)

    def rows(self, seconds: Iterable[Pictures]) -> Iterator[Row]:
        before: Floats | None = None
        for pictures in seconds:
            colours = pictures / 255.0 @ TO_YCC.T + MIDDLE
            light = colours[..., 0] if before is None else np.vstack([before, colours[..., 0]])
            before = colours[-1:, ..., 0]
            by_cell = _cells(colours)
            if len(light) > 1:
                moved = _cells(np.abs(np.diff(light, axis=0))[..., None]).mean(axis=(3, 4))
            else:
                moved = np.zeros((1, CELLS, CELLS, 1))
            parts = (
                by_cell.mean(axis=(0, 3, 4)),
                by_cell[..., 0].std(axis=(3, 4)).mean(axis=0),
                moved.mean(axis=0),
                moved.max(axis=0),
                *(_shares(colours[..., channel]) for channel in range(3)),
            )
            yield np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def _cells(pictures: Floats) -> Floats:
    """(n, height, width, c) cut into (n, CELLS, CELLS, height / CELLS, width / CELLS, c)."""
    count, height, width, channels = pictures.shape
    shape = (count, CELLS, height // CELLS, CELLS, width // CELLS, channels)
    return pictures.reshape(shape).swapaxes(2, 3)


def _shares(values: Floats) -> Floats:
    places = np.clip((values * BINS).astype(np.intp), 0, BINS - 1)
    return np.bincount(places.ravel(), minlength=BINS) / values.size


EXTRACTOR = ColourAndMotion()
