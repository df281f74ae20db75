"""The API of text models and of providers of clips: list, add, change, test.

Researchers and administrators only. An endpoint that you may not use is 404, and so is changing one
that you may not change. The key is write-only.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from django.db import models
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import IsResearcher, ResearcherEndpoint
from annotation.api.records.bodies import Body, text_or_null
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.permissions import signed_in_user
from generation.backends.video.providers.registry import providers
from generation.forms.endpoints import KEY_CHARACTERS
from generation.models import Endpoint, TextEndpoint, VideoEndpoint
from generation.models.setting_ranges import field_arguments
from generation.selectors.calls.endpoints import (
    endpoints_for_user,
    get_changeable_endpoint,
    get_endpoint_for_user,
)
from generation.services.calls.endpoints import (
    EndpointSettings,
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    no_offer,
)
from generation.services.clips.endpoints import (
    VideoEndpointSettings,
    VideoEndpointTest,
    read_offer,
    try_video_endpoint,
)
from generation.services.texts.endpoints import (
    TextEndpointSettings,
    TextEndpointTest,
    try_text_endpoint,
)

OF_PROVIDER = {
    "required": False, "allow_blank": True, "help_text": "Empty: the provider's default."
}  # fmt: skip
OWN_SERVER = "a server of your own makes, for example"
OWN_FIELDS = ["id", "owner", "has_key", "api_key", "created_at", "changed_at"]


class EndpointSerializer(Body, serializers.ModelSerializer[Any]):
    """An endpoint. `api_key` is never returned; sending it empty removes the stored one."""

    Settings: ClassVar[type[EndpointSettings]]

    id = serializers.CharField(source="public_id", read_only=True)
    owner = text_or_null("owner.username")
    has_key = serializers.BooleanField(read_only=True)
    api_key = serializers.CharField(
        write_only=True, required=False, allow_blank=True, max_length=KEY_CHARACTERS
    )

    def build_standard_field(
        self, field_name: str, model_field: "models.Field[Any, Any]"
    ) -> tuple[type[serializers.Field[Any, Any, Any, Any]], dict[str, Any]]:
        """The field of a setting, with the range of its column."""
        kind, settings = super().build_standard_field(field_name, model_field)
        limits = field_arguments(model_field)
        if limits:
            settings.pop("validators", None)
        return kind, {**settings, **limits}

    def typed_key(self) -> str | None:
        """Return the key in the body, None if it has none."""
        key = self.validated_data.get("api_key")
        return None if key is None else str(key)

    def to_settings(self, before: Endpoint) -> EndpointSettings:
        """Return the settings in the body; those that it leaves out are as in `before`."""
        new = {
            name: self.validated_data[name]
            for name in self.Settings.names()
            if name in self.validated_data
        }
        return replace(self.Settings.of(before), **new)


class TextEndpointSerializer(EndpointSerializer):
    """A text model. `api_key` is never returned; sending it empty removes the stored one."""

    Settings = TextEndpointSettings

    class Meta:
        model = TextEndpoint
        fields = [*OWN_FIELDS, *TextEndpointSettings.names()]
        read_only_fields = ["created_at", "changed_at"]


class VideoEndpointSerializer(EndpointSerializer):
    """A provider of clips. `api_key` is never returned; a key pair is joined by a colon."""

    Settings = VideoEndpointSettings

    provider = serializers.ChoiceField(choices=list(providers()))
    fault = serializers.CharField(
        read_only=True,
        help_text="Why no clip can be ordered now; empty if one can.",
    )

    class Meta:
        model = VideoEndpoint
        fields = [*OWN_FIELDS, *VideoEndpointSettings.names(), "fault", "card_read_at"]
        read_only_fields = ["created_at", "changed_at", "card_read_at"]
        extra_kwargs = {
            "base_url": OF_PROVIDER,
            "model_name": OF_PROVIDER,
            "lengths": {"help_text": f"Seconds of clip that {OWN_SERVER} 4, 8, 12 or 3-10."},
            "sizes": {"help_text": f"Sizes that {OWN_SERVER} 1280x720, 720x1280."},
        }


class TextEndpointTestSerializer(DataclassSerializer[TextEndpointTest]):
    """The result of the test; `error` is empty if the model gave the expected answer."""

    is_ok = serializers.BooleanField()


class VideoEndpointTestSerializer(DataclassSerializer[VideoEndpointTest]):
    """The result of the test; nothing is sent if the provider has no free request."""

    is_ok = serializers.BooleanField()


class EndpointList(generics.ListCreateAPIView[Any]):
    permission_classes = [IsResearcher]
    model: ClassVar[type[Endpoint]]
    serializer_class: type[EndpointSerializer]
    read_offer: ClassVar[Callable[..., str]] = staticmethod(no_offer)

    def get_queryset(self) -> QuerySet[Any]:
        user = signed_in_user(self.request)
        return endpoints_for_user(user, self.model).select_related("owner")

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Add an endpoint."""
        body = self.serializer_class(data=request.data)
        body.is_valid(raise_exception=True)
        endpoint = create_endpoint(
            endpoint=self.model(),
            new=body.to_settings(self.model()),
            api_key=body.typed_key() or "",
            actor=signed_in_user(request),
        )
        self.read_offer(endpoint)
        return Response(self.serializer_class(endpoint).data, status=status.HTTP_201_CREATED)


