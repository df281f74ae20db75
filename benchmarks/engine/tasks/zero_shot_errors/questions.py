"""The questions about one step, by the category of error that each asks about.

In CaptainCook4D (Appendix B) a text model writes them from templates; these cover the same content
in other words, and rules fill in what the step says.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from generation.engine.english.instructions import clause_of, thing_of

YES, NO, NOT_APPLICABLE, UNCLEAR = "yes", "no", "not applicable", "unclear"
# CaptainCook4D's label for each category; its eighth label, Other, has no question.
TAG_OF = {
    "technique": "Technique Error",
    "preparation": "Preparation Error",
    "order": "Order Error",
    "missing": "Missing Step",
    "measurement": "Measurement Error",
    "temperature": "Temperature Error",
    "timing": "Timing Error",
}
PERFORMED = "performed"
OPTIONS, SOMETHING_ELSE = 4, "something else"

# A number is read from its first digit on: from each of its digits, a long one takes hours.
_TIME = re.compile(
    r"(?<!\d)\d+(?:\s*(?:-|to)\s*\d+)?(?:\s+more)?\s*(?:seconds?|secs?|minutes?|mins?|hours?)\b",
    re.I,
)
_AMOUNT = re.compile(
    r"(?:(?<!\d)\d+(?:[./]\d+)?|\b(?:half|one|two|three|four|five|six))(?:\s*-?\s*(?:tsp|tbsp|teaspoons?"
    r"|tablespoons?|cups?|oz|ounces?|g|grams?|ml|l|inch(?:es)?|cloves?|cans?|slices?|pieces?|blocks?"
    r"|medium|large|small))?\b(?!\s*(?:-|to|seconds?|secs?|minutes?|mins?|hours?|degrees))",
    re.I,
)
_NO_THINGS = frozenset({"", "it", "them", "everything", "contents"})


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `says_error` are the answers that mean an error, which differ by question."""

    category: str
    text: str
    choices: tuple[str, ...] = (YES, NO, NOT_APPLICABLE, UNCLEAR)
    says_error: tuple[str, ...] = (NO,)


@dataclass(frozen=True, slots=True)
class StepContext:
    """A step, the texts of the steps that must come before it, and the things of other steps."""

    text: str
    before: tuple[str, ...] = ()
    other_things: tuple[str, ...] = ()


def performed_question(step: StepContext) -> Question:
    """The only question of variant V1."""
    text = f"Was this step done, as it is written: “{step.text}”?"
    return Question(PERFORMED, text, (YES, NO, UNCLEAR))


def category_questions(step: StepContext, rng: np.random.Generator) -> tuple[Question, ...]:
    """The seven questions of variant V2, in the order of `TAG_OF`."""
    due = f"The step “{step.text}” is due."
    time, amount = _TIME.search(step.text), _AMOUNT.search(_TIME.sub("", step.text))
    before = "; ".join(f"“{text}”" for text in step.before)
    texts = {
        "technique": f"{due} Was it done with care: nothing spilled, dropped or left half done?",
        "order": (
            f"{due} Was each of these steps done before it: {before}?"
            if before
            else f"{due} No other step has to come before it. Was it done at a place in the order"
            " at which it can be done?"
        ),
        "measurement": (
            f"{due} It asks for “{amount[0]}”. Was exactly that much used?"
            if amount
            else f"{due} If it asks for an amount, was exactly that much used?"
        ),
        "temperature": (
            f"{due} Does it need heat or cold? If it does, was the level kept that it asks for?"
        ),
        "timing": (
            f"{due} It is to last “{time[0]}”. Was that kept?"
            if time
            else f"{due} If it asks for a duration, was that kept?"
        ),
    }
    questions = {
        category: Question(
            category,
            f"{text} If there is nothing of the kind to judge, the answer is “{NOT_APPLICABLE}”.",
        )
        for category, text in texts.items()
    }
    questions["missing"] = replace(performed_question(step), category="missing")
    questions["preparation"] = _preparation(step, due, rng)
    return tuple(questions[category] for category in TAG_OF)


def _preparation(step: StepContext, due: str, rng: np.random.Generator) -> Question:
    """A choice of tools and ingredients: the right one among those of other steps.

    The step is shown with a gap. For a step that names no thing it is a yes/no question.
    """
    own_things = things_of([step.text])
    other_things = [
        thing for thing in step.other_things
        if not any(word in step.text.lower() for word in thing.lower().split()[-1:])
    ]  # fmt: skip
    if not own_things or len(other_things) < OPTIONS - 1:
        text = f"{due} Were the tools and ingredients the right ones, made ready as it says?"
        return Question("preparation", text)
    right = own_things[0]
    words = right.removeprefix("the ")
    gap = re.sub(rf"\b(?:the\s+|an?\s+)?{re.escape(words)}", "…", step.text, flags=re.I)
    drawn = [other_things[place] for place in rng.permutation(len(other_things))[: OPTIONS - 1]]
    options = tuple(str(thing) for thing in rng.permutation([right, *drawn]))
    return Question(
        "preparation",
        f"The step “{gap}” is due. What was used or handled in the place of the gap?",
        (*options, SOMETHING_ELSE, NOT_APPLICABLE, UNCLEAR),
        (*(option for option in options if option != right), SOMETHING_ELSE),
    )


def things_of(texts: Iterable[str]) -> list[str]:
    """The tools and ingredients that steps name, as "the knife"; each once, tools first.

    >>> things_of(["Cut the onion with a knife", "Mix everything"])
    ['the knife', 'the onion']
    """
    tools: list[str] = []
    objects: list[str] = []
    for text in texts:
        clause = clause_of(text)
        tools += [
            phrase.words for phrase in clause.phrases if phrase.preposition in ("with", "using")
        ]
        objects.append(clause.object_phrase)
    things = [thing_of(words) for words in (*tools, *objects) if words]
    return [
        thing
        for thing in dict.fromkeys(things)
        if (name := thing.removeprefix("the ")) not in _NO_THINGS
        and len(name.split()) <= 4
        and " the " not in name
    ]
