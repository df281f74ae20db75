"""What kind of mistake is it? One of eight classes, or correct, for each step (EgoErrorVQA, 4.2).

Participants read the procedure, the step's words in it and the eight definitions, never what was
done instead. A step may have several classes, of which any is right.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.engine.corpus.formats.egoerrorvqa import procedure_steps
from benchmarks.engine.asked_steps import AskedStep, asked_steps, is_by_rule
from benchmarks.engine.claims import Claim
from benchmarks.engine.error_classes import CORRECT, DEFINITIONS, OPTIONS
from benchmarks.engine.happenings import watched_recordings
from benchmarks.engine.material import Material
from benchmarks.engine.measures import error_types
from benchmarks.engine.measures.counts import cluster_names, summed
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    AnswerStatus,
    Baseline,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Reading,
    Setting,
    Tally,
    Task,
    Turn,
)
from benchmarks.engine.tasks.error_types.asking import (
    VARIANTS,
    choice_of,
    has_names,
    is_mistaken,
    one_right_and_one_not,
    prompt_of,
)
from benchmarks.engine.tasks.error_types.details import details

NAMES, LETTERS = "names", "letters, in an order of their own for each step"
LEFT_OUT = "left out"
NEUTRAL = "asked about without words"
ALL_NEUTRAL = "asked about, and no step has words"
WHOLE = "shown the whole recording"
ALL_WHOLE = "shown the whole recording, as every step is"
UNNAMED = "(the procedure has no words for it)"
# I is left out: "I think it is ..." is no answer.
LETTER_NAMES = "ABCDEFGHJ"
RIGHT = "the step is done as the procedure says, or nothing is wrong with it"
WARNING = "other clips"
NO_REPLY = "Over all steps; no reply is a miss, and a claim where none is due."
CONSTANTS = (
    "Published rows are over 1,857 clips of four data sets, of which every model left 14 without an"
    " answer; these count as wrong in accuracy alone. There always answering “correct” has accuracy"
    " 70.5, above every model of Table 4, and always “Wrong action” F1 20.2, where the best model"
    " has 20.7."
)
RECALL = (
    "Recall is the paper's: an error that gets another class leaves its denominator. “Errors found”"
    " and “Typed recall” are over the errors themselves."
)
TELLS_BY_WORDS = (
    "Steps without words of the procedure are asked about beside others: mostly these are mistakes,"
    " so that a step has no words gives the answer away."
)
TELLS_BY_TIME = (
    "Steps without a time are shown the whole recording beside others that are not: mostly these"
    " are omissions, so the length of what is shown gives the answer away."
)
# Statuses of a reply that says none of the options, which claims an error in the published counts.
UNREAD = {AnswerStatus.MALFORMED, AnswerStatus.REFUSED, AnswerStatus.CUT_OFF}
NO_TEXT, NO_TIME = "steps that the procedure has no words for", "steps without a time"
BY_RULE = "left-out steps that only a rule concludes"


class ErrorTypes(Task):
    """One of nine choices per step."""

    name = "error_types"
    title = "What kind of mistake is it?"
    description = (
        "For every step of a recording: was it done correctly, and if not, which of eight classes"
        " of mistakes is it?"
    )
    shape = AnswerShape.ONE
    variants = VARIANTS
    settings = (
        Setting("answers", "Answers", NAMES, (NAMES, LETTERS)),
        Setting(
            "unnamed", "Steps without words of the procedure", LEFT_OUT,
            (LEFT_OUT, NEUTRAL, ALL_NEUTRAL),
        ),
        Setting("untimed", "Steps without a time", LEFT_OUT, (LEFT_OUT, WHOLE, ALL_WHOLE)),
    )  # fmt: skip
    measures = (
        Measure(
            "accuracy_of_all", "Accuracy (published)", note="Over all steps; no reply is wrong."
        ),
        Measure("precision", "Precision (published)", note="Of claimed errors, the right class."),
        Measure("recall", "Recall (published)", note=RECALL),
        Measure("f1", "F1 (published)"),
        Measure("detection_precision", "Claims that are errors"),
        Measure("detection_recall", "Errors found", note="Of answered errors, whatever the class."),
        # Of few errors that were found all may be typed: no figure to lead by.
        Measure(
            "type_accuracy", "Type accuracy", best=None, note="Of errors found, the right class."
        ),
        Measure("typed_recall_of_all", "Typed recall", note="Over all errors: found and typed."),
        Measure("typed_f1_of_all", "Typed F1", note="Over all errors."),
        Measure("specificity", "Specificity"),
        *(
            Measure(f"{key}_of_all", f"{title} of all", note=NO_REPLY)
            for key, title in (
                ("precision", "Precision"),
                ("recall", "Recall"),
                ("f1", "F1"),
                ("detection_precision", "Claims that are errors"),
                ("detection_recall", "Errors found"),
                ("specificity", "Specificity"),
            )
        ),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        for step in asked_steps(material):
            if _why_left_out(step, settings) == "":
                yield _item(material, step, settings, seed)

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        reasons = Counter(_why_left_out(step, settings) for step in asked_steps(material))
        reasons[BY_RULE] = sum(
            is_by_rule(row) for one in watched_recordings(material) for row in one.rows
        )
        return {reason: count for reason, count in reasons.items() if reason and count}

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        return prompt_of(item, turn)

    def goes_on(self, item: Item, turn: Turn) -> bool:
        return is_mistaken(item, turn)

    def examples(
        self, pool: Sequence[Item], variant: str, rng: np.random.Generator
    ) -> Sequence[Item]:
        return one_right_and_one_not(pool, rng)

    def read(self, item: Item, text: str) -> Reading:
        """Our reading; with names, `published` is what the published reader makes of the text."""
        if not has_names(item):
            return error_types.read_class(text, item.choices)
        reading = error_types.read_class(text)
        if reading.value is None:
            return reading
        published = error_types.published_reading(text)
        is_name = published in OPTIONS
        return Reading({**reading.value, "published": published if is_name else error_types.UNREAD})

    def is_right(self, item: Item, value: Mapping[str, Any]) -> bool | None:
        choice = chosen(item, value)
        return None if choice is None else choice in item.truth["classes"]

    def claims(self, item: Item, value: Mapping[str, Any]) -> Sequence[Claim]:
        choice = chosen(item, value)
        if choice in (None, CORRECT) or item.start_s is None or item.moment_s is None:
            return []
        return [Claim(item.start_s, item.moment_s, str(choice), "mistake", None)]

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        rows = rows_of(items, answers)
        kinds = np.array([error_types.kind_of(*row) for row in rows], dtype=np.int64)
        columns = np.eye(error_types.COUNT_KINDS)[kinds]
        figures: dict[str, Figure] = {
            # Accuracy and the typed figures have no other form than that over all steps.
            key: error_types.FIGURES[key if key in error_types.FIGURES else plain]
            for key, plain in (
                (measure.key, measure.key.removesuffix("_of_all")) for measure in self.measures
            )
        }
        return Tally(names, summed(columns, places, len(names)), figures)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        return tuple(
            Baseline(
                f"Always “{option}”",
                [{"answer": choice_of(item, option), "score": None} for item in items],
            )
            for option in OPTIONS
        )

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Any]:
        published = None
        if all(map(has_names, items)):
            published = [
                (classes, (answer.value or {}).get("published", choice))
                for (classes, choice), answer in zip(rows_of(items, answers), answers, strict=True)
            ]
        return details(rows_of(items, answers), published)

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, WARNING) if settings["answers"] == NAMES else ()

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (
            RECALL,
            *((CONSTANTS,) if settings["answers"] == NAMES else ()),
            *((TELLS_BY_WORDS,) if settings["unnamed"] == NEUTRAL else ()),
            *((TELLS_BY_TIME,) if settings["untimed"] == WHOLE else ()),
        )


def chosen(item: Item, value: Mapping[str, Any] | None) -> str | None:
    """The option that an answer names, also by its letter; None where it names none."""
    answer = (value or {}).get("answer")
    if not answer or answer in OPTIONS:
        return answer or None
    return str(item.payload["options"][answer]).partition(":")[0]


def rows_of(items: Sequence[Item], answers: Sequence[Answered]) -> list[error_types.Row]:
    """The classes and the choice of each item; a reply without an option claims an error."""
    rows = []
    for item, answer in zip(items, answers, strict=True):
        choice = chosen(item, answer.value)
        if choice is None and answer.status in UNREAD and not answer.is_empty:
            choice = error_types.UNREAD
        rows.append((item.truth["classes"], choice))
    return rows


def _why_left_out(step: AskedStep, settings: Mapping[str, Any]) -> str:
    if not step.words and settings["unnamed"] == LEFT_OUT:
        return NO_TEXT
    return NO_TIME if step.start_s is None and settings["untimed"] == LEFT_OUT else ""


def _item(material: Material, step: AskedStep, settings: Mapping[str, Any], seed: int) -> Item:
    recording = step.recording
    key = f"{recording.key}#{step.place}"
    names: Sequence[str] = OPTIONS
    meanings = {CORRECT: RIGHT, **DEFINITIONS}
    if settings["answers"] == LETTERS:
        rng = np.random.default_rng([seed, *key.encode()])
        order = rng.permutation(len(OPTIONS))
        names = tuple(LETTER_NAMES)
        shuffled = [OPTIONS[place] for place in order]
        meanings = {
            letter: f"{name}: {meanings[name]}"
            for letter, name in zip(names, shuffled, strict=True)
        }
    words = UNNAMED if settings["unnamed"] == ALL_NEUTRAL else step.words or UNNAMED
    start_s, end_s = step.start_s, step.end_s
    if settings["untimed"] == ALL_WHOLE or start_s is None:
        end_s = recording.duration_s or recording.last_s
        start_s = None if end_s is None else 0.0
    groups = {
        "class": " + ".join(step.classes),
        "words": "with words" if step.words else "without words",
        "time": "with a time" if step.start_s is not None else "without a time",
        "same clip": "has another answer too" if step.is_contradicted else "has this answer alone",
        **({"source": source} if (source := material.source_of(recording)) else {}),
    }
    return Item(
        key=key,
        **material.origin(recording, groups),
        payload={
            "goal": recording.take.scenario,
            "procedure": procedure_steps(recording.take),
            "step": words,
            "options": meanings,
        },
        question=f"Was this step done correctly, and if not, what kind of mistake is it? “{words}”",
        truth={"answer": step.classes[0], "classes": list(step.classes)},
        choices=tuple(names),
        start_s=start_s,
        moment_s=end_s,
        take=recording.uid,
    )


TASK = ErrorTypes()
