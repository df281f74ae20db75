"""Endpoints of the text models' endpoints: list, add, read, change, delete, try.

Researchers and administrators only; one that is not yours to use is 404, and so is a change of one
that is not yours to change. The key is write-only.
"""

from dataclasses import replace
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.permissions import IsResearcher, signed_in_user
from generation.endpoint_forms import KEY_CHARACTERS, MAX_CONCURRENCY, MAX_TIMEOUT_S
from generation.models import TextEndpoint
from generation.selectors.endpoints import (
    get_changeable_endpoint,
    get_endpoint_for_user,
    visible_endpoints,
)
from generation.services.endpoints import (
    EndpointSettings,
    EndpointTest,
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    settings_of,
    try_endpoint,
)

SETTINGS = list(EndpointSettings.__dataclass_fields__)


class EndpointSerializer(serializers.ModelSerializer[TextEndpoint]):
    """An endpoint. `api_key` is taken and never given; sent empty, it removes the stored one."""

    id = serializers.CharField(source="public_id", read_only=True)
    owner = serializers.CharField(source="owner.username", default=None, read_only=True)
    has_key = serializers.BooleanField(read_only=True)
    api_key = serializers.CharField(
        write_only=True, required=False, allow_blank=True, max_length=KEY_CHARACTERS
    )
    concurrency = serializers.IntegerField(min_value=1, max_value=MAX_CONCURRENCY, default=4)
    timeout_s = serializers.IntegerField(min_value=1, max_value=MAX_TIMEOUT_S, default=120)

    class Meta:
        model = TextEndpoint
        fields = ["id", "owner", "has_key", "api_key", *SETTINGS, "created_at", "changed_at"]
        read_only_fields = ["created_at", "changed_at"]

    def typed_key(self) -> str | None:
        """Return the key of the body, None where it has none."""
        key = self.validated_data.get("api_key")
        return None if key is None else str(key)

    def to_settings(self, before: TextEndpoint) -> EndpointSettings:
        """Return the settings of the body; what it leaves out is as in `before`."""
        given = {
            name: self.validated_data[name] for name in SETTINGS if name in self.validated_data
        }
        return replace(settings_of(before), **given)


class EndpointTestSerializer(serializers.Serializer[EndpointTest]):
    """What happened; `error` is empty where the model answered as asked."""

    is_ok = serializers.BooleanField()
    model = serializers.CharField()
    text = serializers.CharField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    seconds = serializers.FloatField()
    error_kind = serializers.CharField()
    error = serializers.CharField()


class EndpointList(generics.ListCreateAPIView[TextEndpoint]):
    """List the endpoints that you may use, or add one."""

    permission_classes = [IsResearcher]
    serializer_class = EndpointSerializer

    def get_queryset(self) -> QuerySet[TextEndpoint]:
        return visible_endpoints(signed_in_user(self.request)).select_related("owner")

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Add an endpoint."""
        body = EndpointSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        endpoint = create_endpoint(
            new=body.to_settings(TextEndpoint()),
            api_key=body.typed_key() or "",
            actor=signed_in_user(request),
        )
        return Response(EndpointSerializer(endpoint).data, status=status.HTTP_201_CREATED)


class EndpointDetail(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(operation_id="text_endpoints_retrieve", responses=EndpointSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """Return one endpoint."""
        endpoint = get_endpoint_for_user(signed_in_user(request), public_id)
        return Response(EndpointSerializer(endpoint).data)

    @extend_schema(
        operation_id="text_endpoints_partial_update",
        request=EndpointSerializer(partial=True),
        responses=EndpointSerializer,
    )
    def patch(self, request: Request, public_id: str) -> Response:
        """Change what the body names; another host loses the stored key."""
        user = signed_in_user(request)
        endpoint = get_changeable_endpoint(user, public_id)
        body = EndpointSerializer(endpoint, data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        changed = change_endpoint(
            endpoint=endpoint,
            new=body.to_settings(endpoint),
            api_key=body.typed_key(),
            actor=user,
        )
        return Response(EndpointSerializer(changed).data)

    @extend_schema(operation_id="text_endpoints_destroy", responses={204: None})
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete an endpoint with its key; recorded calls stay."""
        user = signed_in_user(request)
        delete_endpoint(endpoint=get_changeable_endpoint(user, public_id), actor=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class EndpointTrial(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        operation_id="text_endpoints_test", request=None, responses={200: EndpointTestSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Ask an endpoint one small question, once, and say what happened."""
        user = signed_in_user(request)
        endpoint = get_endpoint_for_user(user, public_id)
        return Response(EndpointTestSerializer(try_endpoint(endpoint=endpoint, actor=user)).data)
