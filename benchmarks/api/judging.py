"""Endpoints of people as judges: draw a sample, read the answers, grade them, read the agreement.

For researchers who may see the truth of the set; to all others the set's judging is 404.
"""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedSerializer
from benchmarks.api.bodies import any_object
from benchmarks.api.sizes import RESPONSES as TABLE_RESPONSES
from benchmarks.api.sizes import FormSerializer
from benchmarks.engine.measures.grades import HIGHEST
from benchmarks.models import ItemSet, JudgingSample
from benchmarks.responses import table_response
from benchmarks.selectors.item_sets import (
    engine_item,
    get_changeable_item_set,
    get_item_set_for_user,
    task_of,
)
from benchmarks.selectors.judging import (
    answers_for,
    get_judged_set,
    judge_of,
    judges_and_people,
    may_see_grades,
    sample_of,
)
from benchmarks.services.item_sets import MAX_SEED
from benchmarks.services.people.judging import (
    MOST_ANSWERS,
    USUAL_SIZE,
    draw_sample,
    finish_grading,
    grade_answer,
)


class DrawSerializer(Body):
    """How many answers people grade, drawn by the seed."""

    size = serializers.IntegerField(min_value=1, max_value=MOST_ANSWERS, default=USUAL_SIZE)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)


class GradeSerializer(Body):
    """A grade of the answer at a position of the sample."""

    position = serializers.IntegerField(min_value=1)
    score = serializers.IntegerField(min_value=0, max_value=HIGHEST)


class AnswerToGradeSerializer(serializers.Serializer[Any]):
    """An answer without its author, with what is right and your own grade."""

    position = serializers.IntegerField()
    question = serializers.CharField()
    payload = any_object()
    truth = any_object()
    answer = any_object()
    score = serializers.IntegerField(allow_null=True)


class JudgingSerializer(serializers.Serializer[Any]):
    """The sample of a set as you grade it; `judge` is the name of your grades in the table."""

    size = serializers.IntegerField()
    seed = serializers.IntegerField()
    judge = serializers.CharField(allow_null=True)
    is_final = serializers.BooleanField()
    answers = AnswerToGradeSerializer(many=True)


class _Judging(ResearcherEndpoint):
    def sample(self, item_set: ItemSet) -> JudgingSample:
        sample = sample_of(item_set)
        if sample is None:
            raise Http404("no sample was drawn yet")
        return sample

    def as_graded(self, sample: JudgingSample) -> dict[str, Any]:
        judge = judge_of(sample, self.user)
        scores = {} if judge is None else dict(judge.grades.values_list("sampled", "score"))
        task = task_of(sample.item_set)
        return {
            "size": sample.size,
            "seed": sample.seed,
            "judge": None if judge is None else str(judge),
            "is_final": judge is not None and judge.finished_at is not None,
            "answers": [
                {
                    "position": row.position,
                    "question": row.answer.item.question,
                    "payload": row.answer.item.payload,
                    "truth": right,
                    "answer": value,
                    "score": scores.get(row.pk),
                }
                for row in answers_for(sample, self.user)
                for right, value in [
                    task.graded_part(engine_item(row.answer.item), row.answer.value or {})
                ]
            ],
        }


class Judging(_Judging):
    @extend_schema(operation_id="item_set_judging", responses={200: JudgingSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return the answers that you grade, without their authors, and your grades so far."""
        sample = self.sample(get_judged_set(self.user, public_id))
        return Response(JudgingSerializer(self.as_graded(sample)).data)

    @extend_schema(
        operation_id="item_set_judging_draw",
        request=DrawSerializer,
        responses={201: JudgingSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Draw the sample of a set of yours; anew only while nobody has graded."""
        item_set = get_changeable_item_set(self.user, public_id)
        body = DrawSerializer.read(request)
        get_judged_set(self.user, public_id)
        sample = draw_sample(item_set=item_set, actor=self.user, **body)
        graded = JudgingSerializer(self.as_graded(sample)).data
        return Response(graded, status=status.HTTP_201_CREATED)


class Grades(_Judging):
    @extend_schema(
        operation_id="item_set_judging_grade",
        request=GradeSerializer,
        responses={200: GradeSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Grade one answer; the grade may change until yours are final."""
        # Also where nothing is judged, a body with a fault is told of it, as everywhere.
        get_item_set_for_user(self.user, public_id)
        body = GradeSerializer.read(request)
        sample = self.sample(get_judged_set(self.user, public_id))
        grade = grade_answer(sample=sample, person=self.user, **body)
        return Response({"position": body["position"], "score": grade.score})


class FinishGrades(_Judging):
    @extend_schema(
        operation_id="item_set_judging_finish",
        request=None,
        responses={200: JudgingSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Make your grades final; those of others are then open to you."""
        sample = self.sample(get_judged_set(self.user, public_id))
        finish_grading(sample=sample, person=self.user)
        return Response(JudgingSerializer(self.as_graded(sample)).data)


class PeopleTable(_Judging):
    @extend_schema(
        operation_id="item_set_judges_and_people",
        parameters=[FormSerializer],
        responses=TABLE_RESPONSES,
    )
    def get(self, request: Request, public_id: str) -> HttpResponse:
        """Return the table *Judges and people*; not while you are grading."""
        sample = self.sample(get_judged_set(self.user, public_id))
        if not may_see_grades(sample, self.user):
            raise Http404("your own grades are not final yet")
        query = FormSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        table = judges_and_people(sample.item_set, sample)
        name = f"judges-and-people-{public_id}"
        return table_response(table, query.validated_data["form"], name)
