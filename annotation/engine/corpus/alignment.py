"""A reference and a trace side by side, row by row, and word by word inside a row.

Both columns keep their own order and show every step exactly once; only a deleted step, which
never happened, stands where its reference stands. Steps that changed places therefore have two
rows, one for each side, that name each other. What a row says (`Relation`) is what anybody sees
who compares the two columns: it is derived from places and texts, never from a type that somebody
planned or labelled.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel

from annotation.engine.corpus.procedure import Step, TraceStep
from annotation.engine.taxonomy import MODS_WITHOUT_REFERENCE, Mod

# Two texts less alike than this (normalised Indel similarity, 0 to 1) count as different steps.
ALIKE_SIMILARITY = 0.45
# Without a mapping, a step counts as moved only when it is practically the same step.
MOVED_SIMILARITY = 0.9
_PAIRED, _STEP_ALONE, _ROW_ALONE = 0, 1, 2
# Less than that in percent, with a margin for rounding, makes no pair and needs no exact figure.
CUTOFF = 44
# What a shared step id is worth when the wording differs.
SAME_ID_SIMILARITY = 0.9

MOVED_MODS = frozenset({Mod.MOVED_SOURCE, Mod.MOVED_TARGET})

_TOKEN = re.compile(r"\s*(?:\w+(?:['’.,/-]\w+)*|[^\w\s])|\s+")


class Relation(StrEnum):
    """What happened to a step between the reference and the trace."""

    SAME = "same"
    CHANGED = "changed"
    INSERTED = "inserted"
    DELETED = "deleted"
    SUBSTITUTED = "substituted"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """One row of the table; at least one side is filled.

    `elsewhere_index` names the partner that stands in another row: a reference index where the
    row has only a trace step (moved here, or done once more), a trace index where it has only a
    reference step (done at another time).
    """

    reference_index: int | None
    trace_index: int | None
    relation: Relation
    elsewhere_index: int | None = None


class WordKind(StrEnum):
    """Whether a word stands on both sides or on one."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Words:
    """A run of neighbouring words of one kind, with the blanks between them."""

    text: str
    kind: WordKind


def align(reference: Sequence[Step], trace: Sequence[TraceStep]) -> tuple[AlignedRow, ...]:
    """The rows of the table, by the trace's own mapping where it has one.

    A trace in which no row names a reference step is aligned by step id and text instead
    (Needleman and Wunsch's dynamic programming, O(len(reference) * len(trace)), in whole
    diagonals: 0.2 s for 2,000 steps on each side).
    """
    if any(step.reference_index is not None for step in trace):
        partners = {
            index: step.reference_index
            for index, step in enumerate(trace)
            if step.reference_index is not None and step.reference_index < len(reference)
        }
        return _lay_out(reference, trace, partners)
    # Each missing step and new step of one gap are put side by side.
    joined: list[AlignedRow] = []
    gap: list[AlignedRow] = []
    for row in _lay_out(reference, trace, _matched_partners(reference, trace)):
        if row.relation in {Relation.INSERTED, Relation.DELETED}:
            gap.append(row)
        else:
            joined += [*_paired_gap(gap), row]
            gap = []
    return (*joined, *_paired_gap(gap))


def similarity(first: str, second: str) -> float:
    """How alike two step texts are, 0 to 1, whatever their case."""
    return fuzz.ratio(first.casefold(), second.casefold()) / 100


def word_differences(before: str, after: str) -> tuple[tuple[Words, ...], tuple[Words, ...]]:
    """Both texts as runs of words: same or removed, and same or added.

    The runs of each side, joined, give that side's text back. Punctuation marks are words of
    their own, so a new full stop does not mark the word before it, but "1/4" and "1.5" are one
    word; case is not a difference.

    >>> [(run.text, str(run.kind)) for run in word_differences("Get a pan.", "Get a pot.")[1]]
    [('Get a ', 'same'), ('pot', 'added'), ('.', 'same')]
    """
    old_tokens, new_tokens = _TOKEN.findall(before), _TOKEN.findall(after)
    opcodes = Indel.opcodes(
        [token.strip().casefold() for token in old_tokens],
        [token.strip().casefold() for token in new_tokens],
    )
    old_runs: list[Words] = []
    new_runs: list[Words] = []
    for code in opcodes:
        old_text = "".join(old_tokens[code.src_start : code.src_end])
        new_text = "".join(new_tokens[code.dest_start : code.dest_end])
        is_same = code.tag == "equal"
        old_runs.extend(_runs(old_text, WordKind.SAME if is_same else WordKind.REMOVED))
        new_runs.extend(_runs(new_text, WordKind.SAME if is_same else WordKind.ADDED))
    return _joined(old_runs), _joined(new_runs)


