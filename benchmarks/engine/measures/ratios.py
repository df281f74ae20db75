"""Quotients of arrays where some have nothing below, and means where some are undefined."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def ratio(above: npt.ArrayLike, below: npt.ArrayLike, empty: float = np.nan) -> Floats:
    """Of the shape of `above`; `empty` where what stands below is not above 0."""
    found = np.full(np.shape(above), empty, dtype=np.float64)
    np.divide(above, below, out=found, where=np.asarray(below) > 0)
    return found


def mean_of_defined(found: Floats) -> Floats:
    """The mean over the first axis of what is there; nan where nothing is."""
    known = ~np.isnan(found)
    return ratio(np.where(known, found, 0.0).sum(axis=0), known.sum(axis=0))
