"""Whether a text fits its place: unlike the steps around it, and equal to no other text.

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
    mentions,
    word_set_of,
)
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.rewriting.timeline import Timeline

_REVERSES = {"open": ("close",), "close": ("open",)}
# At this share of common words a substitution counts as the step that it should replace.
SAME_STEP = 0.78


@dataclass(slots=True)
class Wording:
    """The texts of a take: those of its procedure, and those written so far.

    `timeline` has the current rows while a take is written. `lost` are the things that a mistake
    kept from being acquired; no new text may name them. `later` caches, by step, the things that
    this or a later step brings.
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
        """Remember the text, so that no other reads like it, and return it."""
        self.written.add(compact_text(text))
        return text

    def fits_at(
        self, text: str, index: int, *, is_between: bool = False, may_repeat: bool = False
    ) -> bool:
        """Whether the text differs from the steps before and after, and from all mistakes.

        With `is_between` it comes before step `index`; else it replaces the step. With `may_repeat`
        another mistake may have the text: a person can drop the brush twice.
        """
        old = "" if is_between else self.scene.steps[index].text
        if any(
            mentions(text, head) and not mentions(old, head) for head in self._absent(text, index)
        ):
            return False
        # Reject opening or closing what another mistake closes or opens: whether that mistake is
        # corrected before is not decided yet.
        verb, _, rest = compact_text(text).partition(" ")
        is_reverse = any(f"{other} {rest}" in self.written for other in _REVERSES.get(verb, ()))
        if is_reverse or compact_text(text) in self.scene.texts:
            return False
        if not may_repeat and compact_text(text) in self.written:
            return False
        # The texts right before and right after, as far as they are written.
        shown = [step.text for step in self.scene.steps]
        if self.timeline is not None:
            shown = [slot.main.text or "" for slot in self.timeline.slots]
        before, after = reversed(shown[:index]), shown[index if is_between else index + 1 :]
        beside = (next(filter(None, texts), None) for texts in (before, after))
        return all(
            jaccard(text, other) < NEAR_DUPLICATE
            or (not is_between and jaccard(old, other) >= NEAR_DUPLICATE)
            for other in filter(None, beside)
        )

    def _absent(self, text: str, index: int) -> Iterator[str]:
        """Yield the things missing at a step: lost things, and those that a later step brings."""
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

    def replaces(self, text: str, step: SceneStep, *, may_repeat: bool = False) -> bool:
        """Whether the text is another action than the step, and not the text of another step."""
        new, old = compact_text(text), compact_text(step.text)
        if new in old or old in new or jaccard(text, step.text) >= SAME_STEP:
            return False
        if content_words(step.text) <= content_words(text):
            return False  # "Shake the stick" for "stick in the sticks".
        is_part = any(f" {new} " in f" {other} " for other in self.scene.texts)
        return not is_part and self.fits_at(text, step.index, may_repeat=may_repeat)
