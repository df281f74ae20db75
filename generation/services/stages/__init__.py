"""Find the stages of a run by their modules."""

from collections.abc import Sequence
from functools import cache
from itertools import groupby

from annotation.engine.modules import offered
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.services.stage import StageWork


@cache
def stage_works() -> dict[Stage, StageWork]:
    """The work of every stage that has a module, in working order."""
    works = {work.stage: work for work in offered(__name__, "WORK").values()}
    return {stage: works[stage] for stage in Stage if stage in works}


def grouped_works(stages: Sequence[Stage], options: RunOptions) -> list[list[StageWork]]:
    """The works of the stages in groups that are stored together.

    Consecutive quick stages form one group, every other stage a group of its own.
    """
    works = [stage_works()[stage] for stage in stages]
    groups = groupby(
        enumerate(works), key=lambda item: -1 if item[1].is_quick(options) else item[0]
    )
    return [[work for _, work in group] for _, group in groups]


def is_quick_run(stages: Sequence[Stage], options: RunOptions) -> bool:
    """Whether every stage takes milliseconds, so that one message can hold many takes."""
    return all(stage_works()[stage].is_quick(options) for stage in stages)


def waits_for_answers(stages: Sequence[Stage], options: RunOptions) -> bool:
    """Whether a take mostly waits for text models, so that many can be worked on at once.

    Making a video keeps a processor busy and needs some hundred megabytes.
    """
    return Stage.VIDEO not in stages and not is_quick_run(stages, options)
