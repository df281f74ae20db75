"""How Django knows the app that tests models on what the two other apps hold."""

from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    """Asks, scores and compares."""

    name = "benchmarks"
    default_auto_field = "django.db.models.BigAutoField"
