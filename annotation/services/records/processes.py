"""Workers and sweepers report every few seconds that they are running."""

import threading
from datetime import timedelta

from django.db import DatabaseError
from django.utils import timezone

from annotation.models import Process, ProcessKind
from annotation.selectors.records.status import installed_version
from annotation.services.records.parallel import close_connections

PAUSE_S = 15.0
# Names of machines and containers change; what was not seen for so long is forgotten.
FORGOTTEN_AFTER = timedelta(days=2)


def note_process(*, kind: ProcessKind, name: str, is_new: bool = False) -> None:
    """Note that a process is running; `is_new`: since now, whoever had its name before."""
    if is_new:
        Process.objects.filter(kind=kind, name=name).delete()
    now = timezone.now()
    seen = Process.objects.filter(kind=kind, name=name).update(
        seen_at=now, version=installed_version()
    )
    if not seen:
        Process.objects.update_or_create(
            kind=kind, name=name, defaults={"seen_at": now, "version": installed_version()}
        )
        Process.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()


def note_worker_for_good(name: str) -> threading.Event:
    """Note a worker as long as its process lives, or until the event that is returned is set."""

    def run() -> None:
        is_new = True
        while not stop.is_set():
            try:
                note_process(kind=ProcessKind.WORKER, name=name, is_new=is_new)
                is_new = False
            except DatabaseError:
                pass  # it is away for a while; the page then says since when nobody was seen
            finally:
                # The processes of the pool are forked from this one and must inherit none.
                close_connections()
            stop.wait(PAUSE_S)

    stop = threading.Event()
    threading.Thread(target=run, name="note-worker", daemon=True).start()
    return stop
