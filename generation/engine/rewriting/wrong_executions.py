"""The step is done, but wrongly in the planned roles (PIE-V, section 4.1)."""

import itertools
from collections.abc import Mapping

from annotation.engine.taxonomy import Mod
from generation.engine.english.analyser import tree_of_text
from generation.engine.english.surface import in_style_of
from generation.engine.english.words import words_of
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.draft import Draft, Mutation, Realised
from generation.engine.rewriting.lexicon.qualities import severity_weight
from generation.engine.rewriting.mutations import mutations
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.scene import SceneStep
from generation.engine.rewriting.way_mutations import WAYS
from generation.engine.semrep import Role
from generation.engine.semrep.lexicon import PREPOSITIONS

# The roles to try, in this order, if the text has none of the planned roles.
OTHER_ROLES = (
    Role.INSTRUMENT, Role.DESTINATION, Role.LOCATION, Role.ORIGIN, Role.OBJECT, Role.COOBJECT,
    Role.CONTENT, Role.MANNER,
)  # fmt: skip


class WrongExecutionWriter:
    """Changes the planned roles in the text of the step, and no other word."""

    def write_roles(
        self, draft: Draft, error: PlannedError, scopes: Mapping[str, MutationScope]
    ) -> Realised:
        step, severity = draft.scene.steps[error.step_index], str(error.severity)
        changes = self._changes(draft, step, scopes, severity)
        if not changes:
            draft.notes.append(
                f"{error.event_id}: no planned role of step {step.index} can be changed in its text"
            )
            tried = (
                self._changes(draft, step, {role: MutationScope.ENTITY}, severity)
                for role in OTHER_ROLES
            )
            changes = next(filter(None, tried))
        row = RewriteRow(
            mod=Mod.ERROR,
            text=draft.wording.take(in_style_of(changes[-1].text, step.text)),
            old_index=step.index,
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.change(step.index, row)
        return Realised(error.event_id, row.text, mutations=changes)

    def _changes(
        self, draft: Draft, step: SceneStep, scopes: Mapping[str, MutationScope], severity: str
    ) -> tuple[Mutation, ...]:
        """One change per role, each made in the text of the one before."""
        text, changes = step.text, []
        for role, scope in scopes.items():
            options = self._fitting(draft, step, text, role, scope)
            # Changes that fit the severity of the mistake are likelier.
            weights = {item: severity_weight(item.wrong, severity) for item in options}
            for change in itertools.islice(draft.shuffled(weights), 1):
                changes.append(change)
                text = change.text
        return tuple(changes)

    def _fitting(
        self, draft: Draft, step: SceneStep, text: str, role: str, scope: MutationScope
    ) -> list[Mutation]:
        """Changes that a reader recognises in their role, in the planned scope if possible."""
        changes: list[Mutation] = []
        others = [] if role in WAYS else [other for other in MutationScope if other is not scope]
        for tried in (scope, *others):
            changes += mutations(draft.scene, step, text, role, tried)
            fitting = [item for item in changes if draft.wording.fits_at(item.text, step.index)]
            once = _without_repetition(text, fitting)
            natural = [item for item in once if not item.is_fallback]
            shown = [item for item in natural if is_shown(text, item)]
            if shown:
                return shown
        return natural or once or fitting or (changes if role == Role.MANNER else [])


def _without_repetition(text: str, changes: list[Mutation]) -> list[Mutation]:
    """Leave out changes that repeat a word for how another role of the text went wrong."""
    used = [word for word in (" only ", " wrong ", " but ") if word in text]
    return [
        change
        for change in changes
        if not any(change.text.count(word) > text.count(word) for word in used)
    ]


def is_shown(text: str, change: Mutation) -> bool:
    """Whether a change shows in the role itself, without the stored representation.

    "Beside the pan" is another place than "into the pan", but may not be read as a destination.
    """
    if change.role in WAYS:
        return True
    before, after = tree_of_text(text), tree_of_text(change.text)
    if before is None or after is None:
        return False
    old, new = before.argument(change.role), after.argument(change.role)
    written = set(words_of(change.text)) | PREPOSITIONS
    is_gone = any(word not in written for word in words_of(change.right))
    return is_gone or (new is not None and str(old) != str(new))
