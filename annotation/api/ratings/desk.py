"""Endpoints of the disagreement desk: draw, list, read, discuss, decide, change the guideline."""

from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.engine.campaigns.guideline import GuidelineError
from annotation.engine.ratings.adjudication import Cause, DecisionError
from annotation.engine.ratings.remarks import MAX_CHARACTERS
from annotation.models import Case, CaseState, GuidelineVersion, Side, User
from annotation.models.desk import CLIENT_KEY_CHARACTERS
from annotation.models.rating import VALUE_CHARACTERS
from annotation.permissions import signed_in_user
from annotation.selectors.campaigns.campaigns import get_changeable_campaign
from annotation.selectors.ratings.desk import (
    Desk,
    case_filters,
    cases_of,
    get_case,
    get_decidable_case,
    get_desk,
)
from annotation.selectors.ratings.desk_cases import (
    CaseAnswer,
    CaseRemark,
    answers_of,
    discussion_of,
)
from annotation.services.ratings.desk import (
    CommentError,
    DrawResult,
    TimeMark,
    add_comment,
    decide_case,
    draft_from_case,
    draw_cases,
)

CAUSES = [cause.value for cause in Cause]
FILTERS = {
    "round": "Id of a round.",
    "metric": "Name of a metric, or `none` for what raters said.",
    "dataset": "Id of a data set; researchers only.",
    "pair": "Two user names with a comma between; researchers only.",
    "state": "open, discussed or decided.",
    "cause": "What it was decided to be.",
    "flagged": "yes or no: whether a rater could not judge, or remarked on it.",
}


class CaseAnswerSerializer(serializers.Serializer[None]):
    """What a rater answered; `name` only for researchers, once the case is decided."""

    letter = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    is_own = serializers.BooleanField()
    value = serializers.CharField(allow_null=True)
    confidence = serializers.IntegerField(allow_null=True)
    cannot_judge = serializers.CharField(allow_null=True)
    is_implied = serializers.BooleanField()


class CaseSerializer(serializers.Serializer[None]):
    """A case of the queue; `dataset` and `trace` are null where they may not be known."""

    id = serializers.CharField()
    campaign = serializers.CharField()
    round = serializers.IntegerField(help_text="The number of the round.")
    dataset = serializers.CharField(allow_null=True)
    trace = serializers.CharField(allow_null=True)
    scenario = serializers.CharField()
    event = serializers.IntegerField(allow_null=True, help_text="Null for the whole trace.")
    metric = serializers.CharField(help_text="Empty where raters only said something.")
    score = serializers.FloatField(
        allow_null=True, help_text="Disagreement from 0 to 1; null below two answers."
    )
    is_flagged = serializers.BooleanField()
    state = serializers.ChoiceField(choices=CaseState.choices)
    cause = serializers.ChoiceField(choices=CAUSES, allow_blank=True)
    answers = CaseAnswerSerializer(many=True)


class CaseCommentSerializer(serializers.Serializer[None]):
    """What somebody said, by letter, with the moment of one recording that it is about, if any."""

    id = serializers.CharField()
    author = serializers.CharField()
    is_own = serializers.BooleanField()
    text = serializers.CharField()
    side = serializers.ChoiceField(choices=Side.choices, allow_null=True)
    time_s = serializers.FloatField(allow_null=True)
    written_at = serializers.DateTimeField()


class CaseRemarkSerializer(DataclassSerializer[CaseRemark]):
    class Meta:
        fields = ["letter", "is_own", "kind", "text"]


class CaseDetailSerializer(CaseSerializer):
    """A case with its discussion, what it can end as, and how it ended."""

    comments = CaseCommentSerializer(many=True)
    remarks = CaseRemarkSerializer(many=True)
    possible_causes = serializers.ListField(child=serializers.ChoiceField(choices=CAUSES))
    possible_values = serializers.ListField(child=serializers.CharField())
    value = serializers.CharField(
        allow_null=True, help_text="The adjudicated value; it is no rating and enters no figure."
    )
    reason = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)


