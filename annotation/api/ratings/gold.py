"""Endpoints of gold and of the checks of a round.

Researchers' endpoints answer everybody else with 404: nobody else learns that there is gold.
"""

from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.engine.limits import limits
from annotation.engine.ratings.gold import WIDEST_BAND, GoldError
from annotation.engine.rubric.rubric import Metric
from annotation.forms.ratings.gold import REASON_CHARACTERS
from annotation.models import Campaign, GoldItem, GoldSource, RoundChecks
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.rounds import round_of
from annotation.selectors.ratings.gold import (
    LEAST_RATERS,
    Proposal,
    checks_of,
    get_gold_campaign,
    get_gold_campaign_to_change,
    get_gold_item,
    gold_of,
    proposals,
    traces_of,
)
from annotation.selectors.ratings.training import training_rounds
from annotation.services.ratings.gold import (
    NewChecks,
    NewGold,
    accept_proposals,
    edit_gold,
    mark_gold,
    plan_checks,
    retire_gold,
)

MOST_INDEX = 2**31 - 1
MOST_ACCEPTED = 6
MARKED_SOURCES = [item.value for item in GoldSource if item != GoldSource.CONSENSUS]


class GoldSerializer(serializers.ModelSerializer[GoldItem]):
    """The accepted answers to one question; `event` is the index, null for the whole trace."""

    id = serializers.CharField(source="public_id", read_only=True)
    trace = serializers.CharField(source="trace.public_id", read_only=True)
    event = serializers.IntegerField(source="event.index", allow_null=True, default=None)
    accepted = serializers.ListField(child=serializers.CharField())
    # The framework takes fields out of the class, so its own `source` stays what it is.
    source = serializers.CharField()  # type: ignore[assignment]
    round = serializers.IntegerField(source="round.number", allow_null=True, default=None)
    made_by = serializers.CharField(source="made_by.username", allow_null=True, default=None)

    class Meta:
        model = GoldItem
        fields = [
            "id", "trace", "event", "metric", "accepted", "band", "reason", "source", "round",
            "made_by", "made_at", "retired_at",
        ]  # fmt: skip


class GoldAnswerSerializer(Body):
    """Which answers are accepted and why; `band` 1 accepts the values beside them on a scale."""

    accepted = serializers.ListField(
        child=serializers.CharField(max_length=4), max_length=MOST_ACCEPTED
    )
    band = serializers.IntegerField(min_value=0, max_value=WIDEST_BAND, default=0)
    reason = serializers.CharField(max_length=REASON_CHARACTERS)
    source = serializers.ChoiceField(  # type: ignore[assignment]
        choices=MARKED_SOURCES, default=GoldSource.EXPERT.value
    )


class NewGoldSerializer(GoldAnswerSerializer):
    trace = serializers.CharField(max_length=16)
    event = serializers.IntegerField(min_value=0, max_value=MOST_INDEX, allow_null=True)
    metric = serializers.ChoiceField(choices=list(Metric))


class ProposalSerializer(serializers.Serializer[Proposal]):
    """A question that all raters of a closed round answered alike; `key` is sent to take it."""

    key = serializers.CharField()
    trace = serializers.CharField(source="trace.public_id")
    event = serializers.IntegerField(source="event_index", allow_null=True)
    metric = serializers.CharField()
    value = serializers.CharField()
    raters = serializers.IntegerField()


class AcceptSerializer(Body):
    accept = serializers.ListField(
        child=serializers.CharField(max_length=64), allow_empty=False, max_length=10_000
    )
    raters = serializers.IntegerField(min_value=2, max_value=1000, default=LEAST_RATERS)


class ChecksSerializer(serializers.ModelSerializer[RoundChecks]):
    """What a round asks for beside ordinary traces; see `PATCH` for what the fields take."""

    qualified_by = serializers.IntegerField(
        source="qualified_by.number", allow_null=True, default=None
    )

    class Meta:
        model = RoundChecks
        fields = list(NewChecks.__slots__)


class NewChecksSerializer(Body):
    """What is left out stays as it was; `qualified_by` is the number of a training round."""

    gold_count = serializers.IntegerField(**limits(NewChecks, "gold_count"), required=False)
    trap_count = serializers.IntegerField(**limits(NewChecks, "trap_count"), required=False)
    repeat_count = serializers.IntegerField(**limits(NewChecks, "repeat_count"), required=False)
    repeat_gap = serializers.IntegerField(**limits(NewChecks, "repeat_gap"), required=False)
    pass_overall = serializers.FloatField(**limits(NewChecks, "pass_overall"), required=False)
    pass_per_metric = serializers.FloatField(**limits(NewChecks, "pass_per_metric"), required=False)
    traces_per_attempt = serializers.IntegerField(
        **limits(NewChecks, "traces_per_attempt"), allow_null=True, required=False
    )
    most_attempts = serializers.IntegerField(
        **limits(NewChecks, "most_attempts"), allow_null=True, required=False
    )
    qualified_by = serializers.IntegerField(
        min_value=1, max_value=MOST_INDEX, allow_null=True, required=False
    )


class GoldEndpoint(APIView):
    """Answers wrong gold with 400, and what cannot be done now with 409."""

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, GoldError):
            exc = serializers.ValidationError({"accepted": [str(exc)]})
        elif isinstance(exc, DjangoValidationError) and not hasattr(exc, "error_dict"):
            exc = RefusedError(status.HTTP_409_CONFLICT, " ".join(exc.messages))
        return super().handle_exception(exc)

    def changeable(self, public_id: str) -> Campaign:
        return get_gold_campaign_to_change(signed_in_user(self.request), public_id)


