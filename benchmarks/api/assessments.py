"""Endpoints of assessments: watch, cancel, resume, re-ask, judge, compare, read the figures.

Researchers and administrators only; an assessment that is not yours to see is 404.
"""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.analytics.agreement.proportions import Discordance
from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedSerializer
from benchmarks import launch
from benchmarks.api.bodies import (
    JOBS,
    AssessmentSerializer,
    ItemAnswerSerializer,
    dollars,
)
from benchmarks.models import Answer, Assessment
from benchmarks.responses import asked_response
from benchmarks.selectors.asked import get_asked_for_user
from benchmarks.selectors.assessments import get_assessment_for_user, get_changeable_assessment
from benchmarks.selectors.item_sets import may_see_truth
from benchmarks.selectors.judging import is_grading, with_grades
from benchmarks.selectors.readers import may_see_answers
from benchmarks.selectors.reports import Difference, compare_assessments, right_and_wrong
from benchmarks.selectors.review_answers import reviews_shown
from benchmarks.services.assessments import cancel_assessment, delete_assessment
from benchmarks.services.judging import judge_prices


class FigureSerializer(serializers.Serializer[Any]):
    """A measure with its 95% interval; `reason` says why there is none."""

    measure = serializers.CharField()
    group = serializers.CharField(allow_blank=True)
    group_value = serializers.CharField(allow_blank=True)
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    spread = serializers.FloatField(
        allow_null=True, help_text="Standard deviation over the seeds of a trained model"
    )
    reason = serializers.CharField(allow_blank=True)
    method = serializers.CharField(allow_blank=True, help_text="How the interval was made")
    item_count = serializers.IntegerField()
    recording_count = serializers.IntegerField(
        help_text="What is drawn for the interval: recordings, or takes where several share one"
    )


class ReviewLinkSerializer(serializers.Serializer[Any]):
    """A question set, and the campaign in which people reviewed it."""

    question_set = serializers.CharField()
    campaign = serializers.CharField()


class AssessmentDetailSerializer(AssessmentSerializer):
    """A participant with its figures; `reviews` are where a row of people comes from."""

    figures = FigureSerializer(many=True)
    reviews = serializers.SerializerMethodField()

    class Meta(AssessmentSerializer.Meta):
        fields = (*AssessmentSerializer.Meta.fields, "figures", "reviews")  # type: ignore[assignment]

    @extend_schema_field(ReviewLinkSerializer(many=True))
    def get_reviews(self, row: Assessment) -> list[dict[str, str]]:
        return [
            {"question_set": made.public_id, "campaign": review.campaign.public_id}
            for made, review in reviews_shown(self.context["user"], row)
        ]


