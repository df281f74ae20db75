"""The Celery application; `celery -A piev_site worker` finds it here."""

import os
import sys
import warnings
from typing import Any

from celery import Celery
from celery.loaders.app import AppLoader
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "piev_site.settings")
# A worker has no pages: looking them over as the site does when it starts would keep them all, and
# the libraries of the pages, in its memory.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
# Root is a risk to a worker that unpickles messages; ours reads JSON and nothing else.
warnings.filterwarnings("ignore", "You're running the worker with superuser privileges")


class SettingsLoader(AppLoader):
    """Says an unusable variable in one line (a worker is the first to read the settings)."""

    def config_from_object(self, obj: Any, silent: bool = False) -> Any:
        try:
            return super().config_from_object(obj, silent=silent)
        except ImproperlyConfigured as error:
            sys.exit(str(error))

    def on_worker_init(self) -> None:
        os.umask(0o077)  # what the site writes is for its own account
        # Its threads take turns at few connections; a take that found none would be left for a
        # while. Here, because every process of the site imports this module.
        if pool := settings.DATABASES["default"]["OPTIONS"].get("pool"):
            pool["timeout"] = pool["reconnect_timeout"] = settings.WORKER_DATABASE_PATIENCE_S
        super().on_worker_init()


@worker_ready.connect
def show_on_status_page(sender: Any, **_: Any) -> None:
    # The apps are there only once the worker has set Django up.
    from annotation.services.records.processes import note_worker_for_good  # noqa: PLC0415

    note_worker_for_good(sender.hostname)


@worker_shutting_down.connect
def begin_nothing_new(**_: Any) -> None:
    # Imported before the pool forked, with the tasks.
    from annotation.services.records.stopping import ask_to_stop  # noqa: PLC0415

    ask_to_stop()


app = Celery("piev", loader="piev_site.celery:SettingsLoader")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
