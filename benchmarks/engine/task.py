"""The protocol between a task (a folder in `tasks/`) and the frame around it.

A task says what is asked and how answers are read and scored. Freezing, sharing, uploading, asking,
resuming, budgets, intervals, tables, exports and pages come from the frame, which knows no task.

    material --items--> Item --prompt--> model --read--> Reading --tally--> sums per recording
                          |                                 ^
                          +--- template, page, upload ------+  (`check`)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.resampling import MAX_EXACT_DRAWS
from annotation.analytics.tables.table import Best, Table
from benchmarks.engine.claims import Claim, labelled_claim
from benchmarks.engine.frame_values import value_of_numbers
from benchmarks.engine.items import PLAIN as PLAIN
from benchmarks.engine.items import Conversation as Conversation
from benchmarks.engine.items import Conversed as Conversed
from benchmarks.engine.items import Earlier as Earlier
from benchmarks.engine.items import Example as Example
from benchmarks.engine.items import Item as Item
from benchmarks.engine.items import Prompt as Prompt
from benchmarks.engine.items import Request as Request
from benchmarks.engine.items import Response as Response
from benchmarks.engine.items import Stretch as Stretch
from benchmarks.engine.items import Turn as Turn
from benchmarks.engine.items import Value as Value
from benchmarks.engine.items import Variant as Variant
from benchmarks.engine.material import Material
from benchmarks.engine.reference_texts import ReferenceRequest as ReferenceRequest
from benchmarks.engine.reference_texts import ReferenceText as ReferenceText
from benchmarks.engine.reference_texts import WrittenReferences as WrittenReferences
from benchmarks.engine.training_files import TrainingExample, TrainingFile, TrainingOptions

Floats = npt.NDArray[np.float64]
# From the summed columns of each draw, (D, K), to its figure, (D,): nan where it is undefined.
Figure = Callable[[Floats], Floats]


class AnswerShape(StrEnum):
    """The shapes of answers, with the value that an answer is read to.

    ONE        {"answer": str, "score": float | None}: one answer per item; a score is how sure the
               participant is that the item is what the task looks for
    INTERVALS  {"intervals": [{"start_s", "end_s", "label", "score": float | None}]}: per recording,
               possibly none
    STREAM     {"answer": str, "text": str}, and "score" as above where one was given: items of one
               `sequence` are asked in order, each with the earlier answers
    SPEECH     {"said": [{"time_s": float, "text": str}]}: per recording the moments at which the
               participant speaks, by time, with the words; possibly none. They belong to no item:
               whoever answers decides when. Items have `duration_s`
    TEXT       {"text": str}: graded by judges in a second stage
    FRAMES     {"frames": str, "dtype": str, "fps": float}: a number for every frame of a recording,
               packed (`benchmarks.engine.frame_values`); items have `fps` and `frame_count`
    """

    ONE = "one"
    INTERVALS = "intervals"
    STREAM = "stream"
    SPEECH = "speech"
    TEXT = "text"
    FRAMES = "frames"


class AnswerStatus(StrEnum):
    """How asking about an item ended; only READ is an answer, the others are not wrong answers."""

    READ = "read"
    MALFORMED = "malformed"
    REFUSED = "refused"
    CUT_OFF = "cut_off"
    FAILED = "failed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading an answer gave: its value, or the `reason` why it has none."""

    value: Value | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """One item's answer as `tally` gets it; `judged` holds the judgements by the judge's name.

    `is_empty`: there was a reply, and it said nothing.
    """

    status: AnswerStatus
    value: Value | None = None
    judged: Mapping[str, Value] = field(default_factory=dict)
    is_empty: bool = False


MISSING = Answered(AnswerStatus.MISSING)
# How a task without variants asks.
ONLY_WAY = Variant("", "")


