"""Endpoints of item sets: make, freeze, share them, and leave items out.

Researchers and administrators only; a set that is not yours to see is 404.
"""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.api.records.refusals import RefusedSerializer
from benchmarks import launch
from benchmarks.api.bodies import (
    JOBS,
    AssessmentSerializer,
    ShareSerializer,
    any_object,
    dollars,
)
from benchmarks.api.questions import GoOnSerializer
from benchmarks.engine.division import (
    MOST_EXAMPLE_RECORDINGS,
    PARTS,
    UNITS,
    Division,
    ExampleRecordings,
)
from benchmarks.engine.registry import tasks
from benchmarks.engine.task import Setting, Variant
from benchmarks.models import Assessment, ItemSet, ItemSetSource
from benchmarks.selectors.item_sets import (
    get_changeable_item_set,
    get_item_set_for_user,
    get_unfinished_item_set_for_user,
    named_judges,
    state_of_set,
    visible_item_sets,
)
from benchmarks.services.item_sets import (
    MAX_SEED,
    ItemSetRequest,
    OneOfSources,
    cancel_item_set,
    share_item_set,
)
from benchmarks.services.judging import name_judges
from benchmarks.services.reference_reviews import start_reference_review


class SettingSerializer(DataclassSerializer[Setting]):
    default = serializers.CharField()

    class Meta:
        fields = ["name", "title", "default", "choices"]


class VariantSerializer(DataclassSerializer[Variant]):
    """A way to ask a model, with the most requests about an item."""

    class Meta:
        fields = ["name", "title", "request_count", "has_examples"]


class TaskSerializer(serializers.Serializer[Any]):
    """A task that item sets can be made of."""

    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField()
    shape = serializers.CharField()
    source = serializers.CharField(  # type: ignore[assignment]
        help_text="What items are made of"
    )
    settings = SettingSerializer(many=True)
    variants = VariantSerializer(many=True)


class DivisionSerializer(Body):
    """How items are divided into train, val and test, by whole units."""

    unit = serializers.ChoiceField(UNITS)
    shares = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1),
        min_length=len(PARTS),
        max_length=len(PARTS),
        help_text="Of train, val and test; they add up to 1",
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        try:
            return Division(attrs["unit"], tuple(attrs["shares"]))
        except ValueError as error:
            raise serializers.ValidationError({"shares": [f"{error}."]}) from error


class OneOfSourcesSerializer(Body):
    """One of several data sets."""

    source = serializers.CharField(max_length=64)  # type: ignore[assignment]
    part = serializers.ChoiceField(PARTS, default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> Any:
        return OneOfSources(**attrs)


class MakeSerializer(Body):
    """What to make items from, and how."""

    name = serializers.CharField(max_length=200)
    task = serializers.CharField(max_length=64)
    source = serializers.CharField(  # type: ignore[assignment]
        max_length=64,
        default="",
        allow_blank=True,
        help_text="The id of the data set, or of what the task's source names",
    )
    sources = OneOfSourcesSerializer(
        many=True,
        default=list,
        help_text="Several in place of one: mixed, or each with a part",
    )
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, default=0)
    settings = any_object(default=dict)
    division = DivisionSerializer(required=False, allow_null=True)
    example_recordings = serializers.IntegerField(
        min_value=0,
        max_value=MOST_EXAMPLE_RECORDINGS,
        default=0,
        help_text="In place of a division: recordings of each data set to learn from",
    )
    is_shared = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if count := attrs.pop("example_recordings"):
            if attrs.get("division"):
                words = "There is a division too; expected one of the two."
                raise serializers.ValidationError({"example_recordings": [words]})
            attrs["division"] = ExampleRecordings(count)
        return attrs


class LeakSerializer(serializers.Serializer[Any]):
    """Something that two parts share, though one is to train on and the other to test."""

    kind = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()
    count = serializers.IntegerField()
    examples = serializers.ListField(child=serializers.CharField())
    words = serializers.CharField()


class ItemSetSourceSerializer(serializers.ModelSerializer[ItemSetSource]):
    """One of several data sets of a set; `name` is its value of the breakdown *data set*."""

    dataset = serializers.CharField(source="dataset.public_id", allow_null=True, default=None)

    class Meta:
        model = ItemSetSource
        fields = ("dataset", "name", "part")