def _new_gold(body: dict[str, Any], *, event: int | None, metric: str) -> NewGold:
    return NewGold(
        event_index=event,
        metric=Metric(metric),
        accepted=body["accepted"],
        band=body["band"],
        reason=body["reason"],
        source=GoldSource(body["source"]),
    )


class CampaignGold(GoldEndpoint):
    @extend_schema(operation_id="gold", responses={200: GoldSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """All gold of a campaign, the retired last."""
        campaign = get_gold_campaign(signed_in_user(request), public_id)
        return Response(GoldSerializer(gold_of(campaign), many=True).data)

    @extend_schema(
        operation_id="gold_create", request=NewGoldSerializer, responses={201: GoldSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Mark gold; what was said before about the same question is replaced."""
        campaign = self.changeable(public_id)
        body = NewGoldSerializer.read(request)
        trace = traces_of(campaign).filter(public_id=body["trace"]).first()
        if trace is None:
            expected = "expected the id of a trace of the campaign's data sets"
            raise serializers.ValidationError({"trace": [f"{body['trace']}: {expected}"]})
        item = mark_gold(
            campaign=campaign,
            trace=trace,
            new=_new_gold(body, event=body["event"], metric=body["metric"]),
            actor=signed_in_user(request),
        )
        return Response(GoldSerializer(item).data, status=status.HTTP_201_CREATED)


class GoldDetail(GoldEndpoint):
    @extend_schema(operation_id="gold_item", responses={200: GoldSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        return Response(GoldSerializer(get_gold_item(signed_in_user(request), public_id)).data)

    @extend_schema(
        operation_id="gold_edit", request=GoldAnswerSerializer, responses={200: GoldSerializer}
    )
    def put(self, request: Request, public_id: str) -> Response:
        """Replace what is accepted and why."""
        user = signed_in_user(request)
        item = get_gold_item(user, public_id, to_change=True)
        body = GoldAnswerSerializer.read(request)
        index = None if item.event is None else item.event.index
        new = _new_gold(body, event=index, metric=item.metric)
        edit_gold(item=item, new=new, actor=user)
        return Response(GoldSerializer(get_gold_item(user, public_id)).data)


class GoldRetirement(GoldEndpoint):
    @extend_schema(operation_id="gold_retire", request=None, responses={200: GoldSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Let the item count nowhere any more."""
        user = signed_in_user(request)
        item = get_gold_item(user, public_id, to_change=True)
        return Response(GoldSerializer(retire_gold(item=item, actor=user)).data)


class GoldProposals(GoldEndpoint):
    @extend_schema(
        operation_id="gold_proposals",
        parameters=[OpenApiParameter("raters", OpenApiTypes.INT, description="At least so many")],
        responses={
            200: ProposalSerializer(many=True),
            400: OpenApiResponse(
                OpenApiTypes.OBJECT, description="`raters` is not from 2 to 1000."
            ),
        },
    )
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """What all raters of a closed round answered alike, and has no gold yet."""
        round_ = round_of(self.changeable(public_id), number)
        least = request.query_params.get("raters", str(LEAST_RATERS))
        if not least.isdecimal() or not 2 <= int(least[:9]) <= 1000:
            raise serializers.ValidationError(
                {"raters": [f"{least[:20]!r}: expected a number from 2 to 1000"]}
            )
        found = proposals(round_, least_raters=int(least))
        return Response([ProposalSerializer(item).data for item in found])

    @extend_schema(
        operation_id="gold_accept",
        request=AcceptSerializer,
        responses={201: GoldSerializer(many=True)},
    )
    def post(self, request: Request, public_id: str, number: int) -> Response:
        """Take some of them as gold."""
        round_ = round_of(self.changeable(public_id), number)
        body = AcceptSerializer.read(request)
        items = accept_proposals(
            round_=round_,
            keys=body["accept"],
            least_raters=body["raters"],
            actor=signed_in_user(request),
        )
        return Response(GoldSerializer(items, many=True).data, status=status.HTTP_201_CREATED)


class RoundChecksEndpoint(GoldEndpoint):
    @extend_schema(operation_id="round_checks", responses={200: ChecksSerializer})
    def get(self, request: Request, public_id: str, number: int) -> Response:
        """What a round asks for beside ordinary traces."""
        campaign = get_gold_campaign(signed_in_user(request), public_id)
        return Response(ChecksSerializer(checks_of(round_of(campaign, number))).data)

    @extend_schema(
        operation_id="round_checks_plan",
        request=NewChecksSerializer,
        responses={200: ChecksSerializer, 409: RefusedSerializer},
    )
    def patch(self, request: Request, public_id: str, number: int) -> Response:
        """Plan gold, traps, repeats, the rule of passing, and who takes part, before it opens."""
        round_ = round_of(self.changeable(public_id), number)
        body = NewChecksSerializer.read(request)
        if body.get("qualified_by") is not None:
            training = training_rounds(round_.campaign).filter(number=body["qualified_by"]).first()
            if training is None:
                raise serializers.ValidationError(
                    {"qualified_by": ["expected the number of a training round of this campaign"]}
                )
            body["qualified_by"] = training
        checks = checks_of(round_)
        stored_values = {name: getattr(checks, name) for name in NewChecks.__slots__}
        stored = plan_checks(
            round_=round_, new=NewChecks(**{**stored_values, **body}), actor=signed_in_user(request)
        )
        return Response(ChecksSerializer(stored).data)
