"""The input of the planner: the ordered steps of one take with text, times and meaning.

Times are seconds from the start of the recording, None where the source has none. Positions are
0-based over the steps in procedure order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.engine.corpus.procedure import ReadingWarning, Take


@dataclass(frozen=True, slots=True)
class Block:
    """The part of its scenario that a step belongs to: the ancestor just below the root.

    `path` runs from the root to the step's own node.
    """

    block_id: int | str
    name: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProcedureStep:
    """One step.

    `step_id` identifies the kind of step within its scenario, `unique_id` the published id that
    several kinds of step share. `block` is looked up by `step_id`, `shared_id_block` by `unique_id`
    (the last node with that id wins). `vocabulary_id` is the id of the text in
    the published vocabulary, None where the text has none.
    """

    text: str
    start_s: float | None
    end_s: float | None
    step_id: str = ""
    unique_id: int | None = None
    vocabulary_id: str | None = None
    is_essential: bool = True
    semrep: str = ""
    block: Block | None = None
    shared_id_block: Block | None = None


@dataclass(frozen=True, slots=True)
class Procedure:
    """One take, ready to be planned; `warnings` are about its input."""

    take_uid: str
    take_name: str
    scenario: str
    steps: tuple[ProcedureStep, ...]
    warnings: tuple[ReadingWarning, ...] = ()


def procedure_from_take(take: Take, *, semreps: Sequence[str] | None = None) -> Procedure:
    """The procedure of a take as the corpus holds it.

    `semreps` replaces the representations of the steps, one per step. A step that the source does
    not mark is taken for essential, and one without a representation has no meaning to plan with;
    both are field_warning in the warnings.
    """
    texts = [step.semrep for step in take.steps] if semreps is None else list(semreps)
    if len(texts) != len(take.steps):
        raise ValueError(f"take {take.uid}: {len(texts)} semreps for {len(take.steps)} steps")
    steps = tuple(
        ProcedureStep(
            text=step.text,
            start_s=step.start_s,
            end_s=step.end_s,
            step_id=step.step_id,
            is_essential=step.is_essential is not False,
            semrep=semrep,
            block=_block_of_path(step.taxonomy_path),
            shared_id_block=_block_of_path(step.taxonomy_path),
        )
        for step, semrep in zip(take.steps, texts, strict=True)
    )
    unmarked = [index for index, step in enumerate(take.steps) if step.is_essential is None]
    return Procedure(
        take_uid=take.uid,
        take_name=take.name,
        scenario=take.scenario,
        steps=steps,
        warnings=(
            *field_warning(take.uid, "is_essential", unmarked, "not stated, taken for essential"),
            *step_warnings(take.uid, steps),
        ),
    )


def step_warnings(take_uid: str, steps: Sequence[ProcedureStep]) -> tuple[ReadingWarning, ...]:
    """Warnings about steps that lack something but can be planned."""
    bare = [index for index, step in enumerate(steps) if not step.semrep]
    untimed = [index for index, step in enumerate(steps) if not is_timed(step)]
    blockless = [index for index, step in enumerate(steps) if step.block is None]
    overlapping = [
        index
        for index, (earlier, later) in enumerate(pairwise(steps), start=1)
        if earlier.end_s is not None and later.start_s is not None and later.start_s < earlier.end_s
    ]
    too_short = []
    if len(steps) < 2:
        what = "a single step" if steps else "no step"
        too_short = [ReadingWarning(f"take {take_uid}", f"the procedure has {what}")]
    return (
        *field_warning(take_uid, "semantic_representation", bare, "none, so complexity is unknown"),
        *field_warning(take_uid, "start_time, end_time", untimed, "none, so duration is unknown"),
        *field_warning(
            take_uid, "taxonomy block", blockless, "none, so steps swap only when close"
        ),
        *field_warning(take_uid, "start_time", overlapping, "before the end of the step before"),
        *too_short,
    )


def is_timed(step: ProcedureStep) -> bool:
    return step.start_s is not None and step.end_s is not None


def field_warning(
    take_uid: str, field: str, indices: Iterable[int], what: str
) -> tuple[ReadingWarning, ...]:
    """One warning that names a field and every step it concerns, or nothing."""
    steps = [str(index) for index in indices]
    if not steps:
        return ()
    noun = "step" if len(steps) == 1 else "steps"
    message = f"{field} of {len(steps)} {noun}: {what} ({noun} {', '.join(steps)})"
    return (ReadingWarning(f"take {take_uid}", message),)


def _block_of_path(path: tuple[str, ...]) -> Block | None:
    """The block of a path from root to leaf; its name identifies it in its scenario."""
    return Block(block_id=path[1], name=path[1], path=path) if len(path) > 1 else None
