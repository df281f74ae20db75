"""Rows of figures on corrections, and on the answers “no” of audits."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from annotation.models import Round
from segments.engine.difference import differences
from segments.engine.model import Segment
from segments.engine.model import Segmentation as SegmentationValue
from segments.engine.scheme import Scheme
from segments.measures.corrections import Corrected, correction_figures
from segments.measures.figures import Options, ratio_summary
from segments.measures.report import FigureRow, Part, Revision, Split, rows_of_figures
from segments.models import Segmentation, SegmentCheck, SegmentEvent, Stage
from segments.selectors.lanes import FinishedSegments, present, sides_of_round
from segments.selectors.reading import CHUNK_ROWS, SITE, stream_segments


def options_for(round_: Round, sides: Sequence[FinishedSegments]) -> Options:
    """Options that resample the segmentations of one recording together."""
    places: dict[object, int] = {}
    groups = [places.setdefault(side.recording.key, len(places)) for side in sides]
    return Options(np.random.default_rng(round_.seed), groups=np.array(groups, dtype=np.int64))


def correction_rows(round_: Round, sides: Sequence[FinishedSegments]) -> Iterator[FigureRow]:
    """How people changed the segments that they started with; none for audits and locked edges."""
    about = round_.segments
    if about.stage == Stage.AUDIT or about.has_locked_edges:
        return
    starting = _starting_segments(round_, sides)
    corrected, held = [], []
    for side in sides:
        if not starting.get(side.segmentation_id):
            continue
        after = SegmentationValue({item.key: item for item in side.segments})
        before = SegmentationValue({item.key: item for item in starting[side.segmentation_id]})
        changes = differences(before, after)
        times = [
            (item.before.span, item.after.span)
            for item in changes
            if item.before is not None and item.before.start_s is not None
            and item.after is not None and item.after.start_s is not None
        ]  # fmt: skip
        edges = np.array(times, dtype=np.float64).reshape(-1, 2, 2)
        words = Counter(word for item in changes for word in item.words)
        corrected.append(Corrected(edges[:, 0], edges[:, 1], dict(words), len(changes)))
        held.append(side)
    if corrected:
        figures = correction_figures(corrected, options_for(round_, held))
        yield from rows_of_figures(Part.CORRECTIONS, "", Split.ALL, "", figures)


def _starting_segments(
    round_: Round, sides: Sequence[FinishedSegments]
) -> dict[int, list[Segment]]:
    """The segments that each person started with, by segmentation: those that the site logged.

    Work without such a log, as in an adjudication, takes those of the work that it is based on.
    """
    keys = [side.segmentation_id for side in sides]
    events = SegmentEvent.objects.filter(segmentation__in=keys, client_id=SITE)
    by_key = {side.segmentation_id: side for side in sides}
    logged: dict[int, dict[str, Segment]] = defaultdict(dict)
    for key, head, after in (
        events.order_by("segmentation_id", "head")
        .values_list("segmentation_id", "head", "after")
        .iterator(chunk_size=CHUNK_ROWS)
    ):
        if by_key[key].has_gesture(head):
            logged[key][after["key"]] = Segment(**after)
    starting = {key: list(present(of_one.values())) for key, of_one in logged.items()}
    links = Segmentation.objects.filter(round=round_, pk__in=set(keys) - starting.keys())
    sources = links.values_list("pk", "recording__source_segmentation", "based_on")
    bases = {key: source or base for key, source, base in sources}
    based_on = Segmentation.objects.filter(pk__in=[base for base in bases.values() if base])
    segments = dict(stream_segments(based_on))
    starting |= {key: list(present(segments.get(base, []))) for key, base in bases.items() if base}
    return starting


def answer_rows(
    round_: Round, scheme: Scheme, sides: Sequence[FinishedSegments], revision: Revision
) -> Iterator[FigureRow]:
    """How many segments got a “no”; a second audit has rows before, after and on controls."""
    if round_.segments.stage != Stage.AUDIT:
        return
    corrected = round_.segments.source_round
    if corrected is None or corrected.segments.stage != Stage.CORRECT:
        yield from _no_rows(round_, scheme, sides, Split.ALL)
        return
    real = [side for side in sides if not side.recording.is_control]
    first = corrected.segments.source_round
    if first is not None:
        keys = {side.recording.key for side in real}
        before = [side for side in sides_of_round(first, revision) if side.recording.key in keys]
        yield from _no_rows(round_, scheme, before, Split.BEFORE)
    yield from _no_rows(round_, scheme, real, Split.AFTER)
    controls = [side for side in sides if side.recording.is_control]
    yield from _no_rows(round_, scheme, controls, Split.CONTROLS)


def _no_rows(
    round_: Round, scheme: Scheme, sides: Sequence[FinishedSegments], split: Split
) -> Iterator[FigureRow]:
    """Shares of “no” among answered segments; answers about an older revision do not count."""
    checks = SegmentCheck.objects.filter(segmentation__in=[side.segmentation_id for side in sides])
    fields = "segmentation_id", "key", "question", "segment_revision", "answer", "received_at"
    by_key = {side.segmentation_id: side for side in sides}
    latest = {
        (segmentation, key, question): (revision, answer)
        for segmentation, key, question, revision, answer, at in checks.order_by("pk")
        .values_list(*fields)
        .iterator(chunk_size=CHUNK_ROWS)
        if by_key[segmentation].has_moment(at)
    }
    counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for side in sides:
        answered: Counter[str] = Counter()
        denied: Counter[str] = Counter()
        for item in side.segments:
            answers = {}
            for question in scheme.questions:
                revision, answer = latest.get(
                    (side.segmentation_id, item.key, question.name), (0, True)
                )
                if revision == item.revision:
                    answers[f"no_{question.name}"] = answer
            if answers:
                answers["no_any"] = all(answers.values())
            answered.update(answers.keys())
            denied.update(name for name, answer in answers.items() if not answer)
        for name in ("no_any", *(f"no_{question.name}" for question in scheme.questions)):
            counts[name].append((denied[name], answered[name]))
    options = options_for(round_, sides)
    figures = {
        name: ratio_summary(pairs, options, n=sum(answered for _, answered in pairs))
        for name, pairs in counts.items()
    }
    yield from rows_of_figures(Part.ANSWERS, "", split, "", figures)
