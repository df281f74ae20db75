"""What a task is: the protocol between a folder in `tasks/` and the frame around it.

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
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from annotation.analytics.resampling import MAX_EXACT_DRAWS
from annotation.analytics.table import Best, Table
from benchmarks.engine.material import Material

Floats = npt.NDArray[np.float64]
# Summed columns of recordings, (D, K), to a figure of each draw, (D,): nan where it is undefined.
Figure = Callable[[Floats], Floats]
# A read answer as JSON: what its keys are is said by `AnswerShape`.
Value = Mapping[str, Any]
# What a claim can be of, and one that has a height: its score, from 0 to 1.
CLAIM_KINDS, LEVEL = ("mistake", "correction"), "level"


class AnswerShape(StrEnum):
    """The shapes of answers, with the value that an answer of each is read to.

    ONE        {"answer": str, "score": float | None}: one answer per item; a score is how sure the
               participant is that the item is what the task looks for
    INTERVALS  {"intervals": [{"start_s", "end_s", "label", "score": float | None}]}: per recording,
               possibly none
    STREAM     {"answer": str, "text": str}: items of one `sequence` are asked in order, each with
               what was answered before
    TEXT       {"text": str}: judged by a second stage
    FRAMES     {"frames": str, "dtype": str, "fps": float}: a number for every frame of a recording,
               packed (`benchmarks.engine.frame_values`); items have `fps` and `frame_count`
    """

    ONE = "one"
    INTERVALS = "intervals"
    STREAM = "stream"
    TEXT = "text"
    FRAMES = "frames"


class AnswerStatus(StrEnum):
    """What became of an item; all but READ are no answers, and none of them is a wrong one."""

    READ = "read"
    MALFORMED = "malformed"
    REFUSED = "refused"
    CUT_OFF = "cut_off"
    FAILED = "failed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its truth. `truth` and `groups` never leave with it; all else may.

    `key` is unique in the set and stable: the same material, settings and seed give it again. It is
    not shown either (participants get an opaque one), so it may name the event.
    `payload` is what a participant reads, as JSON; `question` the same as one text, for the page.
    `choices` are the answers to choose from (labels, for INTERVALS), none where anything goes.
    The recording may be seen from `start_s` to `moment_s`; both None: no pictures belong to it.
    Items with the same `sequence` are asked by rising `position`, the others in any order.
    `groups` are breakdowns by name: {"mistake type": "WE", "phase": "during"}.
    `take`, `procedure`, `person` are compared between parts, for leakage; intervals draw takes.
    `part` is empty, or which part of a published division the item is of.
    """

    key: str
    recording: str
    payload: Mapping[str, Any]
    truth: Mapping[str, Any]
    question: str = ""
    choices: tuple[str, ...] = ()
    start_s: float | None = None
    moment_s: float | None = None
    sequence: str = ""
    position: int = 0
    groups: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    take: str = ""
    procedure: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a text model is asked; `version` changes with every word of it.

    `schema` is a JSON schema that strict mode accepts, None for plain text. `picture_note` is said
    before the pictures where there are any.
    """

    version: str
    system: str
    text: str
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 400
    picture_note: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """An item of the same sequence and what the participant answered to it, None for nothing."""

    item: Item
    value: Value | None


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as it was read: its value, or `reason` why there is none."""

    value: Value | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """One item's answer as `tally` gets it; `judged` are readings of the judges, by their name."""

    status: AnswerStatus
    value: Value | None = None
    judged: Mapping[str, Value] = field(default_factory=dict)


MISSING = Answered(AnswerStatus.MISSING)