@dataclass(frozen=True, slots=True)
class Setting:
    """A choice when an item set is made; the chosen value is stored with the set.

    With `choices` the value is one of them, else a number from `least` to `most` or a text,
    depending on the type of `default`. `is_long`: a text of any length, such as a list of ids.
    """

    name: str
    title: str
    default: str | int | float
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float = 1_000_000
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of the table of figures. `needs_scores`: only for participants that give scores.

    Values lie between `least` and `most`; an interval that reaches further is not shown.
    """

    key: str
    title: str
    decimals: int = 3
    best: Best | None = Best.HIGHEST
    note: str = ""
    needs_scores: bool = False
    least: float = 0.0
    most: float = 1.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Answers as sums per recording, which is all that figures and their intervals need.

    `sums` is (G, K), a row per recording in the order of `recordings`. `figures` gives each measure
    by its key as a function of summed rows. A figure that is not a function of sums uses an
    identity matrix, a column per recording: summed over a draw it says how often each was drawn.
    `most_exact` is up to how many possible draws all are computed instead of a sample; slow figures
    lower it.
    """

    recordings: tuple[str, ...]
    sums: Floats
    figures: Mapping[str, Figure]
    most_exact: int = MAX_EXACT_DRAWS


@dataclass(frozen=True, slots=True)
class Curve:
    """Measures as functions of the score threshold: a line each, over `thresholds`."""

    thresholds: tuple[float, ...]
    lines: Mapping[str, tuple[float | None, ...]]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A trivial participant; `values` has one answer per item in their order, None for none."""

    name: str
    values: Sequence[Value | None]


@dataclass(frozen=True, slots=True)
class PeopleRubric:
    """What people are asked who grade beside the judges: each grade in words, and what counts."""

    question: str
    words: Mapping[int, str]
    criteria: tuple[str, ...] = ()


SAME_MEANING = PeopleRubric(
    "Does the answer mean the same?",
    MappingProxyType({
        0: "says nothing", 1: "wrong", 2: "mostly wrong", 3: "partly right", 4: "a small error",
        5: "means the same",
    }),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a paper's table; `figures` by the keys of measures, `warning` why not to compare.

    `group` is the breakdown and the value that the row is over, ("", "") for all items.
    """

    name: str
    figures: Mapping[str, float]
    source: str
    warning: str = ""
    group: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Sample:
    """A training or test example of a model that is trained on features.

    `recording` is the uid by which features are stored; `pieces` are (start, end) in seconds.
    `label` is one of the task's `learns`. `is_early`: only the first half of its rows is seen.
    `text` is its step in words.
    """

    recording: str
    pieces: tuple[tuple[float, float], ...]
    label: str
    is_early: bool = False
    text: str = ""


# A trained model's class for a sample, and from 0 to 1 how sure it is of that class, or with two
# classes how sure of the second.
Prediction = tuple[str, float]


