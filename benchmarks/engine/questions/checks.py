"""Checks of a question before anybody reads it. A fault is a sentence that says what was expected.

Source: EgoErrorVQA, 3.3: what annotators removed or rewrote there.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from benchmarks.engine.error_classes import OPTIONS
from benchmarks.engine.questions.kinds import Kind, Polarity
from benchmarks.engine.questions.samples import Sample
from generation.engine.english.words import content_words

MOST_CHARACTERS = {"question": 500, "answer": 1000}
# Of the words besides the step's own, two questions of a step may share at most this share.
MOST_SHARED = 0.8
_FIRST_PERSON = re.compile(r"\b(?:I|I'[a-z]+|me|my|mine|myself|we|our|us)\b")
_POLARITY = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)
_CLASSES = {name: re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE) for name in OPTIONS}
# Most questions name none, which one search tells.
_ANY_CLASS = re.compile("|".join(map(re.escape, OPTIONS)), re.IGNORECASE)
_WORD = re.compile(r"[\w']+")


def polarity_of(answer: str) -> Polarity | None:
    """The yes or no that an answer begins with.

    >>> polarity_of("No, I left it out."), polarity_of("Nothing went wrong.")
    (<Polarity.NO: 'no'>, None)
    """
    found = _POLARITY.match(answer)
    return Polarity(found[1].lower()) if found else None


def faults_of(
    sample: Sample,
    kind: Kind,
    polarity: Polarity | None,
    question: str,
    answer: str,
    earlier: Sequence[str],
) -> Iterator[str]:
    """What is wrong with a pair; `earlier` are the other questions about the same step."""
    for name, text in (("question", question), ("answer", answer)):
        if not 0 < len(text.strip()) <= MOST_CHARACTERS[name]:
            yield f"the {name} has {len(text.strip())} characters; expected 1 to" \
                f" {MOST_CHARACTERS[name]}"  # fmt: skip
    if not question.rstrip().endswith("?") or question.count("?") > 1:
        yield "the question does not end with its one question mark"
    if not _FIRST_PERSON.search(question):
        yield "the question is not in the first person"
    if not sample.things & content_words(question):
        yield "the question names no thing of the step"
    yield from _faults_of_answer(sample, kind, polarity, answer)
    for name, pattern in _CLASSES.items() if _ANY_CLASS.search(question) else ():
        if pattern.search(question) and not pattern.search(sample.words):
            yield f"the question names the class “{name}”"
    own = _besides(sample, question)
    for other in earlier:
        if _shared(own, _besides(sample, other)) > MOST_SHARED:
            yield f"the question is nearly the same as “{other}”"


def _faults_of_answer(
    sample: Sample, kind: Kind, polarity: Polarity | None, answer: str
) -> Iterator[str]:
    told = polarity_of(answer)
    if told is not polarity:
        expected = f"with {polarity}" if polarity else "neither with yes nor with no"
        yield f"the answer begins with {told or 'neither yes nor no'}; expected {expected}"
    fits_correct = {Kind.CONFIRM: True, Kind.DECOY: True, Kind.DETECT: False}.get(kind)
    if fits_correct is not None and fits_correct is not sample.is_correct:
        label = "correct" if sample.is_correct else "a mistake"
        yield f"{kind} does not fit a step that is {label}"


def _besides(sample: Sample, question: str) -> frozenset[str]:
    """The words of a question that are not the step's."""
    return _words(question) - _words(sample.words)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
