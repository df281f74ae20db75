"""The steps that questions are asked about, and what is known of each."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from annotation.engine.corpus.formats.assembly101 import REMARKS
from annotation.engine.corpus.formats.egoerrorvqa import procedure_steps
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.corpus.procedure import Step, TraceStep
from benchmarks.engine.asked_steps import AskedStep, asked_steps
from benchmarks.engine.error_classes import CORRECT
from benchmarks.engine.material import Material
from benchmarks.engine.questions.kinds import MOST_PAIRS, Wanted, wanted_of
from generation.engine.english.words import content_words

LEFT_OUT = "left out"
WHOLE = "shown the whole recording"
ALL_WHOLE = "shown the whole recording, as every step is"
AS_MANY, ALL = "as many as there are mistakes", "all"
NO_TEXT, NO_TIME = "steps that the procedure has no words for", "steps without a time"
# In the key of a published sample that is no row of its data set, before its number.
ALONE = "#alone-"
TOO_MANY = "steps without a mistake, beyond as many as there are mistakes"


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """What to ask about: pairs per step, which steps without a mistake, steps without a time.

    `has_unnamed`: also steps that the procedure has no words for, which only published pairs name.
    """

    pairs: int = 3
    correct: str = AS_MANY
    untimed: str = LEFT_OUT
    has_unnamed: bool = False

    def faults(self) -> dict[str, str]:
        """What is wrong with the settings, by name."""
        choices = {"correct": (AS_MANY, ALL), "untimed": (LEFT_OUT, WHOLE, ALL_WHOLE)}
        faults = {
            name: f"It is {getattr(self, name)!r}; expected one of {', '.join(options)}."
            for name, options in choices.items()
            if getattr(self, name) not in options
        }
        if not 1 <= self.pairs <= MOST_PAIRS:
            faults["pairs"] = f"It is {self.pairs}; expected 1 to {MOST_PAIRS}."
        return faults

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Sample:
    """A step with its truth: `classes`, and `note`, what the data set says was done instead.

    `recording` is the key of its recording, of which `start_s` to `end_s` is shown; both are None
    where nothing can be. `words` are the procedure's.
    """

    key: str
    recording: str
    words: str
    classes: tuple[str, ...]
    note: str
    start_s: float | None
    end_s: float | None
    goal: str
    procedure: tuple[str, ...]
    groups: Mapping[str, str]

    @property
    def is_correct(self) -> bool:
        return CORRECT in self.classes

    @property
    def about(self) -> dict[str, Any]:
        """What its questions are written from, as JSON."""
        return {
            "goal": self.goal,
            "procedure": list(self.procedure),
            "step": self.words,
            "note": self.note,
        }

    @property
    def things(self) -> frozenset[str]:
        """The words of the step, without its verb, of which a question has to have one."""
        first, _, rest = self.words.strip().partition(" ")
        return content_words(rest) or content_words(first)


def samples_of(
    material: Material, settings: QuestionSettings, seed: int
) -> tuple[list[tuple[Sample, tuple[Wanted, ...]]], dict[str, int]]:
    """The steps to ask about in order, each with the kinds to ask, and how many are left out.

    Raises ValueError where there is nothing to ask.
    """
    left_out: Counter[str] = Counter()
    steps = []
    for step in asked_steps(material):
        reason = _why_left_out(step, settings)
        left_out[reason] += 1
        if not reason:
            steps.append(step)
    del left_out[""]
    rng = np.random.default_rng([seed, len(steps)])
    order = [steps[place] for place in rng.permutation(len(steps))]
    ranks, kept = _ranked(order, settings)
    if dropped := len(steps) - len(kept):
        left_out[TOO_MANY] = dropped
    shown = shown_text_of(material.format)
    chosen = [
        (
            _sample(material, step, settings, shown),
            wanted_of(
                is_correct=CORRECT in step.classes,
                rank=ranks[id(step)],
                pair_count=settings.pairs,
            ),
        )
        for step in steps
        if id(step) in kept
    ]
    if not chosen:
        raise ValueError("the data set has no step that questions can be asked about")
    return chosen, dict(left_out)


def _ranked(
    order: Sequence[AskedStep], settings: QuestionSettings
) -> tuple[dict[int, int], set[int]]:
    """The rank of each step within its class, and the steps that are kept, in a seeded order."""
    mistakes = sum(CORRECT not in step.classes for step in order)
    most_correct = len(order) if settings.correct == ALL else mistakes
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    ranks = {}
    for step in order:
        if CORRECT in step.classes and counts[step.classes] >= most_correct:
            continue
        ranks[id(step)] = counts[step.classes]
        counts[step.classes] += 1
    return ranks, set(ranks)


def _why_left_out(step: AskedStep, settings: QuestionSettings) -> str:
    if not step.words and not settings.has_unnamed:
        return NO_TEXT
    return NO_TIME if step.start_s is None and settings.untimed == LEFT_OUT else ""


def _sample(
    material: Material, step: AskedStep, settings: QuestionSettings, shown: Callable[[str], str]
) -> Sample:
    recording = step.recording
    start_s, end_s = step.start_s, step.end_s
    if settings.untimed == ALL_WHOLE or start_s is None:
        end_s = recording.duration_s or recording.last_s
        start_s = None if end_s is None else 0.0
    origin = material.origin(recording)
    source = material.source_of(recording)
    return Sample(
        key=f"{recording.key}#{step.place}",
        recording=recording.key,
        words=step.words,
        classes=step.classes,
        note=note_of(recording.rows[step.place], step.words, shown),
        start_s=start_s,
        end_s=end_s,
        goal=recording.take.scenario,
        procedure=tuple(procedure_steps(recording.take)),
        groups={
            **origin["groups"],
            "person": origin["person"],
            **({"source": source} if source else {}),
        },
    )


def note_of(row: Step | TraceStep, written: str, shown: Callable[[str], str]) -> str:
    """What the data set says was done in place of the written step, "" where it says nothing more.

    The notes of its own labels, else the row's own words where they are others. The remarks of
    Assembly101 say no more than the class.
    """
    if isinstance(row, Step):
        return ""
    notes = [
        shown(label.note).strip().removesuffix(".")
        for label in row.labels
        if not label.is_derived and label.note.strip() and label.note not in REMARKS
    ]
    same = written.strip().removesuffix(".").casefold()
    told = dict.fromkeys(note for note in notes if note.casefold() != same)
    if told:
        return "; ".join(told)
    own = row.text.strip().removesuffix(".")
    return own if row.event_id is not None and own.casefold() != same else ""


def changes_of(stored: Iterable[Mapping[str, Any]], samples: Mapping[str, Sample]) -> Iterable[str]:
    """What a data set says otherwise than when questions were made of it, a sentence each.

    `stored` are the samples of the questions: key, classes, about, start_s and end_s.
    """
    for old in stored:
        if ALONE in old["key"]:
            continue
        new = samples.get(old["key"])
        where = old["key"].partition(":")[2].replace("#", ", row ")
        if new is None:
            yield f"recording {where} is no longer there, or not asked about"
            continue
        now = {**new.about, "classes": list(new.classes), "times": [new.start_s, new.end_s]}
        was = {**old["about"], "classes": old["classes"], "times": [old["start_s"], old["end_s"]]}
        for name, value in now.items():
            if value != was[name]:
                said = "" if name == "procedure" else f": {was[name]!r}, now {value!r}"
                yield f"recording {where} has another {name}{said}"
