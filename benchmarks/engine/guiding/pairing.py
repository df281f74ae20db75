"""Answers in files beside the right ones: joined by recording and point, or as the challenge does.

A file is as the challenge's: a JSON object per line with `video_path` and `answers`, a list of
`$silent$` and `$interrupt$...`. Source of `official`: the released scorer of EgoProactive, two of
whose rules hide errors. Rows are joined by their place, and what one list lacks is not scored.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json_lines
from benchmarks.engine.guiding.decisions import Decision, literal_reading

REFUSE, AS_SILENT = "refuse", "silent"
Pair = tuple[Decision, Decision]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """The answers at the points of one recording, in their order."""

    video_path: str
    answers: tuple[str, ...]

    @property
    def decisions(self) -> list[Decision]:
        return [literal_reading(text).decision for text in self.answers]


@dataclass(frozen=True, slots=True)
class PairingFault:
    """What keeps answers from being joined; counts of answers where they are what is wrong."""

    code: str
    video_path: str
    expected: int | None = None
    found: int | None = None

    def __str__(self) -> str:
        counts = (
            "" if self.expected is None else f": {self.found} answers; expected {self.expected}"
        )
        return f"{self.video_path}: {self.code.replace('_', ' ')}{counts}"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Pairs (right, said) in the order of the right ones, None where there are faults.

    `missing_count` answers are not there; where that is no fault they count as silent.
    """

    pairs: tuple[Pair, ...] | None
    faults: tuple[PairingFault, ...]
    missing_count: int


def read_answers(path: Path) -> tuple[AnswerRow, ...]:
    """The rows of a file, other fields left alone; raises FormatError with every fault."""
    rows, places = [], []
    faults = None
    for entry in read_json_lines(path):
        faults = entry.faults
        video_path = entry.text("video_path")
        places.append((video_path, entry.place))
        rows.append(AnswerRow(video_path, tuple(map(_answer, entry.elements_of("answers")))))
    if faults is not None:
        note_repeats(places, faults, "video_path")
        faults.raise_if_any()
    return tuple(rows)


def _answer(entry: Entry) -> str:
    # Empty is an answer: the literal rule reads silence, ours nothing.
    return "" if entry.value == "" else entry.as_text()


def pair_predictions(
    golden: Sequence[AnswerRow], predictions: Sequence[AnswerRow], missing: str = REFUSE
) -> Pairing:
    """Join by recording and place; all faults at once, by recording.

    `missing` is `AS_SILENT` to count what is not there as silence, however much it is.
    """
    right, said = _by_video(golden), _by_video(predictions)
    faults = [
        PairingFault(code, name)
        for code, rows in (("duplicate_golden", right), ("duplicate_prediction", said))
        for name, own_rows in rows.items()
        if len(own_rows) > 1
    ]
    faults += [PairingFault("unknown_video", name) for name in said.keys() - right.keys()]
    missing_count = 0
    pairs: list[Pair] = []
    for name, [row, *_] in right.items():
        decisions = said[name][0].decisions if name in said else []
        lacking = len(row.answers) - len(decisions)
        missing_count += max(0, lacking)
        if lacking < 0 or (lacking > 0 and missing != AS_SILENT):
            code = "too_many_answers" if lacking < 0 else "too_few_answers"
            code = code if name in said else "missing_video"
            faults.append(PairingFault(code, name, len(row.answers), len(decisions)))
        decisions += [Decision.SILENT] * max(0, lacking)
        pairs += zip(row.decisions, decisions, strict=False)
    faults.sort(key=lambda fault: (fault.video_path, fault.code))
    return Pairing(None if faults else tuple(pairs), tuple(faults), missing_count)


def _by_video(rows: Sequence[AnswerRow]) -> dict[str, list[AnswerRow]]:
    found: dict[str, list[AnswerRow]] = {}
    for row in rows:
        found.setdefault(row.video_path, []).append(row)
    return found


class RowCountError(ValueError):
    """The challenge's scorer refuses another number of rows."""

    def __init__(self, golden: int, predictions: int) -> None:
        self.golden, self.predictions = golden, predictions
        super().__init__(
            f"{predictions} rows of answers; expected {golden}, as the right ones have"
        )


def official_scores(
    golden: Sequence[AnswerRow], predictions: Sequence[AnswerRow]
) -> Mapping[str, Any]:
    """What the challenge's scorer prints, to four decimals; raises RowCountError.

    `skipped_chunks` are the answers that one of the lists has and the other lacks.
    """
    if len(golden) != len(predictions):
        raise RowCountError(len(golden), len(predictions))
    counts = dict.fromkeys(((right, said) for right in Decision for said in Decision), 0)
    skipped = 0
    for row, own in zip(golden, predictions, strict=True):
        skipped += abs(len(row.answers) - len(own.answers))
        for pair in zip(row.decisions, own.decisions, strict=False):
            counts[pair] += 1
    spoke, silent = Decision.INTERRUPT, Decision.SILENT
    tp, tn = counts[spoke, spoke], counts[silent, silent]
    fp, fn = counts[silent, spoke], counts[spoke, silent]
    both = [_f1(right, fp + fn) for right in (tp, tn)]
    return {
        "interrupt_f1": round(both[0], 4),
        "silent_f1": round(both[1], 4),
        "macro_f1": round(sum(both) / 2, 4),
        "gmean_f1": round(math.sqrt(both[0] * both[1]), 4),
        "support": tp + fp + tn + fn,
        "tp": tp,
        "fp": fp,
        "tn": tn,
        "fn": fn,
        "skipped_chunks": skipped,
    }


def _f1(right: int, wrong: int) -> float:
    return 2 * right / (2 * right + wrong) if right + wrong else 0.0
