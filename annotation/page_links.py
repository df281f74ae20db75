"""Links from pages of this app to those of an app above it, which registers them when it starts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # apps read this before the models are ready
    from annotation.models import Dataset


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something that can be done with a data set now, and where."""

    words: str
    address: str


DATASET_STEPS: list[Callable[["Dataset"], NextStep]] = []