class AssessmentDetail(ResearcherEndpoint):
    @extend_schema(operation_id="assessment", responses={200: AssessmentDetailSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return an assessment with its figures, over all items and over every group."""
        assessment = get_assessment_for_user(self.user, public_id)
        data = AssessmentDetailSerializer(assessment, context={"user": self.user}).data
        return Response(data)

    @extend_schema(operation_id="assessment_delete", responses={204: None, 409: RefusedSerializer})
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete an assessment with its answers; what was paid for stays recorded."""
        assessment = get_changeable_assessment(self.user, public_id)
        delete_assessment(assessment=assessment, actor=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class _Command(ResearcherEndpoint):
    def run(self, public_id: str, service: Callable[..., int], **options: Any) -> Response:
        """Call a service with an assessment that the user may change; answer the number of jobs."""
        assessment = get_changeable_assessment(self.user, public_id)
        return Response({"jobs": service(assessment=assessment, actor=self.user, **options)})


class Cancel(_Command):
    @extend_schema(operation_id="assessment_cancel", request=None, responses=JOBS)
    def post(self, request: Request, public_id: str) -> Response:
        """Stop asking; what was answered stays."""
        return self.run(public_id, cancel_assessment)


class ResumeSerializer(Body):
    budget_usd = dollars()


class Resume(_Command):
    @extend_schema(operation_id="assessment_resume", request=ResumeSerializer, responses=JOBS)
    def post(self, request: Request, public_id: str) -> Response:
        """Resume a stopped assessment, with a higher budget if one is given."""
        return self.run(public_id, launch.resume_assessment, **ResumeSerializer.read(request))


class Reask(_Command):
    @extend_schema(
        operation_id="assessment_reask",
        request=None,
        responses=JOBS
        | {400: OpenApiResponse(OpenApiTypes.OBJECT, description="You could not start it now.")},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Ask again about the items that failed, and no others."""
        return self.run(public_id, launch.reask_failed)


class JudgePriceSerializer(serializers.Serializer[Any]):
    """How many answers a judge would grade, and the highest cost; null where prices are unknown."""

    endpoint = serializers.CharField(source="endpoint.public_id")
    name = serializers.CharField(source="endpoint.name")
    left_count = serializers.IntegerField()
    usd = serializers.FloatField(allow_null=True)


class JudgeSerializer(Body):
    """Who judges: text models that you and the assessment's owner may use, by their ids.

    Judges read the truth. If you may not see it, only those that the set's owner named.
    """

    judges = serializers.ListField(
        child=serializers.CharField(max_length=16), min_length=1, max_length=5
    )
    budget_usd = dollars(help_text="For what is spent from now on")


class Judge(_Command):
    @extend_schema(
        operation_id="assessment_judges", responses={200: JudgePriceSerializer(many=True)}
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List the possible judges of the answers and what each would cost."""
        prices = judge_prices(get_changeable_assessment(self.user, public_id), self.user)
        return Response(JudgePriceSerializer(prices, many=True).data)

    @extend_schema(operation_id="assessment_judge", request=JudgeSerializer, responses=JOBS)
    def post(self, request: Request, public_id: str) -> Response:
        """Have text models judge final answers of any kind of participant."""
        return self.run(public_id, launch.judge_assessment, **JudgeSerializer.read(request))


class AnswerList(ResearcherEndpoint, generics.ListAPIView[Answer]):
    """List the answers of an assessment; none while you may not see them."""

    serializer_class = ItemAnswerSerializer
    queryset = Answer.objects.none()

    def get_queryset(self) -> QuerySet[Answer]:
        assessment = get_assessment_for_user(self.user, self.kwargs["public_id"])
        if not may_see_answers(self.user, assessment):
            return Answer.objects.none()
        rows = with_grades(assessment.answers.select_related("item", "assessment"))
        return rows.order_by("item", "repeat")

    def get_serializer_context(self) -> dict[str, Any]:
        assessment = get_assessment_for_user(self.user, self.kwargs["public_id"])
        return {
            **super().get_serializer_context(),
            "sees_truth": may_see_truth(self.user, assessment.item_set),
            "is_grading": is_grading(self.user, assessment.item_set),
        }


class Asked(ResearcherEndpoint):
    @extend_schema(
        operation_id="assessment_asked",
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """Return what a model was asked, word for word, and how its answers were read.

        A JSON line for each answer: system text, prompt, pictures, the answer as it came, its
        reading. Of your own participants, and of all where you may see the truth.
        """
        return asked_response(get_asked_for_user(self.user, public_id))


class DifferenceSerializer(DataclassSerializer[Difference]):
    """The first participant minus the second over the same draws of recordings."""

    class Meta:
        fields = ["measure", "value", "low", "high", "p", "reason", "method"]


class Compare(ResearcherEndpoint):
    @extend_schema(
        operation_id="assessment_compare",
        responses={200: DifferenceSerializer(many=True), 409: RefusedSerializer},
    )
    def get(self, request: Request, public_id: str, other_id: str) -> Response:
        """Return one participant minus another on the same items, with intervals and p values."""
        pair = [get_assessment_for_user(self.user, each_id) for each_id in (public_id, other_id)]
        return Response(DifferenceSerializer(compare_assessments(*pair), many=True).data)


class DiscordanceSerializer(DataclassSerializer[Discordance]):
    """How many items only the one or only the other has right, and McNemar's exact p."""

    class Meta:
        fields = ["only_first", "only_second", "p"]


class CompareRight(ResearcherEndpoint):
    @extend_schema(
        operation_id="assessment_compare_right",
        responses={200: DiscordanceSerializer, 409: RefusedSerializer},
    )
    def get(self, request: Request, public_id: str, other_id: str) -> Response:
        """Return the exact McNemar test of two participants on the items of both.

        Only for tasks whose answers are right or wrong; of others it is 409.
        """
        pair = [get_assessment_for_user(self.user, each_id) for each_id in (public_id, other_id)]
        return Response(DiscordanceSerializer(right_and_wrong(*pair)).data)