class Task(ABC):
    """A benchmark task. Its methods are pure: the same arguments give the same result."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    # Raise it when items or figures of the same material change, and say in `changes` what did.
    version: ClassVar[int] = 1
    # What each later version changed, in one sentence, for the pages of sets of an earlier one.
    changes: ClassVar[Mapping[int, str]] = MappingProxyType({})
    shape: ClassVar[AnswerShape]
    settings: ClassVar[tuple[Setting, ...]] = ()
    measures: ClassVar[tuple[Measure, ...]]
    # The ways to ask a model, the usual one first; empty where there is one only.
    variants: ClassVar[tuple[Variant, ...]] = ()
    # Other columns that CSV files of answers may have, as released ones do; see `row_of_file`.
    other_columns: ClassVar[tuple[str, ...]] = ()
    # Where its items come from: a key of `benchmarks.selectors.sources.SOURCES`.
    source: ClassVar[str] = "dataset"
    # The classes that a model can be trained to tell apart, the usual one first, such as (no, yes).
    # Empty: nothing can be trained.
    learns: ClassVar[tuple[str, ...]] = ()
    # The files that others train their models on, made of the items of train and val.
    training_files: ClassVar[tuple[TrainingFile, ...]] = ()
    # Keys of `details` that say of single recordings what is true of them.
    details_with_truth: ClassVar[frozenset[str]] = frozenset()
    # What to know first, whatever the settings: sentences for the form and the page of a set.
    to_know: ClassVar[tuple[str, ...]] = ()
    # What people are asked who grade its texts.
    people_rubric: ClassVar[PeopleRubric] = SAME_MEANING
    # What such a model is given that other participants must find; appended to its name.
    trained_with: ClassVar[str] = ""
    # Pieces of the recording that one request of a conversation shows at most.
    most_stretches: ClassVar[int] = 0

    @property
    def is_judged(self) -> bool:
        """Whether judges grade its answers in a second stage."""
        own = type(self)
        is_one, is_several = (
            own.judge_prompt is not Task.judge_prompt,
            own.judge_prompts is not Task.judge_prompts,
        )
        return is_one or is_several

    @abstractmethod
    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        """The items of a data set; raises ValueError with a message for users if there are none."""

    @abstractmethod
    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        """The request to a model; `item.truth` and `item.groups` are empty here.

        Only tasks with `variants` look at the `turn`.
        """

    def variant(self, name: str) -> Variant:
        """The way to ask of this name, "" for the usual one; raises ValueError for any other."""
        for variant in self.variants or (ONLY_WAY,):
            if name in ("", variant.name):
                return variant
        known = ", ".join(variant.name for variant in self.variants) or "none"
        raise ValueError(f"{self.title} has no variant {name!r}; expected {known}")

    def goes_on(self, item: Item, turn: Turn) -> bool:
        """Whether another request about the item follows `turn.replies`; the last one is read."""
        return False

    def roles(self, settings: Mapping[str, Any]) -> Mapping[str, str]:
        """Who is asked beside the participant in a set with these settings: titles by names."""
        return {}

    @property
    def converses(self) -> bool:
        """Whether the task itself says what is asked about an item, and of whom."""
        return type(self).converse is not Task.converse

    @property
    def is_watched(self) -> bool:
        """Whether its recordings can be watched live: a conversation about each moment."""
        return self.converses and self.shape is AnswerShape.STREAM

    def converse(
        self, item: Item, state: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> Conversation:
        """Ask about an item of a set with these settings, in place of `prompt` and `read`.

        `state` is what the item before it in the sequence left, {} for the first. Truth is not
        there, as in `prompt`.
        """
        raise NotImplementedError(f"{self.name} is asked with one prompt")

    def request_count(self, item: Item) -> int:
        """How often a conversation asks the participant about an item."""
        return 1

    def examples(
        self, pool: Sequence[Item], variant: str, rng: np.random.Generator
    ) -> Sequence[Item]:
        """The items of the pool to show before a question, in their order.

        The pool has items with their truth, all of recordings that are not asked about. Raises
        ValueError where it lacks what the variant shows.
        """
        return ()

    @abstractmethod
    def read(self, item: Item, text: str) -> Reading:
        """A model's answer as a value of the task's shape."""

    @abstractmethod
    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        """Answers, one per item, as sums. An item that was asked repeatedly is there as often."""

    @abstractmethod
    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        """Trivial participants, such as constants and chance."""

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        """How much of the material no item asks about, by the reason: {"steps without a time": 3}.

        Only what a reader would expect to be asked about; the rest is in the task's description.
        """
        return {}

    def check(self, item: Item, value: Value) -> str:
        """What is wrong with a value beyond its shape and choices, "" for nothing."""
        return ""

    def row_of_file(self, row: Mapping[str, str]) -> Mapping[str, str]:
        """A row of a CSV file with `other_columns`, converted to the columns of the shape."""
        return row

    def samples(self, item: Item, settings: Mapping[str, Any]) -> Sequence[Sample]:
        """The samples that a trained model gets from an item; `settings` are those of its set."""
        raise NotImplementedError(f"{self.name} has nothing to learn from features")

    def trained_value(self, item: Item, predictions: Mapping[int, Prediction]) -> Value:
        """The answer to an item from a trained model's predictions, by the sample's place.

        Samples without features have no prediction.
        """
        [(answer, score)] = predictions.values()
        return {"answer": answer, "score": score}

    def training_examples(
        self, file: str, items: Sequence[Item], options: TrainingOptions, seed: int
    ) -> Iterable[TrainingExample]:
        """What a training file has of one recording, whose items are in the order of time."""
        raise NotImplementedError(f"{self.name} has no training files")

    def reference_texts(self, item: Item, key: str) -> Iterable[ReferenceText]:
        """The texts of an item's truth that people may review; `key` is its opaque one."""
        return ()

    def reference_requests(self, item: Item, key: str) -> Iterable[ReferenceRequest]:
        """What a text model may be asked to write in place of these texts."""
        return ()

    def with_references(self, item: Item, key: str, words: Mapping[str, str]) -> Mapping[str, Any]:
        """The truth of an item with the words that a review left by key, "" for rejected ones."""
        return item.truth

    def told_with(self, item: Item, right: Mapping[float, Mapping[str, Any]]) -> Mapping[str, Any]:
        """What is told of an item, given the truths of those before it in its sequence by moment.

        Called once these have other words.
        """
        return item.told

    def is_right(self, item: Item, value: Value) -> bool | None:
        """Whether an answer is right; None where answers are not simply right or wrong."""
        answer, right = value.get("answer"), item.truth.get("answer")
        return answer == right if answer and right else None

    def worst(self, item: Item) -> Value | None:
        """An answer that says nothing right, for an item whose missing answer is to count.

        None where there is none; the item then stays without an answer.
        """
        if self.shape is AnswerShape.INTERVALS:
            return {"intervals": []}
        if self.shape is AnswerShape.SPEECH:
            return {"said": []}
        if self.shape is AnswerShape.TEXT:
            return {"text": ""}
        if self.shape is AnswerShape.FRAMES:
            fps, count = float(item.payload["fps"]), int(item.payload["frame_count"])
            return value_of_numbers(np.zeros(count), fps)
        more: dict[str, Any] = {"text": ""} if self.shape is AnswerShape.STREAM else {"score": None}
        for choice in item.choices:
            if self.is_right(item, {"answer": choice}) is False:
                return {"answer": choice, **more}
        return None

    def claims(self, item: Item, value: Value) -> Sequence[Claim]:
        """An answer, or the truth, as a timeline shows it; empty where it has no time.

        By default the intervals of the value, or what is said at its moments, else one claim from
        the item's start to its moment; for a stream, at its moment.
        """
        if "said" in value:
            return [
                self.claim(one["time_s"], one["time_s"], one["text"], None) for one in value["said"]
            ]
        if "intervals" in value:
            return [
                self.claim(part["start_s"], part["end_s"], part["label"], part.get("score"))
                for part in value["intervals"]
            ]
        answer = value.get("answer") or value.get("text")
        if not answer or item.start_s is None or item.moment_s is None:
            return []
        start_s = item.moment_s if self.shape is AnswerShape.STREAM else item.start_s
        return [self.claim(start_s, item.moment_s, str(answer), value.get("score"))]

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        """A claim; a label such as "mistake" or "correction:7" also gives its kind."""
        return labelled_claim(start_s, end_s, label, score)

    def curve(self, items: Sequence[Item], answers: Sequence[Answered]) -> Curve | None:
        """The curve over score thresholds, None where there are no scores."""
        return None

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        """More tables about one participant, such as its confusions or its bias.

        `about` has the `settings` of the item set and the `model` of the participant ("" for none).
        """
        return ()

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        """Rows of papers to show beside these figures."""
        return ()

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        """What to know about these items before comparing figures, a sentence each."""
        return ()

    def judge_prompt(self, item: Item, value: Value) -> Prompt | None:
        """The request to a judge about an answer, with the truth; None where nothing is judged.

        Only for tasks whose answers have a text.
        """
        return None

    def judge_prompts(self, item: Item, value: Value) -> Sequence[Prompt]:
        """The requests to a judge about an answer, one for each of its texts that is graded."""
        prompt = self.judge_prompt(item, value)
        return () if prompt is None else (prompt,)

    def read_judgement(self, text: str) -> Reading:
        """A judge's answer to one request as a value; its keys are the task's own."""
        return Reading(None, "this task has no judge")

    def joined_judgement(
        self, item: Item, value: Value, judgements: Sequence[Value | None]
    ) -> Value | None:
        """What a judge says of an answer, from its judgements by request, None for an unread one.

        Where it has read none of them, it says nothing.
        """
        [judgement] = judgements
        return judgement

    def saying(self, item: Item, text: str) -> Value:
        """An answer that says a text wherever judges would grade it; they are priced by it."""
        return {"text": text}

    def graded_part(self, item: Item, value: Value) -> tuple[Value, Value]:
        """What people see who grade an answer: what is right, and the answer."""
        return item.truth, value

    def is_gradable(self, item: Item, value: Value) -> bool:
        """Whether people grade an answer, too."""
        return True

    def judge_grade(self, judgement: Value) -> float | None:
        """A judge's grade on the scale of people's."""
        score = judgement.get("score")
        return None if score is None else float(score)
