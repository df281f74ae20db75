"""Endpoints of rounds of texts: read, set, open, close, and what people said of each text."""

from typing import cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns.campaigns import AllocationSerializer
from annotation.api.records.access import IsResearcher, ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedSerializer
from annotation.engine.limits import limits
from annotation.models import Phase, Round
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import get_campaign_for_user, get_changeable_campaign
from annotation.services.campaigns.rounds import close_round
from texts.engine.vocabulary import MOST_REASONS
from texts.models import LABEL_CHARACTERS, TEXTS, TextVerdict
from texts.selectors.rounds import (
    DecidedText,
    decided_texts,
    get_readable_text_round,
    get_text_round,
    text_rounds,
    vocabulary_of,
)
from texts.selectors.verdicts import verdicts_of_round
from texts.services.rounds import PHASES, NewTextRound, change_text_round, open_text_round


class VerdictChoiceSerializer(serializers.Serializer[None]):
    """A verdict that people can give."""

    name = serializers.CharField()
    title = serializers.CharField()
    key = serializers.CharField()
    keeps = serializers.BooleanField()
    edits = serializers.BooleanField()
    asks_reason = serializers.BooleanField()


class ReasonSerializer(serializers.Serializer[None]):
    """Why a text can get a verdict that asks for a reason."""

    name = serializers.CharField()
    title = serializers.CharField()


class TextRoundSerializer(serializers.ModelSerializer[Round]):
    """A round of texts: what is asked, and how far people are."""

    id = serializers.CharField(source="public_id")
    guideline = serializers.IntegerField(source="guideline.number")
    question = serializers.CharField(source="texts.vocabulary.question")
    verdicts = VerdictChoiceSerializer(source="texts.vocabulary.verdicts", many=True)
    reasons = ReasonSerializer(source="texts.vocabulary.reasons", many=True)
    is_blind_first = serializers.BooleanField(source="texts.is_blind_first")
    margin_s = serializers.FloatField(source="texts.margin_s")
    rater_count = serializers.IntegerField()
    text_count = serializers.IntegerField()
    assigned_count = serializers.IntegerField()
    given_count = serializers.IntegerField()

    class Meta:
        model = Round
        fields = [
            "id", "number", "phase", "guideline", "question", "verdicts", "reasons", "overlap",
            "seed", "is_blind_first", "margin_s", "rater_count", "text_count", "assigned_count",
            "given_count", "opened_at", "closed_at",
        ]  # fmt: skip


class TextRoundSettingsSerializer(Body):
    """Settings of a planned round; what is left out stays. `reasons` are titles."""

    phase = serializers.ChoiceField(choices=PHASES, required=False)
    margin_s = serializers.FloatField(required=False, **limits(NewTextRound, "margin_s"))
    reasons = serializers.ListField(
        child=serializers.CharField(max_length=LABEL_CHARACTERS),
        required=False,
        max_length=MOST_REASONS,
    )


class DecidedTextSerializer(DataclassSerializer[DecidedText]):
    """What was decided of a text; `verdict` is empty while nothing is."""


class GivenVerdictSerializer(serializers.ModelSerializer[TextVerdict]):
    """One person's verdict; that of place 3 decides where the two others differ."""

    source_key = serializers.CharField(source="item.source_key")
    username = serializers.CharField(source="person.username")
    reasons = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = TextVerdict
        fields = [
            "source_key", "username", "place", "verdict", "reasons", "note", "text", "answer",
            "blind_answer", "seconds", "revision", "given_at",
        ]  # fmt: skip


class TextRounds(ResearcherEndpoint):
    @extend_schema(operation_id="text_rounds", responses={200: TextRoundSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """The rounds of a campaign of texts in order."""
        campaign = get_campaign_for_user(self.user, public_id, TEXTS)
        return Response(TextRoundSerializer(text_rounds(campaign), many=True).data)


class TextRoundEndpoint(ResearcherEndpoint):
    def changeable(self, public_id: str, number: int) -> Round:
        campaign = get_changeable_campaign(self.user, public_id, TEXTS)
        return get_object_or_404(text_rounds(campaign), number=number)

    def counted(self, public_id: str, number: int) -> Response:
        return Response(TextRoundSerializer(get_text_round(self.user, public_id, number)).data)


class TextRoundSettings(TextRoundEndpoint):
    @extend_schema(operation_id="text_round_settings", responses={200: TextRoundSerializer})
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Read what a round asks and how far people are."""
        return self.counted(public_id, number)

    @extend_schema(
        operation_id="text_round_change",
        request=TextRoundSettingsSerializer,
        responses={200: TextRoundSerializer, 409: RefusedSerializer},
    )
    def patch(self, request: Request, public_id: str, number: int) -> Response:
        """Change the phase, margin or reasons of a round that was not opened yet."""
        planned = self.changeable(public_id, number)
        reasons = [reason.title for reason in vocabulary_of(planned).reasons]
        sent = TextRoundSettingsSerializer.read(request)
        change_text_round(
            planned=planned,
            margin_s=sent.get("margin_s", planned.texts.margin_s),
            reasons=sent.get("reasons", reasons),
            phase=Phase(sent.get("phase", planned.phase)),
            actor=self.user,
        )
        return self.counted(public_id, number)


class TextRoundOpening(TextRoundEndpoint):
    @extend_schema(
        operation_id="text_round_open",
        request=None,
        responses={200: AllocationSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Freeze the guideline of a planned round, give its texts out, let people begin."""
        planned = self.changeable(public_id, number)
        result = open_text_round(planned=planned, actor=self.user)
        return Response(AllocationSerializer(result).data)


class TextRoundClosing(TextRoundEndpoint):
    @extend_schema(
        operation_id="text_round_close",
        request=None,
        responses={200: TextRoundSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Close a round; it cannot be opened again."""
        close_round(closing=self.changeable(public_id, number), actor=self.user)
        return self.counted(public_id, number)


class DecidedTexts(ResearcherEndpoint):
    @extend_schema(
        operation_id="text_round_texts", responses={200: DecidedTextSerializer(many=True)}
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """Read what was decided of each text, in the order in which they were handed over."""
        round_ = get_readable_text_round(self.user, public_id, number)
        return Response(DecidedTextSerializer(decided_texts(round_), many=True).data)


class GivenVerdicts(ListAPIView[TextVerdict]):
    """List every verdict of a round, text by text; nobody who reads in the campaign sees any."""

    permission_classes = [IsResearcher]
    serializer_class = GivenVerdictSerializer

    def get_queryset(self) -> QuerySet[TextVerdict]:
        public_id, number = self.kwargs["public_id"], cast("int", self.kwargs["number"])
        user = signed_in_user(self.request)
        return verdicts_of_round(get_readable_text_round(user, public_id, number))
