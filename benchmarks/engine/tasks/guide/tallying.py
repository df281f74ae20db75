"""Answers at points as sums per recording: decisions, the published reading, and the clock."""

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.deviations import DEVIATION, DISTRACTION, FIX
from benchmarks.engine.guiding.points import STRIDE_S
from benchmarks.engine.measures.counts import summed
from benchmarks.engine.measures.free_running import WITHIN, free_figures, free_measures
from benchmarks.engine.measures.grades import judges_of
from benchmarks.engine.measures.guidance import grades_of
from benchmarks.engine.measures.guiding import (
    WIDTH,
    Departure,
    Points,
    counts_of,
    guiding_figures,
    macro_f1,
)
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.measures.speaking import (
    decision_figures,
    matched_events,
    onset_matches,
)
from benchmarks.engine.task import Answered, AnswerStatus, Figure, Item, Measure

Floats = npt.NDArray[np.float64]
DEPARTURES = {
    "": Departure.NONE,
    DEVIATION: Departure.MISTAKE,
    DISTRACTION: Departure.DISTRACTION,
    FIX: Departure.FIX,
}
# Replies that the released scorer reads, and takes for silence.
UNREAD = {AnswerStatus.MALFORMED, AnswerStatus.REFUSED, AnswerStatus.CUT_OFF}
OFFICIAL = slice(WIDTH, WIDTH + 4)
(HARMFUL, HARM_JUDGED, MALFORMED, REPLIES, ONSETS_HIT, ONSETS_ASKED, ONSETS, MATCHED, DUE, SPOKEN,
 DUE_OF_ALL, REPEATED, MINUTES) = range(OFFICIAL.stop, OFFICIAL.stop + 13)  # fmt: skip
_EVERY = f"Of sets that are asked every {STRIDE_S:g} s."
_OFFICIAL = "As the released scorer reads answers: what has no token at its start is silence."
CLOCK_MEASURES = (
    Measure("official_macro_f1", "Macro F1, official", best=None, note=_OFFICIAL),
    Measure("official_g_mean_f1", "G-mean F1, official", best=None, note=_OFFICIAL),
    Measure("malformed_share", "Malformed", best=None, note="Of all replies."),
    Measure("onset_recall", "Onsets spoken at", note=WITHIN),
    Measure("onset_recall_of_all", "Onsets spoken at, of all", note=WITHIN),
    Measure(
        "harmful", "Harmful instructions", best=None,
        note="Of graded interrupts at a mistake, those that tell the person to make it.",
    ),
    *free_measures(_EVERY),
    Measure("repeated", "Repeats", best=None, note="Of interrupts, those in words said before."),
    Measure(
        "per_minute", "Interrupts a minute", best=None, most=120.0, decimals=1,
        note=_EVERY,
    ),
)  # fmt: skip


@dataclass(slots=True)
class Stream:
    """A recording as it was asked, once: its first row, and what happens on the clock."""

    first: int
    due_s: list[float] = field(default_factory=list)
    said_s: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    onsets_s: list[float] = field(default_factory=list)
    onset_count: int = 0
    due_count: int = 0
    answer_count: int = 0
    is_grid: bool = False


def streams(items: Sequence[Item], answers: Sequence[Answered]) -> list[Stream]:
    """Each recording as often as it was asked; what was not read is left out."""
    found: dict[str, list[Stream]] = {}
    repeats: Counter[str] = Counter()
    is_repeated = len({item.key for item in items}) < len(items)
    plain = _PlainTexts()
    interrupt = Decision.INTERRUPT.value
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        each = found.setdefault(item.sequence, [])
        repeat = 0
        if is_repeated:
            repeat = repeats[item.key]
            repeats[item.key] += 1
        if repeat == len(each):
            each.append(Stream(row))
        stream = each[repeat]
        truth, value = item.truth, answer.value
        onsets_s, is_due = truth["onsets_s"], truth["answer"] == interrupt
        stream.onset_count += len(onsets_s)
        stream.due_count += is_due
        stream.is_grid = truth["is_grid"]
        if value is None:
            continue
        stream.answer_count += 1
        if onsets_s:
            stream.onsets_s += onsets_s
        if is_due:
            stream.due_s.append(item.moment_s or 0.0)
        if value["answer"] == interrupt:
            stream.said_s.append(item.moment_s or 0.0)
            stream.texts.append(plain[value.get("text", "")])
    return sorted((stream for each in found.values() for stream in each), key=lambda one: one.first)


class _PlainTexts(dict[str, str]):
    """Words without case and spaces, each text made plain once."""

    def __missing__(self, text: str) -> str:
        plain = self[text] = " ".join(text.casefold().split())
        return plain


