"""The state of the site: workers, what waits and what failed, disk, backups, versions."""

import platform
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import av
import django
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone
from django.utils.timesince import timesince

from annotation.backends.build_version import noted_version
from annotation.models import Job, JobStatus, Process, ProcessKind

# A worker reports four times a minute; a sweeper with nothing to do pauses longer.
LATE_AFTER = {
    ProcessKind.WORKER: timedelta(minutes=1),
    ProcessKind.SWEEPER: timedelta(seconds=12 * settings.JOB_LEASE_SECONDS + 60),
}
LOW_SHARE = 0.05
LOW_BYTES = 2_000_000_000
OLD_BACKUP = timedelta(days=2)
# A queue of which nothing was started for so long needs somebody to look at it.
LONG_QUEUED = timedelta(minutes=10)
LATE_MESSAGE = timedelta(seconds=settings.JOB_LEASE_SECONDS)
CLOCK_TOLERANCE = timedelta(seconds=10)
WITHOUT = {
    ProcessKind.WORKER: "No worker is running: queued jobs wait. The end of its log says why it"
    " stopped; start it again. If it does run, the clock of its machine is behind.",
    ProcessKind.SWEEPER: "No sweeper is running: jobs whose worker died are not queued again. Start"
    " manage.py sweep_jobs.",
}


@dataclass(frozen=True, slots=True)
class SeenProcess:
    """A worker or sweeper; `is_late` where it should have been seen since."""

    kind: str
    name: str
    version: str
    started_at: datetime
    seen_at: datetime
    is_late: bool

    @property
    def is_ahead(self) -> bool:
        return self.seen_at - timezone.now() > CLOCK_TOLERANCE


@dataclass(frozen=True, slots=True)
class QueueLine:
    """The jobs of one kind by status; `oldest_at` is when the oldest message for one was sent."""

    kind: str
    queued_count: int
    running_count: int
    waiting_count: int
    failed_count: int
    oldest_at: datetime | None


@dataclass(frozen=True, slots=True)
class Disk:
    """The space on the disk of a folder of the site; `label` says what it holds."""

    label: str
    folder: str
    total_bytes: int
    free_bytes: int

    @property
    def used_bytes(self) -> int:
        return self.total_bytes - self.free_bytes

    @property
    def is_low(self) -> bool:
        return self.free_bytes < min(LOW_BYTES, LOW_SHARE * self.total_bytes)


@dataclass(frozen=True, slots=True)
class Backup:
    """The newest file of the backup folder; `made_at` is None where there is none."""

    folder: str
    name: str
    made_at: datetime | None

    @property
    def is_old(self) -> bool:
        return self.made_at is None or timezone.now() - self.made_at > OLD_BACKUP


@cache
def installed_version() -> str:
    """The version of the code that this process runs, empty where nothing tells it.

    A checkout is asked first: what was installed of it says how it was when it was installed.
    """
    try:
        return noted_version() or version("piev")
    except PackageNotFoundError:
        return ""


def seen_processes() -> list[SeenProcess]:
    """The workers and sweepers of the last days (one query)."""
    now = timezone.now()
    return [
        SeenProcess(
            kind=row.get_kind_display(),
            name=row.name,
            version=row.version,
            started_at=row.started_at,
            seen_at=row.seen_at,
            is_late=now - row.seen_at > LATE_AFTER[ProcessKind(row.kind)],
        )
        for row in Process.objects.all()
    ]


def queue_lines() -> list[QueueLine]:
    """What is queued, worked on, waiting and failed, by kind of job (one query)."""
    rows = (
        Job.objects.exclude(status__in=[JobStatus.DONE, JobStatus.CANCELLED])
        .order_by("kind")
        .values_list("kind", "status")
        .annotate(count=Count("pk"), oldest=Min("queued_at"))
    )
    counts: dict[str, dict[str, tuple[int, datetime]]] = {}
    for kind, status, count, oldest in rows:
        counts.setdefault(kind, {})[status] = (count, oldest)

    def count_of(kind: str, status: JobStatus) -> int:
        return counts[kind].get(status, (0, None))[0]

    return [
        QueueLine(
            kind=kind,
            queued_count=count_of(kind, JobStatus.QUEUED),
            running_count=count_of(kind, JobStatus.RUNNING),
            waiting_count=count_of(kind, JobStatus.WAITING),
            failed_count=count_of(kind, JobStatus.FAILED),
            oldest_at=by_status[JobStatus.QUEUED][1] if JobStatus.QUEUED in by_status else None,
        )
        for kind, by_status in counts.items()
    ]


