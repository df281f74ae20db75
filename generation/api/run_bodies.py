"""The bodies of requests about runs and of their answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.records.bodies import Body, text_or_null
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.models import Take, User
from annotation.page_links import ReadSample, ReadShare
from annotation.selectors.corpus.corpus import visible_datasets
from generation.api.documents import (
    PlanField,
    ProfileField,
    ProfileOrNameField,
    RunOptionsField,
    RunStatisticsField,
    SpliceResultField,
)
from generation.backends.server_text import is_storable
from generation.engine.planner.exceptions import ProfileError
from generation.engine.planner.files.profile_files import profile_from_dict
from generation.engine.planner.profile import Profile
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.prompting.clip_prompt import View
from generation.engine.run_options import (
    BRIDGE,
    LONGEST_CROSS_FADE_S,
    NO_MODEL,
    RULES,
    ClipOptions,
    RunOptions,
)
from generation.engine.stages import Stage
from generation.models import Run, RunTake, TakePlan, TakeVideo
from generation.selectors.launching.models import launch_faults
from generation.selectors.run_stops import stop_of
from generation.selectors.runs import (
    RunProgress,
    StageProgress,
    progress_of,
)
from generation.selectors.totals import TextQuality, text_quality
from generation.services.runs import MAX_SEED, RunRequest

ALL_STAGES = [str(stage) for stage in Stage]
PLANNING_STAGES = [str(Stage.PLAN), str(Stage.CORRECT)]


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run as it was launched."""

    id = serializers.CharField(source="public_id", read_only=True)
    dataset = serializers.CharField(source="dataset.public_id", read_only=True)
    dataset_name = serializers.CharField(source="dataset.name", read_only=True)
    owner = text_or_null("owner.username")
    cloned_from = text_or_null("cloned_from.public_id")
    cloned_from_name = text_or_null("cloned_from.name")
    options = RunOptionsField(read_only=True)
    stages = serializers.ListField(child=serializers.ChoiceField(choices=ALL_STAGES))
    published_dataset = text_or_null("published_dataset.public_id")
    published_dataset_name = text_or_null("published_dataset.name")

    class Meta:
        model = Run
        fields = [
            "id",
            "name",
            "dataset",
            "dataset_name",
            "owner",
            "is_shared",
            "profile_name",
            "seed",
            "stages",
            "options",
            "published_dataset",
            "published_dataset_name",
            "cloned_from",
            "cloned_from_name",
            "created_at",
            "cancelled_at",
        ]


class StageProgressSerializer(DataclassSerializer[StageProgress]):
    """How far one stage is; `rate_per_s` and `left_s` are null if unknown.

    `part_count` counts the clips and splices of the takes in progress.
    """


class ProgressSerializer(DataclassSerializer[RunProgress]):
    """How far a run is: its takes by state, and every stage."""

    stages = StageProgressSerializer(many=True)

    class Meta:
        fields = [
            "state", "is_finished", "take_count", "queued_count", "running_count", "done_count",
            "failed_count", "cancelled_count", "waiting_count", "stages",
        ]  # fmt: skip


class TextQualitySerializer(DataclassSerializer[TextQuality]):
    """How many texts are judged, valid (no hard finding is left) and checked for sense, by rules.

    Rules do not judge sense as a person does.
    """

    sense_checks = serializers.ListField(child=serializers.CharField())


class RunDetailSerializer(RunSerializer):
    """A run with its whole profile and its progress."""

    profile = ProfileField(read_only=True)
    run_statistics = RunStatisticsField(read_only=True)
    progress = serializers.SerializerMethodField()
    stopped_because = serializers.SerializerMethodField(
        help_text="Why the run stopped by itself: the budget is spent or a model is not available."
    )

    text_quality = serializers.SerializerMethodField()

    class Meta(RunSerializer.Meta):
        fields = [
            *RunSerializer.Meta.fields,
            "profile",
            "run_statistics",
            "progress",
            "stopped_because",
            "text_quality",
        ]

    @extend_schema_field(TextQualitySerializer)
    def get_text_quality(self, run: Run) -> dict[str, Any]:
        return dict(TextQualitySerializer(text_quality(run)).data)

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, run: Run) -> dict[str, Any]:
        return dict(ProgressSerializer(progress_of(run)).data)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_stopped_because(self, run: Run) -> str | None:
        stop = stop_of(run)
        return None if stop is None else stop.reason


class ReadShareSerializer(DataclassSerializer[ReadShare]):
    """How many of the decided mistakes got a verdict; without an interval its ends are null."""


class ReadSampleSerializer(DataclassSerializer[ReadSample]):
    """What people said of a seeded sample of the mistakes that a run published."""

    shares = ReadShareSerializer(many=True)


class ClipOptionsSerializer(Body):
    """How clips are made. `maker`: `bridge` (placeholders), `manual` or the id of a video model."""

    maker = serializers.CharField(default=BRIDGE)
    prompts = serializers.CharField(
        default=RULES, help_text="`rules`, or the id of a text endpoint that writes the prompts."
    )
    view = serializers.ChoiceField(
        choices=[str(view) for view in View], default=str(View.EGOCENTRIC)
    )
    shows_caption = serializers.BooleanField(default=True)
    is_marked = serializers.BooleanField(default=True)
    cross_fade_s = serializers.FloatField(default=0.0, min_value=0, max_value=LONGEST_CROSS_FADE_S)
    reviews_prompts = serializers.BooleanField(default=False)