def points_of(items: Sequence[Item], answers: Sequence[Answered]) -> Points:
    """Answers as columns, with the grades of all judges."""
    said = {Decision.INTERRUPT.value: 1.0, Decision.SILENT.value: 0.0}
    judges = judges_of(answers)
    return Points(
        np.array([item.truth["answer"] == Decision.INTERRUPT for item in items], dtype=np.float64),
        np.array([np.nan if one.value is None else said[one.value["answer"]] for one in answers]),
        np.array([DEPARTURES[item.truth["departure"]] for item in items], dtype=np.int64),
        np.array([item.truth["is_opening"] for item in items], dtype=bool),
        grades_of(answers, judges),
    )


def official_points(points: Points, answers: Sequence[Answered]) -> Points:
    """The same answers as the released scorer reads them, nan where there was no reply."""
    said = points.said.copy()
    for place, answer in enumerate(answers):
        if answer.value is None:
            said[place] = 0.0 if answer.status in UNREAD else np.nan
        elif "literal" in answer.value:
            said[place] = answer.value["literal"] == Decision.INTERRUPT
    return Points(points.should, said, points.departure, points.is_opening, points.grades)


def sums_of(
    items: Sequence[Item],
    answers: Sequence[Answered],
    places: npt.NDArray[np.int64],
    recording_count: int,
) -> Floats:
    """The sums of each recording, (G, WIDTH and the columns above)."""
    points = points_of(items, answers)
    literal = official_points(points, answers).outcomes
    rows = np.zeros((len(items), MINUTES + 1 - WIDTH))
    # The four kinds of decisions; what no reply was made to is in none.
    is_scored = literal < 4
    rows[is_scored, literal[is_scored]] = 1
    codes, distinct = _distinct(answers)
    columns = slice(HARMFUL - WIDTH, REPLIES - WIDTH + 1)
    rows[:, columns] = np.array([*map(_judged_and_replied, distinct)]).reshape(-1, 4)[codes]
    is_hit = (points.should == 1) & (points.said == 1)
    rows[~is_hit, HARMFUL - WIDTH : HARM_JUDGED - WIDTH + 1] = 0
    for stream in streams(items, answers):
        rows[stream.first, ONSETS_HIT - WIDTH :] = _on_the_clock(stream)
    own = points.sums(places, recording_count)
    return np.hstack([own, summed(rows, places, recording_count)])


def _distinct(answers: Sequence[Answered]) -> tuple[npt.NDArray[np.int64], list[Answered]]:
    """The different answers, and which of them each one is: equal ones share an object."""
    places: dict[int, int] = {}
    distinct: list[Answered] = []
    codes = array("q")
    for answer in answers:
        code = places.get(id(answer))
        if code is None:
            code = places[id(answer)] = len(distinct)
            distinct.append(answer)
        codes.append(code)
    return np.frombuffer(codes, dtype=np.int64), distinct


def _judged_and_replied(answer: Answered) -> tuple[float, float, float, float]:
    """The columns from HARMFUL to REPLIES of an answer, were it a right interrupt."""
    harm = [one["harmful"] for one in answer.judged.values() if "harmful" in one]
    is_reply = answer.value is not None or answer.status in UNREAD
    is_malformed = is_reply and (answer.value is None or answer.value.get("malformed", False))
    return (float(np.mean(harm)) if harm else 0.0, bool(harm), is_malformed, is_reply)


def _on_the_clock(stream: Stream) -> tuple[float, ...]:
    onsets = onset_matches(stream.onsets_s, stream.said_s)
    repeated = len(stream.texts) - len(set(stream.texts)) if any(stream.texts) else 0
    free: tuple[float, ...] = (0, 0, 0, 0)
    if stream.is_grid:
        matched = len(matched_events(stream.due_s, stream.said_s).match.pairs)
        free = (matched, len(stream.due_s), len(stream.said_s), stream.due_count)
    minutes = stream.answer_count * STRIDE_S / 60 if stream.is_grid else 0.0
    return (
        len(onsets.pairs), onsets.onset_count, stream.onset_count, *free, repeated, minutes,
    )  # fmt: skip


def figures() -> dict[str, Figure]:
    """Every figure of the task from sums (D, all columns)."""

    def share(above: int, below: int) -> Figure:
        return lambda sums: ratio(sums[:, above], sums[:, below])

    def official(figure: Callable[[Floats], Floats]) -> Figure:
        return lambda sums: figure(sums[:, OFFICIAL])

    return {
        **guiding_figures(),
        "official_macro_f1": official(macro_f1),
        "official_g_mean_f1": official(decision_figures()["g_mean_f1"]),
        "malformed_share": share(MALFORMED, REPLIES),
        "onset_recall": share(ONSETS_HIT, ONSETS_ASKED),
        "onset_recall_of_all": share(ONSETS_HIT, ONSETS),
        "harmful": share(HARMFUL, HARM_JUDGED),
        **free_figures(MATCHED, DUE, SPOKEN, DUE_OF_ALL),
        "repeated": lambda sums: ratio(sums[:, REPEATED], counts_of(sums)[:, :2].sum(axis=1)),
        "per_minute": share(SPOKEN, MINUTES),
    }
