"""How Django knows the app of the corpus and the audit."""

from importlib import import_module

from django.apps import AppConfig
from django.core import checks

from annotation.analytics.cases import worked_cases
from annotation.checks import private_state


class AnnotationConfig(AppConfig):
    """The corpus and the audit."""

    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        checks.register(private_state, checks.Tags.security)
        # It reads the models, which are not there yet when this module is imported.
        import_module("annotation.rating_kind").register()
        worked_cases.register("agreement", "annotation.analytics.cases.agreement_cases")
