"""What can be seen when a step is complete, and what while it is not: the cues of a plan.

Source: Plan, Watch, Recover, section 2.3 and appendix H.3. No cue prompt is printed there.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# At least so many of each are kept, or a step has none.
LEAST_CUES = 2
# Words for what nobody sees on a picture: minds, and the future.
NOT_VISIBLE = re.compile(
    r"\b(knows?|thinks?|wants?|feels?|hopes?|intends?|plans? to|decides?|remembers?|understands?"
    r"|about to|going to|will|should|ready to)\b",
    re.IGNORECASE,
)
# Words that two cues may differ in and be the same.
_SMALL = re.compile(r"\b(a|an|the|is|are|was|were|has|have|been|now|then|its|their)\b")
_QUOTED = re.compile(r"“[^”]*”")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s)\b")


class CueKind(StrEnum):
    """What a cue tells of its step."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class Cues:
    """Short statements of what can be seen; those of one list never hold with the other's."""

    complete: tuple[str, ...]
    incomplete: tuple[str, ...]

    def to_dict(self) -> dict[str, list[str]]:
        return {CueKind.COMPLETE: list(self.complete), CueKind.INCOMPLETE: list(self.incomplete)}


def template_cues(step: str) -> Cues:
    """Cues of a step without a model, by rule.

    >>> template_cues("Add tea.").complete
    ('the result of “Add tea” is in sight', 'the hands have left what “Add tea” needs')
    """
    words = step.strip().rstrip(".")
    return Cues(
        (f"the result of “{words}” is in sight", f"the hands have left what “{words}” needs"),
        (f"nothing shows the result of “{words}” yet", f"the hands are busy with “{words}”"),
    )


def checked_cues(complete: Iterable[str], incomplete: Iterable[str]) -> Cues | None:
    """The cues that pass: visible, each said once, in one list alone; None with too few of one.

    Two cues are the same whose words are, but for small words and endings.

    >>> checked_cues(["the cup is full", "a full cup", "steam rises"], ["the cup is empty", "x"])
    Cues(complete=('the cup is full', 'steam rises'), incomplete=('the cup is empty', 'x'))
    >>> checked_cues(["the cup is full", "she knows it"], ["the cup is empty", "x"])
    """
    lists: list[dict[frozenset[str], str]] = []
    for texts in (complete, incomplete):
        found: dict[frozenset[str], str] = {}
        for text in texts:
            if is_visible(text):
                found.setdefault(_core(text), text)
        lists.append(found)
    shared = lists[0].keys() & lists[1].keys()
    kept = [tuple(text for core, text in one.items() if core not in shared) for one in lists]
    return Cues(*kept) if min(map(len, kept)) >= LEAST_CUES else None


def is_visible(text: str) -> bool:
    """Whether a statement is of what a picture can show; a step's own words, quoted, are not read.

    >>> is_visible("steam rises"), is_visible("she is about to pour")
    (True, False)
    """
    return not NOT_VISIBLE.search(_QUOTED.sub(" ", text))


def _core(text: str) -> frozenset[str]:
    plain = _SMALL.sub(" ", text.casefold())
    # What stands in quotes is the step's own words.
    quoted = _QUOTED.findall(plain)
    rest = _QUOTED.sub(" ", plain)
    words = re.findall(r"\w+", _ENDING.sub("", rest))
    return frozenset([*words, *quoted])
