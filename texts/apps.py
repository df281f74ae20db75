"""The Django app of texts that people read."""

from importlib import import_module

from django.apps import AppConfig


class TextsConfig(AppConfig):
    name = "texts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # It imports the models, which Django has not loaded when this module is imported.
        import_module("texts.registration").register()
