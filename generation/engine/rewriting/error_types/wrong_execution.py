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
from generation.engine.rewriting.phrases import words_of
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.scene import SceneStep, tree_of_text
from generation.engine.rewriting.surface import in_style_of, without_final_stop
from generation.engine.semrep import Role
from generation.engine.semrep.lexicon import PREPOSITIONS

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
        is_in_its_way = not changes and bool(_WAYS & set(error.spec.mutation_scopes))
        if not changes and not is_in_its_way:
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
            change = self._choose(draft, step, text, role, scope)
            if change is not None:
                changes.append(change)
                text = change.text
        return tuple(changes)

    def _choose(
        self, draft: Draft, step: SceneStep, text: str, role: str, scope: MutationScope
    ) -> Mutation | None:
        """Return a change that a reader finds in its role, in the planned scope if it can be."""
        fitting = []
        for tried in (scope, *(other for other in MutationScope if other is not scope)):
            options = mutations(draft.scene, step, text, role, tried)
            fitting += [item for item in options if draft.wording.fits_at(item.text, step.index)]
            natural = [item for item in fitting if not item.is_fallback]
            shown = [item for item in natural if is_shown(text, item)]
            if shown:
                return draft.pick(shown)
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


def is_shown(text: str, change: Mutation) -> bool:
    """Return whether a change can be read off the role itself, without the representation.

    Beside the pan is another place than into the pan, yet a reader may take it for no destination.
    """
    before, after = tree_of_text(text), tree_of_text(change.text)
    if before is None or after is None:
        return False
    old, new = before.argument(change.role), after.argument(change.role)
    written = {word.text for word in words_of(change.text)} | PREPOSITIONS
    is_gone = any(word.text not in written for word in words_of(change.right))
    return is_gone or (new is not None and str(old) != str(new))


# Roles that say how something is done: where the text leaves them unsaid, any manner says them.
_WAYS = frozenset({Role.MANNER, Role.DEGREE, Role.TEMPORAL, Role.DURATION, Role.DIRECTION})
_ANY = next(reversed(FAILED_MANNERS))
WRITER = WrongExecutionWriter()
