"""An extra step slips in that the procedure does not ask for (PIE-V, section 3.1)."""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.english.surface import in_style_of
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.filled_slips import FilledSlip, filled_slips, repeated_additions
from generation.engine.rewriting.rewrite import RewriteRow


class InsertionWriter:
    """Puts a slip with the things at hand before the planned step."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        (index,) = error.spec.places(error.step_index)
        slip = self._choose(draft, index)
        row = RewriteRow(
            mod=Mod.INSERTION,
            text=draft.wording.take(in_style_of(slip.text, draft.scene.steps[index].text)),
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.put_before(index, row)
        return Realised(error.event_id, row.text, repair=slip.repair)

    def _choose(self, draft: Draft, index: int) -> FilledSlip:
        for options in self._options(draft, index):
            fitting = [
                slip for slip in options if draft.wording.fits_at(slip.text, index, is_between=True)
            ]
            if fitting:
                # The more a slip has to do with the place, the likelier it is.
                weights = [slip.fit for slip in fitting]
                total = float(sum(weights))
                drawn = draft.rng.choice(len(fitting), p=[weight / total for weight in weights])
                return fitting[int(drawn)]
        draft.notes.append(f"before step {index}: no new slip is left for the insertion")
        return draft.pick(list(filled_slips(draft.scene, index, is_anywhere=True)))

    def _options(self, draft: Draft, index: int) -> Iterator[list[FilledSlip]]:
        gone = draft.timeline.deleted
        again = repeated_additions(draft.scene, index, gone=gone)
        own = [*filled_slips(draft.scene, index), *again]
        yield own
        yield list(filled_slips(draft.scene, index, is_anywhere=True))
