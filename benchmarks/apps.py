"""The Django app that tests models on the data of the other apps."""

from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_delete

from annotation.analytics.cases import worked_cases


class BenchmarksConfig(AppConfig):
    """The configuration of the app, with what it registers elsewhere."""

    name = "benchmarks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        worked_cases.register("detection", "benchmarks.engine.measures.detection_cases")
        worked_cases.register("vqa", "benchmarks.engine.measures.vqa_cases")
        worked_cases.register("pwr", "benchmarks.engine.measures.pwr_cases")
        # These read the models, which are not there yet when this module is imported.
        import_module("benchmarks.page_links").register()
        campaigns = import_module("annotation.selectors.campaigns.campaigns")
        item_sets = import_module("benchmarks.selectors.item_sets")
        campaigns.WORKERS_OF_OTHERS.add(item_sets.participants_of_others)
        imports = import_module("annotation.services.corpus.imports")
        imports.CHECKS["egoerrorvqa"].append(
            import_module("benchmarks.selectors.vqa_rows").check_answers
        )
        # Features are deleted with their data set too, and their files must go as well.
        features = import_module("benchmarks.services.features")
        post_delete.connect(features.forget_files_of, sender="benchmarks.FeatureSet")
