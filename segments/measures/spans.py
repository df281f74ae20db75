"""Labelled spans of time and what two sets of them have in common.

Computed exactly from starts and ends; nothing is sampled. Letters: N spans, P pairs. Labels are
whole numbers shared by both sides; UNDEFINED marks a span that no label describes, which figures by
label leave out.
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
    """The spans of one recording by one side in order of time: (N,) each."""

    starts_s: Floats
    ends_s: Floats
    labels: Codes

    @classmethod
    def of(
        cls, starts_s: Sequence[float], ends_s: Sequence[float], labels: Sequence[int]
    ) -> "Spans":
        """From spans in any order; raises ValueError where one ends before it starts."""
        starts = np.asarray(starts_s, dtype=np.float64)
        ends = np.asarray(ends_s, dtype=np.float64)
        codes = np.asarray(labels, dtype=np.int64)
        if not len(starts) == len(ends) == len(codes):
            counts = f"{len(starts)} starts, {len(ends)} ends and {len(codes)} labels"
            raise ValueError(f"there are {counts}; expected as many of each")
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
        is_defined = self.labels != UNDEFINED
        return Spans(self.starts_s[is_defined], self.ends_s[is_defined], self.labels[is_defined])

    @property
    def undefined_count(self) -> int:
        return int((self.labels == UNDEFINED).sum())

    def union(self, label: int | None = None) -> list[tuple[float, float]]:
        """The time that spans of a label (None: any) cover, as separate pieces (start, end) s."""
        is_chosen = np.ones(len(self), dtype=bool) if label is None else self.labels == label
        pieces: list[tuple[float, float]] = []
        for start_s, end_s in zip(
            self.starts_s[is_chosen].tolist(), self.ends_s[is_chosen].tolist(), strict=True
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
    shared, i, j = 0.0, 0, 0
    while i < len(first) and j < len(second):
        start_s = max(first[i][0], second[j][0])
        end_s = min(first[i][1], second[j][1])
        shared += max(0.0, end_s - start_s)
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return shared


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Pairs of spans: their indices on both sides and their intersection over union, (P,) each."""

    first: Codes
    second: Codes
    ious: Floats

    def only(self, mask: npt.NDArray[np.bool_]) -> "Overlaps":
        return Overlaps(self.first[mask], self.second[mask], self.ious[mask])


def overlaps(first: Spans, second: Spans) -> Overlaps:
    """All pairs of spans that share time; two points at the same moment share none."""
    # Sorted by start, the spans that may overlap a given one are consecutive: those before them
    # have all ended at its start, those after them start at or after its end.
    low = np.searchsorted(np.maximum.accumulate(second.ends_s), first.starts_s, side="right")
    high = np.searchsorted(second.starts_s, first.ends_s)
    counts = np.maximum(high - low, 0)
    first_places = np.repeat(np.arange(len(first)), counts)
    second_places = np.arange(len(first_places)) + np.repeat(
        low - (np.cumsum(counts) - counts), counts
    )
    shared = np.minimum(first.ends_s[first_places], second.ends_s[second_places]) - np.maximum(
        first.starts_s[first_places], second.starts_s[second_places]
    )
    lengths = (first.ends_s - first.starts_s)[first_places] + (second.ends_s - second.starts_s)[
        second_places
    ]
    ious = np.zeros(len(shared))
    np.divide(shared, lengths - shared, out=ious, where=shared > 0)
    return Overlaps(first_places, second_places, ious).only(ious > 0)


@dataclass(frozen=True, slots=True)
class TemporalIou:
    """tIoU of one recording: intersection over union of each label, and means over labels.

    A label that only one side has counts 0 in `strict` and is left out of `common`; EgoOops does
    not say which it uses. None where there is no such label.
    """

    by_label: dict[int, float]
    strict: float | None
    common: float | None
    undefined: int


def temporal_iou(first: Spans, second: Spans) -> TemporalIou:
    """Source: EgoOops, 7.5: per step, undefined segments left out."""
    first_labels, second_labels = (
        set(first.defined.labels.tolist()),
        set(second.defined.labels.tolist()),
    )
    by_label = {}
    for label in sorted(first_labels | second_labels):
        ours, theirs = first.union(label), second.union(label)
        shared_s = common_s(ours, theirs)
        whole_s = length_s(ours) + length_s(theirs) - shared_s
        by_label[label] = shared_s / whole_s if whole_s > 0 else 0.0
    common = [by_label[label] for label in first_labels & second_labels]
    return TemporalIou(
        by_label=by_label,
        strict=sum(by_label.values()) / len(by_label) if by_label else None,
        common=sum(common) / len(common) if common else None,
        undefined=first.undefined_count + second.undefined_count,
    )


@dataclass(frozen=True, slots=True)
class Coverage:
    covered_s: float
    gap_s: float
    overlap_s: float
    repeated: int


def coverage(spans: Spans, duration_s: float) -> Coverage:
    """How spans cover a recording of `duration_s`; undefined ones count, time beyond it does not.

    `repeated` counts labels with several spans.
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
