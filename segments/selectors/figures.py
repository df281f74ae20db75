"""Figures of a round of segments: agreement, corrections, answers, coverage, effort.

Rounds, schemes and versions of the guideline are never pooled: every figure is of one round, or
compares it with an earlier round on the same recordings.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import combinations, groupby
from math import inf

from django.db.models import Count, Max, Subquery, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.engine.campaigns.workload import working_s
from annotation.engine.ratings.viewing import WatchedSpan, joined
from annotation.models import Round
from segments.measures.agreement import agreement, onset_agreement
from segments.measures.corrections import Work, effort_figures
from segments.measures.figures import Compared, ratio_summary
from segments.measures.report import (
    FIGURES_VERSION,
    FigureRow,
    Part,
    Revision,
    Split,
    rows_of_figures,
)
from segments.measures.spans import coverage
from segments.models import (
    SEGMENTS,
    Segmentation,
    SegmentationStatus,
    SegmentCheck,
    SegmentEvent,
)
from segments.selectors.corrections import answer_rows, correction_rows, options_for
from segments.selectors.lanes import FinishedSegments, Lanes, Pair, sides_of_round
from segments.selectors.reading import CHUNK_ROWS, SITE, MixedSchemesError, scheme_of_round

# With more people the table of pairs is too long to read.
MOST_PEOPLE_IN_PAIRS = 10
CACHED_ROUNDS = 4
# Of the number of a round; longer ones could overflow the column, or be too long for `int`.
MOST_DIGITS = 5
# Where edges are locked, only figures of labels and texts depend on people's work.
MEASURES_OF_LABELS = ("label_kappa", "mistake_kappa", "text_", "slot_")


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """The figures of a round and what is counted in them.

    `compared` counts recordings that two people finished, `finished` segmentations, `not_counted`
    others by the name of their status. `changed_since` of the finished ones are different now from
    what was first submitted. `flagged` and `undefined` segments are left out of
    figures by label. A recording of unknown length ends with its last edge; `without_length` counts
    these.
    """

    rows: tuple[FigureRow, ...]
    people: tuple[str, ...]
    compared: int
    finished: int
    changed_since: int
    not_counted: tuple[tuple[str, int], ...]
    flagged: int
    undefined: int
    without_length: int
    has_pairs_left_out: bool


@dataclass(frozen=True, slots=True)
class _State:
    """The key of cached figures; `marks` change with everything that figures are computed from."""

    round_id: int
    against_id: int | None
    revision: Revision
    marks: tuple[tuple[object, ...], ...]
    # As they were read: the key is that of their rows.
    round_: Round = field(compare=False)
    against: Round | None = field(compare=False)


def round_figures(
    round_: Round, against: Round | None = None, revision: Revision = Revision.FIRST
) -> RoundFigures:
    """The figures of a round's finished work, or of it compared with an earlier round.

    Both are of the same `revision`: how well people agree is told by what they first submitted.

    Cached until something changes. Raises `MixedSchemesError` where different schemes or guidelines
    would be pooled.
    """
    marks = tuple(_mark(item) for item in (round_, against) if item is not None)
    against_id = against.pk if against else None
    return _figures(_State(round_.pk, against_id, revision, marks, round_, against))


def _mark(round_: Round) -> tuple[object, ...]:
    work = Segmentation.objects.filter(round=round_).order_by("status", "person__username")
    checks = SegmentCheck.objects.filter(segmentation__round=round_).order_by()
    # Counted beside each person's work, not joined to it, which would count the work anew.
    count_of_checks = (
        checks.values("segmentation__round").annotate(total=Count("pk")).values("total")
    )
    counts = work.values_list("status", "person__username").annotate(
        Count("pk"), Sum("head"), Max("submitted_at"), Max("decided_at"),
        Max("viewing__updated_at"), check_count=Subquery(count_of_checks),
    )  # fmt: skip
    about = round_.segments.scheme, round_.segments.scheme_version, round_.guideline_id, round_.seed
    return (tuple(counts), about)


@lru_cache(maxsize=CACHED_ROUNDS)
def _figures(state: _State) -> RoundFigures:
    round_, earlier = state.round_, state.against
    scheme = scheme_of_round(round_)
    sides = sides_of_round(round_, state.revision)
    if earlier is None:
        by_recording = groupby(sides, key=lambda side: side.recording.key)
        pairs = [pair for _, of_one in by_recording for pair in combinations(of_one, 2)]
        people = {side.person for side in sides}
    else:
        _refuse_other_scheme(round_, earlier)
        pairs = _pairs_with(sides_of_round(earlier, state.revision), sides)
        people = {side.person for pair in pairs for side in pair}
    recordings = [side.recording for side in sides]
    is_readable = len(people) <= MOST_PEOPLE_IN_PAIRS
    lanes = [Lanes(track) for track in scheme.tracks]
    columns = "pk", "status", "head", "first_head", "viewing__watched"
    work = list(round_.segmentations.values_list(*columns))
    watched = {pk: spans or [] for pk, *_, spans in work}
    rows = [
        *(
            row
            for lane in lanes
            for row in _agreement_rows(round_, lane, pairs, by_pair=is_readable)
        ),
        *correction_rows(round_, sides),
        *answer_rows(round_, scheme, sides, state.revision),
        *(row for lane in lanes for row in _coverage_rows(round_, lane, sides)),
        *_effort_rows(round_, sides, watched),
    ]
    counted = {side.segmentation_id for side in sides}
    statuses = Counter(status for pk, status, *_ in work if pk not in counted)
    return RoundFigures(
        rows=tuple(rows),
        people=tuple(sorted(people)),
        compared=len({pair[1].recording.key for pair in pairs}),
        finished=len(sides),
        changed_since=sum(
            pk in counted and first_head is not None and first_head < head
            for pk, _, head, first_head, _ in work
        ),
        not_counted=tuple(
            (str(label), statuses[status])
            for status, label in SegmentationStatus.choices
            if statuses[status]
        ),
        flagged=sum(item.is_flagged for side in sides for item in side.segments),
        undefined=sum(lane.undefined_of(side) for lane in lanes for side in sides),
        without_length=len({row.pk for row in recordings if row.duration_s is None}),
        has_pairs_left_out=not is_readable,
    )


def _refuse_other_scheme(round_: Round, earlier: Round) -> None:
    ours, theirs = round_.segments, earlier.segments
    if (ours.scheme, ours.scheme_version) != (theirs.scheme, theirs.scheme_version):
        raise MixedSchemesError(
            f"Round {round_.number} has the scheme {ours.scheme} {ours.scheme_version}, round"
            f" {earlier.number} {theirs.scheme} {theirs.scheme_version}: what a segment is differs,"
            " so they cannot be compared."
        )
    scheme_of_round(earlier)


def _pairs_with(
    earlier: Sequence[FinishedSegments], sides: Sequence[FinishedSegments]
) -> list[Pair]:
    """Everybody's work in an earlier round paired with everybody's in this one, by recording."""
    before: dict[tuple[int, int | None], list[FinishedSegments]] = defaultdict(list)
    for side in earlier:
        before[side.recording.key].append(side)
    return [(first, side) for side in sides for first in before[side.recording.key]]


def _agreement_rows(
    round_: Round, lanes: Lanes, pairs: Sequence[Pair], *, by_pair: bool
) -> Iterator[FigureRow]:
    """Over all recordings, then by scenario and by pair of people where there are several."""
    items = lanes.compared(pairs)
    if not any(len(item.first) or len(item.second) for item in items):
        return
    splits: dict[tuple[Split, str], list[Compared]] = defaultdict(list)
    for pair, item in zip(pairs, items, strict=True):
        splits[Split.ALL, ""].append(item)
        splits[Split.SCENARIO, pair[1].recording.scenario].append(item)
        if by_pair:
            splits[Split.PAIR, " and ".join(side.person for side in pair)].append(item)
    kinds = Counter(split for split, _ in splits)
    figures_of = onset_agreement if lanes.track.is_points else agreement
    for (split, of), chosen in sorted(
        splits.items(), key=lambda entry: list(Split).index(entry[0][0])
    ):
        if split is not Split.ALL and kinds[split] < 2:
            continue
        figures = figures_of(chosen, lanes.options(round_))
        if round_.segments.has_locked_edges:
            figures = {
                name: figure
                for name, figure in figures.items()
                if name.startswith(MEASURES_OF_LABELS)
            }
        yield from rows_of_figures(Part.AGREEMENT, lanes.track.name, split, of, figures)


def _coverage_rows(
    round_: Round, lanes: Lanes, sides: Sequence[FinishedSegments]
) -> Iterator[FigureRow]:
    """How much of the recordings the segments cover, over everybody and by person."""
    if lanes.track.is_points or lanes.track.belongs_to or round_.segments.has_locked_edges:
        return
    for split, of, own in _by_person(sides):
        rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for side in own:
            lane = lanes.read(side, with_flagged=True)
            duration_s = side.recording.duration_s or float(lane.spans.ends_s.max(initial=0.0))
            covered = coverage(lane.spans, duration_s)
            rows["covered_share"].append((covered.covered_s, duration_s))
            rows["gap_share"].append((covered.gap_s, duration_s))
            rows["overlap_share"].append((covered.overlap_s, duration_s))
            rows["missing_per_recording"].append((len(lane.missing), 1))
            rows["repeated_per_recording"].append((covered.repeated, 1))
        options = options_for(round_, own)
        ratios = {name: ratio_summary(pairs, options, n=len(pairs)) for name, pairs in rows.items()}
        yield from rows_of_figures(Part.COVERAGE, lanes.track.name, split, of, ratios)


def _by_person(
    sides: Sequence[FinishedSegments],
) -> Iterator[tuple[Split, str, list[FinishedSegments]]]:
    if not sides:
        return
    yield Split.ALL, "", list(sides)
    people = sorted({side.person for side in sides})
    for person in people if len(people) > 1 else ():
        yield Split.PERSON, person, [side for side in sides if side.person == person]


def _effort_rows(
    round_: Round,
    sides: Sequence[FinishedSegments],
    watched_by_key: Mapping[int, Sequence[Sequence[float]]],
) -> Iterator[FigureRow]:
    """How long people worked, from the times of their gestures, and how much they watched."""
    keys = [side.segmentation_id for side in sides]
    events = SegmentEvent.objects.filter(segmentation__in=keys).exclude(client_id=SITE)
    moments: dict[int, dict[int, datetime]] = defaultdict(dict)
    rows = events.order_by().values_list("segmentation_id", "head", "made_at").distinct()
    by_key = {side.segmentation_id: side for side in sides}
    for key, head, at in rows.iterator(chunk_size=CHUNK_ROWS):
        if by_key[key].has_gesture(head):
            moments[key][head] = at
    works = {}
    for side in sides:
        key = side.segmentation_id
        until = inf if side.until is None else side.until.timestamp()
        watched = map(WatchedSpan.from_list, watched_by_key.get(key, ()))
        spans = joined(span for span in watched if span.at_s <= until)
        duration_s = side.recording.duration_s or 0.0
        watched_s = sum(end_s - start_s for start_s, end_s in spans)
        works[key] = Work(
            work_s=working_s(moments[key].values()),
            duration_s=duration_s,
            segments=len(side.segments),
            gestures=len(moments[key]),
            watched_share=min(1.0, watched_s / duration_s) if duration_s else 0.0,
        )
    for split, of, own in _by_person(sides):
        chosen = [works[side.segmentation_id] for side in own]
        yield from rows_of_figures(
            Part.EFFORT, "", split, of, effort_figures(chosen, options_for(round_, own))
        )


def comparable_rounds(round_: Round) -> list[Round]:
    """The opened rounds of the campaign with the same scheme, in their order."""
    about = round_.segments
    same = Round.objects.filter(
        campaign=round_.campaign_id,
        kind=SEGMENTS,
        opened_at__isnull=False,
        segments__scheme=about.scheme,
        segments__scheme_version=about.scheme_version,
    )
    return list(same.exclude(pk=round_.pk).select_related("segments").order_by("number"))


def round_beside(round_: Round, number: str) -> Round | None:
    """The round to compare this one with, by its number in a request; raises Http404.

    Without a number people are compared with each other, or where edges are locked with the round
    that the segments come from. "0" always compares the people with each other.
    """
    if not number:
        return round_.segments.source_round if round_.segments.has_locked_edges else None
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        raise Http404
    if int(number) == 0:
        return None
    rounds = Round.objects.filter(campaign=round_.campaign_id, kind=SEGMENTS)
    others = rounds.exclude(pk=round_.pk).select_related("guideline", "segments")
    return get_object_or_404(others, number=number)


def revision_of(name: str) -> Revision:
    """The revision that a request names by its value or its key, the first one without a name."""
    if not name:
        return Revision.FIRST
    for revision in Revision:
        if name in (revision.value, revision.name.lower()):
            return revision
    raise Http404


def about_round(round_: Round, against: Round | None, revision: Revision) -> dict[str, str | int]:
    """The columns that identify the round in every row of figures."""
    about = round_.segments
    return {
        "campaign": round_.campaign.name,
        "round": round_.number,
        "phase": round_.phase,
        "stage": about.stage,
        "scheme": about.scheme,
        "scheme_version": about.scheme_version,
        "guideline": round_.guideline.name,
        "against_round": "" if against is None else against.number,
        "revision": revision.value,
        "figures_version": FIGURES_VERSION,
    }
