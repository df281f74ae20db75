"""Endpoints of planned sizes: recordings for an interval of a wanted width."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request

from annotation.analytics.tables.table_writers import TableFormat
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from benchmarks.engine.planned_sizes import Assumed
from benchmarks.engine.registry import tasks
from benchmarks.responses import table_response
from benchmarks.selectors.assessments import get_assessment_for_user
from benchmarks.selectors.item_sets import get_item_set_for_user
from benchmarks.selectors.planned_sizes import (
    MOST_RATERS,
    RATERS,
    WIDTHS,
    assumed_sizes,
    items_per_recording,
    planned_sizes,
)

RESPONSES: dict[Any, Any] = {
    (200, "application/json"): OpenApiTypes.OBJECT,
    **{
        (200, form.media_type): OpenApiTypes.STR
        for form in TableFormat
        if form is not TableFormat.JSON
    },
    400: OpenApiResponse(OpenApiTypes.OBJECT, description="A parameter is wrong."),
}


class FormSerializer(serializers.Serializer[None]):
    form = serializers.ChoiceField(list(TableFormat), default=TableFormat.JSON.value)


class WidthsSerializer(FormSerializer):
    """Of which intervals, and in which format."""

    width = serializers.ListField(
        child=serializers.FloatField(min_value=0.001, max_value=1),
        default=list(WIDTHS),
        max_length=10,
        help_text="Of the interval of 95%; may be given several times",
    )


class AssumedSerializer(WidthsSerializer):
    """What is assumed of answers that nobody has given yet; see the guide to benchmarks."""

    accuracy = serializers.FloatField(min_value=0.01, max_value=0.99, default=0.7)
    recording = serializers.FloatField(
        min_value=0, max_value=0.99, default=0.05, help_text="Correlation within a recording"
    )
    item = serializers.FloatField(
        min_value=0, max_value=0.99, default=0, help_text="Of two people on an item, beyond that"
    )
    rater = serializers.FloatField(
        min_value=0, max_value=0.99, default=0, help_text="Of one person's answers"
    )
    raters = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_RATERS),
        default=list(RATERS),
        max_length=10,
        help_text="How many answer each item; may be given several times",
    )


class ItemSetSizes(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_sizes", parameters=[AssumedSerializer], responses=RESPONSES
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """Say how many recordings, by raters, an interval takes that nobody has answers for."""
        item_set = get_item_set_for_user(self.user, public_id)
        query = AssumedSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        sent: dict[str, Any] = query.validated_data
        try:
            assumed = Assumed(sent["accuracy"], sent["recording"], sent["item"], sent["rater"])
        except ValueError as error:
            raise RefusedError(status.HTTP_400_BAD_REQUEST, str(error)) from error
        table = assumed_sizes(
            assumed, items_per_recording(item_set), raters=sent["raters"], widths=sent["width"]
        )
        return table_response(table, sent["form"], f"sizes-{item_set.public_id}")


class AssessmentSizes(ResearcherEndpoint):
    @extend_schema(
        operation_id="assessment_sizes",
        parameters=[WidthsSerializer],
        responses={**RESPONSES, 409: RefusedSerializer},
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """Say how many recordings a narrower interval takes, from the intervals there are."""
        assessment = get_assessment_for_user(self.user, public_id)
        query = WidthsSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        sent: dict[str, Any] = query.validated_data
        figures = assessment.figures.filter(group="").order_by("pk")
        table = planned_sizes(figures, tasks()[assessment.item_set.task], sent["width"])
        if table is None:
            words = f"{assessment.name} has no figure with an interval."
            raise RefusedError(status.HTTP_409_CONFLICT, words)
        return table_response(table, sent["form"], f"sizes-{assessment.public_id}")
