"""What is read by programs that watch the site: figures for Prometheus, and its state as JSON.

Requests are counted in every process of the web server; under gunicorn they share a folder, that
of `piev_site.web_server`, so that it does not matter which of them answers.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from http import HTTPMethod
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from annotation import launch
from annotation.models import User
from annotation.selectors.records.status import (
    advice,
    disks,
    failed_jobs,
    installed_version,
    newest_backup,
    queue_lines,
    seen_processes,
    versions,
)
from piev_site.middleware import Answerer

# By the name of a route: an address would give away what is rated, and be another label each time.
REQUESTS = Counter("piev_requests", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram(
    "piev_request_seconds",
    "Seconds until the answer began",
    ["route"],
    buckets=(0.05, 0.15, 0.5, 1, 2, 5, 10, 30),
)
METHODS = frozenset(HTTPMethod)
FAILED_JOBS_TOLD = 50


class MeasuredRequestsMiddleware:
    """Count requests by route and status, and how long they take."""

    def __init__(self, get_response: Answerer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began_s = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        route = (match.view_name if match else "") or "none"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(method, route, response.status_code).inc()
        SECONDS.labels(route).observe(time.perf_counter() - began_s)
        return response


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer who has the token of the setting METRICS_TOKEN; to others nothing is here."""
    if not _has_token(request):
        raise Http404
    lines = generate_latest(_requests()) + generate_latest(_StateRegistry())
    return HttpResponse(lines, content_type=CONTENT_TYPE_PLAIN_0_0_4)


@require_GET
def status_json(request: HttpRequest) -> HttpResponse:
    """What the status page shows, for whoever has that token and for administrators."""
    # Whose session it is stands in the database, which a token does not need.
    if not _has_token(request):
        user = request.user
        if not (isinstance(user, User) and user.is_administrator):
            raise Http404
    backup = newest_backup()
    state: dict[str, Any] = {
        "version": installed_version(),
        "disks": [asdict(disk) | {"is_low": disk.is_low} for disk in disks()],
        "backup": backup and asdict(backup) | {"is_old": backup.is_old},
    }
    try:
        state |= {"database_answers": True} | _state_of_queue()
    except DatabaseError:
        state |= {"database_answers": False, "advice": ["The database does not answer."]}
    return JsonResponse(state)


def _state_of_queue() -> dict[str, Any]:
    processes, queue = seen_processes(), queue_lines()
    failed = failed_jobs()
    return {
        "advice": advice(processes, queue, queue_answers=launch.queue_answers()),
        "processes": [asdict(process) for process in processes],
        "queue": [asdict(line) for line in queue],
        "failed_count": sum(line.failed_count for line in queue),
        "failed": [
            *failed.values("public_id", "kind", "key", "error", "attempt", "finished_at")[
                :FAILED_JOBS_TOLD
            ]
        ],
        "versions": dict(versions()),
    }


def _has_token(request: HttpRequest) -> bool:
    expected, given = settings.METRICS_TOKEN, request.headers.get("Authorization", "")
    return bool(expected) and constant_time_compare(given, f"Bearer {expected}")


def _requests() -> CollectorRegistry:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)
    return registry


class _StateRegistry(CollectorRegistry):
    """The state of the site as it is now, as the status page shows it."""

    def collect(self) -> Iterator[Metric]:
        build = GaugeMetricFamily("piev_build", "The version that answers", labels=["version"])
        build.add_metric([installed_version()], 1)
        yield build
        try:
            yield from (*_jobs(), _processes())
            has_answered = 1
        except DatabaseError:
            has_answered = 0
        yield GaugeMetricFamily("piev_database_up", "Whether the database answers", has_answered)
        yield from _disks()
        backup = newest_backup()
        if backup is not None and backup.made_at is not None:
            age_s = (timezone.now() - backup.made_at).total_seconds()
            yield GaugeMetricFamily("piev_backup_age_seconds", "Age of the newest backup", age_s)


def _jobs() -> tuple[Metric, Metric]:
    count = GaugeMetricFamily("piev_jobs", "Unfinished and failed jobs", labels=["kind", "state"])
    age = GaugeMetricFamily(
        "piev_oldest_queued_job_seconds", "How long the oldest job waits", labels=["kind"]
    )
    for line in queue_lines():
        count.add_metric([line.kind, "queued"], line.queued_count)
        count.add_metric([line.kind, "running"], line.running_count)
        count.add_metric([line.kind, "waiting"], line.waiting_count)
        count.add_metric([line.kind, "failed"], line.failed_count)
        if line.oldest_at is not None:
            age.add_metric([line.kind], (timezone.now() - line.oldest_at).total_seconds())
    return count, age


def _processes() -> Metric:
    seen = GaugeMetricFamily(
        "piev_process_up", "Workers and sweepers that were seen lately", labels=["kind", "name"]
    )
    for process in seen_processes():
        seen.add_metric([process.kind, process.name], 0 if process.is_late else 1)
    return seen


def _disks() -> tuple[Metric, Metric]:
    free = GaugeMetricFamily("piev_disk_free_bytes", "Free space", labels=["folder"])
    total = GaugeMetricFamily("piev_disk_bytes", "Size of the disk", labels=["folder"])
    for disk in disks():
        free.add_metric([disk.folder], disk.free_bytes)
        total.add_metric([disk.folder], disk.total_bytes)
    return free, total
