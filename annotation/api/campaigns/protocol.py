"""Endpoints of a campaign's accountability: plan of the analysis, consent, filed protocols."""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.engine.corpus.step_words import OFFERED, StepWords
from annotation.engine.rubric.rubric import Metric
from annotation.forms.campaigns.protocol import LONG_TEXT, MOST_RATERS
from annotation.models import AnalysisPlan, Campaign, ConsentText, ProtocolFile
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import (
    get_campaign_for_user,
    get_changeable_campaign,
    get_readable_campaign,
)
from annotation.selectors.campaigns.protocol import (
    analysis_plan,
    campaign_of_rater,
    consent_to_ask,
    consents_to,
    current_consent,
    filed_protocol,
)
from annotation.services.campaigns.protocol import (
    PLANNED_IN,
    InvalidPlanError,
    accept_consent,
    file_protocol_now,
    set_analysis_plan,
    set_consent_text,
)

METRICS = [metric.value for metric in Metric]
LARGEST_NUMBER = 2**31 - 1


class AnalysisPlanSerializer(Body):
    """What will be reported; `comparisons` are pairs of names of the campaign's data sets."""

    metrics = serializers.ListField(child=serializers.ChoiceField(choices=METRICS))
    comparisons = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2),
        default=list,
    )
    hypotheses = serializers.CharField(allow_blank=True, default="", max_length=LONG_TEXT)
    exclusions = serializers.CharField(allow_blank=True, default="", max_length=LONG_TEXT)
    least_coverage = serializers.IntegerField(
        min_value=0,
        max_value=100,
        default=AnalysisPlan.LEAST_COVERAGE,
        help_text="Figures of a smaller share of the planned answers, in percent, stand apart",
    )
    least_raters = serializers.IntegerField(
        min_value=1,
        max_value=MOST_RATERS,
        default=AnalysisPlan.LEAST_RATERS,
        help_text="Figures of fewer people stand apart",
    )
    step_words = serializers.ChoiceField(
        choices=OFFERED,
        default=StepWords.ARROWS,
        help_text="What raters of later rounds see where a step is on one side only",
    )


class AcceptanceSerializer(serializers.Serializer[None]):
    """A rater of the campaign, and when the current text was accepted; null for not yet."""

    rater = serializers.CharField()
    accepted_at = serializers.DateTimeField(allow_null=True)


class ConsentTextSerializer(serializers.ModelSerializer[ConsentText]):
    """A version of the consent text; `content_hash` is the SHA-256 of the text."""

    class Meta:
        model = ConsentText
        fields = ["number", "text", "content_hash"]


class AcceptedTextSerializer(ConsentTextSerializer):
    """The text with who of the raters has accepted it."""

    acceptances = AcceptanceSerializer(many=True)

    class Meta(ConsentTextSerializer.Meta):
        fields = [*ConsentTextSerializer.Meta.fields, "acceptances"]


class OwnConsentSerializer(ConsentTextSerializer):
    """The text of a campaign as its rater sees it."""

    is_accepted = serializers.BooleanField()

    class Meta(ConsentTextSerializer.Meta):
        fields = [*ConsentTextSerializer.Meta.fields, "is_accepted"]


class FiledProtocolSerializer(serializers.ModelSerializer[ProtocolFile]):
    """A filed protocol; `content_hash` is the SHA-256 of its JSON file."""

    id = serializers.CharField(source="public_id", read_only=True)

    class Meta:
        model = ProtocolFile
        fields = ["id", "moment", "content_hash", "made_at"]


class CampaignProtocolSerializer(serializers.Serializer[None]):
    """`is_planned` says that the plan stands: what is computed beyond it is exploratory."""

    state = serializers.CharField()
    is_planned = serializers.BooleanField()
    analysis = AnalysisPlanSerializer()
    consent = AcceptedTextSerializer(allow_null=True)
    filed = FiledProtocolSerializer(many=True)


class NewConsentSerializer(Body):
    text = serializers.CharField(max_length=LONG_TEXT)


class ConsentNumberSerializer(Body):
    """The number of the text that was read; another one is refused."""

    number = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER)


def _analysis(campaign: Campaign) -> dict[str, Any]:
    return dict(AnalysisPlanSerializer(analysis_plan(campaign)).data)


