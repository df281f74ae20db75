"""The rule-based writer: it turns a plan into a procedure with its mistakes, without a model.

Mistakes are written in the order of the plan, then corrections are placed, then later steps follow
from the mistakes, and last come the words of the corrections. The text depends only on the plan
and the random generator.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from annotation.engine.taxonomy import Mod
from generation.engine.english.surface import in_style_of
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import Plan
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.cascades import apply_cascades, carried_text
from generation.engine.rewriting.draft import Draft, correction_writers, error_writers
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from generation.engine.rewriting.scene import Scene, kept_scene
from generation.engine.rewriting.timeline import Timeline
from generation.engine.rewriting.wording import Wording
from generation.engine.stages import Stage

CORRECTION = "correction"
MAX_DRAWS_AGAIN = 5


@dataclass(frozen=True, slots=True)
class WrittenTake:
    """A rewrite that realises every event of its plan; `notes` say where it deviates from it."""

    rewrite: Rewrite
    notes: tuple[str, ...] = ()


def write_rewrite(plan: Plan, *, rng: np.random.Generator) -> WrittenTake:
    """The procedure of a plan with every planned mistake and correction realised.

    Raises PlanConflictError if two events exclude each other or one points at no step.
    """
    texts = [step.text for step in plan.steps]
    scene = scene_of_plan(plan)
    timeline = Timeline(texts)
    wording = Wording(scene, timeline=timeline)
    draft = Draft(scene=scene, timeline=timeline, wording=wording, rng=rng)
    # First the mistakes that only move or remove steps: new texts are compared with what is left.
    for error in sorted(plan.errors, key=lambda error: not facts_of(error).is_wordless):
        draft.realised[error.event_id] = error_writers()[error.error_type].write(draft, error)
        if facts_of(error).takes_away:
            draft.wording.lose(scene.steps[error.step_index])
    # A correction ends the consequences of its mistake, and the consequences of one mistake can
    # change the words of another: so first places, then consequences, then words.
    for correction in plan.corrections or ():
        target = correction.target_event_id
        if target not in draft.realised:
            raise PlanConflictError(correction.correction_id, f"no mistake {target} to correct")
        row = RewriteRow(
            mod=Mod.CORRECTION,
            text="",
            error_type=CORRECTION,
            event_id=target,
            correction_id=correction.correction_id,
        )
        draft.timeline.correct(
            row,
            detect_index=correction.detect_at_step_index,
            use_index=correction.insert_before_step_index,
        )
    rewrite = draft.timeline.rewrite()
    for error in plan.errors:
        rewrite = apply_cascades(scene, rewrite, error.event_id)
    rewrite = _with_correction_texts(draft, plan, rewrite)
    return WrittenTake(rewrite, tuple(draft.notes))


def written_again(plan: Plan, seed: int) -> Iterator[Rewrite]:
    """Yield other texts for the plan of a written take, each from a new random draw."""
    for number in range(MAX_DRAWS_AGAIN):
        rng = generator_for(seed, plan.take_uid, f"{Stage.WRITE} again {number}")
        yield write_rewrite(plan, rng=rng).rewrite


def scene_of_plan(plan: Plan) -> Scene:
    """The scene of a planned take."""
    return kept_scene(plan.scenario, tuple([(step.text, step.semrep) for step in plan.steps]))


def _with_correction_texts(draft: Draft, plan: Plan, rewrite: Rewrite) -> Rewrite:
    corrected: set[str] = set()
    for row in rewrite.rows:
        event_id = str(row.event_id)
        if row.mod is Mod.ERROR:
            draft.realised[event_id] = replace(draft.realised[event_id], text=row.text)
        elif row.mod is Mod.CORRECTION:
            corrected.add(event_id)
        elif row.mod is Mod.CASCADE and row.old_index is not None and event_id not in corrected:
            draft.followed[event_id] = (*draft.followed.get(event_id, ()), row.old_index)
    places = {row.correction_id: place for place, row in enumerate(rewrite.rows)}
    texts = {}
    for correction in plan.corrections or ():
        draft.carried = partial(
            carried_text,
            draft.scene,
            rewrite.rows,
            places[correction.correction_id],
            event_id=correction.target_event_id,
        )
        text = correction_writers()[correction.correction_type].write(draft, correction)
        texts[correction.correction_id] = in_style_of(
            text, draft.scene.steps[correction.detect_at_step_index].text
        )
    return Rewrite(
        tuple(
            replace(row, text=texts[str(row.correction_id)]) if row.mod is Mod.CORRECTION else row
            for row in rewrite.rows
        )
    )
