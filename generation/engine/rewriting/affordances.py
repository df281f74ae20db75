"""What a step can honestly suffer: the mistakes of each type that have a wording of sense there.

The planner asks before it draws, so that the plan is right at once; the writer chooses among the
same wordings.
"""

from functools import lru_cache

from generation.engine.rewriting.added_steps import extra_steps, substitutes
from generation.engine.rewriting.scene import Scene, scene_of
from generation.engine.rewriting.wording import Wording
from generation.engine.rewriting.wrong_executions import changes_that_show


# Plans are made take by take, and each step of a take asks for its scene.
@lru_cache(maxsize=8)
def planned_scene(scenario: str, steps: tuple[tuple[str, str], ...]) -> Scene:
    """The procedure as the writer will see it, of (text, representation) of every step."""
    return scene_of(scenario, steps)


def can_be_replaced(scene: Scene, index: int) -> bool:
    """Whether a person could do something else of this procedure instead of a step."""
    step, wording = scene.steps[index], Wording(scene)
    sources = substitutes(scene, step)
    return any(wording.replaces(added.text, step) for form in sources for added in form())


def can_be_preceded(scene: Scene, index: int) -> bool:
    """Whether a person could do something too much right before a step."""
    wording = Wording(scene)
    return any(
        wording.fits_at(added.text, index, is_between=True)
        for form in extra_steps(scene, index)
        for added in form()
    )


def roles_that_can_fail(scene: Scene, index: int) -> frozenset[str]:
    """The roles of a step that can go wrong, its manner included."""
    step, wording = scene.steps[index], Wording(scene)
    return frozenset(
        change.role
        for change in changes_that_show(scene, step, step.text)
        if wording.fits_at(change.text, index)
    )
