"""Figures of a round of texts: how far people agree, and what was decided.

Letters: N texts, G recordings, P pairs of people, V verdicts. Texts of one recording are drawn
together (`annotation.analytics.agreement.intervals`), since they are not independent.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.coefficients import kappas_of, pair_kappas
from annotation.analytics.agreement.intervals import (
    DEPENDS_ON_ONE_TRACE,
    NEVER_DEFINED,
    ONE_CLUSTER,
    Interval,
    shown_interval,
)
from annotation.analytics.agreement.resampling import Figure, distribution, draws_of, jackknife
from texts.engine.deciding import DECIDING_PLACE, GivenVerdict, decided
from texts.engine.medians import Median, median_of
from texts.engine.vocabulary import Vocabulary

Floats = npt.NDArray[np.float64]
FIGURES_VERSION = 3
RESAMPLES = 1000
# What audits of traces say of their intervals, in words that fit here.
REASONS = {
    ONE_CLUSTER: "an interval needs texts of at least two recordings",
    NEVER_DEFINED: "in every resample all verdicts were the same, so there is no interval",
    DEPENDS_ON_ONE_TRACE: (
        "without one of the recordings all verdicts are the same, so there is no interval"
    ),
}


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text with its verdicts by place, who gave them, and how long each took in s."""

    recording: int
    group: str
    given: Mapping[int, GivenVerdict]
    people: Mapping[int, str]
    seconds: Mapping[int, float | None]


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `count` texts or verdicts, with the share's interval; `value` None of none."""

    name: str
    title: str
    hits: int
    count: int
    interval: Interval

    @property
    def value(self) -> float | None:
        return self.hits / self.count if self.count else None


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa over the pairs of people (their mean), None with a reason in the interval."""

    name: str
    title: str
    value: float | None
    interval: Interval


@dataclass(frozen=True, slots=True)
class Group:
    """A group's share of all texts, what is kept of those decided, its share of what is kept."""

    name: str
    before: Share
    kept: Share
    after: Share


@dataclass(frozen=True, slots=True)
class Reader:
    """What one person gave, how much of it keeps a text, and how long one verdict took."""

    name: str
    given: int
    keeping: int
    seconds: Median


