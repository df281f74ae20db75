"""Endpoints of the corpus, read-only: data sets, takes with steps, traces with rows and events.

Researchers and administrators only: a rater must not learn where a trace came from or what type
its mistakes were planned as.
"""

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import generics, serializers

from annotation.api.records.access import IsResearcher
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.engine.corpus.procedure import NativeLabel
from annotation.models import Dataset, Event, Step, Take, Trace, TraceStep, User, Video
from annotation.permissions import signed_in_user
from annotation.selectors.corpus.corpus import (
    count_of,
    get_dataset_for_user,
    get_take_for_user,
    get_trace_for_user,
    visible_datasets,
    visible_takes,
    visible_traces,
)


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    """A data set; the counts come with lists and details alike."""

    id = serializers.CharField(source="public_id", read_only=True)
    owner: serializers.SlugRelatedField[User] = serializers.SlugRelatedField(
        slug_field="username", read_only=True, allow_null=True
    )
    take_count = serializers.IntegerField(read_only=True)
    trace_count = serializers.IntegerField(read_only=True)
    native_labels = serializers.DictField(
        child=serializers.IntegerField(),
        read_only=True,
        help_text="How often each label of the source occurs, in its own spelling.",
    )
    derived = serializers.DictField(
        child=serializers.IntegerField(),
        read_only=True,
        help_text="What the import derived by a stated rule, and how often.",
    )

    class Meta:
        model = Dataset
        fields = [
            "id", "name", "format", "owner", "is_shared", "take_count", "trace_count",
            "native_labels", "derived", "video_folder", "video_pattern", "created_at",
        ]  # fmt: skip


class StepSerializer(serializers.ModelSerializer[Step]):
    """One keystep; times are seconds, null where the source has none."""

    taxonomy_path = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Step
        fields = [
            "index", "step_id", "text", "start_s", "end_s", "is_essential", "semrep",
            "taxonomy_path",
        ]  # fmt: skip


class VideoSerializer(serializers.ModelSerializer[Video]):
    """What the probe found; what is said of key frames is null until the recording is ingested."""

    warnings = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Video
        fields = [
            "path", "container", "video_codec", "pixel_format", "audio_codec", "audio_rate",
            "audio_channels", "width", "height", "rotation_degrees", "frame_rate",
            "is_rate_variable", "frame_count", "key_frame_count", "key_frame_distance_s",
            "has_closed_groups", "duration_s", "start_s", "warnings",
        ]  # fmt: skip


class TakeSerializer(serializers.ModelSerializer[Take]):
    """A take without its steps."""

    id = serializers.CharField(source="public_id", read_only=True)

    class Meta:
        model = Take
        fields = ["id", "uid", "name", "scenario", "video_stem", "order_deviations"]


class TakeDetailSerializer(TakeSerializer):
    """A take with its steps and video."""

    steps = StepSerializer(many=True, read_only=True)
    video = VideoSerializer(read_only=True, allow_null=True)

    class Meta(TakeSerializer.Meta):
        fields = [*TakeSerializer.Meta.fields, "steps", "video"]


class EventSerializer(serializers.ModelSerializer[Event]):
    """One error or correction; `target` is the event id of the mistake that it repairs."""

    target: serializers.SlugRelatedField[Event] = serializers.SlugRelatedField(
        slug_field="event_id", read_only=True, allow_null=True
    )

    class Meta:
        model = Event
        fields = ["index", "event_id", "kind", "proposed_type", "target"]


class LabelSerializer(DataclassSerializer[NativeLabel]):
    """A label as the source wrote it; `is_derived` marks one that a stated rule made."""


class TraceStepSerializer(serializers.ModelSerializer[TraceStep]):
    """One row; `reference_index` is the step of the take that it realises."""

    reference_index = serializers.SerializerMethodField()
    labels = LabelSerializer(many=True, read_only=True)
    event: serializers.SlugRelatedField[Event] = serializers.SlugRelatedField(
        slug_field="event_id", read_only=True, allow_null=True
    )

    class Meta:
        model = TraceStep
        fields = [
            "index", "mod", "text", "step_id", "start_s", "end_s", "reference_index", "event",
            "labels",
        ]  # fmt: skip

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_reference_index(self, row: TraceStep) -> int | None:
        return row.reference_step.index if row.reference_step else None