def advice(
    processes: Collection[SeenProcess], queue: Iterable[QueueLine], *, queue_answers: bool
) -> list[str]:
    """What keeps the queue from moving, each with what to do about it (a query at most)."""
    sentences = []
    if not queue_answers:
        sentences.append(
            "Redis does not answer: start it again. Until then new jobs wait in the database; the"
            " sweeper sends them once Redis is back."
        )
    running = {process.kind for process in processes if not process.is_late}
    sentences += [words for kind, words in WITHOUT.items() if kind.label not in running]
    sentences += [
        f"The clock of {process.name} is ahead of the web server's: set it right. Workers take each"
        " other's jobs where clocks differ by more than a lease."
        for process in processes
        if process.is_ahead
    ]
    long_ago = timezone.now() - LONG_QUEUED
    # One that was just put back on the queue is old too, but its message is not.
    waits = any(line.oldest_at and timezone.now() - line.oldest_at > LATE_MESSAGE for line in queue)
    moved = Q(started_at__gte=long_ago) | Q(finished_at__gte=long_ago)
    moved |= Q(heartbeat_at__gte=long_ago) | Q(status=JobStatus.QUEUED, created_at__gte=long_ago)
    if waits and not sentences and not Job.objects.filter(moved).exists():
        sentences.append(
            "No queued job was started for 10 minutes although a worker is running: restart the"
            " worker, and check that it has the same REDIS_URL as the web server."
        )
    own = installed_version()
    sentences += [
        f"{process.name} runs version {process.version}, this web server {own}: restart what is"
        " older."
        for process in processes
        if not process.is_late and process.version != own
    ]
    return sentences


def failed_jobs() -> QuerySet[Job]:
    return Job.objects.filter(status=JobStatus.FAILED).order_by("-finished_at", "-pk")


def disks() -> list[Disk]:
    """The space of every folder that the site writes to, each disk once."""
    by_disk: dict[tuple[int, int], Disk] = {}
    for label, folder in (
        ("State, uploads and SQLite database", Path(settings.STATE_FOLDER)),
        ("Media: made videos, proxies, pictures", Path(settings.MEDIA_ROOT)),
    ):
        place = next((item for item in (folder, *folder.parents) if item.exists()), None)
        if place is None:
            continue
        usage = shutil.disk_usage(place)
        key = (place.stat().st_dev, usage.total)
        if key not in by_disk:
            by_disk[key] = Disk(label, str(folder), usage.total, usage.free)
    return list(by_disk.values())


def newest_backup() -> Backup | None:
    """The newest file of the backup folder; None where no folder is named."""
    if settings.BACKUP_FOLDER is None:
        return None
    folder = Path(settings.BACKUP_FOLDER)
    files = []
    with suppress(OSError):
        for item in folder.iterdir():
            # Who makes backups removes old ones, perhaps at this moment.
            with suppress(FileNotFoundError):
                if item.is_file():
                    files.append((item.stat().st_mtime, item.name))
    if not files:
        return Backup(str(folder), "", None)
    made_s, name = max(files)
    return Backup(str(folder), name, datetime.fromtimestamp(made_s, UTC))


def backup_advice(backup: Backup | None) -> list[str]:
    """What is wrong with the backups, with what to do about it."""
    if backup is None:
        return [
            "Nobody knows whether there is a backup: set BACKUP_FOLDER to the folder that holds"
            " yours."
        ]
    if backup.made_at is None:
        return [f"There is no backup: no file lies in the backup folder {backup.folder}."]
    if backup.is_old:
        return [f"The latest backup is {timesince(backup.made_at)} old: make one."]
    return []


def versions() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW server_version")
        else:
            cursor.execute("SELECT sqlite_version()")
        (database_version,) = cursor.fetchone()
    queue = "Redis" if settings.CELERY_BROKER_URL.startswith("redis") else "files in a folder"
    return [
        ("PIE-V", installed_version() or "uninstalled"),
        ("Python", platform.python_version()),
        ("Django", django.get_version()),
        (connection.display_name, database_version.split()[0]),
        ("FFmpeg libraries", ".".join(map(str, av.library_versions["libavcodec"]))),
        ("Queue", queue),
    ]


def database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
