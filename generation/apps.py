"""How Django knows the app that makes traces."""

from django.apps import AppConfig
from django.urls import reverse

from annotation import page_links


class GenerationConfig(AppConfig):
    """Makes traces out of takes."""

    name = "generation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        page_links.DATASET_STEPS.append(
            lambda dataset: page_links.NextStep(
                "Launch a run on its takes", f"{reverse('run-launch')}?dataset={dataset.public_id}"
            )
        )