class ItemSetSerializer(serializers.ModelSerializer[ItemSet]):
    """An item set; `content_hash` is over its items with their truth.

    `shortcuts` is what can be guessed without pictures, {} for a set that was never audited, and
    `shortcuts_hash` is over that and the number of right guessers of each item.

    Of several data sets `dataset` is null, and they are the `sources`.

    It has items once `made_at` is set. Of its job, which makes or freezes it, `done_count` of
    `total_count` is done, and `error` says why it failed. `words_by` is the text model that wrote
    right words, with how many, "" where they are all from templates.
    """

    settings = any_object()
    division = any_object()
    leaks = LeakSerializer(many=True)
    left_out = any_object()
    shortcuts = any_object()
    dataset = serializers.CharField(source="dataset.public_id", allow_null=True, default=None)
    sources = ItemSetSourceSerializer(many=True)
    owner = serializers.CharField(source="owner.username", allow_null=True, default=None)
    judges = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    done_count = serializers.IntegerField(source="job.done_count", default=None, allow_null=True)
    total_count = serializers.IntegerField(source="job.total_count", default=None, allow_null=True)
    error = serializers.CharField(source="job.error", default="")

    class Meta:
        model = ItemSet
        fields = (
            "public_id", "name", "version", "task", "task_version", "settings", "seed", "division",
            "leaks", "left_out", "shortcuts", "shortcuts_hash", "dataset", "source", "sources",
            "owner", "is_shared", "judges", "words_by", "item_count", "content_hash", "state",
            "done_count", "total_count", "error", "created_at", "made_at", "frozen_at",
        )  # fmt: skip

    def get_judges(self, item_set: ItemSet) -> list[str]:
        return [judge.public_id for judge in named_judges(item_set)]

    def get_state(self, item_set: ItemSet) -> str:
        return state_of_set(item_set)


