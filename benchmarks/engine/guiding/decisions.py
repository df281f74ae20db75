"""What an answer at a point decides, by the released scorer's literal rule and by ours."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from benchmarks.engine.answers.statements import without_thoughts
from benchmarks.engine.task import Reading


class Decision(StrEnum):
    """Whether the assistant speaks at a point."""

    INTERRUPT = "interrupt"
    SILENT = "silent"

    @property
    def token(self) -> str:
        """How files and models write it."""
        return f"${self.value}$"


# Ours also takes a token in another case, or behind other words.
_TOKENS = re.compile(r"\$(interrupt|silent)\$", re.IGNORECASE)
NO_TOKEN = f"neither {Decision.INTERRUPT.token} nor {Decision.SILENT.token}"
BOTH_TOKENS = f"both {Decision.INTERRUPT.token} and {Decision.SILENT.token}"
EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Said:
    """A decision with its words; `is_malformed` where the answer is not just that."""

    decision: Decision
    utterance: str
    is_malformed: bool


def literal_reading(text: str) -> Said:
    """The released scorer's rule: a token at the start in its very letters, else silence.

    An answer with neither token is silent and malformed: a model that thinks aloud looks quiet.

    >>> literal_reading(" $interrupt$ Turn it. ").utterance
    'Turn it.'
    >>> literal_reading("Sure! $interrupt$ Turn it.")
    Said(decision=<Decision.SILENT: 'silent'>, utterance='', is_malformed=True)
    """
    text = text.lstrip()
    if text.startswith(Decision.INTERRUPT.token):
        utterance = text.removeprefix(Decision.INTERRUPT.token).strip()
        return Said(Decision.INTERRUPT, utterance, not utterance)
    is_silent = text.startswith(Decision.SILENT.token)
    rest = text.removeprefix(Decision.SILENT.token).strip() if is_silent else ""
    return Said(Decision.SILENT, "", not is_silent or bool(rest))


def read_decision(text: str) -> Reading:
    """Ours: the one token of the answer, wherever it stands, as {"answer", "text", "literal"}.

    `literal` is what the released scorer makes of the same answer, `malformed` is there where that
    is malformed. An answer without a token, or with both, is none: never a silence.

    >>> read_decision("Sure! $interrupt$ Turn it.").value["literal"]
    'silent'
    >>> read_decision("The person is doing well.").reason
    'neither $interrupt$ nor $silent$'
    """
    plain = without_thoughts(text)
    tokens = list(_TOKENS.finditer(plain))
    decisions = {token[1].lower() for token in tokens}
    if len(decisions) != 1:
        return Reading(None, BOTH_TOKENS if decisions else NO_TOKEN if plain else EMPTY)
    decision = Decision(decisions.pop())
    literal = literal_reading(text)
    is_spoken = decision is Decision.INTERRUPT
    value: dict[str, Any] = {
        "answer": decision.value,
        "text": plain[tokens[0].end() :].strip() if is_spoken else "",
        "literal": literal.decision.value,
    }
    return Reading({**value, "malformed": True} if literal.is_malformed else value)
