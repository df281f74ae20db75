"""Endpoints of agreement: stored figures of a campaign or data set, each with its age."""

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.analytics.agreement import comparisons, report
from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.agreement.report import ReportRow
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.launch import figures_to_show
from annotation.models import Dataset
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.corpus.corpus import get_dataset_for_user
from annotation.selectors.figures.figures import (
    Figures,
    FiguresOptions,
    scope_of_campaign,
    scope_of_dataset,
    viewing_by_name,
)
from annotation.selectors.figures.report import Grouping

ASK_AGAIN_S = 2


class FreshnessSerializer(serializers.Serializer[None]):
    """When the figure was computed, and how many changes of ratings came in since."""

    computed_at = serializers.DateTimeField()
    newer_ratings = serializers.IntegerField()


class ReportRowSerializer(DataclassSerializer[ReportRow], FreshnessSerializer):
    """One metric of one data set and round: what `agreement --json` prints, its age, ids.

    `dataset` is null where the data set was renamed since the figure was computed.
    """

    dataset = serializers.CharField(allow_null=True)
    dataset_name = serializers.CharField()
    undefined_share = serializers.FloatField(allow_null=True)

    class Meta:
        fields = report.COLUMNS


class ComparisonSerializer(DataclassSerializer[Comparison], FreshnessSerializer):
    """First minus second alpha of a metric: of two data sets, or of two rounds of one.

    `corrected_p` is the two-sided p after Benjamini and Hochberg over `family_size` differences.
    """

    class Meta:
        fields = comparisons.COLUMNS
        help_texts = {
            "dataset": "Empty where two data sets are compared",
            "rated_in": "The round of two data sets, where it is the same",
            "is_exploratory": "Whether a filed protocol does not name it",
        }


class RaterViewingSerializer(FreshnessSerializer):
    """How many of a rater's answers were given to what had been watched of the event before.

    `known` are the answers of traces with a video of which that is known: of these, `unseen` were
    given with nothing of the event watched, `half_seen` with less than half of it.
    """

    rater = serializers.CharField()
    answers = serializers.IntegerField()
    known = serializers.IntegerField()
    unseen = serializers.IntegerField()
    half_seen = serializers.IntegerField()


class BeingComputedSerializer(serializers.Serializer[None]):
    """There is nothing yet; `Retry-After` says in how many seconds to ask again."""

    detail = serializers.CharField()


BEING_COMPUTED = OpenApiResponse(
    BeingComputedSerializer, description="Being computed for the first time; ask again later."
)


def being_computed(error: str) -> Response:
    """`error` is why the last attempt failed, "" where none did."""
    detail = "The figures are being computed; ask again later."
    if error:
        detail = f"The figures could not be computed and will be tried again: {error}"
    return _ask_again(detail)


def being_drawn(error: str) -> Response:
    """As `being_computed`, of a picture."""
    detail = "The picture is being drawn; ask again later."
    if error:
        detail = f"The picture could not be drawn and will be tried again: {error}"
    return _ask_again(detail)


def _ask_again(detail: str) -> Response:
    return Response(
        {"detail": detail},
        status=status.HTTP_202_ACCEPTED,
        headers={"Retry-After": str(ASK_AGAIN_S)},
    )


def _answer(figures: Figures, rows: list[dict[str, object]]) -> Response:
    """The rows with their age, or 202 while there are none yet."""
    if figures.computed_at is None:
        return being_computed(figures.error)
    return Response([row | figures.freshness() for row in rows])


def _report_rows(figures: Figures, datasets: QuerySet[Dataset]) -> list[dict[str, object]]:
    ids = dict(datasets.values_list("name", "public_id"))
    return [
        {**row.to_dict(), "dataset": ids.get(row.dataset), "dataset_name": row.dataset}
        for row in figures.rows
    ]


NOT_SO = OpenApiResponse(OpenApiTypes.OBJECT, description="An option has a value it cannot have.")
OPTIONS = [
    OpenApiParameter(
        "informed",
        enum=["yes", "no"],
        default="no",
        description="Whether answers of people who could see the sources before are counted too",
    ),
    OpenApiParameter(
        "submitted",
        enum=["yes", "no"],
        default="no",
        description="Whether only traces that their rater has submitted are counted",
    ),
    OpenApiParameter(
        "rows",
        enum=list(Grouping),
        default=Grouping.ROUND,
        description="One row per round, per guideline version, or one of all rounds pooled",
    ),
]


def _options(request: Request) -> FiguresOptions:
    chosen = {
        name: request.query_params.get(name, default)
        for name, default in (("informed", "no"), ("submitted", "no"), ("rows", Grouping.ROUND))
    }
    for name in ("informed", "submitted"):
        if chosen[name] not in ("yes", "no"):
            raise serializers.ValidationError({name: ["expected yes or no"]})
    if chosen["rows"] not in list(Grouping):
        raise serializers.ValidationError({"rows": [f"expected {', '.join(Grouping)}"]})
    return FiguresOptions(
        is_submitted_only=chosen["submitted"] == "yes",
        has_informed=chosen["informed"] == "yes",
        grouping=Grouping(chosen["rows"]),
    )


class CampaignReport(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_agreement",
        parameters=OPTIONS,
        responses={200: ReportRowSerializer(many=True), 202: BEING_COMPUTED, 400: NOT_SO},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return agreement and aggregate of every data set, metric and round of a campaign."""
        campaign = get_readable_campaign(self.user, public_id)
        scope = scope_of_campaign(campaign, _options(request))
        figures = figures_to_show(scope=scope, actor=self.user)
        return _answer(figures, _report_rows(figures, campaign.datasets.all()))


class CampaignComparisons(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_comparisons",
        parameters=OPTIONS,
        responses={200: ComparisonSerializer(many=True), 202: BEING_COMPUTED, 400: NOT_SO},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return differences of alpha: data sets with each other, rounds before and after."""
        campaign = get_readable_campaign(self.user, public_id)
        scope = scope_of_campaign(campaign, _options(request))
        figures = figures_to_show(scope=scope, actor=self.user)
        return _answer(figures, [dict(item.to_dict()) for item in figures.comparisons])


class CampaignViewing(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_viewing",
        responses={200: RaterViewingSerializer(many=True), 202: BEING_COMPUTED},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return, rater by rater, how many answers were given without having watched."""
        scope = scope_of_campaign(get_readable_campaign(self.user, public_id))
        figures = figures_to_show(scope=scope, actor=self.user)
        return _answer(figures, [dict(item.to_dict()) for item in viewing_by_name(figures)])


class DatasetReport(ResearcherEndpoint):
    @extend_schema(
        operation_id="dataset_agreement",
        parameters=OPTIONS,
        responses={200: ReportRowSerializer(many=True), 202: BEING_COMPUTED, 400: NOT_SO},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return agreement on a data set, round by round, as far as you may look into them."""
        dataset = get_dataset_for_user(self.user, public_id)
        scope = scope_of_dataset(self.user, dataset, _options(request))
        figures = figures_to_show(scope=scope, actor=self.user)
        return _answer(figures, _report_rows(figures, Dataset.objects.filter(pk=dataset.pk)))
