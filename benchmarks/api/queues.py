"""Endpoint of the queues of a round that a model's answers sort."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import ResearcherEndpoint
from annotation.api.bodies import Body
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule
from benchmarks.models import QueueSorting
from benchmarks.selectors.queues import get_screener, get_sortable_round
from benchmarks.services.queue_sorting import sort_queues, unsort_queues


class SortSerializer(Body):
    """Whose answers sort the queues, and by what; without an assessment they go back."""

    assessment = serializers.CharField(max_length=16, required=False, allow_null=True)
    rule = serializers.ChoiceField(list(SortingRule), default=SortingRule.UNCERTAINTY.value)


class SortingSerializer(serializers.Serializer[Any]):
    """By what the queues are sorted; null where no model sorts them."""

    name = serializers.CharField(allow_null=True)
    rule = serializers.CharField(allow_null=True)
    metrics = serializers.ListField(child=serializers.CharField())


class Sorting(ResearcherEndpoint):
    @extend_schema(operation_id="round_queues", responses={200: SortingSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Say whether a model sorts the queues of a round."""
        made = get_sortable_round(self.user, public_id)
        return _told(QueueSorting.objects.filter(round=made).first())

    @extend_schema(
        operation_id="round_queues_sort", request=SortSerializer, responses={200: SortingSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Sort what nobody has begun by a model's answers, or put it back; raters never see it."""
        made = get_sortable_round(self.user, public_id)
        asked = SortSerializer.read(request)
        if not asked.get("assessment"):
            unsort_queues(made=made, actor=self.user)
            return _told(None)
        screener = get_screener(self.user, made, asked["assessment"])
        return _told(sort_queues(made=made, screener=screener, rule=asked["rule"], actor=self.user))


def _told(sorting: QueueSorting | None) -> Response:
    nothing: dict[str, Any] = {"name": None, "rule": None, "metrics": []}
    return Response(nothing if sorting is None else SortingSerializer(sorting).data)
