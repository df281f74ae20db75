"""What a rater has read of the guideline, what is new in it since, and how long a trace takes."""

from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Q

from annotation.engine.campaigns.guideline_difference import EntryChange, changed_entries
from annotation.engine.campaigns.workload import about
from annotation.engine.rubric.rubric import rubric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    GuidelineVersion,
    Phase,
    Round,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.rounds import guideline_text, rounds_of_rater
from annotation.selectors.ratings.queue import working_times

# So many of the latest traces that anybody submitted tell how long one takes.
TIMED = 50


@dataclass(frozen=True, slots=True)
class CampaignPace:
    """How long a trace took people of a campaign; `text` is empty while nobody has done one."""

    text: str
    trace_count: int


def version_to_announce(user: User, round_: Round) -> GuidelineVersion | None:
    """The version that the rater knows, where the round has another one they have not confirmed.

    They know the one that they confirmed last, else that of the last round they worked in. At most
    2 queries.
    """
    versions = GuidelineVersion.objects.filter(campaign=round_.campaign_id, kind=round_.kind)
    read = list(versions.filter(readings__rater=user).order_by("-readings__read_at"))
    if any(version.pk == round_.guideline_id for version in read):
        return None
    begun = Q(rounds__assignments__started_at__isnull=False) | Q(
        rounds__assignments__status=AssignmentStatus.SUBMITTED
    )
    worked = Q(rounds__assignments__rater=user, rounds__number__lt=round_.number)
    before = read[0] if read else versions.filter(begun, worked).order_by("-rounds__number").first()
    if before is None or before.pk == round_.guideline_id:
        return None
    current = round_.guideline
    is_same = (before.text, before.examples) == (current.text, current.examples)
    return None if is_same else before


def news_between(before: GuidelineVersion, after: GuidelineVersion) -> list[EntryChange]:
    """What differs word by word; nothing where one of the texts was not recorded."""
    return changed_entries(before.text, after.text) if before.text and after.text else []


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


def pace_of(campaign_id: int) -> CampaignPace:
    """How long the latest submitted traces of the campaign took, training left out."""
    submitted = Assignment.objects.filter(
        round__campaign=campaign_id, status=AssignmentStatus.SUBMITTED
    ).exclude(round__phase=Phase.TRAINING)
    latest = submitted.order_by("-submitted_at").values_list("pk", flat=True)[:TIMED]
    seconds = list(working_times(latest).values())
    return CampaignPace(about(median(seconds)) if seconds else "", len(seconds))


def first_open_round(user: User, campaign_id: int) -> Round | None:
    """Where somebody who has joined begins: with the training, else the round opened last."""
    rounds = rounds_of_rater(user, RATINGS).filter(campaign=campaign_id, closed_at__isnull=True)
    ordered = sorted(rounds, key=lambda item: (item.phase != Phase.TRAINING, -item.number))
    return ordered[0] if ordered else None
