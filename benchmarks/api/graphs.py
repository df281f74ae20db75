"""Endpoints of task graphs: their steps and orders, and how recordings keep to them.

Researchers and administrators only; a data set that is not yours to see is 404.
"""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.selectors.corpus.corpus import get_dataset_for_user
from benchmarks.engine.graphs.walks import GraphStep, Procedure
from benchmarks.forms.graphs import MOST_ORDERS
from benchmarks.selectors import graphs
from benchmarks.services.item_sets import MAX_SEED

WRONG_PARAMETER = OpenApiResponse(OpenApiTypes.OBJECT, description="A parameter is wrong.")


class GraphStepSerializer(DataclassSerializer[GraphStep]):
    class Meta:
        fields = ["number", "step_id", "text", "after"]
        help_texts = {"after": "Numbers of the steps that come right before"}


class TaskGraphSerializer(DataclassSerializer[Procedure]):
    """A task graph; `order_count` is null where there are too many orders to count them."""

    steps = GraphStepSerializer(many=True)

    class Meta:
        fields = ["number", "scenario", "order_count", "steps"]
        help_texts = {
            "number": "Names the graph in addresses",
            "order_count": "0 where it has a cycle",
        }


def _words() -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField())


def _steps(name: str, child: serializers.Field) -> serializers.ListField:
    return serializers.ListField(child=child, source=f"walk.check.{name}", allow_null=True)


class WalkSerializer(serializers.Serializer[Any]):
    """A recording compared with its task graph, by the ids of steps; pairs are [first, second].

    `is_normal`: no mistake is marked. The results are null where the graph has a cycle.
    """

    kind = serializers.ChoiceField(choices=[graphs.TAKE, graphs.TRACE], source="recording.kind")
    id = serializers.CharField(source="recording.public_id")
    uid = serializers.CharField(source="recording.uid")
    scenario = serializers.CharField(source="recording.scenario")
    is_normal = serializers.BooleanField(source="recording.is_normal")
    is_valid_order = serializers.BooleanField(source="walk.check.is_valid", allow_null=True)
    missing = _steps("missing", serializers.CharField())
    repeated = _steps("repeated", serializers.CharField())
    unknown = _steps("unknown", serializers.CharField())
    reversed = _steps("violations_closure", _words())
    unmet = _steps("unmet", _words())


class OrdersQuery(serializers.Serializer[Any]):
    count = serializers.IntegerField(min_value=1, max_value=MOST_ORDERS, default=5)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)


class WalksQuery(serializers.Serializer[Any]):
    suspect = serializers.BooleanField(
        default=False, help_text="Only those that nobody marked and that are no valid order"
    )


class OrdersSerializer(serializers.Serializer[Any]):
    orders = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="Ids of steps"
    )


class TaskGraphList(ResearcherEndpoint):
    @extend_schema(operation_id="task_graphs", responses={200: TaskGraphSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """List the task graphs of a data set with their steps and how many orders they allow."""
        dataset = get_dataset_for_user(self.user, public_id)
        return Response(TaskGraphSerializer(graphs.procedures_of(dataset), many=True).data)


class TaskGraphOrders(ResearcherEndpoint):
    @extend_schema(
        operation_id="task_graph_orders",
        parameters=[OrdersQuery],
        responses={200: OrdersSerializer, 400: WRONG_PARAMETER},
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Draw valid orders uniformly; the same seed draws the same ones.

        There are none where the graph has a cycle, or more orders than can be counted.
        """
        dataset = get_dataset_for_user(self.user, public_id)
        procedure = graphs.get_procedure(dataset, number)
        query = OrdersQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        sampled = procedure.sampled_orders(**query.validated_data)
        orders = [[step.step_id for step in order] for order in sampled]
        return Response(OrdersSerializer({"orders": orders}).data)


class WalkList(ResearcherEndpoint):
    @extend_schema(
        operation_id="walks",
        parameters=[WalksQuery],
        responses={200: WalkSerializer(many=True), 400: WRONG_PARAMETER},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Compare every recording of a data set with the task graph of its procedure."""
        dataset = get_dataset_for_user(self.user, public_id)
        query = WalksQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        walks = graphs.walks_of(dataset, graphs.procedures_of(dataset))
        if query.validated_data["suspect"]:
            walks = [walk for walk in walks if walk.is_suspect]
        return Response(WalkSerializer(walks, many=True).data)
