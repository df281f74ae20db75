"""The figures of the PIE-V paper, to be laid beside figures of one's own.

Source: PIE-V, Tables 3, 4 and 5, supplementary Tables 2 and 3; the values as printed are in
`published.toml`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from annotation.engine.rubric.rubric import Metric
from annotation.engine.stored import from_stored

FILE = Path(__file__).with_name("published.toml")


class Origin(StrEnum):
    """Whether mistakes were filmed, or generated for existing recordings."""

    RECORDED = "recorded"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class PublishedScale:
    """How much was rated, as printed: `mistake_rate` in percent of the steps.

    `mistake_steps` counts corrections, both halves of a swap and repairs of the judge, too.
    """

    videos: int
    total_steps: int
    mistake_steps: int
    mistake_rate: float
    mistakes_per_video: float
    steps_per_video: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedDataset:
    """One row of the paper; `settings` are the words in brackets behind its name.

    `aggregates` are percentages (0-100) or means (1-5), `alpha` Krippendorff's alpha by metric.
    """

    name: str
    settings: str = ""
    origin: Origin
    is_in_main_text: bool
    scale: PublishedScale
    aggregates: Mapping[Metric, float]
    alpha: Mapping[Metric, float]


@cache
def published_datasets() -> tuple[PublishedDataset, ...]:
    """The eight rows in the paper's order."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(from_stored(PublishedDataset, item) for item in data["datasets"])
