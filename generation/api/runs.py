"""Endpoints of runs: list, launch, watch, cancel, resume, retry, clone, and read the plans.

Researchers and administrators only; a run that is not yours to see is 404.
"""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.bodies import Body
from annotation.models import Dataset, Take
from annotation.permissions import IsResearcher, signed_in_user
from annotation.selectors.corpus import visible_datasets
from generation import launch
from generation.api.clip_options import ClipOptionsSerializer, checked_clips
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
from generation.engine.planner.profile import Profile
from generation.engine.planner.profile_files import profile_from_dict
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.run_options import NO_MODEL, RULES, RunOptions
from generation.engine.stages import Stage
from generation.models import Run, RunTake, TakePlan, TakeVideo
from generation.selectors.calls.endpoints import visible_endpoints, visible_video_endpoints
from generation.selectors.launching.models import option_faults
from generation.selectors.run_stops import stop_of
from generation.selectors.runs import (
    RunProgress,
    get_changeable_run,
    get_run_for_user,
    progress_of,
    visible_runs,
)
from generation.services.runs import MAX_SEED, RunRequest, cancel_run

ALL_STAGES = [str(stage) for stage in Stage]
PLANNING_STAGES = [str(Stage.PLAN), str(Stage.CORRECT)]


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run as it was launched."""

    id = serializers.CharField(source="public_id", read_only=True)
    dataset = serializers.CharField(source="dataset.public_id", read_only=True)
    dataset_name = serializers.CharField(source="dataset.name", read_only=True)
    owner = serializers.CharField(
        source="owner.username", default=None, allow_null=True, read_only=True
    )
    cloned_from = serializers.CharField(
        source="cloned_from.public_id", default=None, allow_null=True, read_only=True
    )
    cloned_from_name = serializers.CharField(
        source="cloned_from.name", default=None, allow_null=True, read_only=True
    )
    options = RunOptionsField(read_only=True)
    stages = serializers.ListField(child=serializers.ChoiceField(choices=ALL_STAGES))
    published_dataset = serializers.CharField(
        source="published_dataset.public_id", default=None, allow_null=True, read_only=True
    )
    published_dataset_name = serializers.CharField(
        source="published_dataset.name", default=None, allow_null=True, read_only=True
    )

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


class StageProgressSerializer(serializers.Serializer[None]):
    """How far one stage is; `rate_per_s` and `left_s` are null while they are not known.

    `part_count` are the clips and splices of the takes that are worked on right now.
    """

    stage = serializers.CharField()
    total_count = serializers.IntegerField()
    done_count = serializers.IntegerField()
    failed_count = serializers.IntegerField()
    cancelled_count = serializers.IntegerField()
    waiting_count = serializers.IntegerField()
    rate_per_s = serializers.FloatField(allow_null=True)
    left_s = serializers.FloatField(allow_null=True)
    done_part_count = serializers.IntegerField()
    part_count = serializers.IntegerField()


class ProgressSerializer(serializers.Serializer[RunProgress]):
    """How far a run is: its takes by state, and every stage."""

    state = serializers.CharField()
    is_finished = serializers.BooleanField()
    take_count = serializers.IntegerField()
    queued_count = serializers.IntegerField()
    running_count = serializers.IntegerField()
    done_count = serializers.IntegerField()
    failed_count = serializers.IntegerField()
    cancelled_count = serializers.IntegerField()
    waiting_count = serializers.IntegerField()
    stages = StageProgressSerializer(many=True)


class RunDetailSerializer(RunSerializer):
    """A run with its whole profile and its progress."""

    profile = ProfileField(read_only=True)
    run_statistics = RunStatisticsField(read_only=True)
    progress = serializers.SerializerMethodField()
    stopped_because = serializers.SerializerMethodField(
        help_text="Why the run stopped by itself: no budget left, or a model is missing."
    )

    class Meta(RunSerializer.Meta):
        fields = [
            *RunSerializer.Meta.fields,
            "profile",
            "run_statistics",
            "progress",
            "stopped_because",
        ]

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, run: Run) -> dict[str, Any]:
        return dict(ProgressSerializer(progress_of(run)).data)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_stopped_because(self, run: Run) -> str | None:
        stop = stop_of(run)
        return None if stop is None else stop.reason


class LaunchSerializer(Body):
    """What to launch. `profile` is a shipped name or an object that changes one; no takes: all."""

    dataset = serializers.CharField(help_text="The id of the data set.")
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED)
    profile = ProfileOrNameField(default=lambda: {"base": DEFAULT_PROFILE.name})
    stages = serializers.ListField(
        child=serializers.ChoiceField(choices=ALL_STAGES), default=PLANNING_STAGES
    )
    takes = serializers.ListField(child=serializers.CharField(), required=False, allow_empty=False)
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
        default=False, help_text="Publish and film also texts in which hard findings are left."
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
            raise serializers.ValidationError("A text of it holds a NUL or half a character.")
        try:
            return profile_from_dict({"name": data.get("base", DEFAULT_PROFILE.name), **data})
        except ProfileError as error:
            raise serializers.ValidationError(str(error)) from error


class SeedSerializer(Body):
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED)


class BudgetSerializer(Body):
    budget_usd = serializers.FloatField(min_value=0.01)


class QueuedSerializer(serializers.Serializer[None]):
    """How many takes a command was about."""

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
    """One take of a run: its state, why it failed, and its video where the run makes videos."""

    take = serializers.CharField(source="take.public_id")
    take_uid = serializers.CharField(source="take.uid")
    status = serializers.CharField(source="job.status")
    error = serializers.CharField(source="job.error")
    video = TakeVideoSerializer(source="made_video", default=None, allow_null=True, read_only=True)

    class Meta:
        model = RunTake
        fields = ["position", "take", "take_uid", "status", "stages_done", "error", "video"]


class RunList(generics.ListAPIView[Run]):
    """List the runs that you may see, newest first."""

    permission_classes = [IsResearcher]
    serializer_class = RunSerializer

    def get_queryset(self) -> QuerySet[Run]:
        runs = visible_runs(signed_in_user(self.request))
        related = ("dataset", "owner", "cloned_from", "published_dataset")
        return runs.select_related(*related).order_by("-pk")

    @extend_schema(request=LaunchSerializer, responses={201: RunDetailSerializer})
    def post(self, request: Request) -> Response:
        """Launch a run."""
        body = LaunchSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        run = launch.launch_run(
            request=_launch_request(request, body.validated_data), actor=signed_in_user(request)
        )
        return Response(RunDetailSerializer(run).data, status=status.HTTP_201_CREATED)


def _launch_request(request: Request, data: dict[str, Any]) -> RunRequest:
    datasets = visible_datasets(signed_in_user(request))
    dataset = datasets.filter(public_id=data["dataset"]).first()
    if dataset is None:
        raise serializers.ValidationError({"dataset": ["There is no such data set."]})
    return RunRequest(
        name=data.get("name") or f"{dataset.name}, seed {data['seed']}",
        dataset=dataset,
        profile=data["profile"],
        seed=data["seed"],
        stages=[Stage(stage) for stage in data["stages"]],
        takes=_named_takes(dataset, data["takes"]) if "takes" in data else None,
        is_shared=data["is_shared"],
        options=_checked_options(request, data).to_dict(),
    )


def _checked_options(request: Request, data: dict[str, Any]) -> RunOptions:
    clips = checked_clips(signed_in_user(request), data.get("clips", {}))
    options = RunOptions(
        writer=data["writer"],
        judge=data["judge"],
        budget_usd=data["budget_usd"],
        clips=clips,
        is_freeform=data["is_freeform"],
        publishes_hard_findings=data["publishes_hard_findings"],
    )
    user = signed_in_user(request)
    faults = option_faults(options, visible_endpoints(user), visible_video_endpoints(user))
    if faults:
        raise serializers.ValidationError({name: [fault] for name, fault in faults.items()})
    return options


def _named_takes(dataset: Dataset, uids: list[str]) -> QuerySet[Take]:
    takes = Take.objects.filter(dataset=dataset, uid__in=uids)
    unknown = sorted(set(uids) - set(takes.values_list("uid", flat=True)))
    if unknown:
        raise serializers.ValidationError({"takes": [f"Unknown: {', '.join(unknown[:10])}."]})
    return takes


class RunDetail(generics.RetrieveAPIView[Run]):
    """Return one run with its profile and progress."""

    permission_classes = [IsResearcher]
    serializer_class = RunDetailSerializer
    queryset = Run.objects.none()

    def get_object(self) -> Run:
        return get_run_for_user(signed_in_user(self.request), self.kwargs["public_id"])


class _OfRun(generics.ListAPIView[Any]):
    permission_classes = [IsResearcher]

    def run(self) -> Run:
        return get_run_for_user(signed_in_user(self.request), self.kwargs["public_id"])


class RunTakes(_OfRun):
    """List the takes of a run with their states, and why they failed."""

    serializer_class = RunTakeSerializer
    queryset = RunTake.objects.none()

    def get_queryset(self) -> QuerySet[RunTake]:
        takes = RunTake.objects.filter(run=self.run())
        takes = takes.select_related("take", "job", "made_video").defer("made_video__edits")
        return takes.order_by("position")


class RunPlans(_OfRun):
    """List the plans of a run."""

    serializer_class = PlanSerializer
    queryset = TakePlan.objects.none()

    def get_queryset(self) -> QuerySet[TakePlan]:
        plans = TakePlan.objects.filter(run_take__run=self.run())
        return plans.select_related("run_take__take").order_by("run_take__position")


class _RunCommand(APIView):
    permission_classes = [IsResearcher]


class RunCancel(_RunCommand):
    @extend_schema(operation_id="run_cancel", request=None, responses={200: QueuedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Stop what is not done; what is done stays done."""
        user = signed_in_user(request)
        run = get_changeable_run(user, public_id)
        return Response({"takes": cancel_run(run=run, actor=user)})


