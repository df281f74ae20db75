"""Endpoints that add participants to a set: a text model, a trained model, a file, a person.

People only need to be named to take part; everything else is for researchers.
"""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedError, RefusedSerializer
from annotation.engine.corpus.formats.errors import FormatError
from annotation.permissions import signed_in_user
from benchmarks import launch
from benchmarks.api.bodies import (
    AssessmentSerializer,
    ItemAnswerSerializer,
    ItemSerializer,
    any_object,
    dollars,
)
from benchmarks.engine.training.recipes import KINDS, PRESETS, STEP_SCORES, V3
from benchmarks.selectors.assessments import get_own_answering, get_participant
from benchmarks.selectors.item_sets import get_item_set_for_user
from benchmarks.services.answering import (
    answer_item,
    finish_answering,
    open_items,
    start_answering,
)
from benchmarks.services.asking_prices import AskPrice, asking_price
from benchmarks.services.assessments import MOST_PICTURES, MOST_REPEATS, PICTURE_SIDES, AskRequest
from benchmarks.services.training import MOST_EPOCHS, MOST_GAMMA, MOST_SEEDS, TrainRequest
from benchmarks.services.uploads import AnswerUpload, upload_answers
from generation.backends.text.model import ImageDetail

SHOWN_PROBLEMS = 200
CREATED = {201: AssessmentSerializer, 409: RefusedSerializer}


class AskSerializer(Body):
    """Which text model answers, and how it is asked."""

    endpoint = serializers.CharField(max_length=16)
    pictures = serializers.IntegerField(min_value=0, max_value=MOST_PICTURES, default=4)
    picture_side = serializers.IntegerField(
        min_value=PICTURE_SIDES[0], max_value=PICTURE_SIDES[1], default=PICTURE_SIDES[1]
    )
    picture_detail = serializers.ChoiceField(list(ImageDetail), default=ImageDetail.LOW.value)
    repeats = serializers.IntegerField(min_value=1, max_value=MOST_REPEATS, default=1)
    temperature = serializers.FloatField(
        min_value=0, max_value=2, default=0.0, allow_null=True, help_text="Null: not sent"
    )
    budget_usd = dollars()
    judges = serializers.ListField(
        child=serializers.CharField(max_length=16), default=list, max_length=5
    )
    limit = serializers.IntegerField(
        min_value=1,
        default=None,
        allow_null=True,
        help_text="Ask about a sample of at most so many items",
    )
    variant = serializers.CharField(
        max_length=64,
        default="",
        allow_blank=True,
        help_text="One of the task's ways to ask; the first of them where it is empty",
    )
    roles = serializers.DictField(
        child=serializers.CharField(max_length=16),
        default=dict,
        help_text="Text models for the other roles of a set, such as its planner",
    )


class JudgeCostSerializer(DataclassSerializer[AskPrice]):
    """How many answers a judge would grade, and the highest cost; null where it is unknown."""

    usd = serializers.FloatField(allow_null=True)

    class Meta:
        fields = ["name", "item_count", "request_count", "usd"]


class AskPriceSerializer(JudgeCostSerializer):
    """How many requests it takes, and the highest cost; `judges` and `beside` come on top of `usd`.

    What those in `beside` cost depends on the answers.
    """

    judges = JudgeCostSerializer(many=True)

    class Meta:
        fields = [*JudgeCostSerializer.Meta.fields, "judges", "beside"]


