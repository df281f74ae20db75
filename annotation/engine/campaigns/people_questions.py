"""What people are asked about themselves when they join, and how a paper tells it: as counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.engine.counting import counted

# A count of fewer people could tell who said what.
LEAST_ANSWERS = 3
MOST_CHARACTERS = 200
BETWEEN = "|"


@dataclass(frozen=True, slots=True)
class PeopleQuestion:
    """A question that may be left open; without `choices` people answer in their own words.

    Where the choices are `ordered`, a paper gives the range from the lowest to the highest.
    """

    text: str
    choices: tuple[str, ...] = ()
    ordered: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"choices": list(self.choices)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "PeopleQuestion":
        return cls(data["text"], tuple(data["choices"]), data["ordered"])


# Those that the paper reports of its annotators (Appendix B).
STANDARD = {
    "age": PeopleQuestion(
        "How old are you?", ("18–24", "25–34", "35–44", "45–54", "55–64", "65 or older"), True
    ),
    "gender": PeopleQuestion("What is your gender?", ("Female", "Male", "Another")),
    "education": PeopleQuestion(
        "What is the highest education that you have finished?",
        ("School", "Vocational training", "Bachelor", "Master", "Doctorate"),
        True,
    ),
    "experience": PeopleQuestion(
        "How much experience have you with annotating videos?",
        ("None", "Some", "Much"),
        True,
    ),
}


def question_of(line: str) -> PeopleQuestion:
    """A question as somebody typed it, its choices behind it; raises ValueError.

    >>> question_of("Do you cook? | Never | Often").choices
    ('Never', 'Often')
    """
    text, *choices = (part.strip() for part in line.split(BETWEEN))
    if not text or len(line) > MOST_CHARACTERS * 4:
        raise ValueError(f"question is {line[:60]!r}; expected words before the first {BETWEEN}")
    if choices and (len(choices) < 2 or "" in choices or len(set(choices)) < len(choices)):
        raise ValueError(
            f"choices of “{text}” are {', '.join(choices) or 'empty'}; expected none, or several"
            f" that differ, with {BETWEEN} between them"
        )
    return PeopleQuestion(text, tuple(choices))


def checked_answers(questions: Sequence[PeopleQuestion], sent: Sequence[str]) -> list[str]:
    """One answer for each question, "" where it is left open; raises ValueError."""
    if len(sent) != len(questions):
        raise ValueError(f"answers are {len(sent)}; expected {len(questions)}")
    answers = [" ".join(answer.split()) for answer in sent]
    for question, answer in zip(questions, answers, strict=True):
        if answer and question.choices and answer not in question.choices:
            expected = ", ".join(question.choices)
            raise ValueError(f"“{question.text}” is {answer[:60]!r}; expected {expected}")
        if len(answer) > MOST_CHARACTERS:
            raise ValueError(
                f"“{question.text}” has {len(answer)} characters; expected {MOST_CHARACTERS}"
            )
    return answers


@dataclass(frozen=True, slots=True)
class AnswerTally:
    """How many answered a question, and what, in words; `words` says where too few did."""

    text: str
    answered_count: int
    words: str
    range: str = ""


def tallies(
    questions: Sequence[PeopleQuestion], answers: Sequence[Sequence[str]]
) -> tuple[AnswerTally, ...]:
    """Counts and ranges over everybody, in no order that tells whose they are."""
    rows = []
    for place, question in enumerate(questions):
        given = [values[place] for values in answers if values[place]]
        if len(given) < LEAST_ANSWERS:
            words = f"counted from {counted(LEAST_ANSWERS, 'answer')} on"
            rows.append(AnswerTally(question.text, len(given), words))
            continue
        counts = Counter(given)
        known = question.choices or tuple(sorted(counts))
        words = ", ".join(f"{counts[item]} {item}" for item in known if counts[item])
        rows.append(AnswerTally(question.text, len(given), words, _range(question, given)))
    return tuple(rows)


def _range(question: PeopleQuestion, given: Sequence[str]) -> str:
    """From the lowest to the highest answer: of ordered choices, and of numbers in free words."""
    if question.ordered:
        places = sorted(question.choices.index(item) for item in given)
        ends = question.choices[places[0]], question.choices[places[-1]]
    elif all(item.isdecimal() for item in given):
        numbers = sorted(map(int, given))
        ends = str(numbers[0]), str(numbers[-1])
    else:
        return ""
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