@dataclass(frozen=True, slots=True)
class Claim:
    """What an answer, or the truth, says of a stretch of the recording, or of one moment of it.

    `kind` is one of `CLAIM_KINDS`, `LEVEL`, or "" for none of them.
    """

    start_s: float
    end_s: float
    label: str
    kind: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """Something to choose while an item set is made; the value is stored with it.

    `choices` are the values that it may have; else it is a number from `least` to `most`, of the
    type of `default`. `is_long`: a text of any length, as a list of recordings.
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
    """A column of the table. `needs_scores`: only of participants that give scores.

    Its values lie from `least` to `most`; an interval that reaches further ends there.
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
    by its key as a function of summed rows. What is no function of sums takes a column per
    recording, an identity matrix: summed over a draw it says how often each was drawn. Figures that
    take long say how many draws are gone through one by one before they are sampled instead.
    """

    recordings: tuple[str, ...]
    sums: Floats
    figures: Mapping[str, Figure]
    most_exact: int = MAX_EXACT_DRAWS


@dataclass(frozen=True, slots=True)
class Curve:
    """What changes with the threshold of a score: a line per measure, over `thresholds`."""

    thresholds: tuple[float, ...]
    lines: Mapping[str, tuple[float | None, ...]]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A trivial participant: `values` are one answer per item, in their order, None for none."""

    name: str
    values: Sequence[Value | None]


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a paper's table; figures by the keys of measures, `warning` why not to compare.

    `group` is the breakdown and its value that the row is over, none where it is over all items.
    """

    name: str
    figures: Mapping[str, float]
    source: str
    warning: str = ""
    group: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Sample:
    """What a model that is trained on features learns of an item, or is asked about.

    `recording` is its uid, by which features go; `pieces` are when it is done, in seconds. `label`
    is one of the task's `learns`. `is_early`: only the first half of its time is seen. `text` is
    what is written of it: its step.
    """

    recording: str
    pieces: tuple[tuple[float, float], ...]
    label: str
    is_early: bool = False
    text: str = ""


# What a trained model says of a sample: its class, and from 0 to 1 how sure that is; of two classes
# how sure the second is.
Said = tuple[str, float]


class Task(ABC):
    """What a task offers; its methods are pure and give the same for the same arguments."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    # Rises when items or figures of the same material change.
    version: ClassVar[int] = 1
    shape: ClassVar[AnswerShape]
    settings: ClassVar[tuple[Setting, ...]] = ()
    measures: ClassVar[tuple[Measure, ...]]
    # Other columns that CSV files of answers may have, as released ones do; see `row_of_file`.
    other_columns: ClassVar[tuple[str, ...]] = ()
    # Where its items come from: "dataset", or a name that `benchmarks.selectors.material` knows.
    source: ClassVar[str] = "dataset"
    # Classes that a model may be trained on features to tell apart, as no and yes; first what is
    # usual. None: nothing can be trained.
    learns: ClassVar[tuple[str, ...]] = ()
    # What such a model is given that others have to find; stands behind its name.
    trained_with: ClassVar[str] = ""

    @property
    def is_judged(self) -> bool:
        """Whether its answers are texts that a second stage judges."""
        return type(self).judge_prompt is not Task.judge_prompt

    @abstractmethod
    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        """The items of a data set; raises ValueError in words for people where there are none."""

    @abstractmethod
    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        """What a model is asked; `item.truth` and `item.groups` are empty here."""

    @abstractmethod
    def read(self, item: Item, text: str) -> Reading:
        """A model's answer as a value of the task's shape."""

    @abstractmethod
    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        """Answers, one per item, as sums. An item may stand more than once, for its repeats."""

    @abstractmethod
    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        """Participants that need no model: constants, and chance."""

    def check(self, item: Item, value: Value) -> str:
        """What is wrong with an uploaded or typed value beyond its shape and choices, or ""."""
        return ""

    def row_of_file(self, row: Mapping[str, str]) -> Mapping[str, str]:
        """A row of a CSV file with `other_columns`, by the columns of the shape."""
        return row

    def samples(self, item: Item, settings: Mapping[str, Any]) -> Sequence[Sample]:
        """What models learn of an item, one thing or several; `settings` are those of its set."""
        raise NotImplementedError(f"{self.name} has nothing to learn from features")

    def trained_value(self, item: Item, said: Mapping[int, Said]) -> Value:
        """The answer of a trained model by what it says of those samples that have features."""
        [(answer, score)] = said.values()
        return {"answer": answer, "score": score}

    def is_right(self, item: Item, value: Value) -> bool | None:
        """Whether an answer is the true one; None where answers are not simply right or wrong."""
        given, right = value.get("answer"), item.truth.get("answer")
        return given == right if given and right else None

    def claims(self, item: Item, value: Value) -> Sequence[Claim]:
        """An answer, or the truth, as a timeline shows it; none where it has no time.

        By default intervals as they are, and else what was answered from the item's start to its
        moment, of a stream at its moment.
        """
        if "intervals" in value:
            return [
                self.claim(one["start_s"], one["end_s"], one["label"], one.get("score"))
                for one in value["intervals"]
            ]
        said = value.get("answer") or value.get("text")
        if not said or item.start_s is None or item.moment_s is None:
            return []
        start_s = item.moment_s if self.shape is AnswerShape.STREAM else item.start_s
        return [self.claim(start_s, item.moment_s, str(said), value.get("score"))]

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        """A claim of the kind that its label begins with: "mistake", or "correction:7"."""
        head = label.partition(":")[0]
        return Claim(start_s, end_s, label, head if head in CLAIM_KINDS else "", score)

    def curve(self, items: Sequence[Item], answers: Sequence[Answered]) -> Curve | None:
        """The curve over thresholds of scores, None where nobody gave scores."""
        return None

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        """More tables about one participant: confusion, bias, whatever the task has to say.

        `about` has the `settings` of the item set and the `model` of the participant ("" for none).
        """
        return ()

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        """Rows of papers that belong beside these figures."""
        return ()

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        """What else has to be known of these items before figures are compared, a sentence each."""
        return ()

    def judge_prompt(self, item: Item, value: Value) -> Prompt | None:
        """What a judge is asked about an answer, with the truth; None where there is none to ask.

        Only of tasks of shape TEXT, or whose answers have a text.
        """
        return None

    def read_judgement(self, text: str) -> Reading:
        """A judge's answer as a value of the task's own."""
        return Reading(None, "this task has no judge")
