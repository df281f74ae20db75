"""How a model is asked for the class of a step: the ways of Table 7 of EgoErrorVQA, in our words.

A way is a number of examples (none, or one step that is right and one that is not), one of four
ways to reason, and what to answer with: the name alone, which is all that the published reader
reads, or thoughts and then the name. Source: EgoErrorVQA, 5.1, 5.2 and appendix E; there all three
ways to reason ask for the name alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

import numpy as np

from benchmarks.engine.error_classes import CORRECT
from benchmarks.engine.prompts import TEXT, fenced, goal_and_procedure, one_of, strict_object
from benchmarks.engine.reading import read_choice
from benchmarks.engine.task import Example, Item, Prompt, Turn, Variant

VERSION = "v2"
MISTAKE = "mistake"
SYSTEM = (
    "You watch people follow written procedures and say, for one step, whether it was done"
    " correctly and, if not, which kind of mistake it is."
)
NOTE = "Pictures of the clip, in the order of time:"
OPEN_TOKENS, NAME_TOKENS = 800, 60


class Reasoning(StrEnum):
    """How a model is told to reason; the values are parts of the variants' names."""

    NONE = "plain"
    CHECK_LIST = "check-list"
    TWO_STAGE = "two-stage"
    NO_DISTRACTION = "no-distraction"

    @property
    def words(self) -> str:
        return "" if self is Reasoning.NONE else self.value


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask; `is_open` leaves room for thoughts, else the reply is the name alone."""

    has_examples: bool
    reasoning: Reasoning
    is_open: bool

    @property
    def has_two_requests(self) -> bool:
        """The published prompt has both stages in one; with thoughts each is asked by itself."""
        return self.reasoning is Reasoning.TWO_STAGE and self.is_open

    @property
    def variant(self) -> Variant:
        shots = "few-shot" if self.has_examples else "zero-shot"
        form = "room to reason" if self.is_open else "name only"
        return Variant(
            f"{shots.partition('-')[0]}-{self.reasoning}-{form.partition(' ')[0]}",
            ", ".join(filter(None, (shots, self.reasoning.words, form))),
            request_count=2 if self.has_two_requests else 1,
            has_examples=self.has_examples,
        )


ALL_WAYS = [Way(*way) for way in product((False, True), Reasoning, (True, False))]
VARIANTS = tuple(way.variant for way in ALL_WAYS)
WAYS = {"": ALL_WAYS[0], **{way.variant.name: way for way in ALL_WAYS}}

CHECKS = """Go through these questions in turn and answer each with yes or no:
1. The action: does the technique, measure, temperature, time or force differ from what the step \
asks for (Wrong action)? Or does the action only put right an earlier mistake?
2. The order: does the step come at another moment than the procedure has it (Wrong order)? Was it \
left out altogether (Omission)?
3. The things: are the objects, tools or materials other than those that the step needs \
(Wrong object)?
4. If nothing is wrong, the answer is "correct"; else it is the one class that fits best."""
FIRST_STAGE = "Is anything wrong with this step, going by the definitions above?"
SECOND_STAGE = """What kind of mistake is it? How the action is done points to Wrong action; when \
it is done, or that it is not, to Wrong order or Omission; with what it is done to Wrong object. \
Choose the one class that says best what went wrong."""
COMPARISON = """Go by what is seen and by what the procedure expects, step by step:
1. What happens? Say how the hands move, which tools and objects are used, and when.
2. What should happen by the procedure: how, with which objects, and at which point?
3. Compare the two. Does anything differ in how, when or with what the step is done?
4. If nothing differs, the answer is "correct"; else it is the one below that says best what \
differs."""


def has_names(item: Item) -> bool:
    """Whether the answers are names, not letters."""
    return CORRECT in item.choices


def choice_of(item: Item, option: str) -> str:
    """What stands for one of the nine options among the item's choices."""
    if has_names(item):
        return option
    options = item.payload["options"]
    return next(one for one in item.choices if options[one].partition(":")[0] == option)


def prompt_of(item: Item, turn: Turn) -> Prompt:
    """The request of a turn; the first way is the usual one."""
    way = WAYS[turn.variant]
    listed = [f"{name}: {meaning}" for name, meaning in item.payload["options"].items()]
    options = "\n".join(["The possible answers:", *listed])
    kind, choices = "names" if has_names(item) else "letters", item.choices
    parts = [options]
    if way.has_two_requests and not turn.replies:
        choices = (choice_of(item, CORRECT), MISTAKE)
        kind = f'two "{choices[0]}" (nothing is wrong) and "{MISTAKE}"'
        parts += [FIRST_STAGE]
    elif way.has_two_requests:
        before = "You were asked whether anything is wrong with the step, and said:"
        parts += [f"{before}\n{fenced('REPLY', turn.replies[0])}", SECOND_STAGE]
    elif way.reasoning is Reasoning.TWO_STAGE:
        first = f'1. {FIRST_STAGE} If not, the answer is "correct"; go no further.'
        parts += [f"Decide in two stages:\n{first}\n2. {SECOND_STAGE}"]
    elif way.reasoning is Reasoning.CHECK_LIST:
        parts += [CHECKS]
    elif way.reasoning is Reasoning.NO_DISTRACTION:
        # No class is named before the last step.
        parts = [COMPARISON, options]
    if way.is_open:
        ending = (
            'Answer with a JSON object: {"reasoning": your thoughts in a few sentences, "answer":'
            f" one of the {kind}}}."
        )
    else:
        ending = f"Answer with one of the {kind} and nothing else: no thoughts, no explanation."
    step = f"The step of this clip: {item.payload['step']}"
    return Prompt(
        f"{VERSION}.{turn.variant}".removesuffix("."),
        SYSTEM,
        "\n\n".join([goal_and_procedure(item.payload), step, *parts, ending]),
        strict_object(reasoning=TEXT, answer=one_of(choices)) if way.is_open else None,
        max_tokens=OPEN_TOKENS if way.is_open else NAME_TOKENS,
        picture_note=NOTE,
        examples=tuple(Example(one, _example(one)) for one in turn.examples),
    )


def _example(item: Item) -> str:
    step = f"The step of this clip: {item.payload['step']}"
    right = f"What is right: {item.truth['answer']}"
    return "\n\n".join([goal_and_procedure(item.payload), step, right])


def is_mistaken(item: Item, turn: Turn) -> bool:
    """Whether the first of two stages found a mistake, so that the second is asked for."""
    choices = (choice_of(item, CORRECT), MISTAKE)
    reading = read_choice(turn.replies[-1], choices)
    return reading.value is not None and reading.value["answer"] == MISTAKE


def one_right_and_one_not(pool: Sequence[Item], rng: np.random.Generator) -> Sequence[Item]:
    """A step that is done correctly and one that is not; raises ValueError where one is missing."""
    drawn = []
    for is_correct, words in ((True, "is done correctly"), (False, "has a mistake")):
        steps = [one for one in pool if (one.truth["classes"] == [CORRECT]) is is_correct]
        if not steps:
            raise ValueError(f"no step of the recordings to learn from {words}")
        drawn.append(steps[int(rng.integers(len(steps)))])
    return drawn
