"""Endpoints of a campaign's protocol: rounds and versions of the guideline."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns.campaigns import AllocationSerializer, RoundSerializer
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedSerializer
from annotation.engine.campaigns.guideline import GuidelineError
from annotation.engine.limits import limits
from annotation.forms.campaigns.rounds import LONG_TEXT, SHORT_TEXT
from annotation.models import Campaign, GuidelineVersion, Phase, Round
from annotation.models.round_kinds import RATINGS
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import get_campaign_for_user, get_changeable_campaign
from annotation.selectors.campaigns.rounds import (
    get_version_for_user,
    round_of,
    rounds_with_progress,
    versions_of,
)
from annotation.selectors.corpus.corpus import visible_traces
from annotation.services.campaigns.guidelines import edit_version, new_version
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.rounds import (
    NewRound,
    freeze_protocol,
    open_round,
    plan_round,
    release_campaign,
)


class RoundProgressSerializer(RoundSerializer):
    """A round with its counts of people and of ordinary assignments."""

    rater_count = serializers.IntegerField(read_only=True)
    trace_count = serializers.IntegerField(read_only=True)
    assigned_count = serializers.IntegerField(read_only=True)
    submitted_count = serializers.IntegerField(read_only=True)
    drawn_from = serializers.DictField(
        source="ratings.drawn_from",
        read_only=True,
        help_text="What was asked of the traces; empty for rounds from before it was kept",
    )

    class Meta(RoundSerializer.Meta):
        fields = [
            *RoundSerializer.Meta.fields,
            "rater_count", "trace_count", "assigned_count", "submitted_count", "drawn_from",
        ]  # fmt: skip


class NewRoundSerializer(Body):
    """What a round is planned with; `guideline` is the number of a version."""

    phase = serializers.ChoiceField(choices=Phase.choices)
    guideline = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    overlap = serializers.IntegerField(**limits(NewRound, "overlap", default_as="default"))
    seed = serializers.IntegerField(**limits(NewRound, "seed", default_as="default"))
    stop_rule = serializers.CharField(
        allow_blank=True, **limits(NewRound, "stop_rule", default_as="default")
    )
    per_dataset = serializers.IntegerField(
        allow_null=True, **limits(NewRound, "per_dataset", default_as="default")
    )
    rates_pilot_again = serializers.BooleanField(default=False)
    has_video = serializers.BooleanField(
        default=False, help_text="Draw only traces with a video that raters see"
    )
    has_correction = serializers.BooleanField(
        default=False, help_text="Draw only traces with a correction"
    )
    scenarios = serializers.ListField(
        child=serializers.CharField(allow_blank=True, max_length=200),
        default=list,
        help_text="Draw only traces of these scenarios; empty for all",
    )


class ExampleSerializer(Body):
    """An example of a metric: a trace, its event by index (null for the whole trace), a note."""

    metric = serializers.CharField(max_length=32)
    trace = serializers.CharField(max_length=16)
    event = serializers.IntegerField(min_value=0, max_value=2**31 - 1, allow_null=True)
    note = serializers.CharField(max_length=SHORT_TEXT)


class GuidelineSerializer(serializers.ModelSerializer[GuidelineVersion]):
    """A version of the guideline; one whose text was not recorded has an empty `text`."""

    id = serializers.CharField(source="public_id", read_only=True)
    text = serializers.DictField()
    examples = ExampleSerializer(many=True)
    based_on = serializers.IntegerField(source="parent.number", allow_null=True, default=None)

    class Meta:
        model = GuidelineVersion
        fields = [
            "id", "number", "name", "text", "examples", "changes", "based_on", "created_at",
            "frozen_at", "content_hash",
        ]  # fmt: skip


class NewGuidelineSerializer(Body):
    """`based_on` is the number of the version whose text the draft begins with."""

    based_on = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class GuidelineTextSerializer(Body):
    text = serializers.DictField()
    examples = ExampleSerializer(many=True, default=list)
    changes = serializers.CharField(allow_blank=True, default="", max_length=LONG_TEXT)


class GuidelineNumberSerializer(Body):
    guideline = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class ProtocolStateSerializer(serializers.ModelSerializer[Campaign]):
    class Meta:
        model = Campaign
        fields = ["state"]


class ProtocolEndpoint(ResearcherEndpoint):
    """An endpoint of one campaign."""

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, GuidelineError):
            exc = serializers.ValidationError({"text": [str(exc)]})
        return super().handle_exception(exc)

    # Rounds and states are those of ratings; versions of the guideline are of every kind.
    kind: str | None = RATINGS

    def changeable(self, public_id: str) -> Campaign:
        return get_changeable_campaign(signed_in_user(self.request), public_id, self.kind)


def _version(campaign: Campaign, number: int) -> GuidelineVersion:
    version = campaign.guideline_versions.filter(number=number).first()
    if version is None:
        raise serializers.ValidationError(
            {"guideline": [f"{number}: expected the number of a version of this campaign"]}
        )
    return version


def _counted(round_: Round) -> dict[str, Any]:
    counted = rounds_with_progress(round_.campaign).get(pk=round_.pk)
    return dict(RoundProgressSerializer(counted).data)


class CampaignRounds(ProtocolEndpoint):
    @extend_schema(operation_id="rounds", responses={200: RoundProgressSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """The rounds of a campaign in their order."""
        campaign = get_campaign_for_user(self.user, public_id)
        return Response(RoundProgressSerializer(rounds_with_progress(campaign), many=True).data)

    @extend_schema(
        operation_id="round_plan",
        request=NewRoundSerializer,
        responses={201: RoundProgressSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Plan a round: its traces are drawn; raters see nothing of it before it is opened."""
        campaign = self.changeable(public_id)
        body = NewRoundSerializer.read(request)
        body["guideline"] = _version(campaign, body["guideline"])
        body["phase"] = Phase(body["phase"])
        body["scenarios"] = tuple(body["scenarios"])
        planned = plan_round(campaign=campaign, new=NewRound(**body), actor=self.user)
        return Response(_counted(planned), status=status.HTTP_201_CREATED)


