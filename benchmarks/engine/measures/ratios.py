"""Quotients of arrays with zero denominators, and means of arrays with undefined values."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def ratio(above: npt.ArrayLike, below: npt.ArrayLike, empty: float = np.nan) -> Floats:
    """`above` / `below` in the shape of `above`; `empty` where `below` is not positive."""
    quotients = np.full(np.shape(above), empty, dtype=np.float64)
    np.divide(above, below, out=quotients, where=np.asarray(below) > 0)
    return quotients


def mean_of_defined(values: Floats) -> Floats:
    """The mean over the first axis without nan; nan where all are."""
    is_defined = ~np.isnan(values)
    return ratio(np.where(is_defined, values, 0.0).sum(axis=0), is_defined.sum(axis=0))
