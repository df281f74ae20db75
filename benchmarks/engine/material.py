"""What a task makes its items from: recordings with their steps, mistakes and repairs.

An imported data set, a generated one and one that was labelled here look the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.engine.procedure import Take, Trace


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording of a data set, or a written sequence that was never recorded.

    `key` is "trace:<uid>" or "take:<uid>"; a take by itself has no trace and no mistakes.
    `duration_s` is None without a video. `person` and `generator` are empty where nobody knows.
    """

    key: str
    take: Take
    trace: Trace | None = None
    duration_s: float | None = None
    person: str = ""
    generator: str = ""

    @property
    def uid(self) -> str:
        return self.key.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a task may read of a data set, in a stable order.

    `extra` is what a task's own source adds, by name, as the ratings of a round.
    """

    name: str
    recordings: tuple[Recording, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
