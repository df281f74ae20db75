"""Endpoints of assessments: ask a model, upload answers, answer as a person, read the figures.

A person who takes part needs no other right than to be named; all else is for researchers.
"""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.imports import RefusedError, RefusedSerializer
from annotation.engine.formats.errors import FormatError
from annotation.permissions import IsResearcher, ResearcherEndpoint, signed_in_user
from benchmarks import launch
from benchmarks.api.bodies import (
    AnswersUploadSerializer,
    AskSerializer,
    AssessmentDetailSerializer,
    AssessmentSerializer,
    DifferenceSerializer,
    GivenSerializer,
    ItemAnswerSerializer,
    ItemSerializer,
    JudgePriceSerializer,
    JudgeSerializer,
    PersonSerializer,
    QueuedJobsSerializer,
    ResumeSerializer,
    TrainSerializer,
)
from benchmarks.models import Answer
from benchmarks.selectors.assessments import (
    get_assessment_for_user,
    get_changeable_assessment,
    get_own_answering,
)
from benchmarks.selectors.item_sets import (
    get_changeable_item_set,
    get_item_set_for_user,
    may_see_answers,
)
from benchmarks.services.answering import (
    answer_item,
    finish_answering,
    open_items,
    start_answering,
)
from benchmarks.services.assessments import (
    cancel_assessment,
    delete_assessment,
)
from benchmarks.services.figures import compared
from benchmarks.services.judging import judge_prices
from benchmarks.services.uploads import AnswerUpload, upload_answers

SHOWN_PROBLEMS = 200


