"""Endpoints of one's own texts: read one, answer it blind, give a verdict."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.bodies import Body, BodyError
from annotation.api.records.refusals import RefusedSerializer
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.protocol import consent_to_ask
from texts.engine.vocabulary import MOST_REASONS, NAME_CHARACTERS
from texts.models import TextVerdict
from texts.selectors.pages import TextPage, text_page
from texts.selectors.verdicts import own_verdicts
from texts.services.verdicts import (
    LONGEST_TEXT,
    InvalidVerdictError,
    SentVerdict,
    StaleVerdictError,
    answer_blind,
    begin,
    give_verdict,
)


class OwnVerdictSerializer(serializers.ModelSerializer[TextVerdict]):
    """What you said of a text."""

    reasons = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = TextVerdict
        fields = ["verdict", "reasons", "note", "text", "answer", "revision"]


class OwnTextSerializer(serializers.Serializer[TextPage]):
    """A text that you read; `answer` and `label` are null until you answered it blind."""

    id = serializers.CharField(source="own.public_id")
    number = serializers.IntegerField()
    total = serializers.IntegerField()
    procedure = serializers.SerializerMethodField()
    step = serializers.IntegerField(
        source="own.item.step_index", allow_null=True, help_text="0-based, of the procedure"
    )
    start_s = serializers.FloatField(source="own.item.start_s", allow_null=True)
    end_s = serializers.FloatField(source="own.item.end_s", allow_null=True)
    margin_s = serializers.FloatField(
        source="own.round.texts.margin_s", help_text="seconds to show on both sides of the stretch"
    )
    text = serializers.CharField(source="own.item.text")
    answer = serializers.SerializerMethodField()
    label = serializers.SerializerMethodField()  # type: ignore[assignment]
    blind_answer = serializers.CharField(source="own.blind_answer")
    verdicts = serializers.SerializerMethodField()
    reasons = serializers.SerializerMethodField()
    mine = OwnVerdictSerializer(source="own")

    def get_procedure(self, page: TextPage) -> list[str]:
        return [step.text for step in page.steps]

    def get_answer(self, page: TextPage) -> str | None:
        return None if page.asks_blind else page.own.item.answer

    def get_label(self, page: TextPage) -> str | None:
        return None if page.asks_blind else page.own.item.label

    def get_verdicts(self, page: TextPage) -> list[str]:
        return [choice.name for choice in page.vocabulary.verdicts]

    def get_reasons(self, page: TextPage) -> list[str]:
        return [reason.name for reason in page.vocabulary.reasons]


class OwnPlaceSerializer(OwnVerdictSerializer):
    """A text that you read or have read, in the order of your queue."""

    id = serializers.CharField(source="public_id")
    round = serializers.CharField(source="round.public_id")
    campaign = serializers.CharField(source="round.campaign.name")
    is_closed = serializers.BooleanField(source="round.is_closed")

    class Meta(OwnVerdictSerializer.Meta):
        fields = [
            "id", "round", "campaign", "is_closed", "position", "started_at", "given_at",
            *OwnVerdictSerializer.Meta.fields,
        ]  # fmt: skip


class SendVerdictSerializer(Body):
    """A verdict; `revision` is that of the text as you read it."""

    verdict = serializers.CharField(max_length=NAME_CHARACTERS)
    reasons = serializers.ListField(
        child=serializers.CharField(max_length=NAME_CHARACTERS),
        default=list,
        max_length=MOST_REASONS,
    )
    note = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    text = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    answer = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    revision = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    seconds = serializers.FloatField(min_value=0, max_value=86_400, default=None, allow_null=True)


class SendAnswerSerializer(Body):
    blind_answer = serializers.CharField(max_length=LONGEST_TEXT)


class TextRefusalSerializer(RefusedSerializer):
    """Why nothing was saved; `theirs` is what another page of yours stored since.

    `differs` names the fields in which it is not what was sent.
    """

    theirs = OwnVerdictSerializer(required=False)
    differs = serializers.ListField(child=serializers.CharField(), required=False)


class TextEndpoint(APIView):
    def page(self, request: Request, public_id: str) -> TextPage:
        return text_page(signed_in_user(request), public_id)

    def handle_exception(self, exc: Exception) -> Response:
        match exc:
            case TextVerdict.DoesNotExist():
                exc = Http404("no such text")
            case InvalidVerdictError():
                body = {"field": exc.field, "value": exc.value, "expected": exc.expected}
                exc = BodyError(status.HTTP_400_BAD_REQUEST, {"detail": str(exc), **body})
            case StaleVerdictError():
                theirs = OwnVerdictSerializer(exc.theirs).data
                stale = {"detail": str(exc), "theirs": theirs, "differs": list(exc.differs)}
                exc = BodyError(status.HTTP_409_CONFLICT, stale)
        return super().handle_exception(exc)


class OwnTextsQuery(serializers.Serializer[Any]):
    left = serializers.BooleanField(default=False, help_text="Only texts without a verdict")


class OwnTexts(ListAPIView[TextVerdict]):
    """List the texts that you read, round by round; `left=true` leaves out those with a verdict."""

    serializer_class = OwnPlaceSerializer

    @extend_schema(
        parameters=[OwnTextsQuery],
        responses={
            200: OwnPlaceSerializer(many=True),
            400: OpenApiResponse(OpenApiTypes.OBJECT, description="`left` is neither yes nor no."),
        },
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[TextVerdict]:
        own = own_verdicts(signed_in_user(self.request)).select_related("round__campaign")
        query = OwnTextsQuery(data=self.request.query_params)
        query.is_valid(raise_exception=True)
        if query.validated_data["left"]:
            own = own.filter(verdict="")
        return own.order_by("round_id", "position", "pk")


class OwnText(TextEndpoint):
    @extend_schema(operation_id="text", responses={200: OwnTextSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Read one of your texts; the first time this notes that you began."""
        page, user = self.page(request, public_id), signed_in_user(request)
        round_ = page.own.round
        if page.own.started_at is None and not consent_to_ask(user, round_.campaign):
            begin(public_id=public_id, actor=user)
        return Response(OwnTextSerializer(page).data)


class BlindAnswer(TextEndpoint):
    @extend_schema(
        operation_id="text_answer",
        request=SendAnswerSerializer,
        responses={200: OwnTextSerializer, 409: TextRefusalSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Answer the question of a text before its answer is shown; the first answer stays."""
        body = SendAnswerSerializer.read(request)
        answer_blind(
            public_id=public_id, answer=body["blind_answer"], actor=signed_in_user(request)
        )
        return Response(OwnTextSerializer(self.page(request, public_id)).data)


class Verdict(TextEndpoint):
    @extend_schema(
        operation_id="text_verdict",
        request=SendVerdictSerializer,
        responses={200: OwnVerdictSerializer, 409: TextRefusalSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Give a verdict, or change yours; the same one sent twice counts once."""
        body = SendVerdictSerializer.read(request)
        sent = SentVerdict(**{**body, "reasons": tuple(body["reasons"])})
        own = give_verdict(public_id=public_id, sent=sent, actor=signed_in_user(request))
        return Response(OwnVerdictSerializer(own).data)