class EndpointDetail(ResearcherEndpoint):
    serializer_class: ClassVar[type[EndpointSerializer]]
    read_offer: ClassVar[Callable[..., str]] = staticmethod(no_offer)

    @property
    def model(self) -> type[Endpoint]:
        return self.serializer_class.Meta.model

    def get(self, request: Request, public_id: str) -> Response:
        endpoint = get_endpoint_for_user(signed_in_user(request), self.model, public_id)
        return Response(self.serializer_class(endpoint).data)

    def patch(self, request: Request, public_id: str) -> Response:
        user = signed_in_user(request)
        endpoint = get_changeable_endpoint(user, self.model, public_id)
        body = self.serializer_class(endpoint, data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        changed = change_endpoint(
            endpoint=endpoint,
            new=body.to_settings(endpoint),
            api_key=body.typed_key(),
            actor=user,
        )
        self.read_offer(changed)
        return Response(self.serializer_class(changed).data)

    def delete(self, request: Request, public_id: str) -> Response:
        user = signed_in_user(request)
        endpoint = get_changeable_endpoint(user, self.model, public_id)
        old = self.serializer_class.Settings.of(endpoint)
        delete_endpoint(endpoint=endpoint, old=old, actor=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class EndpointTrial(ResearcherEndpoint):
    model: ClassVar[type[Endpoint]]
    answer_class: ClassVar[type[serializers.Serializer[Any]]]
    try_it: ClassVar[Callable[..., object]]

    def post(self, request: Request, public_id: str) -> Response:
        user = signed_in_user(request)
        endpoint = get_endpoint_for_user(user, self.model, public_id)
        return Response(self.answer_class(self.try_it(endpoint=endpoint, actor=user)).data)


def described(word: str, serializer: type[EndpointSerializer]) -> Callable[[type[Any]], type[Any]]:
    """Name and describe the operations on one endpoint of a kind in the schema."""
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"{word}_retrieve",
            responses=serializer,
            description="Return one endpoint.",
        ),
        patch=extend_schema(
            operation_id=f"{word}_partial_update",
            request=serializer(partial=True),
            responses=serializer,
            description="Change the fields in the body; changing the host removes the stored key.",
        ),
        delete=extend_schema(
            operation_id=f"{word}_destroy",
            responses={204: None},
            description="Delete an endpoint with its key; recorded calls stay.",
        ),
    )


class TextEndpointList(EndpointList):
    """List the text models that you may use, or add one."""

    model = TextEndpoint
    serializer_class = TextEndpointSerializer


class VideoEndpointList(EndpointList):
    """List the providers of clips that you may use, or add one."""

    model = VideoEndpoint
    serializer_class = VideoEndpointSerializer
    read_offer = staticmethod(read_offer)


@described("text_endpoints", TextEndpointSerializer)
class TextEndpointDetail(EndpointDetail):
    serializer_class = TextEndpointSerializer


@described("video_endpoints", VideoEndpointSerializer)
class VideoEndpointDetail(EndpointDetail):
    serializer_class = VideoEndpointSerializer
    read_offer = staticmethod(read_offer)


@extend_schema_view(
    post=extend_schema(
        operation_id="text_endpoints_test",
        request=None,
        responses={200: TextEndpointTestSerializer},
        description="Ask an endpoint one small question and report what happened.",
    )
)
class TextEndpointTrial(EndpointTrial):
    model = TextEndpoint
    answer_class = TextEndpointTestSerializer
    try_it = staticmethod(try_text_endpoint)


@extend_schema_view(
    post=extend_schema(
        operation_id="video_endpoints_test",
        request=None,
        responses={200: VideoEndpointTestSerializer},
        description="Send a provider one free request and report what happened.",
    )
)
class VideoEndpointTrial(EndpointTrial):
    model = VideoEndpoint
    answer_class = VideoEndpointTestSerializer
    try_it = staticmethod(try_video_endpoint)