@dataclass(frozen=True, slots=True)
class TextFigures:
    """`reasons` are shares of the verdicts with any, the most frequent first."""

    texts: int
    read_twice: int
    decided: int
    equal: Share
    kappas: tuple[Kappa, ...]
    shares: tuple[Share, ...]
    reasons: tuple[Share, ...]
    by_group: tuple[Group, ...]
    by_person: tuple[Reader, ...]
    seconds: Median


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What intervals need: the cluster of each text, (N,) numbered from 0, and the generator."""

    clusters: npt.NDArray[np.int64]
    rng: np.random.Generator

    def share(self, name: str, title: str, hits: Sequence[bool | None]) -> Share:
        """The share of hits, (N,); None for texts that are not in it."""
        pairs = [(0, 0) if hit is None else (int(hit), 1) for hit in hits]
        return self.share_of(name, title, pairs)

    def share_of(self, name: str, title: str, pairs: Sequence[tuple[int, int]]) -> Share:
        """The share of hits among counts, both of each text, (N, 2)."""
        columns = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
        sums = np.array([np.bincount(self.clusters, column) for column in columns]).T
        sums = sums[sums[:, 1] > 0]
        interval = _interval(sums, _share_of, (0.0, 1.0), self.rng)
        return Share(name, title, int(sums[:, 0].sum()), int(sums[:, 1].sum()), interval)


def text_figures(
    read: Sequence[ReadText], vocabulary: Vocabulary, *, overlap: int, seed: int
) -> TextFigures:
    """All figures of a round, over the independent verdicts and over what was decided."""
    recordings = sorted({item.recording for item in read})
    place_of = {recording: place for place, recording in enumerate(recordings)}
    clusters = np.array([place_of[item.recording] for item in read], dtype=np.int64)
    drawing = _Drawing(clusters, np.random.default_rng(seed))
    keeps = {choice.name for choice in vocabulary.verdicts if choice.keeps}
    outcomes = [decided(item.given, overlap) for item in read]
    pairs = [
        {place: given for place, given in item.given.items() if place < DECIDING_PLACE}
        for item in read
    ]
    equal = [
        len({given.verdict for given in pair.values()}) == 1 if len(pair) > 1 else None
        for pair in pairs
    ]
    is_kept = [None if item is None else item.verdict in keeps for item in outcomes]
    return TextFigures(
        texts=len(read),
        read_twice=sum(hit is not None for hit in equal),
        decided=sum(outcome is not None for outcome in outcomes),
        equal=drawing.share("equal", "Equal verdicts", equal),
        kappas=tuple(_kappas(read, pairs, vocabulary, drawing)),
        shares=tuple(
            drawing.share(
                choice.name,
                choice.title,
                [None if item is None else item.verdict == choice.name for item in outcomes],
            )
            for choice in vocabulary.verdicts
        ),
        reasons=tuple(_reasons(read, vocabulary, drawing)),
        by_group=tuple(_groups(read, is_kept, drawing)),
        by_person=tuple(_readers(read, keeps, drawing.rng)),
        seconds=_median([(item, place) for item in read for place in item.given], drawing.rng),
    )


def _reasons(read: Sequence[ReadText], vocabulary: Vocabulary, drawing: _Drawing) -> list[Share]:
    with_reasons = [[given for given in item.given.values() if given.reasons] for item in read]
    shares = [
        drawing.share_of(
            reason.name,
            reason.title,
            [
                (sum(reason.name in one.reasons for one in given), len(given))
                for given in with_reasons
            ],
        )
        for reason in vocabulary.reasons
    ]
    return sorted((share for share in shares if share.hits), key=lambda share: -share.hits)


def _groups(
    read: Sequence[ReadText], is_kept: Sequence[bool | None], drawing: _Drawing
) -> Iterator[Group]:
    for name in sorted({item.group for item in read}):
        is_in = [item.group == name for item in read]
        of_group = [kept if own else None for own, kept in zip(is_in, is_kept, strict=True)]
        of_kept = [own if kept else None for own, kept in zip(is_in, is_kept, strict=True)]
        yield Group(
            name,
            before=drawing.share("before", "Of all texts", is_in),
            kept=drawing.share("kept", "Kept of those decided", of_group),
            after=drawing.share("after", "Of all kept texts", of_kept),
        )


def _readers(
    read: Sequence[ReadText], keeps: Collection[str], rng: np.random.Generator
) -> Iterator[Reader]:
    own: dict[str, list[tuple[ReadText, int]]] = defaultdict(list)
    for item in read:
        for place in item.given:
            own[item.people[place]].append((item, place))
    for name, rows in sorted(own.items()):
        keeping = sum(item.given[place].verdict in keeps for item, place in rows)
        yield Reader(name, len(rows), keeping, _median(rows, rng))


def _median(rows: Sequence[tuple[ReadText, int]], rng: np.random.Generator) -> Median:
    """The median over places at texts; what was not timed is left out."""
    timed = (
        (item.recording, seconds)
        for item, place in rows
        if (seconds := item.seconds[place]) is not None
    )
    return median_of(timed, rng, RESAMPLES)


def _kappas(
    read: Sequence[ReadText],
    pairs: Sequence[Mapping[int, GivenVerdict]],
    vocabulary: Vocabulary,
    drawing: _Drawing,
) -> Iterator[Kappa]:
    """Kappa of all verdicts, and of keeping a text or not where these are not the same."""
    names = [choice.name for choice in vocabulary.verdicts]
    keeps = {choice.name for choice in vocabulary.verdicts if choice.keeps}
    yield _kappa("kappa", "all verdicts", read, pairs, drawing, names.index, len(names))
    if 0 < len(keeps) < len(names) and len(names) > 2:
        yield _kappa(
            "kappa_keep", "keep or not", read, pairs, drawing, lambda name: int(name in keeps), 2
        )


def _share_of(sums: Floats) -> Floats:
    shares = np.full(len(sums), np.nan)
    np.divide(sums[:, 0], sums[:, 1], out=shares, where=sums[:, 1] > 0)
    return shares


def _kappa(
    name: str,
    title: str,
    read: Sequence[ReadText],
    pairs: Sequence[Mapping[int, GivenVerdict]],
    drawing: _Drawing,
    code: Callable[[str], int],
    value_count: int,
) -> Kappa:
    people = sorted({person for item in read for person in item.people.values()})
    column = {person: place for place, person in enumerate(people)}
    rows = sorted(
        (unit, column[item.people[place]], code(given.verdict))
        for unit, (item, pair) in enumerate(zip(read, pairs, strict=True))
        if len(pair) > 1
        for place, given in pair.items()
    )
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    shape = (len(read), max(1, len(people)), value_count)
    answers = Answers.of(table[:, 0], table[:, 1], table[:, 2], shape=shape)
    found = answers.pair_tables
    pair_of = {pair: p for p, pair in enumerate(zip(found.first, found.second, strict=True))}
    clusters = drawing.clusters
    sums = np.zeros((int(clusters.max(initial=-1)) + 1, len(pair_of), value_count, value_count))
    # Two rows of a text stand together, of two people in order.
    for (unit, first, mine), (_, second, theirs) in table.reshape(-1, 2, 3):
        sums[clusters[unit], pair_of[first, second], mine, theirs] += 1
    flat = sums.reshape(len(sums), -1)
    flat = flat[flat.sum(axis=1) > 0]

    def mean_kappa(drawn: Floats) -> Floats:
        kappas = kappas_of(drawn.reshape(len(drawn), -1, value_count, value_count))
        known = ~np.isnan(kappas)
        means = np.full(len(drawn), np.nan)
        np.divide(np.nansum(kappas, axis=1), known.sum(axis=1), out=means, where=known.any(axis=1))
        return means

    value = pair_kappas(answers).mean if pair_of else None
    return Kappa(name, title, value, _interval(flat, mean_kappa, (-1.0, 1.0), drawing.rng))


def _interval(
    sums: Floats, figure: Figure, ends: tuple[float, float], rng: np.random.Generator
) -> Interval:
    """The interval of a figure of recordings, (G, ...), or why there is none."""
    value = float(figure(sums.sum(axis=0, keepdims=True))[0]) if len(sums) else np.nan
    if np.isnan(value):
        return Interval(None, None, "nothing to compute it from", clusters=len(sums))
    over_draws = distribution(draws_of(sums), figure, rng=rng, resamples=RESAMPLES)
    interval = shown_interval(value, over_draws, [jackknife(sums, figure)], ends)
    return replace(interval, reason=REASONS.get(interval.reason, interval.reason))
