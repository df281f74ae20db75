"""The protocol of feature extractors, which are the files in `extractors/`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from annotation.engine.modules import offered

PACKAGE = "benchmarks.engine.features.extractors"

# The pictures of one row, (n, height, width, 3) RGB.
Pictures = npt.NDArray[np.uint8]
Row = npt.NDArray[np.float32]


class Extractor(ABC):
    """Computes one row of numbers for each second of a recording.

    It gets `pictures_per_row` pictures of `size` (width, height) per second. Raise `version` when
    the numbers change.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    version: ClassVar[int] = 1
    width: ClassVar[int]
    pictures_per_row: ClassVar[int]
    size: ClassVar[tuple[int, int]]

    @property
    def made_by(self) -> str:
        """Name and version, stored with the features."""
        return f"{self.name} v{self.version}"

    def missing(self) -> str:
        """What must be installed first, in a sentence; "" where nothing is missing."""
        return ""

    @abstractmethod
    def rows(self, seconds: Iterable[Pictures]) -> Iterator[Row]:
        """Yield a row (width,) for the pictures of each second of one recording, in order."""


@lru_cache(1)
def extractors() -> dict[str, Extractor]:
    """The extractors by name: every file in `extractors/` that has an `EXTRACTOR`."""
    return {extractor.name: extractor for extractor in offered(PACKAGE, "EXTRACTOR").values()}