class LaunchSerializer(Body):
    """What to launch. `profile` is a shipped name or an object that changes one; no takes: all."""

    dataset = serializers.CharField(help_text="The id of the data set.")
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED)
    profile = ProfileOrNameField(default=lambda: {"base": DEFAULT_PROFILE.name})
    stages = serializers.ListField(
        child=serializers.ChoiceField(choices=ALL_STAGES), default=PLANNING_STAGES
    )
    takes = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        allow_empty=False,
        help_text="The `uid` of each take, as in the files that were imported.",
    )
    writer = serializers.CharField(
        default=RULES, help_text="`rules`, or the id of a text endpoint."
    )
    is_freeform = serializers.BooleanField(
        default=False,
        help_text="Let the writer make up the mistakes without a plan: the baseline.",
    )
    judge = serializers.CharField(
        default=NO_MODEL, help_text="`none`, or the id of a text endpoint that helps to repair."
    )
    publishes_hard_findings = serializers.BooleanField(
        default=False,
        help_text="Make videos of and publish texts even if hard findings are left in them.",
    )
    budget_usd = serializers.FloatField(default=None, allow_null=True, min_value=0.01)
    clips = ClipOptionsSerializer(required=False, help_text="How the video stage makes its clips.")
    name = serializers.CharField(max_length=200, required=False)
    is_shared = serializers.BooleanField(default=False)

    def validate_profile(self, value: Any) -> Profile:
        data = {"base": value} if isinstance(value, str) else value
        if not isinstance(data, dict):
            raise serializers.ValidationError("Expected the name of a profile or an object.")
        if not is_storable(data):
            raise serializers.ValidationError(
                "A text in it contains a NUL or half a surrogate pair."
            )
        try:
            return profile_from_dict({"name": data.get("base", DEFAULT_PROFILE.name), **data})
        except ProfileError as error:
            raise serializers.ValidationError(str(error)) from error


class SeedSerializer(Body):
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED)


class BudgetSerializer(Body):
    budget_usd = serializers.FloatField(min_value=0.01)


class QueuedSerializer(serializers.Serializer[None]):
    """How many takes a command changed."""

    takes = serializers.IntegerField()


class PlanSerializer(serializers.ModelSerializer[TakePlan]):
    """The plan of one take in the published form."""

    position = serializers.IntegerField(source="run_take.position")
    take = serializers.CharField(source="run_take.take.public_id")
    take_uid = serializers.CharField(source="run_take.take.uid")
    plan = PlanField(source="document")

    class Meta:
        model = TakePlan
        fields = ["position", "take", "take_uid", "error_count", "correction_count", "plan"]


class TakeVideoSerializer(serializers.ModelSerializer[TakeVideo]):
    """The video of a take; `skipped` says why there is none, `result` how it was verified."""

    result = SpliceResultField(read_only=True)

    class Meta:
        model = TakeVideo
        fields = [
            "skipped", "maker", "splice_path", "clip_count", "frame_count", "duration_s",
            "seconds", "result",
        ]  # fmt: skip


class RunTakeSerializer(serializers.ModelSerializer[RunTake]):
    """One take of a run: its state, why it failed, and its video if the run makes videos."""

    take = serializers.CharField(source="take.public_id")
    take_uid = serializers.CharField(source="take.uid")
    status = serializers.CharField(source="job.status")
    error = serializers.CharField(source="job.error")
    video = TakeVideoSerializer(source="made_video", default=None, allow_null=True, read_only=True)

    class Meta:
        model = RunTake
        fields = ["position", "take", "take_uid", "status", "stages_done", "error", "video"]


def launch_request(user: User, data: dict[str, Any]) -> RunRequest:
    """The run that a validated body asks for; raises ValidationError if the user may not use it."""
    dataset = visible_datasets(user).filter(public_id=data["dataset"]).first()
    if dataset is None:
        raise serializers.ValidationError({"dataset": ["There is no such data set."]})
    takes = None
    if "takes" in data:
        takes = Take.objects.filter(dataset=dataset, uid__in=data["takes"])
        unknown = sorted(set(data["takes"]) - set(takes.values_list("uid", flat=True)))
        if unknown:
            fault = (
                f"Unknown: {', '.join(unknown[:10])}; expected the uid of takes of this data set."
            )
            raise serializers.ValidationError({"takes": [fault]})
    plain = {name: data[name] for name in RunOptions.__dataclass_fields__ if name != "clips"}
    options = RunOptions(**plain, clips=ClipOptions.from_dict(data.get("clips", {})))
    faults, clip_faults = launch_faults(user, options)
    detail: dict[str, Any] = {name: [fault] for name, fault in faults.items()}
    if clip_faults:
        detail["clips"] = {name: [fault] for name, fault in clip_faults.items()}
    if detail:
        raise serializers.ValidationError(detail)
    return RunRequest(
        name=data.get("name") or f"{dataset.name}, seed {data['seed']}",
        dataset=dataset,
        profile=data["profile"],
        seed=data["seed"],
        stages=[Stage(stage) for stage in data["stages"]],
        takes=takes,
        is_shared=data["is_shared"],
        options=options.to_dict(),
    )
