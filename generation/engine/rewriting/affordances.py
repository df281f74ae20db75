"""What a step can honestly suffer: the mistakes of each type that have a wording of sense there.

The planner asks before it draws, so that the plan is right at once; the writer chooses among the
same wordings.
"""

from generation.engine.rewriting.added_steps import extra_steps, substitutes
from generation.engine.rewriting.scene import Scene
from generation.engine.rewriting.wording import Wording
from generation.engine.rewriting.wrong_executions import changes_that_show


def can_be_replaced(scene: Scene, index: int) -> bool:
    """Whether a person could do something else of this procedure instead of a step."""
    return scene.once(_can_be_replaced, index)


def _can_be_replaced(scene: Scene, index: int) -> bool:
    step, wording = scene.steps[index], Wording(scene)
    sources = substitutes(scene, step)
    return any(wording.replaces(added.text, step) for form in sources for added in form())


def can_be_preceded(scene: Scene, index: int) -> bool:
    """Whether a person could do something too much right before a step."""
    return scene.once(_can_be_preceded, index)


def _can_be_preceded(scene: Scene, index: int) -> bool:
    wording = Wording(scene)
    # The last forms are the quickest to ask for.
    return any(
        wording.fits_at(added.text, index, is_between=True)
        for form in reversed(extra_steps(scene, index))
        for added in form()
    )


def roles_that_can_fail(scene: Scene, index: int) -> frozenset[str]:
    """The roles of a step that can go wrong, its manner included."""
    return scene.once(_roles_that_can_fail, index)


def _roles_that_can_fail(scene: Scene, index: int) -> frozenset[str]:
    step, wording = scene.steps[index], Wording(scene)
    return frozenset(
        change.role
        for change in changes_that_show(scene, step, step.text)
        if wording.fits_at(change.text, index)
    )