class CampaignProtocol(ResearcherEndpoint):
    @extend_schema(operation_id="protocol", responses={200: CampaignProtocolSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """What is planned, who accepted the consent text, and what was filed, the newest first."""
        campaign = get_readable_campaign(self.user, public_id)
        consent = current_consent(campaign)
        shown_consent = consent and {
            **ConsentTextSerializer(consent).data,
            "acceptances": [
                {"rater": name, "accepted_at": at} for name, at in consents_to(consent)
            ],
        }
        filed = campaign.protocol_files.order_by("-pk")
        return Response(
            {
                "state": campaign.state,
                "is_planned": campaign.state not in PLANNED_IN,
                "analysis": _analysis(campaign),
                "consent": shown_consent,
                "filed": FiledProtocolSerializer(filed, many=True).data,
            }
        )


class ProtocolAnalysis(ResearcherEndpoint):
    @extend_schema(
        operation_id="protocol_analysis",
        request=AnalysisPlanSerializer,
        responses={200: AnalysisPlanSerializer, 409: RefusedSerializer},
    )
    def put(self, request: Request, public_id: str) -> Response:
        """Store what will be reported; once the protocol is frozen, 409."""
        campaign = get_changeable_campaign(self.user, public_id)
        body = AnalysisPlanSerializer.read(request)
        try:
            set_analysis_plan(campaign=campaign, actor=self.user, **body)
        except InvalidPlanError as error:
            raise serializers.ValidationError({"comparisons": [str(error)]}) from error
        return Response(_analysis(campaign))


class ProtocolFiles(ResearcherEndpoint):
    @extend_schema(
        operation_id="protocol_file",
        request=None,
        responses={201: FiledProtocolSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """File the protocol as it stands; opening the main round and releasing do it as well."""
        campaign = get_changeable_campaign(self.user, public_id)
        filed = file_protocol_now(campaign=campaign, actor=self.user)
        return Response(FiledProtocolSerializer(filed).data, status=status.HTTP_201_CREATED)


class FiledProtocol(ResearcherEndpoint):
    @extend_schema(
        operation_id="protocol_filed",
        responses={(200, "application/json"): OpenApiResponse(OpenApiTypes.OBJECT)},
    )
    def get(self, request: Request, public_id: str, filed_id: str) -> HttpResponse:
        """A filed protocol as JSON, byte for byte as its hash says."""
        filed = filed_protocol(self.user, public_id, filed_id)
        return HttpResponse(filed.content, content_type="application/json")


class FiledProtocolMarkdown(ResearcherEndpoint):
    @extend_schema(
        operation_id="protocol_filed_markdown",
        responses={(200, "text/markdown"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, public_id: str, filed_id: str) -> HttpResponse:
        """A filed protocol to read, with the hash of its JSON file."""
        filed = filed_protocol(self.user, public_id, filed_id)
        return HttpResponse(filed.markdown, content_type="text/markdown; charset=utf-8")


class CampaignConsent(APIView):
    """The consent text: its campaign's researcher writes it, its raters read it."""

    @extend_schema(operation_id="consent", responses={200: OwnConsentSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """The text that you accept before your first answer; 404 where none is asked."""
        user = signed_in_user(request)
        campaign = campaign_of_rater(user, public_id) or get_campaign_for_user(
            user, public_id, kind=None
        )
        return Response(_own_consent(request, campaign))

    @extend_schema(
        operation_id="consent_write",
        request=NewConsentSerializer,
        responses={200: ConsentTextSerializer},
    )
    def put(self, request: Request, public_id: str) -> Response:
        """Ask for a text before the next first answer; who accepted another is asked again."""
        user = signed_in_user(request)
        campaign = get_changeable_campaign(user, public_id, kind=None)
        asked = NewConsentSerializer.read(request)
        text = asked["text"]
        consent_text = set_consent_text(campaign=campaign, text=text, actor=user)
        return Response(ConsentTextSerializer(consent_text).data)


class ConsentAcceptance(APIView):
    @extend_schema(
        operation_id="consent_accept",
        request=ConsentNumberSerializer,
        responses={200: OwnConsentSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Accept the text of a campaign in which you rate; 409 where it has changed meanwhile."""
        user = signed_in_user(request)
        campaign = campaign_of_rater(user, public_id)
        text = None if campaign is None else current_consent(campaign)
        if campaign is None or text is None:
            raise Http404
        body = ConsentNumberSerializer.read(request)
        if body["number"] != text.number:
            detail = f"The text has changed: its number is {text.number} now. Read it again."
            raise RefusedError(status.HTTP_409_CONFLICT, detail)
        accept_consent(text=text, rater=user)
        return Response(_own_consent(request, campaign))


def _own_consent(request: Request, campaign: Campaign) -> dict[str, Any]:
    text = current_consent(campaign)
    if text is None:
        raise Http404
    is_accepted = consent_to_ask(signed_in_user(request), campaign) is None
    return {**ConsentTextSerializer(text).data, "is_accepted": is_accepted}
