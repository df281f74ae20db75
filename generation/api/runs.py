"""Endpoints of runs: list, launch, watch, cancel, resume, retry, clone, and read the plans.

Researchers and administrators only; a run that you may not see is 404.
"""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import IsResearcher, ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.page_links import read_samples
from annotation.permissions import signed_in_user
from generation import launch
from generation.api.run_bodies import (
    BudgetSerializer,
    LaunchSerializer,
    PlanSerializer,
    QueuedSerializer,
    ReadSampleSerializer,
    RunDetailSerializer,
    RunSerializer,
    RunTakeSerializer,
    SeedSerializer,
    launch_request,
)
from generation.models import Run, RunTake, TakePlan
from generation.selectors.runs import (
    get_changeable_run,
    get_run_for_user,
    visible_runs,
)
from generation.services.runs import cancel_run


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
        body = LaunchSerializer.read(request)
        user = signed_in_user(request)
        run = launch.launch_run(request=launch_request(user, body), actor=user)
        return Response(RunDetailSerializer(run).data, status=status.HTTP_201_CREATED)


class RunDetail(generics.RetrieveAPIView[Run]):
    """Return one run with its profile and progress."""

    permission_classes = [IsResearcher]
    serializer_class = RunDetailSerializer
    queryset = Run.objects.none()

    def get_object(self) -> Run:
        return get_run_for_user(signed_in_user(self.request), self.kwargs["public_id"])


class OfRun(generics.ListAPIView[Any]):
    """A list of things that belong to a run."""

    permission_classes = [IsResearcher]

    def run(self) -> Run:
        return get_run_for_user(signed_in_user(self.request), self.kwargs["public_id"])


class RunTakes(OfRun):
    """List the takes of a run with their states, and why they failed."""

    serializer_class = RunTakeSerializer
    queryset = RunTake.objects.none()

    def get_queryset(self) -> QuerySet[RunTake]:
        takes = RunTake.objects.filter(run=self.run())
        takes = takes.select_related("take", "job", "made_video").defer("made_video__edits")
        return takes.order_by("position")


class RunPlans(OfRun):
    """List the plans of a run."""

    serializer_class = PlanSerializer
    queryset = TakePlan.objects.none()

    def get_queryset(self) -> QuerySet[TakePlan]:
        plans = TakePlan.objects.filter(run_take__run=self.run())
        return plans.select_related("run_take__take").order_by("run_take__position")


class RunReadings(ResearcherEndpoint):
    @extend_schema(operation_id="run_readings", responses={200: ReadSampleSerializer(many=True)})
    def get(self, request: Request, public_id: str) -> Response:
        """Read what people said of samples of a run's mistakes; none before it has published."""
        run = get_run_for_user(self.user, public_id)
        published = run.published_dataset
        samples = read_samples(self.user, published) if published else []
        return Response(ReadSampleSerializer(samples, many=True).data)


class _RunCommand(ResearcherEndpoint):
    def carry_out(
        self, public_id: str, command: Callable[..., int], body: Body | None = None
    ) -> Response:
        """Run a command on a run, and return how many of its takes it changed."""
        user = signed_in_user(self.request)
        run = get_changeable_run(user, public_id)
        if body is not None:
            body.is_valid(raise_exception=True)
        details = {} if body is None else body.validated_data
        return Response({"takes": command(run=run, actor=user, **details)})


class RunCancel(_RunCommand):
    @extend_schema(operation_id="run_cancel", request=None, responses={200: QueuedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Cancel the takes that are not finished; finished ones stay."""
        return self.carry_out(public_id, cancel_run)


class RunResume(_RunCommand):
    @extend_schema(operation_id="run_resume", request=None, responses={200: QueuedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Put the cancelled takes back on the queue."""
        return self.carry_out(public_id, launch.resume_run)


class RunRetry(_RunCommand):
    @extend_schema(operation_id="run_retry", request=None, responses={200: QueuedSerializer})
    def post(self, request: Request, public_id: str) -> Response:
        """Put the failed takes back on the queue."""
        return self.carry_out(public_id, launch.retry_failed_takes)


class RunBudget(_RunCommand):
    @extend_schema(
        operation_id="run_budget", request=BudgetSerializer, responses={200: QueuedSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Raise the budget; takes that it had stopped go back on the queue."""
        return self.carry_out(public_id, launch.raise_budget, BudgetSerializer(data=request.data))


class RunPublishWithheld(_RunCommand):
    @extend_schema(
        operation_id="run_publish_withheld", request=None, responses={200: QueuedSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Publish also the takes in which the judge left hard findings."""
        return self.carry_out(public_id, launch.publish_withheld)


class RunClone(_RunCommand):
    @extend_schema(
        operation_id="run_clone", request=SeedSerializer, responses={201: RunDetailSerializer}
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Launch the same takes with another seed."""
        user = signed_in_user(request)
        run = get_run_for_user(user, public_id)
        seed = SeedSerializer.read(request)["seed"]
        clone = launch.launch_clone(run=run, seed=seed, actor=user)
        return Response(RunDetailSerializer(clone).data, status=status.HTTP_201_CREATED)
