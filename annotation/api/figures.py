"""Endpoints of agreement: stored figures of a campaign or data set, which say of when they are."""

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.launch import figures_to_show
from annotation.models import Dataset
from annotation.permissions import IsResearcher, signed_in_user
from annotation.selectors.campaigns import get_readable_campaign
from annotation.selectors.corpus import get_dataset_for_user
from annotation.selectors.figures import Figures, scope_of_campaign, scope_of_dataset

ASK_AGAIN_S = 2


class FreshnessSerializer(serializers.Serializer[None]):
    """When the figure was computed, and how many changes of ratings came in since."""

    computed_at = serializers.DateTimeField()
    newer_ratings = serializers.IntegerField()


class ReportRowSerializer(FreshnessSerializer):
    """One metric of one data set: what `agreement --json` prints, its age, the data set's id.

    `dataset` is null where the data set was renamed since the figure was computed.
    """

    dataset = serializers.CharField(allow_null=True)
    dataset_name = serializers.CharField()
    metric = serializers.CharField()
    level = serializers.CharField()
    alpha = serializers.FloatField(allow_null=True)
    alpha_low = serializers.FloatField(allow_null=True)
    alpha_high = serializers.FloatField(allow_null=True)
    units = serializers.IntegerField()
    paired_units = serializers.IntegerField()
    raters = serializers.IntegerField()
    ratings = serializers.IntegerField()
    missing = serializers.IntegerField()
    implied = serializers.IntegerField()
    left_out = serializers.IntegerField()
    unjudged = serializers.IntegerField()
    aggregate = serializers.FloatField(allow_null=True)
    aggregate_kind = serializers.CharField()
    aggregate_label = serializers.CharField()
    aggregate_text = serializers.CharField()
    aggregate_event_mean = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()
    interval_reason = serializers.CharField()


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
    """There are no figures yet; `Retry-After` says in how many seconds to ask again."""

    detail = serializers.CharField()


BEING_COMPUTED = OpenApiResponse(
    BeingComputedSerializer, description="Being computed for the first time; ask again later."
)


def _answer(figures: Figures, rows: list[dict[str, object]]) -> Response:
    """Return rows with their age, or 202 while there are none yet."""
    if figures.computed_at is None:
        detail = "The figures are being computed; ask again later."
        if figures.error:
            detail = f"The figures could not be computed and will be tried again: {figures.error}"
        return Response(
            {"detail": detail},
            status=status.HTTP_202_ACCEPTED,
            headers={"Retry-After": str(ASK_AGAIN_S)},
        )
    return Response([row | figures.freshness() for row in rows])


def _report_rows(figures: Figures, datasets: QuerySet[Dataset]) -> list[dict[str, object]]:
    ids = dict(datasets.values_list("name", "public_id"))
    return [
        {**row.to_dict(), "dataset": ids.get(row.dataset), "dataset_name": row.dataset}
        for row in figures.rows
    ]


NOT_SO = OpenApiResponse(OpenApiTypes.OBJECT, description="`informed` is neither yes nor no.")
INFORMED = OpenApiParameter(
    "informed",
    enum=["yes", "no"],
    default="no",
    description="Whether answers of people who could see the sources before are counted too",
)


def _informed(request: Request) -> bool:
    asked = request.query_params.get("informed", "no")
    if asked not in ("yes", "no"):
        raise serializers.ValidationError({"informed": ["expected yes or no"]})
    return asked == "yes"


class CampaignReport(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        operation_id="campaign_agreement",
        parameters=[INFORMED],
        responses={200: ReportRowSerializer(many=True), 202: BEING_COMPUTED, 400: NOT_SO},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return agreement and aggregate of every data set and metric of a campaign."""
        user = signed_in_user(request)
        campaign = get_readable_campaign(user, public_id)
        figures = figures_to_show(
            scope=scope_of_campaign(campaign, has_informed=_informed(request)), actor=user
        )
        return _answer(figures, _report_rows(figures, campaign.datasets.all()))


class CampaignViewing(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        operation_id="campaign_viewing",
        responses={200: RaterViewingSerializer(many=True), 202: BEING_COMPUTED},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return, rater by rater, how many answers were given without having watched."""
        user = signed_in_user(request)
        scope = scope_of_campaign(get_readable_campaign(user, public_id))
        figures = figures_to_show(scope=scope, actor=user)
        return _answer(figures, [dict(item.to_dict()) for item in figures.viewing])


class DatasetReport(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        operation_id="dataset_agreement",
        parameters=[INFORMED],
        responses={200: ReportRowSerializer(many=True), 202: BEING_COMPUTED, 400: NOT_SO},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Return agreement on a data set over all campaigns that you may look into."""
        user = signed_in_user(request)
        dataset = get_dataset_for_user(user, public_id)
        figures = figures_to_show(
            scope=scope_of_dataset(user, dataset, has_informed=_informed(request)), actor=user
        )
        return _answer(figures, _report_rows(figures, Dataset.objects.filter(pk=dataset.pk)))
