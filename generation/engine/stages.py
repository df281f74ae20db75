"""The stages of a generation run, in the order in which a take goes through them.

Each take has one random generator per stage, named by the stage's value.
"""

from collections.abc import Collection
from enum import StrEnum


class Stage(StrEnum):
    """A stage of the work on one take; docs/architecture.md draws how data flows between them."""

    PLAN = "plan"
    CORRECT = "correct"
    WRITE = "write"
    JUDGE = "judge"
    VIDEO = "video"
    PUBLISH = "publish"

    @property
    def label(self) -> str:
        return _LABELS[self]


_LABELS = {
    Stage.PLAN: "Mistakes",
    Stage.CORRECT: "Corrections",
    Stage.WRITE: "Text",
    Stage.JUDGE: "Judge",
    Stage.VIDEO: "Video",
    Stage.PUBLISH: "Traces",
}
STAGE_ORDER = tuple(Stage)
PLANNING_STAGES = frozenset({Stage.PLAN, Stage.CORRECT})
PREREQUISITES = {
    Stage.CORRECT: Stage.PLAN,
    Stage.WRITE: Stage.PLAN,
    Stage.JUDGE: Stage.WRITE,
    Stage.VIDEO: Stage.WRITE,
    Stage.PUBLISH: Stage.WRITE,
}


def ordered_stages(stages: Collection[Stage], *, is_freeform: bool = False) -> list[Stage]:
    """The chosen stages in working order; raises ValueError if one lacks the stage that it needs.

    A freeform run has no plan, so the stages that make one are left out.
    """
    chosen = [stage for stage in STAGE_ORDER if stage in stages]
    if is_freeform:
        chosen = [stage for stage in chosen if stage not in PLANNING_STAGES]
        if Stage.WRITE not in chosen:
            raise ValueError(f"a freeform run needs stage {Stage.WRITE}")
    for stage in chosen:
        needed = PREREQUISITES.get(stage)
        if is_freeform and needed in PLANNING_STAGES:
            continue
        if needed is not None and needed not in stages:
            raise ValueError(f"stage {stage} needs stage {needed}; expected both or neither")
    if not chosen:
        raise ValueError("no stage is chosen; expected at least plan")
    return chosen