def _runs(text: str, kind: WordKind) -> list[Words]:
    """The text as runs, its leading blank apart: a blank is never a difference."""
    words = text.lstrip()
    blank = text[: len(text) - len(words)]
    return [
        Words(part, part_kind)
        for part, part_kind in ((blank, WordKind.SAME), (words, kind))
        if part
    ]


def _joined(runs: list[Words]) -> tuple[Words, ...]:
    joined: list[Words] = []
    for run in runs:
        if joined and joined[-1].kind == run.kind:
            joined[-1] = Words(joined[-1].text + run.text, run.kind)
        else:
            joined.append(run)
    return tuple(joined)


def _matched_partners(reference: Sequence[Step], trace: Sequence[TraceStep]) -> dict[int, int]:
    """Trace index -> reference index by the cheapest alignment, then by moved twins."""
    rows = [index for index, step in enumerate(trace) if step.mod not in MODS_WITHOUT_REFERENCE]
    if not rows or not reference:
        return {}
    texts = [step.text.casefold() for step in reference]
    row_texts = [trace[index].text.casefold() for index in rows]
    # (R, T) float in 0..1: R reference steps by T trace rows.
    likeness = process.cdist(texts, row_texts, scorer=fuzz.ratio, score_cutoff=CUTOFF)
    likeness = likeness.astype(np.float64) / 100
    number_of = {step_id: number for number, step_id in enumerate({s.step_id for s in reference})}
    step_ids = np.array([number_of[step.step_id] for step in reference])[:, None]
    # The empty id is nobody's.
    number_of[""] = -1
    row_ids = np.array([number_of.get(trace[index].step_id, -1) for index in rows])
    np.maximum(likeness, SAME_ID_SIMILARITY, out=likeness, where=step_ids == row_ids)
    pairs = cheapest_pairs(likeness)
    likeness[list(pairs.values())] = 0
    for row in sorted(set(range(len(rows))) - set(pairs)):
        twin = int(likeness[:, row].argmax())
        if likeness[twin, row] >= MOVED_SIMILARITY:
            pairs[row] = twin
            likeness[twin] = 0
    return {rows[row]: step for row, step in pairs.items()}


def cheapest_pairs(likeness: NDArray[np.float64]) -> dict[int, int]:
    """Trace row -> reference step of the alignment with the least cost, of (R, T) in 0..1.

    A pair costs 1 - likeness; leaving one step alone costs half of what the least alike pair that
    is still a pair would, so that two steps are paired exactly when they are alike enough.
    """
    moves = _least_moves(1 - likeness, gap=(1 - ALIKE_SIMILARITY) / 2)
    pairs: dict[int, int] = {}
    step, row = likeness.shape
    while step and row:
        move = moves[step + row, step]
        step -= move != _ROW_ALONE
        row -= move != _STEP_ALONE
        if move == _PAIRED:
            pairs[row] = step
    return pairs


def _least_moves(pair_costs: NDArray[np.float64], gap: float) -> NDArray[np.int8]:
    """The last move of the cheapest way to each cell, [step + row, step], of (R, T) costs.

    A cell needs those above it, to its left, and between these. The cells of one diagonal, from the
    right above to the left below, need none of each other, and are computed together.
    """
    step_count, row_count = pair_costs.shape
    costs, stride = pair_costs.ravel(), max(row_count - 1, 1)
    moves = np.empty((step_count + row_count + 1, step_count + 1), dtype=np.int8)
    # Three diagonals in turn, each with its cells by their step.
    before, last, here = np.zeros((3, step_count + 1))
    edge = 0.0
    for diagonal in range(1, step_count + row_count + 1):
        edge += gap
        if diagonal <= row_count:
            here[0] = gap * diagonal
        if diagonal <= step_count:
            here[diagonal] = edge
        first, end = max(1, diagonal - row_count), min(step_count, diagonal - 1) + 1
        if first < end:
            start = (first - 1) * row_count + diagonal - first - 1
            paired = before[first - 1 : end - 1] + costs[start::stride][: end - first]
            step_alone, row_alone = last[first - 1 : end - 1] + gap, last[first:end] + gap
            least = here[first:end] = np.minimum(np.minimum(paired, step_alone), row_alone)
            alone = np.where(least == step_alone, _STEP_ALONE, _ROW_ALONE)
            moves[diagonal, first:end] = np.where(least == paired, _PAIRED, alone)
        before, last, here = last, here, before
    return moves


