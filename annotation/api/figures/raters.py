"""Endpoints of a round's raters: figures, screening with its decisions, plans, hours."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from typing import Any, cast, overload

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from annotation.analytics.raters.planner import PlannedWidth
from annotation.analytics.raters.rater_report import (
    AlphaOfSome,
    MetricOfRater,
    PairOfRaters,
    RaterFigures,
)
from annotation.analytics.raters.raters import Drift, Estimate, LongestRun
from annotation.analytics.raters.screening_terms import Thresholds
from annotation.api.figures.figures import BEING_COMPUTED, being_computed
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.engine.rubric.rubric import current_rubric
from annotation.launch import launch_screening, raters_to_show
from annotation.models import Round, ScreeningResult
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.figures.audit_plans import meeting_table, plan_with
from annotation.selectors.figures.rater_figures import (
    WorkedHours,
    get_changeable_round,
    get_readable_round,
    worked_hours,
)
from annotation.selectors.figures.stored_raters import StoredRaters
from annotation.selectors.ratings.screening import (
    raters_of_round,
    screening_plan,
    screening_results,
)
from annotation.services.ratings.screening import decide_on_rater, set_thresholds

DEFAULT_ALPHA = 0.667


class EstimateSerializer(DataclassSerializer[Estimate]):
    """A figure with its 95% interval over traces, or the reason why there is none."""


class DriftSerializer(DataclassSerializer[Drift]):
    """Bias by fifths of the rater's own order, and its change from first to last."""

    change = EstimateSerializer()


class LongestRunSerializer(DataclassSerializer[LongestRun]):
    """The longest run of one typed value."""


class RaterMetricSerializer(DataclassSerializer[MetricOfRater]):
    bias = EstimateSerializer()
    drift = DriftSerializer()
    run = LongestRunSerializer(allow_null=True)


class RaterFiguresSerializer(DataclassSerializer[RaterFigures]):
    """One rater of a round; gold, traps and repeats are (right, all)."""

    metrics = RaterMetricSerializer(many=True)
    self_agreement = serializers.FloatField(allow_null=True)


class RaterPairSerializer(DataclassSerializer[PairOfRaters]):
    """Two raters on one metric: what both rated, and their alpha there."""


