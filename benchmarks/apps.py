"""How Django knows the app that tests models on what the two other apps hold."""

from django.apps import AppConfig

from annotation.analytics import worked_cases


class BenchmarksConfig(AppConfig):
    """Asks, scores and compares."""

    name = "benchmarks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        worked_cases.register("detection", "benchmarks.engine.measures.detection_cases")
