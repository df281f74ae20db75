"""How Django knows the app of labels on the video clock."""

from importlib import import_module

from django.apps import AppConfig

from annotation.analytics.cases import worked_cases


class SegmentsConfig(AppConfig):
    """Schemes, segments, their rounds and figures. Its tables are among those of `annotation`."""

    name = "segments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        worked_cases.register("segments", "segments.measures.cases")
        # These read the models, which are not there yet when this module is imported.
        import_module("segments.registration").register()
