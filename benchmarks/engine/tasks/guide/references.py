"""What people review of `guide`: the right words at each interrupt, and the cues of each step."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.engine.guiding.cues import CueKind, checked_cues, template_cues
from benchmarks.engine.task import Item, ReferenceText

WORDS, CUE = "right words", "cue of a step that is"
# Of the label beside a text.
LABEL_CHARACTERS = 200


def cues_of_plan(state: Mapping[str, Any]) -> dict[str, Any]:
    """Cues of the current step, as items keep them; {} where there is none or they fail a check."""
    if not state["current"]:
        return {}
    cues = template_cues(state["current"][0])
    checked = checked_cues(cues.complete, cues.incomplete)
    return {} if checked is None else {"cues": checked.to_dict()}


def reference_texts(item: Item, key: str) -> Iterator[ReferenceText]:
    """The texts of an item, whose opaque key goes into theirs; a step has its own in every item."""
    truth = item.truth
    if truth["text"]:
        label = f"{item.payload['goal']}, at {item.payload['now_s']:.1f} s"
        yield ReferenceText(words_key(key), truth["text"], label[:LABEL_CHARACTERS], WORDS)
    plan = truth.get("plan", {})
    for kind, cues in plan.get("cues", {}).items():
        for number, text in enumerate(cues):
            [step] = plan["current"]
            label = f"Step: {step}"[:LABEL_CHARACTERS]
            own = cue_key(item, step, kind, number)
            yield ReferenceText(own, text, label, f"{CUE} {kind}")


def with_references(item: Item, key: str, words: Mapping[str, str]) -> dict[str, Any]:
    """The truth of an item with the words that a review left, "" for what was rejected.

    A step of which too few cues are left, or that contradict each other, has none.
    """
    truth = {**item.truth, "text": words.get(words_key(key), item.truth["text"])}
    plan = truth.get("plan")
    if not plan or not plan["current"]:
        return truth
    [step] = plan["current"]
    left: dict[str, list[str]] = {kind.value: [] for kind in CueKind}
    for kind, texts in left.items():
        number = 0
        while (own := cue_key(item, step, kind, number)) in words:
            texts += [words[own]] if words[own] else []
            number += 1
    if not any(cue_key(item, step, kind, 0) in words for kind in left):
        return truth
    checked = checked_cues(left[CueKind.COMPLETE], left[CueKind.INCOMPLETE])
    kept = {name: value for name, value in plan.items() if name != "cues"}
    return {**truth, "plan": {**kept, **({"cues": checked.to_dict()} if checked else {})}}


def words_key(key: str) -> str:
    """The key of the right words of an item, whose opaque key is given."""
    return f"{key}/words"


def cue_key(item: Item, step: str, kind: str = "", number: int | None = None) -> str:
    """The key of a cue of a step, or of the step alone, the same in every item with its goal."""
    digest = hashlib.sha256(f"{item.payload['goal']}\n{step}".encode()).hexdigest()[:24]
    return f"step {digest}" if number is None else f"step {digest}/{kind}/{number}"
