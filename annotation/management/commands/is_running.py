"""Tell by the exit status whether this machine's worker or sweeper has been seen lately."""

from argparse import ArgumentParser
from socket import gethostname
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from annotation.models import ProcessKind
from annotation.selectors.records.status import seen_processes

# Under which names they are noted: Celery's own for a worker.
NAMES = {ProcessKind.WORKER: "celery@{}", ProcessKind.SWEEPER: "{}"}


class Command(CommandWithoutPages):
    help = "Fail unless the worker or sweeper of this machine was seen lately; for health checks."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=[kind.value for kind in NAMES])

    def handle(self, *args: Any, kind: str, **options: Any) -> None:
        label = ProcessKind(kind).label
        name = NAMES[ProcessKind(kind)].format(gethostname())
        for process in seen_processes():
            if (process.kind, process.name) == (label, name):
                if process.is_late:
                    raise CommandError(f"{label} {name} was last seen at {process.seen_at:%H:%M}.")
                return
        raise CommandError(f"{label} {name} has not been seen.")
