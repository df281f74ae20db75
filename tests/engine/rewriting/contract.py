"""What every rewrite of a plan has to keep; used by the tests of all writers."""

from collections import Counter

from annotation.engine.taxonomy import Mod
from generation.engine.english.words import compact_text
from generation.engine.planner.error_kind import facts_of
from generation.engine.rewriting.freeform.freeform import jaccard

ADDED = {Mod.INSERTION, Mod.CORRECTION}
VERBATIM = {Mod.UNCHANGED, Mod.MOVED_SOURCE, Mod.MOVED_TARGET}
FILLER_STARTS = (
    "continue", "proceed", "go on", "carry on", "keep going", "then continue", "next", "move on",
)  # fmt: skip


def broken_rules(plan, rewrite):
    """Return what a rewrite breaks, one text each; an empty list is what every test wants."""
    return [
        *_coverage(plan, rewrite),
        *_events(plan, rewrite),
        *_texts(plan, rewrite),
        *_corrections(plan, rewrite),
    ]


def _coverage(plan, rewrite):
    used = Counter(row.old_index for row in rewrite.rows if row.mod not in ADDED)
    if used != Counter(range(len(plan.steps))):
        yield f"original steps are not used once each: {used}"
    for row in rewrite.rows:
        if row.mod in VERBATIM and row.text != plan.steps[row.old_index].text:
            yield f"{row.mod} row is not verbatim: {row.text}"
        if (row.mod in ADDED) != (row.old_index is None) or (row.mod is Mod.DELETION) != (
            row.text is None
        ):
            yield f"row does not fit its mark: {row}"
    places = [row.old_index for row in rewrite.rows if row.mod not in {*ADDED, *VERBATIM - {"u"}}]
    if places != sorted(places):
        yield f"order is lost: {places}"


def _events(plan, rewrite):
    for error in plan.errors:
        mods = [
            row.mod
            for row in rewrite.rows
            if row.event_id == error.event_id and row.mod not in {Mod.CORRECTION, Mod.CASCADE}
        ]
        if sorted(mods) != sorted(facts_of(error).row_mods):
            yield f"{error.event_id} {error.error_type} has rows {mods}"
    planned = Counter(correction.correction_id for correction in plan.corrections or ())
    written = Counter(row.correction_id for row in rewrite.rows if row.correction_id is not None)
    if planned != written:
        yield f"corrections {planned} are written as {written}"


def _texts(plan, rewrite):
    originals = {compact_text(step.text) for step in plan.steps}
    shown = [row for row in rewrite.rows if row.text is not None]
    for position, row in enumerate(shown):
        if row.mod in {Mod.ERROR, Mod.INSERTION} and compact_text(row.text) in originals:
            yield f"mistake reads like a step: {row.text}"
        if row.mod is Mod.ERROR and row.error_type == "substitution":
            yield from _substitution(plan.steps[row.old_index].text, row.text, originals)
        if row.mod not in {Mod.ERROR, Mod.INSERTION, Mod.CORRECTION}:
            continue
        if "{" in row.text or "  " in row.text or not row.text.strip():
            yield f"text is not finished: {row.text!r}"
        for neighbour in shown[max(0, position - 1) : position + 2]:
            if neighbour is not row and compact_text(neighbour.text) == compact_text(row.text):
                yield f"two neighbours read alike: {row.text}"


def _substitution(original, text, originals):
    new, old = compact_text(text), compact_text(original)
    if new in old or old in new or jaccard(text, original) >= 0.78:
        yield f"substitution is too near to its step: {original} -> {text}"
    if any(f" {new} " in f" {other} " for other in originals):
        yield f"substitution is part of another step: {text}"


def _corrections(plan, rewrite):
    position = {}
    for place, row in enumerate(rewrite.rows):
        if row.old_index is not None:
            position[row.old_index] = place
        if row.correction_id is not None:
            position[row.correction_id] = place
    first_of_event = {}
    for place, row in enumerate(rewrite.rows):
        if row.event_id is not None and row.mod is not Mod.CORRECTION:
            first_of_event.setdefault(row.event_id, place)
    for correction in plan.corrections or ():
        row = rewrite.rows[position[correction.correction_id]]
        words = compact_text(row.text)
        if words.startswith(FILLER_STARTS) or len(words.split()) < 3:
            yield f"filler: {row.text}"
        if position[correction.correction_id] < first_of_event[correction.target_event_id]:
            yield f"{correction.correction_id} stands before its mistake"
