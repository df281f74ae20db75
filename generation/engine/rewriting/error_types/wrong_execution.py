"""The step is done, but wrongly in the planned roles (PIE-V, section 4.1)."""

from collections.abc import Mapping
from typing import ClassVar

from annotation.engine.taxonomy import PUBLISHED_NAME_BY_ERROR_TYPE, ErrorType, Mod
from generation.engine.planner.error_types.wrong_execution import WrongExecutionSpec
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.lexicon.verbs import FAILED_MANNERS
from generation.engine.rewriting.mutation import Mutation
from generation.engine.rewriting.mutations import mutations
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.scene import SceneStep
from generation.engine.rewriting.surface import in_style_of, without_final_stop
from generation.engine.semrep import Role

# The roles to try, in this order, where the plan names none that the text has.
OTHER_ROLES = (
    Role.INSTRUMENT, Role.DESTINATION, Role.LOCATION, Role.ORIGIN, Role.OBJECT, Role.COOBJECT,
    Role.CONTENT, Role.MANNER,
)  # fmt: skip


class WrongExecutionWriter:
    """Changes the planned roles in the text of the step, and no other word."""

    error_type: ClassVar[ErrorType] = ErrorType.WRONG_EXECUTION

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        assert isinstance(error.spec, WrongExecutionSpec)
        step = draft.scene.steps[error.step_index]
        changes = self._changes(draft, step, error.spec.mutation_scopes)
        if not changes:
            draft.notes.append(
                f"{error.event_id}: no planned role of step {step.index} can be changed in its text"
            )
            changes = self._changes_of_any_role(draft, step)
        text = changes[-1].text if changes else self._with_failed_manner(draft, step)
        row = RewriteRow(
            mod=Mod.ERROR,
            text=draft.wording.take(in_style_of(text, step.text)),
            old_index=step.index,
            error_type=PUBLISHED_NAME_BY_ERROR_TYPE[self.error_type],
            event_id=error.event_id,
        )
        draft.timeline.change(step.index, row)
        return Realised(error.event_id, row.text, mutations=changes)

    def _changes(
        self, draft: Draft, step: SceneStep, scopes: Mapping[str, MutationScope]
    ) -> tuple[Mutation, ...]:
        """Return one change per role, each made in the text of the one before."""
        text, changes = step.text, []
        for role, scope in scopes.items():
            change = self._choose(draft, step, mutations(draft.scene, step, text, role, scope))
            if change is not None:
                changes.append(change)
                text = change.text
        return tuple(changes)

    def _choose(
        self, draft: Draft, step: SceneStep, options: tuple[Mutation, ...]
    ) -> Mutation | None:
        fitting = [item for item in options if draft.wording.fits_at(item.text, step.index)]
        natural = [item for item in fitting if not item.is_fallback]
        return draft.pick(natural or fitting) if fitting else None

    def _changes_of_any_role(self, draft: Draft, step: SceneStep) -> tuple[Mutation, ...]:
        for role in OTHER_ROLES:
            changes = self._changes(draft, step, {role: MutationScope.ENTITY})
            if changes:
                return changes
        return ()

    def _with_failed_manner(self, draft: Draft, step: SceneStep) -> str:
        """Return the step with a manner that lets it fail; for steps that name nothing."""
        manners = FAILED_MANNERS.get(step.family, ())
        bare = without_final_stop(step.text)
        options = [f"{bare} {manner}" for manner in (*manners, *FAILED_MANNERS[_ANY])]
        fitting = [text for text in options if draft.wording.is_new(text)]
        return draft.pick(fitting or options)


_ANY = next(reversed(FAILED_MANNERS))
WRITER = WrongExecutionWriter()
