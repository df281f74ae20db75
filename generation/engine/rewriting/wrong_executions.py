"""The step is done, but wrongly in the planned roles (PIE-V, section 4.1)."""

from collections.abc import Iterator, Mapping

from annotation.engine.taxonomy import Mod
from generation.engine.english.analyser import tree_of_text
from generation.engine.english.surface import in_style_of
from generation.engine.english.words import is_near_duplicate, words_of
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.changes import changes
from generation.engine.rewriting.draft import Draft, Mutation, Realised
from generation.engine.rewriting.last_resort import WAYS, last_change
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.semrep.lexicon import PREPOSITIONS


class WrongExecutionWriter:
    """Changes the planned roles in the text of the step, and no other word."""

    def write_roles(
        self, draft: Draft, error: PlannedError, scopes: Mapping[str, MutationScope]
    ) -> Realised:
        step = draft.scene.steps[error.step_index]
        done: list[Mutation] = []
        for role, scope in scopes.items():
            text = done[-1].text if done else step.text
            options = self._fitting(draft, step, text, role, scope)
            if not options:
                draft.notes.append(
                    f"{error.event_id}: no wording of a wrong {role} of step {step.index} surely"
                    " makes sense"
                )
            done.append(draft.pick(options) if options else last_change(step, text, role))
        if not scopes:
            done.append(last_change(step, step.text, Role.MANNER))
        row = RewriteRow(
            mod=Mod.ERROR,
            text=draft.wording.take(in_style_of(done[-1].text, step.text)),
            old_index=step.index,
            error_type=error.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.change(step.index, row)
        return Realised(error.event_id, row.text, mutations=tuple(done))

    def _fitting(
        self, draft: Draft, step: SceneStep, text: str, role: str, scope: MutationScope
    ) -> list[Mutation]:
        """Changes that a reader recognises in their role, in the planned scope if possible."""
        for may_repeat in (False, True):
            fitting = [
                item
                for item in changes_that_show(draft.scene, step, text)
                if item.role == role
                and draft.wording.fits_at(item.text, step.index, may_repeat=may_repeat)
            ]
            if fitting:
                return [item for item in fitting if item.scope is scope] or fitting
        return []


def changes_that_show(scene: Scene, step: SceneStep, text: str) -> Iterator[Mutation]:
    """Yield the changes of a step that a reader recognises, and that read like no other step."""
    # A step like this one that is left out would seem to be done after all.
    others = [
        other.text
        for other in scene.steps
        if other.index != step.index and not is_near_duplicate(other.text, step.text)
    ]
    for item in changes(scene, step, text):
        if not any(is_near_duplicate(item.text, other) for other in others) and is_shown(
            text, item
        ):
            yield item


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
