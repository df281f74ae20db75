"""The Django app of segments."""

from importlib import import_module

from django.apps import AppConfig

from annotation.analytics.cases import worked_cases


class SegmentsConfig(AppConfig):
    """Its tables have `annotation` as app label, and their migrations are there too."""

    name = "segments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        worked_cases.register("segments", "segments.measures.cases")
        # It imports the models, which Django has not loaded when this module is imported.
        import_module("segments.registration").register()
