"""Endpoints of the items of a set: list them, read one, see its pictures."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from benchmarks.api.bodies import ItemAnswerSerializer, ItemSerializer, any_object
from benchmarks.models import Item
from benchmarks.selectors.assessments import answers_to_items
from benchmarks.selectors.item_sets import (
    get_item_set_for_user,
    may_see_truth,
    shown_item,
)
from benchmarks.selectors.judging import is_grading
from benchmarks.selectors.readers import readable_items, reader_of
from benchmarks.services.pictures import shown_picture


class ItemList(ResearcherEndpoint, generics.ListAPIView[Item]):
    """List the items of a set, without their truth."""

    serializer_class = ItemSerializer
    queryset = Item.objects.none()

    def get_serializer_context(self) -> dict[str, Any]:
        context = super().get_serializer_context()
        item_set = get_item_set_for_user(self.user, self.kwargs["public_id"])
        return {**context, "sees_truth": may_see_truth(self.user, item_set)}

    def get_queryset(self) -> QuerySet[Item]:
        item_set = get_item_set_for_user(self.user, self.kwargs["public_id"])
        items = readable_items(self.user, item_set).defer("truth", "groups")
        return items.order_by("position").prefetch_related("shared")


class ItemDetailSerializer(ItemSerializer):
    """An item; truth and answers are null for users who may not see them (yet).

    `guessed` is how many guessers of the set's shortcut audit were right.
    """

    truth = any_object(allow_null=True)
    groups = any_object(allow_null=True)
    guessed = serializers.IntegerField(allow_null=True)
    answers = ItemAnswerSerializer(many=True, allow_null=True)


class ItemDetail(ResearcherEndpoint):
    @extend_schema(operation_id="item", responses={200: ItemDetailSerializer})
    def get(self, request: Request, public_id: str, key: str) -> Response:
        """Return one item, with its truth and all answers where you may see them."""
        item_set = get_item_set_for_user(self.user, public_id)
        reader = reader_of(self.user, item_set)
        item, sees_truth = get_object_or_404(reader.items(), key=key), reader.sees_truth
        answers = answers_to_items(reader.assessments(), [item.pk]).get(item.pk, [])
        for answer in answers:
            answer.item = item
        return Response(
            shown_item(item, sees_truth=sees_truth)
            | {
                "truth": item.truth if sees_truth else None,
                "groups": item.groups if sees_truth else None,
                "guessed": item.guessed if sees_truth else None,
                "answers": ItemAnswerSerializer(
                    answers,
                    many=True,
                    context={
                        "sees_truth": sees_truth,
                        "is_grading": is_grading(self.user, item_set),
                    },
                ).data,
            }
        )


class ItemPicture(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_picture",
        responses={(200, "image/jpeg"): OpenApiTypes.BINARY},
        description="One of the pictures from an item's start to its moment, by its number from 0.",
    )
    def get(self, request: Request, public_id: str, key: str, number: int) -> HttpResponseBase:
        item_set = get_item_set_for_user(self.user, public_id)
        items = readable_items(self.user, item_set).select_related("video__dataset")
        jpeg = shown_picture(get_object_or_404(items, key=key), number)
        return HttpResponse(jpeg, content_type="image/jpeg")