def _lay_out(
    reference: Sequence[Step], trace: Sequence[TraceStep], partners: Mapping[int, int]
) -> tuple[AlignedRow, ...]:
    """Anchored pairs in one row, everything else in a row of its own."""
    deleted = {index: step for index, step in partners.items() if trace[index].mod == Mod.DELETION}
    done = {index: step for index, step in partners.items() if index not in deleted}
    anchors = _anchors(done, reference, trace)
    first_row_of_step: dict[int, int] = {}
    for index, step in done.items():
        first_row_of_step.setdefault(step, index)
    deleted_rows_of_step: dict[int, list[int]] = {}
    for index, step in deleted.items():
        deleted_rows_of_step.setdefault(step, []).append(index)

    rows: list[AlignedRow] = []
    next_step = 0

    def show_steps_before(limit: int) -> None:
        nonlocal next_step
        for step in range(next_step, limit):
            deleted_rows = deleted_rows_of_step.get(step, [])
            if step in first_row_of_step:
                rows.append(AlignedRow(step, None, Relation.MOVED, first_row_of_step[step]))
            else:
                first = deleted_rows[0] if deleted_rows else None
                rows.append(AlignedRow(step, first, Relation.DELETED))
                deleted_rows = deleted_rows[1:]
            rows.extend(AlignedRow(None, row, Relation.DELETED, step) for row in deleted_rows)
        next_step = limit

    for index, trace_step in enumerate(trace):
        if index in deleted:
            continue
        if index in anchors:
            step = anchors[index]
            show_steps_before(step)
            rows.append(AlignedRow(step, index, _relation(reference[step].text, trace_step.text)))
            rows.extend(
                AlignedRow(None, extra, Relation.DELETED, step)
                for extra in deleted_rows_of_step.get(step, ())
            )
            next_step = step + 1
        else:
            # A step that is done once more adds a row; only its first doing can be out of place.
            is_moved = index in done and first_row_of_step[done[index]] == index
            relation = Relation.MOVED if is_moved else Relation.INSERTED
            rows.append(AlignedRow(None, index, relation, done.get(index)))
    show_steps_before(len(reference))
    return tuple(rows)


def _anchors(
    partners: Mapping[int, int], reference: Sequence[Step], trace: Sequence[TraceStep]
) -> dict[int, int]:
    """The largest part of the mapping in which both sides rise.

    Rows that the source itself marks as moved yield to the others, and so do marked rows whose text
    is that of the reference: what is wrong there may be the order, which nothing else would show.
    They come in only where they fit between the rows that stayed.
    """
    moved = [
        row
        for row, step in sorted(partners.items())
        if trace[row].mod in MOVED_MODS
        or (trace[row].mod == Mod.ERROR and trace[row].text == reference[step].text)
    ]
    anchors = _longest_rise({row: partners[row] for row in partners.keys() - set(moved)})
    anchor_rows = sorted(anchors)
    for row in moved:
        # Both sides rise, so that the nearest anchors are the narrowest limits.
        place = bisect_left(anchor_rows, row)
        below = anchors[anchor_rows[place - 1]] if place else -1
        above = anchors[anchor_rows[place]] if place < len(anchor_rows) else inf
        if below < partners[row] < above:
            anchors[row] = partners[row]
            anchor_rows.insert(place, row)
    return anchors


def _longest_rise(partners: Mapping[int, int]) -> dict[int, int]:
    """The longest rising part of the mapping, by patience sorting."""
    tails: list[int] = []
    tail_rows: list[int] = []
    previous: dict[int, int | None] = {}
    for row in sorted(partners):
        place = bisect_left(tails, partners[row])
        previous[row] = tail_rows[place - 1] if place else None
        tails[place : place + 1] = [partners[row]]
        tail_rows[place : place + 1] = [row]
    rise: dict[int, int] = {}
    at = tail_rows[-1] if tail_rows else None
    while at is not None:
        rise[at] = partners[at]
        at = previous[at]
    return rise


def _relation(text: str, new_text: str) -> Relation:
    if text == new_text:
        return Relation.SAME
    is_other = similarity(text, new_text) < ALIKE_SIMILARITY
    return Relation.SUBSTITUTED if is_other else Relation.CHANGED


def _paired_gap(gap: list[AlignedRow]) -> list[AlignedRow]:
    steps = [row for row in gap if row.relation == Relation.DELETED]
    news = [row for row in gap if row.relation == Relation.INSERTED]
    shared = min(len(steps), len(news))
    pairs = [
        AlignedRow(step.reference_index, new.trace_index, Relation.SUBSTITUTED)
        for step, new in zip(steps, news, strict=False)
    ]
    return [*pairs, *steps[shared:], *news[shared:]]
