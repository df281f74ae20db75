"""An extra step slips in that the procedure does not ask for (PIE-V, section 3.1)."""

from annotation.engine.taxonomy import Mod
from generation.engine.english.surface import in_style_of
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.slips import Slip, pick_slip, slips_without_things, sources_at


class InsertionWriter:
    """Puts a slip with the things at hand before the planned step."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        (index,) = error.spec.places(error.step_index)

        def fits(slip: Slip) -> bool:
            return draft.wording.fits_at(slip.text, index, is_between=True)

        own = sources_at(draft.scene, index, draft.timeline.deleted)
        drawn = (pick_slip(draft, sources, fits) for sources in (own, {slips_without_things: 1.0}))
        slip = next(filter(None, drawn), None)
        if slip is None:
            draft.notes.append(f"before step {index}: no new slip is left for the insertion")
            slip = draft.pick(slips_without_things())
        row = RewriteRow(
            mod=Mod.INSERTION,
            text=draft.wording.take(in_style_of(slip.text, draft.scene.steps[index].text)),
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.put_before(index, row)
        return Realised(error.event_id, row.text, repair=slip.repair)
