"""Which verdicts people can give in a round, and why: data of the round, stored with it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from annotation.engine.stored import from_stored


@dataclass(frozen=True, slots=True)
class VerdictChoice:
    """One verdict; `key` is pressed for it.

    A text with a verdict that `keeps` it is taken over, with the words of the person where the
    verdict `edits`. `asks_reason`: it needs one of the vocabulary's reasons.
    """

    name: str
    title: str
    key: str
    keeps: bool = False
    edits: bool = False
    asks_reason: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The verdicts of a round in the order of the page, the reasons, and what is asked."""

    name: str
    question: str
    guideline: str
    verdicts: tuple[VerdictChoice, ...]
    reasons: tuple[Reason, ...] = ()

    def verdict(self, name: str) -> VerdictChoice | None:
        return next((verdict for verdict in self.verdicts if verdict.name == name), None)

    def in_words(self, verdict: str, reasons: Iterable[str] = ()) -> str:
        """A verdict with its reasons as people read them; "" where none is given.

        >>> REVIEW.in_words("reject", ["unclear"])
        'Reject: it is unclear'
        """
        choice = self.verdict(verdict)
        titles = {reason.name: reason.title for reason in self.reasons}
        told = [titles[name] for name in reasons if name in titles]
        if choice is None or not choice.asks_reason or not told:
            return choice.title if choice else ""
        return f"{choice.title}: {'; '.join(title[:1].lower() + title[1:] for title in told)}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Vocabulary":
        return from_stored(cls, stored)


REVIEW = Vocabulary(
    name="review",
    question="Can this text be used?",
    guideline=(
        "Accept a text that is right about the recording, clear, and asks for what its answer says."
        " Edit one that small changes make right. Reject one that no small change can save, and"
        " say why."
    ),
    verdicts=(
        VerdictChoice("accept", "Accept", "a", keeps=True),
        VerdictChoice("edit", "Edit", "e", keeps=True, edits=True),
        VerdictChoice("reject", "Reject", "r", asks_reason=True),
    ),
    reasons=(
        Reason("wrong", "It is wrong about the recording"),
        Reason("unclear", "It is unclear"),
        Reason("gives_away", "It gives its answer away"),
        Reason("not_visible", "The recording does not show it"),
        Reason("other", "Something else"),
    ),
)
SENSE = Vocabulary(
    name="sense",
    question="Is this something that a person could do by mistake here?",
    guideline=(
        "Read the procedure and the marked step, then the text of what was done instead. Natural:"
        " a person could do this by mistake. Odd: possible, but strangely said or hardly done."
        " No mistake: whoever does this does nothing wrong. Impossible: it cannot be done or"
        " makes no sense."
    ),
    verdicts=(
        VerdictChoice("natural", "Natural", "n", keeps=True),
        VerdictChoice("odd", "Odd", "o"),
        VerdictChoice("no_mistake", "No mistake", "m"),
        VerdictChoice("impossible", "Impossible", "i"),
    ),
)
VOCABULARIES = {vocabulary.name: vocabulary for vocabulary in (REVIEW, SENSE)}
