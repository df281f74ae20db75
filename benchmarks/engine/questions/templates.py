"""Questions and answers by templates over the verb and the things of a step.

Steps with a mistake and without get the same sentences, equally often: what a question says of the
mistakes that there are is drawn for a correct step as often as they happen in the data set.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.engine.error_classes import (
    CORRECTION,
    EQUIPMENT_FAILURE,
    OMISSION,
    OTHERS,
    UNINTENDED,
    WRONG_ACTION,
    WRONG_OBJECT,
    WRONG_ORDER,
)
from benchmarks.engine.questions.checks import faults_of
from benchmarks.engine.questions.kinds import Kind, Polarity, Wanted
from benchmarks.engine.questions.phrases import phrase_of, plain_step
from benchmarks.engine.questions.samples import Sample

# From so many words on a step stands before what is asked of it.
LONG = 12
# {do}: "add salt to the bowl", {at}: "when I had to add salt to the bowl". Of words that do not
# begin with a verb: "do the step “30 seconds in the microwave”", "at my step “30 seconds …”".
FOLLOWED = ("Did I {do} as the procedure says?", "Did I follow the procedure {at}?")
WENT_WRONG = ("Did anything go wrong {at}?", "Did I make a mistake {at}?")
SPECIFIC: Mapping[str, str] = {
    WRONG_OBJECT: "Was something wrong with the things that I used {at}?",
    WRONG_ACTION: "Did I go about it differently from what the procedure says {at}?",
    WRONG_ORDER: "Did I {do} too early or too late?",
    OMISSION: "Did I forget to {do}?",
    UNINTENDED: "Did I do something that nobody asked for {at}?",
    CORRECTION: "Did I put an earlier mistake right {at}?",
    EQUIPMENT_FAILURE: "Did a tool or a part break or fail {at}?",
}
EXPLAINED = (
    "What, if anything, went wrong {at}?",
    "What, if anything, should I have done differently {at}?",
)
HOW = ("How did I {do}?", "In what way did I {do}?")
# In place of sentences that a long step would tear apart.
OF_LONG: Mapping[str, str] = {
    FOLLOWED[0]: FOLLOWED[1],
    SPECIFIC[WRONG_ORDER]: "Was it too early or too late {at}?",
    HOW[0]: "How did I go about it {at}?",
    HOW[1]: "What exactly did I do {at}?",
}
# What happened, by class, in the answers.
HAPPENED: Mapping[str, str] = {
    WRONG_OBJECT: "something was wrong with the things that I used",
    WRONG_ACTION: "I did it differently from what the step says",
    WRONG_ORDER: "I did it at the wrong moment",
    OMISSION: "I left it out",
    UNINTENDED: "I did something that the procedure does not ask for",
    CORRECTION: "I put an earlier mistake right",
    EQUIPMENT_FAILURE: "a tool or a part failed",
    OTHERS: "it did not go as it should",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A question about a sample with its answer; `fault` says which check it fails, "" for none."""

    kind: Kind
    polarity: Polarity | None
    question: str
    answer: str
    fault: str = ""


Pick = Callable[[Sequence[str]], str]


class Templates:
    """Writes pairs; `samples` are all of the set, whose mistakes decide what decoys presuppose."""

    def __init__(self, samples: Sequence[Sample], seed: int) -> None:
        self._seed = seed
        counts = Counter(
            name
            for sample in samples
            if not sample.is_correct
            for name in sample.classes
            if name in SPECIFIC
        )
        # In one order whatever the data set's, so that the same samples get the same decoys.
        self._presupposed = [name for name in SPECIFIC for _ in range(counts[name])]

    def pairs(self, sample: Sample, wanted: Sequence[Wanted]) -> list[Pair]:
        """A pair for each wanted kind; one that fails a check is written once more, plainly."""
        rng = np.random.default_rng([self._seed, *sample.key.encode()])

        def pick(options: Sequence[str]) -> str:
            return options[int(rng.integers(len(options)))]

        pairs: list[Pair] = []
        for kind, polarity in wanted:
            asked = self._asked(sample, kind, polarity, pick)
            answer = answer_to(sample, kind, polarity)
            pair = Pair(kind, polarity, "", "")
            for is_plain in (False, True):
                question = _filled(asked, sample.words, is_plain=is_plain)
                earlier = [one.question for one in pairs]
                fault = "; ".join(faults_of(sample, kind, polarity, question, answer, earlier))
                pair = Pair(kind, polarity, question, answer, fault)
                if not fault:
                    break
            pairs.append(pair)
        return pairs

    def _asked(self, sample: Sample, kind: Kind, polarity: Polarity | None, pick: Pick) -> str:
        if kind is Kind.EXPLAIN:
            return pick(EXPLAINED)
        if kind is Kind.DETAIL:
            return pick(HOW)
        if kind is Kind.CONFIRM or (kind is Kind.DETECT and polarity is Polarity.NO):
            # A correction follows no procedure, and goes against none: it was not forgotten.
            return SPECIFIC[OMISSION] if CORRECTION in sample.classes else pick(FOLLOWED)
        if CORRECTION in sample.classes:
            return SPECIFIC[CORRECTION]
        presupposed = self._presupposed if kind is Kind.DECOY else sample.classes
        named = [SPECIFIC[name] for name in presupposed if name in SPECIFIC]
        return pick((pick(WENT_WRONG), pick(named))) if named else pick(WENT_WRONG)


def answer_to(sample: Sample, kind: Kind, polarity: Polarity | None) -> str:
    """The answer that is true by the sample's label, and with what the data set says of it."""
    step = plain_step(sample.words)
    if sample.is_correct:
        return {
            Kind.CONFIRM: f"Yes, I did it as the procedure says: “{step}”.",
            Kind.DECOY: f"No, I did it as the procedure says: “{step}”.",
            Kind.EXPLAIN: f"Nothing: I did it as the procedure says, “{step}”.",
            Kind.DETAIL: f"As the procedure says: “{step}”.",
        }[kind]
    *firsts, last = [HAPPENED[name] for name in sample.classes]
    happened = f"{', '.join(firsts)} and {last}" if firsts else last
    note = f" The note on it says: “{sample.note}”." if sample.note else ""
    if polarity is not None:
        start = "Yes" if polarity is Polarity.YES else "No"
        return f"{start}, {happened}.{note}"
    sentence = f"{happened[0].upper()}{happened[1:]}."
    asks = "" if CORRECTION in sample.classes else f" The procedure says: “{step}”."
    return f"{sentence}{note}{asks if kind is Kind.EXPLAIN else ''}"


def _filled(asked: str, words: str, *, is_plain: bool) -> str:
    """A sentence with the step filled in, quoted where it is to be plain or has no verb."""
    phrase = "" if is_plain else phrase_of(words)
    if not phrase:
        step = f"step “{plain_step(words)}”"
        return asked.format(do=f"do the {step}", at=f"at my {step}")
    if len(phrase.split()) < LONG:
        return asked.format(do=phrase, at=f"when I had to {phrase}")
    start = OF_LONG.get(asked, asked).removesuffix(" {at}?")
    if "{do}" in start:
        return start.format(do=phrase)
    start = start if start.startswith("I ") else f"{start[0].lower()}{start[1:]}"
    return f"When I had to {phrase}, {start}?"
