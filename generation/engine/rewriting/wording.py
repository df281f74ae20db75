"""Whether a text can stand where it is meant to: unlike the steps around it and unlike any other.

The limits are those of the published writer and judge (reference, sections 3.5 and 4.2).
"""

from dataclasses import dataclass, field

from generation.engine.rewriting.families import Family
from generation.engine.rewriting.freeform import jaccard
from generation.engine.rewriting.phrases import names
from generation.engine.rewriting.scene import Scene, SceneStep, compact_text

# At this share of common words two neighbours say the same.
NEAR_DUPLICATE = 0.85
# At this share of common words a substitution is still the step that it should replace.
SAME_STEP = 0.78


@dataclass(slots=True)
class Wording:
    """The texts of one take: those that are there, and those written so far.

    `lost` are the things that a mistake kept from being acquired; nothing later may name them that
    did not before.
    """

    scene: Scene
    written: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)

    def lose(self, step: SceneStep) -> None:
        """Remember that the step did not acquire what it should have."""
        if step.family is Family.ACQUIRE and step.object_head is not None:
            self.lost.add(step.object_head)

    def take(self, text: str) -> str:
        """Return the text and remember it, so that nothing else reads like it."""
        self.written.add(compact_text(text))
        return text

    def is_new(self, text: str) -> bool:
        """Return whether no step of the procedure and no mistake reads so."""
        words = compact_text(text)
        return words not in self.scene.texts and words not in self.written

    def fits_at(self, text: str, index: int, *, is_between: bool = False) -> bool:
        """Return whether the text differs from the steps before and after.

        With `is_between` it stands before step `index`; else in place of it.
        """
        neighbours = (index - 1, index) if is_between else (index - 1, index + 1)
        steps = self.scene.steps
        said = "" if is_between else steps[index].text
        if any(names(text, head) and not names(said, head) for head in self.lost):
            return False
        return self.is_new(text) and all(
            jaccard(text, steps[position].text) < NEAR_DUPLICATE
            or (not is_between and self._were_alike(index, position))
            for position in neighbours
            if 0 <= position < len(steps)
        )

    def _were_alike(self, index: int, position: int) -> bool:
        steps = self.scene.steps
        return jaccard(steps[index].text, steps[position].text) >= NEAR_DUPLICATE

    def replaces(self, text: str, step: SceneStep) -> bool:
        """Return whether the text is another action than the step, and no other step's text."""
        new, old = compact_text(text), compact_text(step.text)
        if new in old or old in new or jaccard(text, step.text) >= SAME_STEP:
            return False
        is_part = any(f" {new} " in f" {other} " for other in self.scene.texts)
        return not is_part and self.fits_at(text, step.index)
