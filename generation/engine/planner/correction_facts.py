"""The facts of each kind of correction: a module of `generation/engine/correction_kinds/`."""

from dataclasses import dataclass
from functools import cache

from annotation.engine.modules import offered
from generation.engine.planner.taxonomy import CorrectionType

CORRECTION_KINDS = "generation.engine.correction_kinds"


@dataclass(frozen=True, slots=True)
class CorrectionFacts:
    """The words for a kind of correction in prompts and in the simulation log.

    `log_words` may have the fields `{redo}` and `{before}` (steps), `{first}` and `{second}`
    (numbers of two swapped steps) and `{missing}` (an object). A kind that `goes_back` stays in its
    block.
    """

    correction_type: CorrectionType
    prompt_words: str
    log_words: str = "redo {redo}"
    goes_back: bool = False


@cache
def correction_facts() -> dict[CorrectionType, CorrectionFacts]:
    kinds = offered(CORRECTION_KINDS, "KIND").values()
    return {kind.facts.correction_type: kind.facts for kind in kinds}
