"""How Django knows the app of the corpus and the audit."""

from django.apps import AppConfig
from django.core import checks

from annotation.analytics import worked_cases
from annotation.checks import private_state


class AnnotationConfig(AppConfig):
    """The corpus and the audit."""

    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        checks.register(private_state, checks.Tags.security)
        worked_cases.register("agreement", "annotation.analytics.agreement_cases")
        worked_cases.register("segments", "annotation.analytics.segments.cases")
