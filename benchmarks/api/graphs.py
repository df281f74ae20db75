"""Endpoints of task graphs: their steps and orders, and how recordings keep to them.

Researchers and administrators only; a data set that is not yours to see is 404.
"""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.permissions import ResearcherEndpoint, signed_in_user
from annotation.selectors.corpus import get_dataset_for_user
from benchmarks.engine.walks import Procedure
from benchmarks.forms import MOST_ORDERS
from benchmarks.selectors import graphs
from benchmarks.services.item_sets import MAX_SEED

NOT_RIGHT = OpenApiResponse(OpenApiTypes.OBJECT, description="A parameter is not right.")


class GraphStepSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    step_id = serializers.CharField()
    text = serializers.CharField()
    after = serializers.ListField(
        child=serializers.IntegerField(), help_text="Numbers of the steps that come right before"
    )


class TaskGraphSerializer(serializers.Serializer[Any]):
    """A task graph; `order_count` is null where there are too many orders to count them."""

    number = serializers.IntegerField(help_text="Names the graph in addresses")
    scenario = serializers.CharField()
    order_count = serializers.IntegerField(allow_null=True, help_text="0 where it has a cycle")
    steps = GraphStepSerializer(many=True)


class WalkSerializer(serializers.Serializer[Any]):
    """A recording against its graph, by the ids of steps; pairs are [first, second].

    `is_normal`: nobody marked a mistake. All but that is null where the graph has a cycle.
    """

    kind = serializers.ChoiceField(choices=[graphs.TAKE, graphs.TRACE])
    id = serializers.CharField(source="public_id")
    uid = serializers.CharField()
    scenario = serializers.CharField()
    is_normal = serializers.BooleanField()
    is_valid_order = serializers.BooleanField(allow_null=True)
    missing = serializers.ListField(child=serializers.CharField(), allow_null=True)
    repeated = serializers.ListField(child=serializers.CharField(), allow_null=True)
    unknown = serializers.ListField(child=serializers.CharField(), allow_null=True)
    reversed = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), allow_null=True
    )
    unmet = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), allow_null=True
    )


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


def _graph(pk: int, procedure: Procedure) -> dict[str, Any]:
    return {
        "number": pk,
        "scenario": procedure.scenario,
        "order_count": procedure.order_count,
        "steps": [
            {
                "number": procedure.numbers[node],
                "step_id": procedure.step_of[node],
                "text": procedure.texts[node],
                "after": [procedure.numbers[before] for before in procedure.before(node)],
            }
            for node in procedure.order
        ],
    }


class TaskGraphList(ResearcherEndpoint):
    @extend_schema(operation_id="task_graphs", responses={200: TaskGraphSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """List the task graphs of a data set with their steps and how many orders they allow."""
        dataset = get_dataset_for_user(signed_in_user(request), public_id)
        found = [_graph(pk, one) for pk, one in graphs.procedures_of(dataset).items()]
        return Response(TaskGraphSerializer(found, many=True).data)


class TaskGraphOrders(ResearcherEndpoint):
    @extend_schema(
        operation_id="task_graph_orders",
        parameters=[OrdersQuery],
        responses={200: OrdersSerializer, 400: NOT_RIGHT},
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Draw valid orders, each with the same chance; the same seed draws the same ones.

        There are none where the graph has a cycle, or more orders than can be counted.
        """
        dataset = get_dataset_for_user(signed_in_user(request), public_id)
        graph = graphs.get_graph(dataset, number)
        asked = OrdersQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        procedure = graphs.procedures_of(dataset, graph.scenario)[graph.pk]
        found = procedure.sampled_orders(**asked.validated_data) if procedure.order_count else []
        orders = [[procedure.step_of[node] for node in order] for order in found]
        return Response(OrdersSerializer({"orders": orders}).data)


class WalkList(ResearcherEndpoint):
    @extend_schema(
        operation_id="walks",
        parameters=[WalksQuery],
        responses={200: WalkSerializer(many=True), 400: NOT_RIGHT},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Hold every recording of a data set against the task graph of its procedure."""
        dataset = get_dataset_for_user(signed_in_user(request), public_id)
        asked = WalksQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        wanted = asked.validated_data["suspect"]
        walked = graphs.walks_of(dataset, graphs.procedures_of(dataset).values())
        found = []
        for one in walked:
            check, recorded = one.walk.check, one.recorded
            if wanted and not one.is_suspect:
                continue
            found.append(
                {
                    "kind": recorded.kind,
                    "public_id": recorded.public_id,
                    "uid": recorded.uid,
                    "scenario": recorded.scenario,
                    "is_normal": recorded.is_normal,
                    "is_valid_order": check and check.is_valid,
                    "missing": check and check.missing,
                    "repeated": check and check.repeated,
                    "unknown": check and check.unknown,
                    "reversed": check and check.violations_closure,
                    "unmet": check and check.unmet,
                }
            )
        return Response(WalkSerializer(found, many=True).data)