class TraceSerializer(serializers.ModelSerializer[Trace]):
    """A trace without its rows."""

    id = serializers.CharField(source="public_id", read_only=True)
    take: serializers.SlugRelatedField[Take] = serializers.SlugRelatedField(
        slug_field="public_id", read_only=True
    )
    take_name = serializers.CharField(source="take.name", read_only=True)
    provenance = serializers.DictField(
        child=serializers.CharField(),
        read_only=True,
        help_text="Where the trace comes from: its file, or the run and what worked on it.",
    )

    class Meta:
        model = Trace
        fields = [
            "id", "uid", "name", "take", "take_name", "video_stem", "reference_reason",
            "provenance",
        ]  # fmt: skip


class TraceDetailSerializer(TraceSerializer):
    """A trace with its rows, events and video."""

    events = EventSerializer(many=True, read_only=True)
    steps = TraceStepSerializer(many=True, read_only=True)
    video = VideoSerializer(read_only=True, allow_null=True)

    class Meta(TraceSerializer.Meta):
        fields = [*TraceSerializer.Meta.fields, "events", "steps", "video"]


def _counted(datasets: QuerySet[Dataset]) -> QuerySet[Dataset]:
    return datasets.select_related("owner").annotate(
        take_count=count_of(Take.objects.all(), "dataset"),
        trace_count=count_of(Trace.objects.all(), "dataset"),
    )


class DatasetList(generics.ListAPIView[Dataset]):
    """List the data sets that you may see."""

    permission_classes = [IsResearcher]
    serializer_class = DatasetSerializer

    def get_queryset(self) -> QuerySet[Dataset]:
        return _counted(visible_datasets(signed_in_user(self.request))).order_by("name")


class DatasetDetail(generics.RetrieveAPIView[Dataset]):
    """Return one data set."""

    permission_classes = [IsResearcher]
    serializer_class = DatasetSerializer
    lookup_field = "public_id"

    def get_object(self) -> Dataset:
        # Raises also what says that the row is only hidden.
        get_dataset_for_user(signed_in_user(self.request), self.kwargs["public_id"])
        return super().get_object()

    def get_queryset(self) -> QuerySet[Dataset]:
        return _counted(visible_datasets(signed_in_user(self.request)))


class _OfDataset(generics.ListAPIView[Any]):
    permission_classes = [IsResearcher]

    def dataset(self) -> Dataset:
        return get_dataset_for_user(signed_in_user(self.request), self.kwargs["public_id"])


class DatasetTakes(_OfDataset):
    """List the takes of a data set."""

    serializer_class = TakeSerializer
    queryset = Take.objects.none()

    def get_queryset(self) -> QuerySet[Take]:
        return self.dataset().takes.order_by("uid")


class DatasetTraces(_OfDataset):
    """List the traces of a data set."""

    serializer_class = TraceSerializer
    queryset = Trace.objects.none()

    def get_queryset(self) -> QuerySet[Trace]:
        return self.dataset().traces.select_related("take").order_by("uid")


class TakeDetail(generics.RetrieveAPIView[Take]):
    """Return one take with its steps."""

    permission_classes = [IsResearcher]
    serializer_class = TakeDetailSerializer
    lookup_field = "public_id"

    def get_object(self) -> Take:
        # Raises also what says that the row is only hidden.
        get_take_for_user(signed_in_user(self.request), self.kwargs["public_id"])
        return super().get_object()

    def get_queryset(self) -> QuerySet[Take]:
        takes = visible_takes(signed_in_user(self.request))
        return takes.select_related("video").prefetch_related("steps")


class TraceDetail(generics.RetrieveAPIView[Trace]):
    """Return one trace with its rows and events."""

    permission_classes = [IsResearcher]
    serializer_class = TraceDetailSerializer
    lookup_field = "public_id"

    def get_object(self) -> Trace:
        # Raises also what says that the row is only hidden.
        get_trace_for_user(signed_in_user(self.request), self.kwargs["public_id"])
        return super().get_object()

    def get_queryset(self) -> QuerySet[Trace]:
        traces = visible_traces(signed_in_user(self.request)).select_related("take", "video")
        # Joined, because Django asks SQLite for what rows point to with an OR for each of them, and
        # SQLite takes a thousand.
        return traces.prefetch_related(
            Prefetch("events", Event.objects.select_related("target")),
            Prefetch("steps", TraceStep.objects.select_related("event", "reference_step")),
        )
