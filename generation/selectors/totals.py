"""Sums over the takes of a run so far: their plans, their texts, their videos."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, Sum

from generation.engine.judging.judging import JudgedStatus
from generation.engine.stages import Stage
from generation.models import JudgeFinding, Run, RunTake, TakeJudgement
from generation.selectors.runs import WITHHELD


@dataclass(frozen=True, slots=True)
class PlanTotals:
    """Sums over the plans of a run so far."""

    plan_count: int
    error_count: int
    correction_count: int
    empty_count: int
    warning_count: int


@dataclass(frozen=True, slots=True)
class CodeCount:
    """How often the judge found one kind of fault in a run, before and after repairs."""

    code: str
    severity: str
    found_count: int
    left_count: int


@dataclass(frozen=True, slots=True)
class TextQuality:
    """How many texts of a run were judged, are valid, and were checked for sense, and by what.

    Valid: no hard finding is left. `sense_checked_count` of the judged texts were judged since
    there are checks of sense, and `sense_clean_count` of those have none of their findings left.
    """

    judged_count: int
    valid_count: int
    sense_checked_count: int
    sense_clean_count: int
    sense_checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextTotals:
    """Sums over the texts of a run so far; `broken_count` of them break the freeform contract."""

    written_count: int
    broken_count: int
    clean_count: int
    repaired_count: int
    hard_left: int
    soft_left: int
    published_count: int
    withheld_count: int
    codes: tuple[CodeCount, ...]
    quality: TextQuality

    @property
    def judged_count(self) -> int:
        return self.quality.judged_count


@dataclass(frozen=True, slots=True)
class VideoTotals:
    """Sums over the videos of a run so far; `packet_count` were spliced without re-encoding.

    `placeholder_count` of the published traces have a recording of placeholders.
    """

    made_count: int
    skipped_count: int
    packet_count: int
    clip_count: int
    duration_s: float
    seconds: float
    placeholder_count: int


@dataclass(frozen=True, slots=True)
class RunTotals:
    """Sums over everything that a run makes; None for what it does not."""

    plans: PlanTotals
    texts: TextTotals | None
    videos: VideoTotals | None


# What is summed over the takes of a run; the first word says of which totals it is a part.
_HAS_TEXT, _HAS_VIDEO = Q(rewrite__isnull=False), Q(made_video__isnull=False)
_PUBLISHED = Q(published_trace__isnull=False)
_SUMS = {
    "plan": {
        "plan_count": Count("plan"),
        "error_count": Sum("plan__error_count", default=0),
        "correction_count": Sum("plan__correction_count", default=0),
        "empty_count": Count("plan", filter=Q(plan__error_count=0)),
        "warning_count": Count("plan", filter=Q(plan__warning_count__gt=0)),
    },
    "text": {
        "written_count": Count("rewrite"),
        "broken_count": Count("pk", filter=_HAS_TEXT & ~Q(rewrite__problems=[])),
        "clean_count": Count("pk", filter=Q(judgement__status=JudgedStatus.OK)),
        "repaired_count": Count("pk", filter=Q(judgement__changed_words__gt=0)),
        "hard_left": Sum("judgement__hard_left", default=0),
        "soft_left": Sum("judgement__soft_left", default=0),
        "published_count": Count("published_trace"),
        "withheld_count": Count("pk", filter=WITHHELD),
    },
    "video": {
        "made_count": Count("pk", filter=_HAS_VIDEO & Q(made_video__skipped="")),
        "skipped_count": Count("pk", filter=_HAS_VIDEO & ~Q(made_video__skipped="")),
        "packet_count": Count("pk", filter=Q(made_video__splice_path="packets")),
        "clip_count": Sum("made_video__clip_count", default=0),
        "duration_s": Sum("made_video__duration_s", default=0.0),
        "seconds": Sum("made_video__seconds", default=0.0),
        "placeholder_count": Count(
            "pk",
            filter=_PUBLISHED
            & Q(published_trace__trace__has_placeholders=True)
            & Q(published_trace__trace__video__isnull=False),
        ),
    },
}


def run_totals(run: Run) -> RunTotals:
    """The sums over a run (one query, and two more of its texts)."""
    sums = {f"{kind}_{name}": sum_ for kind, of in _SUMS.items() for name, sum_ in of.items()}
    sums |= {f"quality_{name}": sum_ for name, sum_ in _quality_counts("judgement__").items()}
    row = RunTake.objects.filter(run=run).aggregate(**sums)
    parts: dict[str, dict[str, Any]] = {}
    for name, value in row.items():
        kind, _, field = name.partition("_")
        parts.setdefault(kind, {})[field] = value
    texts = videos = None
    if Stage.WRITE in run.stages:
        if Stage.PUBLISH not in run.stages:
            parts["text"]["withheld_count"] = 0
        quality = _quality(run, parts["quality"])
        texts = TextTotals(**parts["text"], codes=finding_counts(run), quality=quality)
    if Stage.VIDEO in run.stages:
        videos = VideoTotals(**parts["video"])
    return RunTotals(PlanTotals(**parts["plan"]), texts, videos)


def _quality_counts(judgement: str) -> dict[str, Count]:
    """What `TextQuality` counts, of rows whose columns of the judgement begin with a prefix."""
    judged = Q(**{f"{judgement}hard_left__isnull": False})
    is_valid = Q(**{f"{judgement}hard_left": 0})
    is_checked = judged & ~Q(**{f"{judgement}sense_checks": []})
    has_sense = Q(**{f"{judgement}sense_left": 0})
    return {
        "judged_count": Count("pk", filter=judged),
        "valid_count": Count("pk", filter=is_valid),
        "sense_checked_count": Count("pk", filter=is_checked),
        "sense_clean_count": Count("pk", filter=is_checked & has_sense),
    }


def text_quality(run: Run) -> TextQuality:
    """How many texts are valid and checked for sense (two queries)."""
    judgements = TakeJudgement.objects.filter(run_take__run=run)
    return _quality(run, judgements.aggregate(**_quality_counts("")))


def _quality(run: Run, counts: Mapping[str, int]) -> TextQuality:
    checked = TakeJudgement.objects.filter(~Q(sense_checks=[]), run_take__run=run)
    latest = checked.order_by("judged_at").values_list("sense_checks", flat=True).last()
    return TextQuality(**counts, sense_checks=tuple(latest or ()))


def finding_counts(run: Run) -> tuple[CodeCount, ...]:
    """The findings of a run by code, hard and frequent ones first (one query)."""
    rows = (
        JudgeFinding.objects.filter(judgement__run_take__run=run)
        .order_by()
        .values_list("code", "severity")
        .annotate(
            found=Count("pk", filter=Q(is_left=False)), left=Count("pk", filter=Q(is_left=True))
        )
        .order_by("severity", "-found", "code")
    )
    return tuple(CodeCount(*row) for row in rows)
