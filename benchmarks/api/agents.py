"""The API of agents: list, add, change, test; as that of text models, whose rules it shares."""

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers

from annotation.api.records.dataclass_serializer import DataclassSerializer
from benchmarks.models import AgentEndpoint
from benchmarks.services.agents import AgentEndpointSettings, read_agent_card, try_agent
from generation.api.endpoints import (
    OWN_FIELDS,
    EndpointDetail,
    EndpointList,
    EndpointSerializer,
    EndpointTrial,
    described,
)
from generation.services.calls.endpoints import EndpointTest


class AgentEndpointSerializer(EndpointSerializer):
    """An agent; `model_name` is its card's name and version, `card_read_at` null if none was read.

    `api_key` is sent to it as bearer and never returned.
    """

    Settings = AgentEndpointSettings

    class Meta:
        model = AgentEndpoint
        fields = [*OWN_FIELDS, *AgentEndpointSettings.names(), "card_read_at"]
        read_only_fields = ["created_at", "changed_at", "model_name", "card_read_at"]


class AgentEndpointTestSerializer(DataclassSerializer[EndpointTest]):
    """Whether the agent's card could be read; no question is asked."""

    is_ok = serializers.BooleanField()


class AgentEndpointList(EndpointList):
    """List the agents that you may use, or add one, whose card is read at once."""

    model = AgentEndpoint
    serializer_class = AgentEndpointSerializer
    read_offer = staticmethod(read_agent_card)


@described("agent_endpoints", AgentEndpointSerializer)
class AgentEndpointDetail(EndpointDetail):
    serializer_class = AgentEndpointSerializer
    read_offer = staticmethod(read_agent_card)


@extend_schema_view(
    post=extend_schema(
        operation_id="agent_endpoints_test",
        request=None,
        responses={200: AgentEndpointTestSerializer},
        description="Read an agent's card once more and report what happened.",
    )
)
class AgentEndpointTrial(EndpointTrial):
    model = AgentEndpoint
    answer_class = AgentEndpointTestSerializer
    try_it = staticmethod(try_agent)
