"""Endpoints of item sets: make, freeze, share, download, and read their tables.

Researchers and administrators only; a set that is not yours to see is 404.
"""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.analytics.table_writers import TableFormat
from annotation.api.imports import RefusedSerializer
from annotation.permissions import IsResearcher, ResearcherEndpoint, signed_in_user
from benchmarks.api.bodies import (
    AssessmentSerializer,
    ItemDetailSerializer,
    ItemSerializer,
    ItemSetSerializer,
    MakeSerializer,
    ShareSerializer,
    TaskSerializer,
)
from benchmarks.engine.registry import tasks
from benchmarks.models import Assessment, Item, ItemSet
from benchmarks.responses import download_response, table_response
from benchmarks.selectors.assessments import answers_to_items
from benchmarks.selectors.downloads import Download
from benchmarks.selectors.item_sets import (
    get_changeable_item_set,
    get_item_set_for_user,
    may_see_truth,
    readable_assessments,
    readable_items,
    visible_item_sets,
)
from benchmarks.selectors.tables import table_of
from benchmarks.services.item_sets import (
    delete_item_set,
    freeze_item_set,
    make_item_set,
    share_item_set,
)
from benchmarks.services.pictures import shown_picture


class TaskList(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_tasks", responses={200: TaskSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """List the tasks that items can be made for."""
        return Response(TaskSerializer(tasks().values(), many=True).data)


class ItemSetList(generics.ListAPIView[ItemSet]):
    """List the item sets that you may see, newest first."""

    permission_classes = [IsResearcher]
    serializer_class = ItemSetSerializer

    def get_queryset(self) -> QuerySet[ItemSet]:
        sets = visible_item_sets(signed_in_user(self.request))
        return sets.select_related("dataset", "owner").order_by("-pk")

    @extend_schema(request=MakeSerializer, responses={201: ItemSetSerializer})
    def post(self, request: Request) -> Response:
        """Make the items of a data set; they can be looked at before they are frozen."""
        asked = MakeSerializer.request_of(MakeSerializer.read(request))
        made = make_item_set(request=asked, actor=signed_in_user(request))
        return Response(ItemSetSerializer(made).data, status=status.HTTP_201_CREATED)


class ItemSetDetail(ResearcherEndpoint):
    @extend_schema(operation_id="item_set", responses={200: ItemSetSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return one item set, with what its parts share."""
        item_set = get_item_set_for_user(signed_in_user(request), public_id)
        return Response(ItemSetSerializer(item_set).data)

    @extend_schema(operation_id="item_set_delete", responses={204: None, 409: RefusedSerializer})
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete a set that nobody has answered but its baselines."""
        user = signed_in_user(request)
        delete_item_set(item_set=get_changeable_item_set(user, public_id), actor=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ItemSetFreeze(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_freeze", request=None, responses={200: ItemSetSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Fix the items for good; the trivial baselines answer them."""
        user = signed_in_user(request)
        item_set = get_changeable_item_set(user, public_id)
        freeze_item_set(item_set=item_set, actor=user)
        return Response(ItemSetSerializer(item_set).data)


class ItemSetShare(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_share", request=ShareSerializer, responses={200: ItemSetSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Open the items, not their truth, to every researcher, or close them again."""
        user = signed_in_user(request)
        item_set = get_changeable_item_set(user, public_id)
        share_item_set(item_set=item_set, actor=user, **ShareSerializer.read(request))
        return Response(ItemSetSerializer(item_set).data)


class ItemList(generics.ListAPIView[Item]):
    """List the items of a set, without their truth."""

    permission_classes = [IsResearcher]
    serializer_class = ItemSerializer
    queryset = Item.objects.none()

    def get_queryset(self) -> QuerySet[Item]:
        user = signed_in_user(self.request)
        item_set = get_item_set_for_user(user, self.kwargs["public_id"])
        return readable_items(user, item_set).defer("truth", "groups").order_by("position")


class ItemDetail(ResearcherEndpoint):
    @extend_schema(operation_id="item", responses={200: ItemDetailSerializer})
    def get(self, request: Request, public_id: str, key: str) -> Response:
        """Return one item, with its truth and everybody's answers where you may see them."""
        user = signed_in_user(request)
        item_set = get_item_set_for_user(user, public_id)
        item = get_object_or_404(readable_items(user, item_set), key=key)
        return Response(ItemDetailSerializer(item_with_answers(user, item_set, item)).data)


def item_with_answers(user: Any, item_set: ItemSet, item: Item) -> dict[str, Any]:
    """An item's parts, and of its truth and answers what the user may see."""
    sees_truth = may_see_truth(user, item_set)
    seen = readable_assessments(user, item_set)
    fields = ItemSerializer(item).data
    return {
        **fields,
        "sequence_position": item.sequence_position,
        "truth": item.truth if sees_truth else None,
        "groups": item.groups if sees_truth else None,
        "answers": answers_to_items(seen, [item.pk]).get(item.pk, []),
    }


class ItemPicture(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_picture",
        responses={(200, "image/jpeg"): OpenApiTypes.BINARY},
        description="One of the pictures from an item's start to its moment, by its number from 0.",
    )
    def get(self, request: Request, public_id: str, key: str, number: int) -> HttpResponseBase:
        user = signed_in_user(request)
        item_set = get_item_set_for_user(user, public_id)
        items = readable_items(user, item_set).select_related("video__dataset")
        jpeg = shown_picture(get_object_or_404(items, key=key), number)
        return HttpResponse(jpeg, content_type="image/jpeg")


class ItemSetDownload(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_download",
        parameters=[OpenApiParameter("which", str, "path", enum=list(Download))],
        responses={
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, public_id: str, which: str) -> HttpResponseBase:
        """Download the items without their truth, or a template to fill in."""
        user = signed_in_user(request)
        item_set = get_item_set_for_user(user, public_id)
        return download_response(user, item_set, which)


class TableQuerySerializer(serializers.Serializer[None]):
    """Over which items, and in what form."""

    group = serializers.CharField(max_length=64, default="", help_text="A breakdown")
    value = serializers.CharField(max_length=200, default="", help_text="One of its values")
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
            400: OpenApiResponse(OpenApiTypes.OBJECT, description="A parameter is not right."),
        },
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """Return everybody's figures with their intervals, baselines and papers' rows below."""
        item_set = get_item_set_for_user(signed_in_user(request), public_id)
        asked = TableQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        form, group, value = (asked.validated_data[name] for name in ("form", "group", "value"))
        table = table_of(item_set, group=group, group_value=value)
        return table_response(table, form, item_set.public_id)


class AssessmentList(generics.ListAPIView[Assessment]):
    """List the participants of a set, and how far they are."""

    permission_classes = [IsResearcher]
    serializer_class = AssessmentSerializer
    queryset = Assessment.objects.none()

    def get_queryset(self) -> QuerySet[Assessment]:
        item_set = get_item_set_for_user(signed_in_user(self.request), self.kwargs["public_id"])
        related = ("item_set", "job", "owner")
        return item_set.assessments.select_related(*related).order_by("pk")