class StoredPageSerializer(serializers.Serializer[None]):
    """A page of what is stored of a round's raters; `next` is where more are."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    computed_at = serializers.DateTimeField()
    newer_ratings = serializers.IntegerField()


class RoundRatersSerializer(StoredPageSerializer):
    """A page of the raters of a round, by name."""

    raters = RaterFiguresSerializer(many=True)


class RoundPairsSerializer(StoredPageSerializer):
    """A page of every two raters on every metric."""

    pairs = RaterPairSerializer(many=True)


class ScreeningResultSerializer(serializers.ModelSerializer[ScreeningResult]):
    """What a rule found or a person decided (rule "decision") of a rater."""

    rater = serializers.CharField(source="rater.username")
    made_by = serializers.CharField(source="made_by.username", allow_null=True, default=None)

    class Meta:
        model = ScreeningResult
        fields = [
            "rater", "rule", "metric", "value", "threshold", "state", "reason", "made_by",
            "made_at",
        ]  # fmt: skip


class ThresholdsSerializer(Body):
    """Where rules draw their lines; what is left out stays as it is."""

    def get_fields(self) -> dict[str, Any]:
        return {
            item.name: serializers.FloatField(**item.metadata, required=False)
            for item in fields(Thresholds)
        }


class SideSerializer(DataclassSerializer[AlphaOfSome]):
    """Alpha of some of the raters, with its interval, or the reason why there is none."""


class BothSidesSerializer(serializers.Serializer[Any]):
    """Agreement on one metric of one data set, with everybody and with the accepted."""

    dataset_name = serializers.CharField(source="dataset")
    metric = serializers.CharField()
    everybody = SideSerializer()
    accepted = SideSerializer()


class ScreeningSerializer(serializers.Serializer[None]):
    """`run_at` is null until the rules were run; `accepted` is without the `not_accepted`.

    `results` come in pages; `next` is where more are.
    """

    thresholds = serializers.DictField(child=serializers.FloatField())
    run_at = serializers.DateTimeField(allow_null=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = ScreeningResultSerializer(many=True)
    not_accepted = serializers.ListField(child=serializers.CharField())
    agreement = BothSidesSerializer(many=True)


class RaterDecisionSerializer(Body):
    rater = serializers.CharField()
    decision = serializers.ChoiceField(choices=["accepted", "excluded"])
    why = serializers.CharField(max_length=2000)


class WidthSerializer(DataclassSerializer[PlannedWidth]):
    """The middle 95% of alpha over simulated audits, or the reason why there is none."""

    width = serializers.FloatField(allow_null=True)


class MetricPlanSerializer(serializers.Serializer[None]):
    metric = serializers.CharField()
    widths = WidthSerializer(many=True)
    rarest_share = serializers.FloatField(allow_null=True)
    required_units = serializers.FloatField(allow_null=True)


class MeetingsSerializer(serializers.Serializer[None]):
    """How many traces every two raters share; null with oneself."""

    raters = serializers.ListField(child=serializers.CharField())
    table = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(allow_null=True))
    )
    is_planned = serializers.BooleanField()


class RoundPlanSerializer(serializers.Serializer[None]):
    """What the round tells about the next: times, widths of intervals, and who meets whom."""

    traces = serializers.IntegerField()
    raters = serializers.IntegerField()
    events_per_trace = serializers.FloatField(allow_null=True)
    minutes_per_event = serializers.FloatField(allow_null=True)
    timed_traces = serializers.IntegerField()
    metrics = MetricPlanSerializer(many=True)
    meetings = MeetingsSerializer()


class HoursSerializer(DataclassSerializer[WorkedHours]):
    """What a person has worked in a round; pauses are cut at five minutes."""


PAGE_PARAMETERS = [
    OpenApiParameter("page", int, description="Which page, from 1"),
    OpenApiParameter("page_size", int, description="Rows on a page: 50, at most 500"),
]
NO_PAGE = OpenApiResponse(description="No such round, or no such page")


class RoundRaters(ResearcherEndpoint):
    @extend_schema(
        operation_id="round_raters",
        parameters=PAGE_PARAMETERS,
        responses={200: RoundRatersSerializer, 202: BEING_COMPUTED, 404: NO_PAGE},
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Return how each rater of a round rates beside the others."""
        round_ = get_readable_round(self.user, public_id, number)
        figures = raters_to_show(round_=round_, actor=self.user)
        rows = _Rows(len(figures.figures), figures.figures.as_json)
        return _page_of(request, figures, "raters", rows)