class TaskList(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_tasks", responses={200: TaskSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """List the tasks that items can be made for."""
        return Response(TaskSerializer(tasks().values(), many=True).data)


class ItemSetList(ResearcherEndpoint, generics.ListAPIView[ItemSet]):
    """List the item sets that you may see, newest first."""

    serializer_class = ItemSetSerializer

    def get_queryset(self) -> QuerySet[ItemSet]:
        return (
            visible_item_sets(self.user)
            .select_related("dataset", "owner", "job")
            .prefetch_related("judges", "sources__dataset")
            .order_by("-pk")
        )

    @extend_schema(request=MakeSerializer, responses={201: ItemSetSerializer})
    def post(self, request: Request) -> Response:
        """Queue the items of a data set; they can be looked at before they are frozen."""
        body = ItemSetRequest(**MakeSerializer.read(request))
        item_set = launch.launch_item_set(request=body, actor=self.user)
        return Response(ItemSetSerializer(item_set).data, status=status.HTTP_201_CREATED)


class ItemSetDetail(ResearcherEndpoint):
    @extend_schema(operation_id="item_set", responses={200: ItemSetSerializer})
    def get(self, request: Request, public_id: str) -> Response:
        """Return one item set, with the leaks between its parts, or how far it is."""
        item_set = get_unfinished_item_set_for_user(self.user, public_id)
        return Response(ItemSetSerializer(item_set).data)

    @extend_schema(
        operation_id="item_set_delete", responses={202: ItemSetSerializer, 409: RefusedSerializer}
    )
    def delete(self, request: Request, public_id: str) -> Response:
        """Queue the deletion of a set that only its baselines have answered."""
        item_set = get_changeable_item_set(self.user, public_id)
        launch.launch_deletion(item_set=item_set, actor=self.user)
        item_set = get_changeable_item_set(self.user, public_id)
        return Response(ItemSetSerializer(item_set).data, status=status.HTTP_202_ACCEPTED)


class FreezeSerializer(Body):
    only_audit = serializers.BooleanField(
        default=False, help_text="Try what can be guessed without pictures, and freeze nothing"
    )


class ItemSetFreeze(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_freeze",
        request=FreezeSerializer,
        responses={202: ItemSetSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Queue the freeze: the trivial baselines answer, then the items are final."""
        item_set = get_changeable_item_set(self.user, public_id)
        launch.launch_freeze(item_set=item_set, actor=self.user, **FreezeSerializer.read(request))
        item_set = get_changeable_item_set(self.user, public_id)
        return Response(ItemSetSerializer(item_set).data, status=status.HTTP_202_ACCEPTED)


class LeaveOutSerializer(Body):
    at_least = serializers.IntegerField(
        min_value=1,
        allow_null=True,
        help_text="What at least so many guessers that beat chance guess; null: balance answers",
    )


class ItemSetLeaveOut(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_leave_out",
        request=LeaveOutSerializer,
        responses={202: ItemSetSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Queue that items go which guessers without pictures guess; the audit is done again.

        `shortcuts.choices` says how many go by each choice.
        """
        item_set = get_changeable_item_set(self.user, public_id)
        body = LeaveOutSerializer.read(request)
        launch.launch_leaving_out(item_set=item_set, actor=self.user, **body)
        item_set = get_changeable_item_set(self.user, public_id)
        return Response(ItemSetSerializer(item_set).data, status=status.HTTP_202_ACCEPTED)


class ReferenceReviewSerializer(Body):
    name = serializers.CharField(max_length=200, help_text="Of the campaign")


class ReferenceRoundSerializer(serializers.Serializer[Any]):
    campaign = serializers.CharField(source="campaign.public_id")


class ItemSetReferences(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_review_references",
        request=ReferenceReviewSerializer,
        responses={201: ReferenceRoundSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Plan a round of texts of the right words; the freeze takes what people decide."""
        item_set = get_changeable_item_set(self.user, public_id)
        body = ReferenceReviewSerializer.read(request)
        round_ = start_reference_review(item_set=item_set, actor=self.user, **body)
        data = ReferenceRoundSerializer(round_).data
        return Response(data, status=status.HTTP_201_CREATED)


class ReferenceWritingSerializer(Body):
    writer = serializers.CharField(max_length=16, help_text="A text model")
    budget_usd = dollars()


class ItemSetWriting(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_write_references",
        request=ReferenceWritingSerializer,
        responses={202: ItemSetSerializer, 409: RefusedSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Queue that a text model writes the right words and cues; what fails a check stays."""
        item_set = get_changeable_item_set(self.user, public_id)
        body = ReferenceWritingSerializer.read(request)
        launch.launch_reference_writing(item_set=item_set, actor=self.user, **body)
        item_set = get_changeable_item_set(self.user, public_id)
        return Response(ItemSetSerializer(item_set).data, status=status.HTTP_202_ACCEPTED)


class ItemSetCancel(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_cancel", request=None, responses=JOBS)
    def post(self, request: Request, public_id: str) -> Response:
        """Stop making or freezing a set."""
        item_set = get_changeable_item_set(self.user, public_id)
        return Response({"jobs": cancel_item_set(item_set=item_set, actor=self.user)})


class ItemSetResume(ResearcherEndpoint):
    @extend_schema(operation_id="item_set_resume", request=GoOnSerializer, responses=JOBS)
    def post(self, request: Request, public_id: str) -> Response:
        """Go on with what was cancelled or has failed; a model that writes may get more money."""
        item_set = get_changeable_item_set(self.user, public_id)
        body = GoOnSerializer.read(request)
        jobs = launch.resume_item_set(item_set=item_set, actor=self.user, **body)
        return Response({"jobs": jobs})


class ItemSetShare(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_share", request=ShareSerializer, responses={200: ItemSetSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Open the items, not their truth, to every researcher, or close them again."""
        item_set = get_changeable_item_set(self.user, public_id)
        share_item_set(item_set=item_set, actor=self.user, **ShareSerializer.read(request))
        return Response(ItemSetSerializer(item_set).data)


class NamedJudgesSerializer(Body):
    judges = serializers.ListField(
        child=serializers.CharField(max_length=16),
        max_length=20,
        help_text="Text models by their ids; none for no judges",
    )


class ItemSetJudges(ResearcherEndpoint):
    @extend_schema(
        operation_id="item_set_judges",
        request=NamedJudgesSerializer,
        responses={200: ItemSetSerializer},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Name the judges open to participants who may not see the truth; they are sent it."""
        item_set = get_changeable_item_set(self.user, public_id)
        body = NamedJudgesSerializer.read(request)
        name_judges(item_set=item_set, actor=self.user, **body)
        return Response(ItemSetSerializer(item_set).data)


class AssessmentList(ResearcherEndpoint, generics.ListAPIView[Assessment]):
    """List the participants of a set and their progress."""

    serializer_class = AssessmentSerializer
    queryset = Assessment.objects.none()

    def get_queryset(self) -> QuerySet[Assessment]:
        item_set = get_item_set_for_user(self.user, self.kwargs["public_id"])
        related = ("item_set", "job", "owner")
        if not item_set.is_frozen:
            return Assessment.objects.none()
        return item_set.assessments.select_related(*related).order_by("pk")