class AskEstimate(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_ask_price",
        request=AskSerializer,
        responses={200: AskPriceSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Estimate what asking would cost, without asking."""
        item_set = get_item_set_for_user(self.user, public_id)
        body = AskRequest(**AskSerializer.read(request))
        price = asking_price(item_set=item_set, request=body, actor=self.user)
        return Response(AskPriceSerializer(price).data)


class Ask(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_ask", request=AskSerializer, responses=CREATED)
    def post(self, request: Request, public_id: str) -> Response:
        """Have a text model answer the items of a frozen set, one by one."""
        item_set = get_item_set_for_user(self.user, public_id)
        body = AskRequest(**AskSerializer.read(request))
        assessment = launch.launch_assessment(item_set=item_set, request=body, actor=self.user)
        return Response(AssessmentSerializer(assessment).data, status=status.HTTP_201_CREATED)


class TrainSerializer(Body):
    """Which model is trained on which features; numbers left out are those of the preset."""

    model = serializers.ChoiceField(list(KINDS))
    features = serializers.ListField(
        child=serializers.CharField(max_length=16),
        min_length=1,
        max_length=KINDS[V3].most_sets,
        help_text="Ids of feature sets; of V3 in the order video, audio, text, depth",
    )
    preset = serializers.ChoiceField(PRESETS, default=PRESETS[0])
    seeds = serializers.IntegerField(min_value=1, max_value=MOST_SEEDS, default=3)
    epochs = serializers.IntegerField(
        min_value=1, max_value=MOST_EPOCHS, required=False, allow_null=True
    )
    learning_rate = serializers.FloatField(
        min_value=0, max_value=1, required=False, allow_null=True
    )
    beta = serializers.FloatField(
        min_value=0, max_value=1, required=False, allow_null=True, help_text="Of MLP and MLP-focal"
    )
    gamma = serializers.FloatField(
        min_value=0,
        max_value=MOST_GAMMA,
        required=False,
        allow_null=True,
        help_text="Of the focal loss, MLP-focal",
    )
    step_score = serializers.ChoiceField(STEP_SCORES, default=STEP_SCORES[0])
    name = serializers.CharField(max_length=250, required=False, allow_blank=True)


class Train(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_train", request=TrainSerializer, responses=CREATED)
    def post(self, request: Request, public_id: str) -> Response:
        """Train a model on features of the parts train and val; it answers the part test."""
        item_set = get_item_set_for_user(self.user, public_id)
        body = TrainRequest(**TrainSerializer.read(request))
        assessment = launch.launch_training(item_set=item_set, request=body, actor=self.user)
        return Response(AssessmentSerializer(assessment).data, status=status.HTTP_201_CREATED)


class AnswersUploadSerializer(Body):
    """A participant's answers in a CSV or JSON lines file; numbers of frames also as .npz."""

    name = serializers.CharField(max_length=300, help_text="The participant's exact name")
    file = serializers.FileField()
    counts_missing = serializers.BooleanField(
        default=False, help_text="Count items without an answer as wrong; else they are a fault"
    )


class Upload(ResearcherEndpoint):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="item_set_upload",
        request={"multipart/form-data": AnswersUploadSerializer},
        responses=CREATED | {400: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Upload a participant's answers; a file with any fault is refused as a whole."""
        item_set = get_item_set_for_user(self.user, public_id)
        body = AnswersUploadSerializer.read(request)
        try:
            upload = AnswerUpload.of(**body)
            assessment = upload_answers(item_set=item_set, request=upload, actor=self.user)
        except FormatError as error:
            words = "The file was refused; nothing was written."
            shown = error.problems[:SHOWN_PROBLEMS]
            raise RefusedError(status.HTTP_400_BAD_REQUEST, words, shown) from error
        return Response(AssessmentSerializer(assessment).data, status=status.HTTP_201_CREATED)


class PersonSerializer(Body):
    """Who takes part; without a name, yourself."""

    username = serializers.CharField(max_length=150, required=False)


class People(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_person", request=PersonSerializer, responses=CREATED)
    def post(self, request: Request, public_id: str) -> Response:
        """Take part as a person, or name another; only the owner of the set may name others."""
        body = PersonSerializer.read(request)
        item_set = get_item_set_for_user(self.user, public_id)
        person = get_participant(self.user, item_set, **body)
        assessment = start_answering(item_set=item_set, person=person, actor=self.user)
        return Response(AssessmentSerializer(assessment).data, status=status.HTTP_201_CREATED)


class GivenSerializer(Body):
    """A person's answer: the fields of the task's shape."""

    key = serializers.CharField(max_length=24)
    answer = serializers.CharField(required=False)
    score = serializers.FloatField(required=False, allow_null=True)
    text = serializers.CharField(required=False, allow_blank=True)
    intervals = serializers.ListField(child=any_object(), required=False)
    said = serializers.ListField(child=any_object(), required=False)


class OpenItems(APIView):
    @extend_schema(operation_id="assessment_items", responses={200: ItemSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """List the items that you may answer now, as a person who takes part."""
        assessment = get_own_answering(signed_in_user(request), public_id)
        return Response(ItemSerializer(open_items(assessment), many=True).data)

    @extend_schema(
        operation_id="assessment_answer",
        request=GivenSerializer,
        responses={200: ItemAnswerSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Answer an item; in a sequence, seeing the next item makes the answer final."""
        assessment = get_own_answering(signed_in_user(request), public_id)
        fields = GivenSerializer.read(request)
        answer = answer_item(assessment=assessment, key=fields.pop("key"), fields=fields)
        return Response(ItemAnswerSerializer(answer).data)


class Finish(APIView):
    @extend_schema(
        operation_id="assessment_finish", request=None, responses={200: AssessmentSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Make your answers final; items without one count as missing."""
        assessment = get_own_answering(signed_in_user(request), public_id)
        finish_answering(assessment=assessment)
        assessment.refresh_from_db()
        return Response(AssessmentSerializer(assessment).data)