class RoundRaterPairs(ResearcherEndpoint):
    @extend_schema(
        operation_id="round_rater_pairs",
        parameters=PAGE_PARAMETERS,
        responses={200: RoundPairsSerializer, 202: BEING_COMPUTED, 404: NO_PAGE},
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Return how every two raters of a round agree on each metric."""
        round_ = get_readable_round(self.user, public_id, number)
        figures = raters_to_show(round_=round_, actor=self.user)
        rows = _Rows(
            figures.pair_count,
            lambda start, stop: [asdict(pair) for pair in figures.named_pairs(start, stop)],
        )
        return _page_of(request, figures, "pairs", rows)


class _Rows(Sequence[dict[str, Any]]):
    """Stored rows for pages: counted, and read where a page begins."""

    def __init__(self, count: int, read: Callable[[int, int], list[dict[str, Any]]]) -> None:
        self._count, self._read = count, read

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(place, int):
            return self._read(place, place + 1)[0]
        return self._read(place.start, place.stop)


def _pages() -> PageNumberPagination:
    return cast("type[PageNumberPagination]", api_settings.DEFAULT_PAGINATION_CLASS)()


def _page_of(request: Request, figures: StoredRaters, name: str, rows: _Rows) -> Response:
    if figures.content is None:
        return being_computed(figures.error)
    pages = _pages()
    shown = pages.paginate_queryset(rows, request) or []
    return Response(
        {
            "count": len(rows),
            "next": pages.get_next_link(),
            "previous": pages.get_previous_link(),
            name: shown,
            "computed_at": figures.computed_at,
            "newer_ratings": figures.newer_count,
        }
    )


class RoundScreening(ResearcherEndpoint):
    @extend_schema(
        operation_id="round_screening",
        parameters=PAGE_PARAMETERS,
        responses={200: ScreeningSerializer, 202: BEING_COMPUTED, 404: NO_PAGE},
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Return what the rules found when they were last run, and what people decided."""
        return _screening(request, get_readable_round(self.user, public_id, number))

    @extend_schema(
        operation_id="round_screening_run",
        request=ThresholdsSerializer,
        responses={200: ScreeningSerializer, 202: BEING_COMPUTED},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Run the rules; thresholds in the body are kept first. Nobody is left out by that."""
        round_ = get_changeable_round(self.user, public_id, number)
        body = ThresholdsSerializer.read(request)
        if body:
            stored = asdict(Thresholds(**screening_plan(round_).thresholds))
            set_thresholds(round_=round_, thresholds=Thresholds(**(stored | body)), actor=self.user)
        launch_screening(round_=round_, actor=self.user)
        return _screening(request, round_)


class RoundScreeningDecision(ResearcherEndpoint):
    @extend_schema(
        operation_id="round_screening_decide",
        request=RaterDecisionSerializer,
        responses=ScreeningResultSerializer,
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Accept or exclude a rater of the round, with the reason."""
        round_ = get_changeable_round(self.user, public_id, number)
        body = RaterDecisionSerializer.read(request)
        rater = get_object_or_404(raters_of_round(round_), username=body["rater"])
        result = decide_on_rater(
            round_=round_,
            rater=rater,
            is_excluded=body["decision"] == "excluded",
            why=body["why"],
            actor=self.user,
        )
        return Response(ScreeningResultSerializer(result).data)


class RoundPlan(ResearcherEndpoint):
    @extend_schema(
        operation_id="round_audit_plan",
        parameters=[
            OpenApiParameter(
                "alpha", float, default=DEFAULT_ALPHA, description="Alpha that is to be shown"
            )
        ],
        responses={
            200: RoundPlanSerializer,
            202: BEING_COMPUTED,
            400: OpenApiResponse(OpenApiTypes.OBJECT, description="`alpha` is not from 0 to .99."),
        },
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Return what an audit would cost and how sure it would be, told from this round."""
        round_ = get_readable_round(self.user, public_id, number)
        field = serializers.FloatField(min_value=0, max_value=0.99)
        try:
            alpha = field.run_validation(request.query_params.get("alpha", DEFAULT_ALPHA))
        except serializers.ValidationError as error:
            raise serializers.ValidationError({"alpha": error.detail}) from error
        figures = raters_to_show(round_=round_, actor=self.user)
        content = figures.content
        if content is None:
            return being_computed(figures.error)
        pilot, meeting = content.pilot, meeting_table(round_)
        rubric_ = current_rubric()
        plans = [
            plan_with(rubric_.definition(item.metric), item.widths, item.rarest_share, alpha)
            for item in content.plans
        ]
        return Response(
            {
                "traces": pilot.trace_count,
                "raters": pilot.rater_count,
                "events_per_trace": pilot.events_per_trace,
                "minutes_per_event": pilot.minutes_per_event,
                "timed_traces": pilot.timed_traces,
                "metrics": [plan.to_dict() for plan in plans],
                "meetings": {
                    "raters": meeting.names,
                    "table": [counts for _, counts in meeting.rows],
                    "is_planned": meeting.is_planned,
                },
            }
        )


class CampaignHours(ResearcherEndpoint):
    @extend_schema(operation_id="campaign_hours", responses=HoursSerializer(many=True))
    def get(self, request: Request, public_id: str) -> Response:
        """Return what each person has worked in each round."""
        campaign = get_readable_campaign(self.user, public_id)
        return Response(HoursSerializer(worked_hours(campaign), many=True).data)


def _screening(request: Request, round_: Round) -> Response:
    plan = screening_plan(round_)
    if plan.is_being_computed:
        return being_computed("")
    figures = raters_to_show(round_=round_, actor=signed_in_user(request))
    content = figures.content
    if content is None:
        return being_computed(figures.error)
    pages = _pages()
    results = pages.paginate_queryset(screening_results(round_), request) or []
    names = dict(zip(content.rater_ids, content.names, strict=True))
    return Response(
        {
            "thresholds": asdict(Thresholds(**plan.thresholds)),
            "run_at": plan.run_at,
            "next": pages.get_next_link(),
            "previous": pages.get_previous_link(),
            "results": ScreeningResultSerializer(results, many=True).data,
            "not_accepted": [name for key, name in names.items() if key in content.left_out],
            "agreement": BothSidesSerializer(content.both, many=True).data,
        }
    )
