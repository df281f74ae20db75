"""How Django knows the app of the corpus and the audit."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """The corpus and the audit."""

    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"
