"""Labelled spans of time and what two sets of them have in common.

Everything is computed on the breakpoints themselves; nothing is sampled. Letters: N spans, P pairs.
Labels are whole numbers that both sides share; UNDEFINED marks a span that no label describes,
which is left out of everything that goes by label.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

UNDEFINED = -1


@dataclass(frozen=True, slots=True)
class Spans:
    """The spans of one recording by one side, by time: starts, ends and labels, (N,) each."""

    starts_s: Floats
    ends_s: Floats
    labels: Codes

    @classmethod
    def of(
        cls, starts_s: Sequence[float], ends_s: Sequence[float], labels: Sequence[int]
    ) -> "Spans":
        """Spans in any order; raises ValueError for one that ends before it starts."""
        starts = np.asarray(starts_s, dtype=np.float64)
        ends = np.asarray(ends_s, dtype=np.float64)
        codes = np.asarray(labels, dtype=np.int64)
        if not len(starts) == len(ends) == len(codes):
            found = f"{len(starts)} starts, {len(ends)} ends and {len(codes)} labels"
            raise ValueError(f"there are {found}; expected as many of each")
        wrong = np.flatnonzero(~(starts <= ends))
        if len(wrong):
            place = int(wrong[0])
            raise ValueError(
                f"span {place} is {starts[place]} to {ends[place]} s; expected no end before"
                " its start"
            )
        order = np.lexsort((ends, starts))
        return cls(starts[order], ends[order], codes[order])

    def __len__(self) -> int:
        return len(self.starts_s)

    @property
    def defined(self) -> "Spans":
        """Without the undefined ones."""
        kept = self.labels != UNDEFINED
        return Spans(self.starts_s[kept], self.ends_s[kept], self.labels[kept])

    @property
    def undefined_count(self) -> int:
        return int((self.labels == UNDEFINED).sum())

    def union(self, label: int | None = None) -> list[tuple[float, float]]:
        """The time that spans of a label (of any, without one) cover, in separate pieces."""
        kept = np.ones(len(self), dtype=bool) if label is None else self.labels == label
        pieces: list[tuple[float, float]] = []
        for start_s, end_s in zip(
            self.starts_s[kept].tolist(), self.ends_s[kept].tolist(), strict=True
        ):
            if pieces and start_s <= pieces[-1][1]:
                pieces[-1] = pieces[-1][0], max(pieces[-1][1], end_s)
            else:
                pieces.append((start_s, end_s))
        return pieces


def length_s(pieces: Sequence[tuple[float, float]]) -> float:
    return sum(end_s - start_s for start_s, end_s in pieces)


def common_s(first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]) -> float:
    """How long two unions cover the same time."""
    shared, here, there = 0.0, 0, 0
    while here < len(first) and there < len(second):
        start_s = max(first[here][0], second[there][0])
        end_s = min(first[here][1], second[there][1])
        shared += max(0.0, end_s - start_s)
        if first[here][1] < second[there][1]:
            here += 1
        else:
            there += 1
    return shared


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Spans of two sides: their places on both and their intersection over union, (P,) each."""

    first: Codes
    second: Codes
    ious: Floats

    def only(self, kept: npt.NDArray[np.bool_]) -> "Overlaps":
        return Overlaps(self.first[kept], self.second[kept], self.ious[kept])


def overlaps(first: Spans, second: Spans) -> Overlaps:
    """All pairs of spans that share time, by their places.

    Two points share none, also at the same moment: they cover nothing.
    """
    # Of the spans by start those that may overlap one stand in a row: no earlier one has ended
    # after its start, and no later one starts before its end.
    low = np.searchsorted(np.maximum.accumulate(second.ends_s), first.starts_s, side="right")
    high = np.searchsorted(second.starts_s, first.ends_s)
    counts = np.maximum(high - low, 0)
    here = np.repeat(np.arange(len(first)), counts)
    there = np.arange(len(here)) + np.repeat(low - (np.cumsum(counts) - counts), counts)
    shared = np.minimum(first.ends_s[here], second.ends_s[there]) - np.maximum(
        first.starts_s[here], second.starts_s[there]
    )
    lengths = (first.ends_s - first.starts_s)[here] + (second.ends_s - second.starts_s)[there]
    ious = np.zeros(len(shared))
    np.divide(shared, lengths - shared, out=ious, where=shared > 0)
    return Overlaps(here, there, ious).only(ious > 0)


@dataclass(frozen=True, slots=True)
class TemporalIou:
    """tIoU of one recording: each label's intersection over union, and their means.

    `strict` counts 0 for a label that only one side has, `common` leaves it out: EgoOops does not
    say which it does. None where no label counts.
    """

    by_label: dict[int, float]
    strict: float | None
    common: float | None
    undefined: int


def temporal_iou(first: Spans, second: Spans) -> TemporalIou:
    """Source: EgoOops, 7.5: per step, undefined segments left out."""
    here, there = set(first.defined.labels.tolist()), set(second.defined.labels.tolist())
    by_label = {}
    for label in sorted(here | there):
        ours, theirs = first.union(label), second.union(label)
        shared_s = common_s(ours, theirs)
        whole_s = length_s(ours) + length_s(theirs) - shared_s
        by_label[label] = shared_s / whole_s if whole_s > 0 else 0.0
    common = [by_label[label] for label in here & there]
    return TemporalIou(
        by_label=by_label,
        strict=sum(by_label.values()) / len(by_label) if by_label else None,
        common=sum(common) / len(common) if common else None,
        undefined=first.undefined_count + second.undefined_count,
    )


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a recording spans cover; `gap_s` and `overlap_s` in seconds."""

    covered_s: float
    gap_s: float
    overlap_s: float
    repeated: int


def coverage(spans: Spans, duration_s: float) -> Coverage:
    """Of a recording of `duration_s`; undefined spans cover too, what is beyond its end does not.

    `repeated` counts labels that have several spans.
    """
    cut = Spans(
        np.minimum(spans.starts_s, duration_s), np.minimum(spans.ends_s, duration_s), spans.labels
    )
    covered_s = length_s(cut.union())
    _, counts = np.unique(spans.defined.labels, return_counts=True)
    return Coverage(
        covered_s=covered_s,
        gap_s=duration_s - covered_s,
        overlap_s=float((cut.ends_s - cut.starts_s).sum()) - covered_s,
        repeated=int((counts > 1).sum()),
    )