class NewCommentSerializer(Body):
    """A comment; with `side` and `time_s` it marks a moment. One `client_key` counts once."""

    text = serializers.CharField(max_length=MAX_CHARACTERS)
    side = serializers.ChoiceField(choices=Side.choices, required=False, allow_null=True)
    time_s = serializers.FloatField(min_value=0, required=False, allow_null=True)
    client_key = serializers.CharField(
        max_length=CLIENT_KEY_CHARACTERS, required=False, allow_blank=True, default=""
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a side without a time, or a time without a side."""
        if (attrs.get("side") is None) != (attrs.get("time_s") is None):
            lacking = "side" if attrs.get("side") is None else "time_s"
            expected = "A time mark has both side and time_s; expected both or neither."
            raise serializers.ValidationError({lacking: [expected]})
        return attrs


class CaseDecisionSerializer(Body):
    """The cause, why in words, and a value where the metric is no matter of opinion."""

    cause = serializers.ChoiceField(choices=CAUSES)
    value = serializers.CharField(
        max_length=VALUE_CHARACTERS, required=False, allow_blank=True, default=""
    )
    reason = serializers.CharField(
        max_length=MAX_CHARACTERS, required=False, allow_blank=True, default=""
    )


class DrawnSerializer(DataclassSerializer[DrawResult]):
    """What drawing changed; drawing again changes nothing."""


class DraftSerializer(serializers.ModelSerializer[GuidelineVersion]):
    """The draft of the guideline that has the event of the case as an example."""

    id = serializers.CharField(source="public_id", read_only=True)

    class Meta:
        model = GuidelineVersion
        fields = ["id", "number", "name"]


def _row(case: Case, desk: Desk, answers: tuple[CaseAnswer, ...]) -> dict[str, object]:
    return {
        "id": case.public_id,
        "campaign": desk.campaign.public_id,
        "round": case.round.number,
        "dataset": case.trace.dataset.public_id if desk.shows_sources else None,
        "trace": case.trace.public_id if desk.shows_sources else None,
        "scenario": case.trace.take.scenario,
        "event": None if case.event is None else case.event.index,
        "metric": case.metric,
        "score": case.score,
        "is_flagged": case.is_flagged,
        "state": case.state,
        "cause": case.cause,
        "answers": [
            {
                "letter": answer.letter,
                "name": answer.name or None,
                "is_own": answer.is_own,
                "value": answer.value or None,
                "confidence": answer.confidence,
                "cannot_judge": answer.cannot_judge or None,
                "is_implied": answer.is_implied,
            }
            for answer in answers
        ],
    }


def case_dict(user: User, public_id: str) -> dict[str, object]:
    case, desk = get_case(user, public_id)
    discussion = discussion_of(case, user, desk)
    return {
        **_row(case, desk, discussion.answers),
        "comments": [comment.to_dict() for comment in discussion.comments],
        "remarks": CaseRemarkSerializer(discussion.remarks, many=True).data,
        "possible_causes": [cause for cause, _ in discussion.causes],
        "possible_values": [value for value, _ in discussion.values],
        "value": discussion.value or None,
        "reason": case.reason,
        "decided_at": case.decided_at,
    }


class CaseList(generics.ListAPIView[Case]):
    """List the cases of a campaign that you may see, the widest disagreement first."""

    serializer_class = CaseSerializer  # type: ignore[assignment]  # rows are made by hand

    def get_queryset(self) -> QuerySet[Case]:
        user = signed_in_user(self.request)
        self.desk = get_desk(user, self.kwargs["public_id"])
        conditions = Q()
        for item in case_filters(user, self.desk):
            value = self.request.query_params.get(item.key, "")
            if not value:
                continue
            if value not in item.choices:
                expected = ", ".join(item.choices) or "nothing: there is none"
                raise serializers.ValidationError({item.key: [f"{value!r}; expected {expected}"]})
            conditions &= item.choices[value][1]
        return cases_of(user, self.desk).filter(conditions)

    @extend_schema(
        operation_id="campaign_cases",
        parameters=[OpenApiParameter(name, description=words) for name, words in FILTERS.items()],
        responses={
            200: CaseSerializer(many=True),
            400: OpenApiResponse(description="A filter with a value that does not exist"),
        },
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the cases of a campaign that you may see, the widest disagreement first."""
        cases = self.paginate_queryset(self.get_queryset()) or []
        answers = answers_of(cases, signed_in_user(request), self.desk)
        rows = [_row(case, self.desk, answers.get(case.pk, ())) for case in cases]
        return self.get_paginated_response(rows)


class CaseDrawing(ResearcherEndpoint):
    @extend_schema(
        operation_id="campaign_cases_draw",
        request=None,
        responses={200: DrawnSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Make a case of every disagreement in the closed rounds; again changes nothing."""
        campaign = get_changeable_campaign(self.user, public_id)
        drawn = draw_cases(campaign=campaign, actor=self.user)
        return Response(DrawnSerializer(drawn).data)


class CaseDetail(APIView):
    @extend_schema(operation_id="case", responses={200: CaseDetailSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return a case with its answers by letter and its discussion."""
        return Response(case_dict(signed_in_user(request), public_id))


class CaseComments(APIView):
    @extend_schema(
        operation_id="case_comment",
        request=NewCommentSerializer,
        responses={
            200: CaseDetailSerializer,
            400: OpenApiResponse(description="An invalid text or time mark, by its field"),
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Comment on a case, and return it with its discussion."""
        user = signed_in_user(request)
        case, _ = get_case(user, public_id)
        body = NewCommentSerializer.read(request)
        mark = TimeMark(body["side"], body["time_s"]) if body.get("side") else None
        try:
            add_comment(
                case=case,
                author=user,
                text=body["text"],
                mark=mark,
                client_key=body["client_key"],
            )
        except CommentError as error:
            raise serializers.ValidationError({error.field: [str(error)]}) from error
        return Response(case_dict(user, public_id))


class CaseDecision(APIView):
    @extend_schema(
        operation_id="case_decide",
        request=CaseDecisionSerializer,
        responses={
            200: CaseDetailSerializer,
            400: OpenApiResponse(description="A cause or value that it cannot end as"),
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Decide a case, or decide it anew; ratings and figures stay as they are."""
        user = signed_in_user(request)
        case = get_decidable_case(user, public_id)
        body = CaseDecisionSerializer.read(request)
        try:
            decide_case(
                case=case,
                actor=user,
                cause=Cause(body["cause"]),
                value=body["value"],
                reason=body["reason"],
            )
        except DecisionError as error:
            raise serializers.ValidationError({error.field: [str(error)]}) from error
        return Response(case_dict(user, public_id))


class CaseGuideline(APIView):
    @extend_schema(
        operation_id="case_guideline",
        request=None,
        responses={200: DraftSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Put the event of a case into a draft of the guideline, as an example."""
        user = signed_in_user(request)
        case = get_decidable_case(user, public_id)
        try:
            draft = draft_from_case(case=case, actor=user)
        except GuidelineError as error:
            raise RefusedError(status.HTTP_409_CONFLICT, str(error)) from error
        return Response(DraftSerializer(draft).data)
