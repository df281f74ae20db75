"""How Django knows the app that makes traces."""

from django.apps import AppConfig


class GenerationConfig(AppConfig):
    """Makes traces out of takes."""

    name = "generation"
    default_auto_field = "django.db.models.BigAutoField"
