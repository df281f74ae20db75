"""The Celery application; `celery -A piev_site worker` finds it here."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "piev_site.settings")

app = Celery("piev")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
