"""Endpoints of question sets: make, read, freeze, cancel, go on, delete.

Researchers and administrators only; a set that is not yours is 404, since its answers are truth.
"""

from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedSerializer
from benchmarks import launch
from benchmarks.api.bodies import QueuedJobsSerializer
from benchmarks.engine.questions.kinds import MOST_PAIRS
from benchmarks.engine.questions.samples import (
    ALL,
    ALL_WHOLE,
    AS_MANY,
    LEFT_OUT,
    WHOLE,
    QuestionSettings,
)
from benchmarks.models import Question, QuestionSet
from benchmarks.responses import questions_response
from benchmarks.selectors.questions import (
    EXPORTED,
    current_questions,
    get_question_set_for_user,
    linked_questions,
    state_of_questions,
    visible_question_sets,
)
from benchmarks.services.item_sets import MAX_SEED
from benchmarks.services.questions.sets import (
    QuestionSetRequest,
    cancel_questions,
    delete_questions,
)


class KindCountSerializer(serializers.Serializer[Any]):
    """How many questions of a kind and polarity a class has."""

    # `class` is no name in Python.
    vars()["class"] = serializers.CharField()
    kind = serializers.CharField()
    polarity = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField()


class TextGuesserSerializer(serializers.Serializer[Any]):
    """What is guessed from the words of the questions alone."""

    target = serializers.CharField()
    guesser = serializers.CharField()
    f1 = serializers.FloatField(allow_null=True)
    recall = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    chance = serializers.FloatField(allow_null=True)
    beats_chance = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    count = serializers.IntegerField()


class QuestionSetSerializer(serializers.ModelSerializer[QuestionSet]):
    """A question set with what its words give away."""

    dataset = serializers.CharField(source="dataset.public_id", allow_null=True, default=None)
    made_of = serializers.CharField(source="source", help_text="The name that its data set had")
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)
    written_by = serializers.CharField()
    settings = serializers.DictField()
    left_out = serializers.DictField(child=serializers.IntegerField())
    kinds = KindCountSerializer(source="figures.kinds", many=True, default=[])
    guessers = TextGuesserSerializer(source="figures.guessers", many=True, default=[])
    state = serializers.SerializerMethodField()
    done_count = serializers.IntegerField(source="job.done_count", default=None, allow_null=True)
    total_count = serializers.IntegerField(source="job.total_count", default=None, allow_null=True)
    error = serializers.CharField(source="job.error", default="")

    class Meta:
        model = QuestionSet
        fields = (
            "public_id", "name", "version", "dataset", "made_of", "seed", "settings", "owner",
            "written_by", "budget_usd", "state", "done_count", "total_count", "error", "left_out",
            "question_count", "kinds", "guessers", "content_hash", "created_at", "made_at",
            "frozen_at",
        )  # fmt: skip

    def get_state(self, question_set: QuestionSet) -> str:
        return state_of_questions(question_set)


class SourceRowSerializer(serializers.Serializer[Any]):
    """The row of an imported data set that a published pair was taken from."""

    dataset = serializers.CharField(help_text="The name of the data set")
    recording = serializers.CharField(help_text="trace: or take: and its name")
    public_id = serializers.CharField(help_text="The id of that trace or take")
    row = serializers.IntegerField(help_text="The number of the row, from 1")


class MistakeQuestionSerializer(serializers.ModelSerializer[Question]):
    """A question with its answer, what it was written from, and where it comes from.

    `source` is null where nobody took it from a row that is there and yours to see. `people` are
    what two people answered in a review before they saw the answer, without names; none while that
    is open.
    """

    classes = serializers.ListField(child=serializers.CharField())
    about = serializers.DictField()
    source = SourceRowSerializer(allow_null=True)  # type: ignore[assignment]
    people = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Question
        fields = (*EXPORTED, "source", "people")


class NewQuestionSetSerializer(Body):
    """What to make: of which data set, and by whom (`writer` empty: by templates)."""

    name = serializers.CharField(max_length=200)
    dataset = serializers.CharField(max_length=16, help_text="The id of the data set")
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    pairs = serializers.IntegerField(min_value=1, max_value=MOST_PAIRS, default=3)
    correct = serializers.ChoiceField([AS_MANY, ALL], default=AS_MANY)
    untimed = serializers.ChoiceField([LEFT_OUT, WHOLE, ALL_WHOLE], default=LEFT_OUT)
    writer = serializers.CharField(max_length=16, default="", allow_blank=True)
    budget_usd = serializers.FloatField(default=None, allow_null=True)


