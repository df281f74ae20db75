"""Read which models may sort the queues of a round."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Phase, Round, User
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import changeable_campaigns
from annotation.selectors.corpus.blinding import refuse_while_rating
from benchmarks.engine.tasks.model_as_rater.columns import titles
from benchmarks.engine.tasks.model_as_rater.screening import Verdict
from benchmarks.models import Assessment, ParticipantKind
from benchmarks.selectors.item_sets import visible_item_sets
from benchmarks.selectors.reports import details_of

TASK = "model_as_rater"


@dataclass(frozen=True, slots=True)
class Screener:
    """A model's answers about traces of a round, which may sort its queues.

    `covered` is how many of the round's traces have answers. `verdicts` by metric come from
    `judged`, an assessment of the same model on a round that people rated; queues may be sorted by
    `metrics`.
    """

    assessment: Assessment
    covered: int
    judged: Assessment | None
    verdicts: dict[Metric, str]

    @property
    def metrics(self) -> list[Metric]:
        return [
            metric for metric, verdict in self.verdicts.items() if verdict != Verdict.NOT_USABLE
        ]

    @property
    def words(self) -> list[tuple[str, str]]:
        names = titles()
        return [(names[metric], verdict) for metric, verdict in self.verdicts.items()]


def get_sortable_round(user: User, public_id: str) -> Round:
    """A round of ratings, training excepted, in one of the user's own campaigns.

    Raises Http404, or HiddenWhileRatingError for who rates in it.
    """
    rounds = Round.objects.filter(kind=RATINGS, campaign__in=changeable_campaigns(user)).exclude(
        phase=Phase.TRAINING
    )
    round_ = get_object_or_404(rounds.select_related("campaign", "ratings"), public_id=public_id)
    refuse_while_rating(user, round_.campaign)
    return round_


def traces_of(round_: Round) -> dict[tuple[int, str], int]:
    """The row ids of a round's traces by data set and the key that items use."""
    rows = Assignment.objects.filter(round=round_).order_by()
    return {
        (dataset, f"trace:{uid}"): trace
        for dataset, uid, trace in rows.values_list(
            "trace__dataset", "trace__uid", "trace"
        ).distinct()
    }


def _own_assessments(user: User) -> QuerySet[Assessment]:
    """Models' final answers as raters, in the sets whose truth the user may see."""
    sets = visible_item_sets(user)
    own = sets if user.is_administrator else sets.filter(owner=user)
    return Assessment.objects.filter(
        kind=ParticipantKind.ENDPOINT, frozen_at__isnull=False, item_set__task=TASK,
        item_set__in=own,
    ).select_related("item_set")  # fmt: skip


def screeners_of(user: User, round_: Round) -> list[Screener]:
    """The models that have answered about traces of the round, the newest answers first."""
    by_dataset: dict[int, set[str]] = defaultdict(set)
    for dataset, name in traces_of(round_):
        by_dataset[dataset].add(name)
    screeners = []
    covered: dict[int, int] = {}
    own = _own_assessments(user).order_by("-frozen_at")
    for row in own.filter(item_set__dataset__in=list(by_dataset)):
        item_set = row.item_set
        if item_set.pk not in covered:
            names = item_set.items.order_by().values_list("source_recording", flat=True).distinct()
            covered[item_set.pk] = len(by_dataset[item_set.dataset_id or 0].intersection(names))
        if covered[item_set.pk]:
            # The latest assessment of the same model that was compared with people's answers.
            judged = own.filter(
                item_set__task_version=item_set.task_version,
                settings__model=row.settings["model"],
                settings__server=row.settings["server"],
                figures__measure="alpha_mean",
                figures__group="",
            ).first()
            verdicts = {} if judged is None else _verdicts(judged)
            screeners.append(Screener(row, covered[item_set.pk], judged, verdicts))
    return screeners


def get_screener(user: User, round_: Round, public_id: str) -> Screener:
    for screener in screeners_of(user, round_):
        if screener.assessment.public_id == public_id:
            return screener
    raise Http404


def _verdicts(judged: Assessment) -> dict[Metric, str]:
    metrics = {title: metric for metric, title in titles().items()}
    table = next(table for table in details_of(judged) if table.key == "verdict")
    return {metrics[str(row.label.value)]: str(row.cells["verdict"].value) for row in table.rows()}
