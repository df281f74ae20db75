"""Whether a text can stand where it is meant to: unlike the steps around it and unlike any other.

The limits are those of the published writer and judge.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from generation.engine.english.families import Family
from generation.engine.english.forms import past_participle
from generation.engine.english.words import (
    NEAR_DUPLICATE,
    compact_text,
    content_words,
    jaccard,
    kin,
    names,
    word_set_of,
)
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.rewriting.timeline import Timeline

_REVERSES = {"open": ("close",), "close": ("open",)}
# At this share of common words a substitution is still the step that it should replace.
SAME_STEP = 0.78


@dataclass(slots=True)
class Wording:
    """The texts of one take: those that are there, and those written so far.

    `timeline` is what is read by now, where a take is being written. `lost` are the things that a
    mistake kept from being acquired; nothing later may name them that did not before. `later` has
    what is brought at a step or after it, as far as it was asked for.
    """

    scene: Scene
    written: set[str] = field(default_factory=set)
    timeline: Timeline | None = None
    lost: set[str] = field(default_factory=set)
    later: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def lose(self, step: SceneStep) -> None:
        """Remember that the step did not acquire or cut what it should have."""
        if step.object_head is None:
            return
        if step.family is Family.ACQUIRE:
            self.lost.add(step.object_head)
        if step.family is Family.CUT and step.tree is not None:
            verb = step.tree.predicate.partition("_")[0].lower()
            for state in {past_participle(verb), "cut", "chopped"}:
                self.lost.add(f"{state}_{kin(step.object_head)}")

    def take(self, text: str) -> str:
        """The text and remember it, so that nothing else reads like it."""
        self.written.add(compact_text(text))
        return text

    def is_new(self, text: str) -> bool:
        """Whether no step of the procedure and no mistake reads so."""
        words = compact_text(text)
        return words not in self.scene.texts and words not in self.written

    def fits_at(self, text: str, index: int, *, is_between: bool = False) -> bool:
        """Whether the text differs from the steps before and after.

        With `is_between` it stands before step `index`; else in place of it.
        """
        said = "" if is_between else self.scene.steps[index].text
        if any(names(text, head) and not names(said, head) for head in self._absent(text, index)):
            return False
        # Opens or closes what a mistake has closed or opened already: nobody knows yet whether that
        # one is put right before.
        verb, _, rest = compact_text(text).partition(" ")
        is_reverse = any(f"{other} {rest}" in self.written for other in _REVERSES.get(verb, ()))
        if is_reverse or not self.is_new(text):
            return False
        # What is read right before and right after, as far as it is written.
        shown = [step.text for step in self.scene.steps]
        if self.timeline is not None:
            shown = [slot.main.text or "" for slot in self.timeline.slots]
        before, after = reversed(shown[:index]), shown[index if is_between else index + 1 :]
        beside = (next(filter(None, texts), None) for texts in (before, after))
        return all(
            jaccard(text, other) < NEAR_DUPLICATE
            or (not is_between and jaccard(said, other) >= NEAR_DUPLICATE)
            for other in filter(None, beside)
        )

    def _absent(self, text: str, index: int) -> Iterator[str]:
        """Yield what nobody has at a step: what was lost, and what a later step brings."""
        yield from self.lost
        if index not in self.later:
            self.later[index] = tuple(
                step.object_head
                for step in self.scene.steps[index:]
                if step.family is Family.ACQUIRE
                and step.object_head is not None
                and not self.scene.possession.is_at_hand(step.object_head, index)
            )
        words = word_set_of(text)
        yield from (head for head in self.later[index] if kin(head) in words)

    def replaces(self, text: str, step: SceneStep) -> bool:
        """Whether the text is another action than the step, and no other step's text."""
        new, old = compact_text(text), compact_text(step.text)
        if new in old or old in new or jaccard(text, step.text) >= SAME_STEP:
            return False
        if content_words(step.text) <= content_words(text):
            return False  # "Shake the stick" for "stick in the sticks".
        is_part = any(f" {new} " in f" {other} " for other in self.scene.texts)
        return not is_part and self.fits_at(text, step.index)