class RoundOpening(ProtocolEndpoint):
    @extend_schema(
        operation_id="round_open",
        request=None,
        responses={200: AllocationSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Freeze the guideline of a planned round, give out its traces, let people begin."""
        planned = round_of(self.changeable(public_id), number)
        result = open_round(planned=planned, actor=self.user)
        return Response(AllocationSerializer(result).data)


class RoundClosing(ProtocolEndpoint):
    @extend_schema(
        operation_id="round_close",
        request=None,
        responses={200: RoundProgressSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Close a round for good."""
        closing = round_of(self.changeable(public_id), number)
        return Response(_counted(close_round(closing=closing, actor=self.user)))


class CampaignFreezing(ProtocolEndpoint):
    @extend_schema(
        operation_id="campaign_freeze",
        request=GuidelineNumberSerializer,
        responses={200: ProtocolStateSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Freeze the version of the guideline that the main round will use."""
        campaign = self.changeable(public_id)
        body = GuidelineNumberSerializer.read(request)
        version = _version(campaign, body["guideline"])
        frozen = freeze_protocol(campaign=campaign, guideline=version, actor=self.user)
        return Response(ProtocolStateSerializer(frozen).data)


class CampaignRelease(ProtocolEndpoint):
    @extend_schema(
        operation_id="campaign_release",
        request=None,
        responses={200: ProtocolStateSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Say that the figures of a closed campaign are published: no round can follow."""
        released = release_campaign(campaign=self.changeable(public_id), actor=self.user)
        return Response(ProtocolStateSerializer(released).data)


class Guidelines(ProtocolEndpoint):
    kind = None

    @extend_schema(operation_id="guidelines", responses={200: GuidelineSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """The versions of a campaign's guideline, the newest first."""
        campaign = get_campaign_for_user(self.user, public_id, kind=None)
        versions = versions_of(campaign).select_related("parent")
        return Response(GuidelineSerializer(versions, many=True).data)

    @extend_schema(
        operation_id="guideline_create",
        request=NewGuidelineSerializer,
        responses={201: GuidelineSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Make a draft with the text of an earlier version."""
        campaign = self.changeable(public_id)
        body = NewGuidelineSerializer.read(request)
        parent = _version(campaign, body["based_on"])
        draft = new_version(campaign=campaign, parent=parent, actor=self.user)
        return Response(GuidelineSerializer(draft).data, status=status.HTTP_201_CREATED)


class GuidelineDetail(ProtocolEndpoint):
    kind = None

    @extend_schema(operation_id="guideline", responses={200: GuidelineSerializer})
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """One version with its whole text."""
        version = get_version_for_user(self.user, public_id, number)
        return Response(GuidelineSerializer(version).data)

    @extend_schema(
        operation_id="guideline_edit",
        request=GuidelineTextSerializer,
        responses={200: GuidelineSerializer, 409: RefusedSerializer},
    )
    def put(self, request: Request, public_id: str, number: int) -> Response:
        """Replace the text of a draft; a frozen version is answered with 409."""
        version = get_object_or_404(self.changeable(public_id).guideline_versions, number=number)
        body = GuidelineTextSerializer.read(request)
        ids = {example["trace"] for example in body["examples"]}
        visible = visible_traces(self.user).filter(public_id__in=ids)
        unknown = ids - set(visible.values_list("public_id", flat=True))
        if unknown:
            names = ", ".join(sorted(unknown))
            raise serializers.ValidationError(
                {"examples": [f"{names}: expected ids of traces that you may see"]}
            )
        edited = edit_version(
            version=version,
            actor=self.user,
            text=body["text"],
            examples=[dict(example) for example in body["examples"]],
            changes=body["changes"],
        )
        return Response(GuidelineSerializer(edited).data)
