"""How Django knows the app that tests models on what the two other apps hold."""

from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_delete

from annotation.analytics import worked_cases


class BenchmarksConfig(AppConfig):
    """Asks, scores and compares."""

    name = "benchmarks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        worked_cases.register("detection", "benchmarks.engine.measures.detection_cases")
        # These read the models, which are not there yet when this module is imported.
        import_module("benchmarks.page_links").register()
        campaigns = import_module("annotation.selectors.campaigns")
        item_sets = import_module("benchmarks.selectors.item_sets")
        campaigns.WORKERS_OF_OTHERS.add(item_sets.participants_of_others)
        # A data set takes its features with it, and so their files.
        features = import_module("benchmarks.services.features")
        post_delete.connect(features.forget_files_of, sender="benchmarks.FeatureSet")