class RunResume(_RunCommand):
    @extend_schema(operation_id="run_resume", request=None, responses={200: QueuedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Put the cancelled takes back on the queue."""
        user = signed_in_user(request)
        run = get_changeable_run(user, public_id)
        return Response({"takes": launch.resume_run(run=run, actor=user)})


class RunRetry(_RunCommand):
    @extend_schema(operation_id="run_retry", request=None, responses={200: QueuedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Put the failed takes back on the queue."""
        user = signed_in_user(request)
        run = get_changeable_run(user, public_id)
        return Response({"takes": launch.retry_failed_takes(run=run, actor=user)})


class RunBudget(_RunCommand):
    @extend_schema(
        operation_id="run_budget", request=BudgetSerializer, responses={200: QueuedSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Raise the budget; takes that it had stopped go back on the queue."""
        user = signed_in_user(request)
        run = get_changeable_run(user, public_id)
        body = BudgetSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        budget_usd = body.validated_data["budget_usd"]
        return Response({"takes": launch.raise_budget(run=run, budget_usd=budget_usd, actor=user)})


class RunPublishWithheld(_RunCommand):
    @extend_schema(
        operation_id="run_publish_withheld", request=None, responses={200: QueuedSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Publish the takes too in which the judge left hard findings."""
        user = signed_in_user(request)
        run = get_changeable_run(user, public_id)
        return Response({"takes": launch.publish_withheld(run=run, actor=user)})


class RunClone(_RunCommand):
    @extend_schema(
        operation_id="run_clone", request=SeedSerializer, responses={201: RunDetailSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Launch the same takes with another seed."""
        user = signed_in_user(request)
        run = get_run_for_user(user, public_id)
        body = SeedSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        clone = launch.launch_clone(run=run, seed=body.validated_data["seed"], actor=user)
        return Response(RunDetailSerializer(clone).data, status=status.HTTP_201_CREATED)
