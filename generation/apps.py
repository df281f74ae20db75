"""How Django knows the app that makes traces."""

from importlib import import_module

from django.apps import AppConfig

from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.error_kind import error_kinds


class GenerationConfig(AppConfig):
    """Makes traces out of takes."""

    name = "generation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Registers every type of mistake and correction, which reading stored rows needs.
        error_kinds()
        correction_facts()
        # Imported only now: it reads the models, which are not ready when this module is imported.
        import_module("generation.page_links").register()