class Ask(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_ask",
        request=AskSerializer,
        responses={201: AssessmentSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Have a text model answer the items of a frozen set, one by one."""
        user = signed_in_user(request)
        item_set = get_item_set_for_user(user, public_id)
        asked = AskSerializer.request_of(AskSerializer.read(request))
        made = launch.launch_assessment(item_set=item_set, request=asked, actor=user)
        return Response(AssessmentSerializer(made).data, status=status.HTTP_201_CREATED)


class Train(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_train",
        request=TrainSerializer,
        responses={201: AssessmentSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Train a model on features of the parts train and val; it answers the part test."""
        user = signed_in_user(request)
        item_set = get_item_set_for_user(user, public_id)
        asked = TrainSerializer.request_of(TrainSerializer.read(request))
        made = launch.launch_training(item_set=item_set, request=asked, actor=user)
        return Response(AssessmentSerializer(made).data, status=status.HTTP_201_CREATED)


class Upload(ResearcherEndpoint):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="item_set_upload",
        request={"multipart/form-data": AnswersUploadSerializer},
        responses={201: AssessmentSerializer, 400: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Upload a participant's answers; a file with any fault is refused whole."""
        user = signed_in_user(request)
        item_set = get_item_set_for_user(user, public_id)
        asked = AnswersUploadSerializer.read(request)
        upload = AnswerUpload(
            name=asked["name"],
            file_name=asked["file"].name,
            content=asked["file"].read(),
            counts_missing=asked["counts_missing"],
        )
        try:
            made = upload_answers(item_set=item_set, upload=upload, actor=user)
        except FormatError as error:
            words = "The file was refused; nothing was written."
            shown = error.problems[:SHOWN_PROBLEMS]
            raise RefusedError(status.HTTP_400_BAD_REQUEST, words, shown) from error
        return Response(AssessmentSerializer(made).data, status=status.HTTP_201_CREATED)


class People(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_person",
        request=PersonSerializer,
        responses={201: AssessmentSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Take part as a person, or name somebody who shall; only the set's owner names others."""
        user = signed_in_user(request)
        asked = PersonSerializer.read(request)
        item_set = get_item_set_for_user(user, public_id)
        if asked.get("username", user.get_username()) != user.get_username():
            item_set = get_changeable_item_set(user, public_id)
        person = PersonSerializer.person_of(asked, user)
        made = start_answering(item_set=item_set, person=person, actor=user)
        return Response(AssessmentSerializer(made).data, status=status.HTTP_201_CREATED)


class AssessmentDetail(ResearcherEndpoint):
    @extend_schema(operation_id="assessment", responses={200: AssessmentDetailSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return an assessment with its figures, over all items and over every group."""
        found = get_assessment_for_user(signed_in_user(request), public_id)
        return Response(AssessmentDetailSerializer(found).data)

    @extend_schema(operation_id="assessment_delete", responses={204: None, 409: RefusedSerializer})
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete an assessment with its answers; what was paid for stays recorded."""
        user = signed_in_user(request)
        found = get_changeable_assessment(user, public_id)
        delete_assessment(assessment=found, actor=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class _Command(ResearcherEndpoint):
    def do(
        self, request: Request, public_id: str, deed: Callable[..., int], **asked: Any
    ) -> Response:
        """Do something with an assessment that the user may change; say how many jobs that is."""
        user = signed_in_user(request)
        found = get_changeable_assessment(user, public_id)
        return Response({"jobs": deed(assessment=found, actor=user, **asked)})


class Cancel(_Command):
    @extend_schema(
        operation_id="assessment_cancel", request=None, responses={200: QueuedJobsSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Stop asking; what was answered stays."""
        return self.do(request, public_id, cancel_assessment)


class Resume(_Command):
    @extend_schema(
        operation_id="assessment_resume",
        request=ResumeSerializer,
        responses={200: QueuedJobsSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Go on with what was stopped, under a higher budget where one is given."""
        asked = ResumeSerializer.read(request)
        return self.do(request, public_id, launch.resume_assessment, **asked)


class Reask(_Command):
    @extend_schema(
        operation_id="assessment_reask", request=None, responses={200: QueuedJobsSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Ask again for what failed, and for nothing else."""
        return self.do(request, public_id, launch.reask_failed)


class Judge(_Command):
    @extend_schema(
        operation_id="assessment_judges", responses={200: JudgePriceSerializer(many=True)}
    )
    def get(self, request: Request, public_id: str) -> Response:
        """List who could judge the answers, and what each would cost."""
        user = signed_in_user(request)
        prices = judge_prices(get_changeable_assessment(user, public_id), user)
        return Response(JudgePriceSerializer(prices, many=True).data)

    @extend_schema(
        operation_id="assessment_judge",
        request=JudgeSerializer,
        responses={200: QueuedJobsSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Have text models judge final answers, whoever gave them."""
        asked = JudgeSerializer.read(request)
        return self.do(request, public_id, launch.judge_assessment, **asked)


class AnswerList(generics.ListAPIView[Answer]):
    """List the answers of an assessment; none while you may not see them."""

    permission_classes = [IsResearcher]
    serializer_class = ItemAnswerSerializer
    queryset = Answer.objects.none()

    def get_queryset(self) -> QuerySet[Answer]:
        user = signed_in_user(self.request)
        found = get_assessment_for_user(user, self.kwargs["public_id"])
        if not may_see_answers(user, found):
            return Answer.objects.none()
        return found.answers.select_related("item", "assessment").order_by("item", "repeat")


class Compare(ResearcherEndpoint):
    @extend_schema(
        operation_id="assessment_compare",
        responses={200: DifferenceSerializer(many=True), 409: RefusedSerializer},
    )
    def get(self, request: Request, public_id: str, other_id: str) -> Response:
        """Return one participant less another on the same items, with intervals and p values."""
        user = signed_in_user(request)
        pair = [get_assessment_for_user(user, one) for one in (public_id, other_id)]
        return Response(DifferenceSerializer(compared(*pair), many=True).data)


class OpenItems(APIView):
    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="assessment_items", responses={200: ItemSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """List the items that you may answer now, as a person who takes part."""
        own = get_own_answering(signed_in_user(request), public_id)
        return Response(ItemSerializer(open_items(own), many=True).data)

    @extend_schema(
        operation_id="assessment_answer",
        request=GivenSerializer,
        responses={200: ItemAnswerSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Answer an item; in a sequence, what comes next makes it final."""
        own = get_own_answering(signed_in_user(request), public_id)
        given = GivenSerializer.read(request)
        answer = answer_item(assessment=own, key=given.pop("key"), given=given)
        return Response(ItemAnswerSerializer(answer).data)


class Finish(APIView):
    permission_classes = [IsAuthenticated]

    @extend_schema(
        operation_id="assessment_finish", request=None, responses={200: AssessmentSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Make your answers final; items without one count as missing."""
        own = get_own_answering(signed_in_user(request), public_id)
        finish_answering(assessment=own)
        own.refresh_from_db()
        return Response(AssessmentSerializer(own).data)
