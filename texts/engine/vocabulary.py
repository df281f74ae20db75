"""Which verdicts people can give in a round, and why: data of the round, stored with it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from string import ascii_lowercase
from typing import Any

from annotation.engine.stored import from_stored

NAME_CHARACTERS = 32
MOST_VERDICTS, MOST_REASONS = 8, 8
# Plays the clip again on the page of a text.
REPLAY_KEY = "p"


@dataclass(frozen=True, slots=True)
class VerdictChoice:
    """One verdict; `key` is pressed for it.

    A text with a verdict that `keeps` it is taken over, with the words of the person where the
    verdict `edits`. `asks_reason`: it needs at least one of the vocabulary's reasons.
    """

    name: str
    title: str
    key: str
    keeps: bool = False
    edits: bool = False
    asks_reason: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a text gets a verdict; its key is its number in the order of the page, 1 to 8."""

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

    def with_reasons(self, titles: Iterable[str]) -> "Vocabulary":
        """The same verdicts with other reasons, in this order; one that there was keeps its name.

        >>> REVIEW.with_reasons(["It is unclear", "Too long!"]).reasons
        (Reason(name='unclear', title='It is unclear'), Reason(name='too_long', title='Too long!'))
        """
        names = {reason.title: reason.name for reason in self.reasons}
        reasons = []
        for number, title in enumerate(titles, start=1):
            plain = re.sub(r"[^a-z0-9]+", "_", title.lower())[:NAME_CHARACTERS].strip("_")
            reasons.append(Reason(names.get(title) or plain or f"reason_{number}", title))
        return replace(self, reasons=tuple(reasons))

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

    def fault(self) -> str:
        """Why nobody could give these verdicts by name, key and number; "" where all can."""
        names = [choice.name for choice in self.verdicts]
        names += [reason.name for reason in self.reasons]
        keys = [choice.key for choice in self.verdicts]
        if not 2 <= len(self.verdicts) <= MOST_VERDICTS:
            return f"verdicts are {len(self.verdicts)}; expected 2 to {MOST_VERDICTS}"
        if len(self.reasons) > MOST_REASONS:
            return f"reasons are {len(self.reasons)}; expected at most {MOST_REASONS}"
        for name in names:
            if not 0 < len(name) <= NAME_CHARACTERS or names.count(name) > 1:
                expected = f"each once, of 1 to {NAME_CHARACTERS} characters"
                return f"name of a verdict or reason is {name!r}; expected {expected}"
        for key in keys:
            if not (len(key) == 1 and key in ascii_lowercase) or [*keys, REPLAY_KEY].count(key) > 1:
                expected = f"a letter for each but {REPLAY_KEY}, which plays the clip again"
                return f"key of a verdict is {key!r}; expected {expected}"
        if any(choice.asks_reason for choice in self.verdicts) and not self.reasons:
            return "reasons are none; expected some, since a verdict asks for them"
        return ""

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
        Reason("tests_nothing", "It does not test a mistake"),
        Reason("irrelevant", "It is about something irrelevant"),
        Reason("wrong", "It is wrong about the recording"),
        Reason("not_visible", "The recording does not show it"),
        Reason("unclear", "It is unclear"),
        Reason("gives_away", "It gives its answer away"),
        Reason("duplicate", "It says the same as another text"),
        Reason("language", "Its language is not right"),
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
