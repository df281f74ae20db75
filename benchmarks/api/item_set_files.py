"""Endpoints of what leaves an item set as a file: downloads and the table of its figures."""

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation.analytics.tables.table_writers import TableFormat
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.refusals import RefusedSerializer
from benchmarks.engine.training_files import TrainingOptions
from benchmarks.responses import download_response, table_response
from benchmarks.selectors.downloads import Download
from benchmarks.selectors.item_sets import (
    get_item_set_for_user,
)
from benchmarks.selectors.tables import require_group, table_of


class TrainingOptionsSerializer(serializers.Serializer[None]):
    """What training files hold; other downloads take no notice."""

    leaves_out_shared = serializers.BooleanField(
        default=False, help_text="Leave out what the part test shares, which is refused otherwise"
    )
    has_noisy = serializers.BooleanField(
        default=False, help_text="Add copies whose plan is wrong, late, or has stale cues"
    )
    is_doubled = serializers.BooleanField(
        default=False, help_text="Write interrupts twice instead of weighing them 2"
    )


class ItemSetDownload(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_download",
        parameters=[
            OpenApiParameter("which", str, "path", enum=list(Download)),
            TrainingOptionsSerializer,
        ],
        responses={
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "application/zip"): OpenApiTypes.BINARY,
            400: OpenApiResponse(OpenApiTypes.OBJECT, description="A parameter is wrong."),
            409: RefusedSerializer,
        },
    )
    def get(self, request: Request, public_id: str, which: str) -> HttpResponseBase:
        """Download items without truth, a template, the shortcut audit, or training files."""
        query = TrainingOptionsSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        options = TrainingOptions(**query.validated_data)
        item_set = get_item_set_for_user(self.user, public_id)
        return download_response(self.user, item_set, which, options)


class TableQuerySerializer(serializers.Serializer[None]):
    """Over which items, and in which format."""

    group = serializers.CharField(
        max_length=64, default="", allow_blank=True, help_text="A breakdown"
    )
    value = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="One of its values"
    )
    form = serializers.ChoiceField(list(TableFormat), default=TableFormat.JSON.value)


class ItemSetTable(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_table",
        parameters=[TableQuerySerializer],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            **{
                (200, form.media_type): OpenApiTypes.STR
                for form in TableFormat
                if form is not TableFormat.JSON
            },
            400: OpenApiResponse(OpenApiTypes.OBJECT, description="A parameter is wrong."),
        },
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """Return all participants' figures with intervals, then baselines and rows of papers."""
        item_set = get_item_set_for_user(self.user, public_id)
        query = TableQuerySerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        parameters = query.validated_data
        require_group(item_set, parameters["group"], parameters["value"])
        table = table_of(item_set, group=parameters["group"], group_value=parameters["value"])
        name = f"{item_set.task}-{item_set.content_hash[:12]}"
        return table_response(table, parameters["form"], name)
