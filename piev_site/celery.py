"""The Celery application; `celery -A piev_site worker` finds it here."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "piev_site.settings")
# A worker has no pages: looking them over as the site does when it starts would keep them all, and
# the libraries of the pages, in its memory.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("piev")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
