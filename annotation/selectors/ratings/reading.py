"""The guideline of a round of ratings by question, and how long a trace takes."""

from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, QuerySet

from annotation.engine.campaigns.workload import about, estimate_s
from annotation.engine.counting import counted
from annotation.engine.rubric.rubric import rubric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Phase,
    Round,
)
from annotation.selectors.campaigns.rounds import guideline_text
from annotation.selectors.ratings.queue import working_times

# So many of the latest traces that anybody submitted tell how long one takes.
TIMED = 50


@dataclass(frozen=True, slots=True)
class CampaignPace:
    """How long a trace took people of a campaign; `text` is empty while nobody has done one."""

    text: str
    trace_count: int


def guideline_sections(round_: Round) -> list[dict[str, Any]]:
    """The guideline of a round by metric: what is read of a mistake, a correction, the trace."""
    text = guideline_text(round_)
    examples = [
        {**example, "place": place} for place, example in enumerate(round_.guideline.examples)
    ]
    return [
        {
            "definition": definition,
            "texts": [
                (subject, entry)
                for (metric, subject), entry in text.texts.items()
                if metric is definition.metric
            ],
            "examples": [
                example for example in examples if example["metric"] == definition.metric.value
            ],
        }
        for definition in rubric(round_.ratings.rubric_version).metrics
    ]


@dataclass(frozen=True, slots=True)
class RoundSize:
    """What opening a round gives people to do; `each` is the time of one person, "" if unknown.

    `unit_s` is the time for an event, None while nobody has finished a trace of the campaign.
    """

    trace_count: int
    event_count: int
    each: str
    unit_s: float | None

    @property
    def words(self) -> str:
        """As in "5 traces, 26 events, about 40 minutes each"."""
        parts = [counted(self.trace_count, "trace"), counted(self.event_count, "event")]
        return ", ".join([*parts, f"about {self.each} each"] if self.each else parts)

    def time_of(self, event_count: int) -> str:
        """How long a trace of so many events takes a rater, "" if unknown."""
        return "" if self.unit_s is None else about(self.unit_s * (event_count + 1))


def size_of_round(round_: Any) -> RoundSize:
    """Told from how long the latest traces of the campaign took per event (4 queries at most).

    `round_` as `rounds_with_progress` counts it.
    """
    counts = round_.ratings.traces.aggregate(
        traces=Count("pk", distinct=True), events=Count("events", distinct=True)
    )
    latest = _latest(round_.campaign_id)
    seconds = working_times(latest)
    events = Assignment.objects.filter(pk__in=seconds).annotate(count=Count("trace__events"))
    finished = [(seconds[pk], count + 1) for pk, count in events.values_list("pk", "count")]
    unit_s = estimate_s(finished, 1)
    total_s = (unit_s or 0) * (counts["events"] + counts["traces"])
    people = round_.rater_count
    each = about(total_s * round_.overlap / people) if total_s and people else ""
    return RoundSize(counts["traces"], counts["events"], each, unit_s)


def pace_of(campaign_id: int) -> CampaignPace:
    """How long the latest submitted traces of the campaign took, training left out."""
    seconds = list(working_times(_latest(campaign_id)).values())
    return CampaignPace(about(median(seconds)) if seconds else "", len(seconds))


def _latest(campaign_id: int) -> QuerySet[Assignment, int]:
    """The traces of the campaign that were submitted last, training left out."""
    submitted = Assignment.objects.filter(
        round__campaign=campaign_id, status=AssignmentStatus.SUBMITTED
    ).exclude(round__phase=Phase.TRAINING)
    return submitted.order_by("-submitted_at").values_list("pk", flat=True)[:TIMED]
