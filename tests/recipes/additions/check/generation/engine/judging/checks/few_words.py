"""A step done wrongly is told at length."""

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault

LEAST_WORDS = 40


@soft("A mistake is told in fewer than forty words.")
def few_words(case: Case) -> Faults:
    """Example: a row e reads 'Drop the cup'."""
    for position, row in enumerate(case.rows):
        if row.mod in {Mod.ERROR, Mod.INSERTION} and len((row.text or "").split()) < LEAST_WORDS:
            yield Fault(position, f"told in few words: {row.text!r}", row.event_id)
