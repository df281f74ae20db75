"""The endpoint for sorting a round's queues by a model's answers."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule
from benchmarks.models import QueueSorting
from benchmarks.selectors.queues import get_screener, get_sortable_round
from benchmarks.services.queue_sorting import sort_queues, unsort_queues


class SortSerializer(Body):
    """Whose answers sort the queues, and by which rule; without an assessment they go back."""

    assessment = serializers.CharField(max_length=16, required=False, allow_null=True)
    rule = serializers.ChoiceField(list(SortingRule), default=SortingRule.UNCERTAINTY.value)


class SortingSerializer(serializers.Serializer[Any]):
    """How the queues are sorted; null where no model sorts them."""

    name = serializers.CharField(allow_null=True)
    rule = serializers.CharField(allow_null=True)
    metrics = serializers.ListField(child=serializers.CharField())


class Sorting(ResearcherEndpoint):
    @extend_schema(operation_id="round_queues", responses={200: SortingSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Say whether a model sorts the queues of a round."""
        round_ = get_sortable_round(self.user, public_id)
        return _sorting_response(QueueSorting.objects.filter(round=round_).first())

    @extend_schema(
        operation_id="round_queues_sort", request=SortSerializer, responses={200: SortingSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Sort traces that are not begun by a model's answers, or undo it; raters do not see it."""
        round_ = get_sortable_round(self.user, public_id)
        body = SortSerializer.read(request)
        if not body.get("assessment"):
            unsort_queues(round_=round_, actor=self.user)
            return _sorting_response(None)
        screener = get_screener(self.user, round_, body["assessment"])
        return _sorting_response(
            sort_queues(round_=round_, screener=screener, rule=body["rule"], actor=self.user)
        )


def _sorting_response(sorting: QueueSorting | None) -> Response:
    nothing: dict[str, Any] = {"name": None, "rule": None, "metrics": []}
    return Response(nothing if sorting is None else SortingSerializer(sorting).data)