class GoOnSerializer(Body):
    """Another budget; null keeps the one that there is."""

    budget_usd = serializers.FloatField(default=None, allow_null=True)


class QuestionSetList(ResearcherEndpoint, generics.ListAPIView[QuestionSet]):
    """List your question sets, newest first."""

    serializer_class = QuestionSetSerializer
    queryset = QuestionSet.objects.none()

    def get_queryset(self) -> QuerySet[QuestionSet]:
        related = ("dataset", "owner", "job", "review")
        return visible_question_sets(self.user).select_related(*related).order_by("-pk")

    @extend_schema(
        operation_id="question_set_make",
        request=NewQuestionSetSerializer,
        responses={201: QuestionSetSerializer},
    )
    def post(self, request: Request) -> Response:
        """Queue a question set; it has questions once its job is done."""
        body = NewQuestionSetSerializer.read(request)
        settings = QuestionSettings(*(body.pop(name) for name in ("pairs", "correct", "untimed")))
        body["source"] = body.pop("dataset")
        question_set = launch.launch_questions(
            request=QuestionSetRequest(**body, settings=settings), actor=self.user
        )
        data = QuestionSetSerializer(question_set).data
        return Response(data, status=status.HTTP_201_CREATED)


class QuestionSetDetail(ResearcherEndpoint):
    @extend_schema(operation_id="question_set", responses={200: QuestionSetSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return a question set."""
        question_set = get_question_set_for_user(self.user, public_id)
        return Response(QuestionSetSerializer(question_set).data)

    @extend_schema(
        operation_id="question_set_delete", responses={204: None, 409: RefusedSerializer}
    )
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete a question set; item sets that were made of it keep their items."""
        question_set = get_question_set_for_user(self.user, public_id)
        delete_questions(question_set=question_set, actor=self.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class QuestionList(ResearcherEndpoint, generics.ListAPIView[Question]):
    """List the questions of a set with their answers, in their newest version."""

    serializer_class = MistakeQuestionSerializer
    queryset = Question.objects.none()

    def get_queryset(self) -> QuerySet[Question]:
        return current_questions(get_question_set_for_user(self.user, self.kwargs["public_id"]))

    def paginate_queryset(self, queryset: Any) -> Any:
        rows = super().paginate_queryset(queryset)
        question_set = get_question_set_for_user(self.user, self.kwargs["public_id"])
        return [line.to_dict() for line in linked_questions(self.user, question_set, rows or [])]


class QuestionDownload(ResearcherEndpoint):
    @extend_schema(
        operation_id="question_set_download",
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """Download the questions of a set, one line of JSON each, as the list gives them."""
        question_set = get_question_set_for_user(self.user, public_id)
        return questions_response(self.user, question_set)


class QuestionSetFreeze(ResearcherEndpoint):
    @extend_schema(
        operation_id="question_set_freeze",
        request=None,
        responses={200: QueuedJobsSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Queue the freeze; where the data set has changed it names what, and freezes nothing."""
        question_set = get_question_set_for_user(self.user, public_id)
        jobs = launch.launch_question_freeze(question_set=question_set, actor=self.user)
        return Response({"jobs": jobs})


class QuestionSetCancel(ResearcherEndpoint):
    @extend_schema(
        operation_id="question_set_cancel", request=None, responses={200: QueuedJobsSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Stop making or freezing."""
        question_set = get_question_set_for_user(self.user, public_id)
        return Response({"jobs": cancel_questions(question_set=question_set, actor=self.user)})


class QuestionSetResume(ResearcherEndpoint):
    @extend_schema(
        operation_id="question_set_resume",
        request=GoOnSerializer,
        responses={200: QueuedJobsSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Go on with what was cancelled or has failed, with another budget if one is given."""
        question_set = get_question_set_for_user(self.user, public_id)
        body = GoOnSerializer.read(request)
        jobs = launch.resume_questions(question_set=question_set, actor=self.user, **body)
        return Response({"jobs": jobs})
