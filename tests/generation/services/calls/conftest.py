import pytest
from django.apps import apps
from django.db import connection


@pytest.fixture
def pictures(settings, transactional_db):
    """The kind, installed with its tables."""
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.picture_questions"]
    models = list(apps.get_app_config("picture_questions").get_models())
    for model in models:
        with connection.schema_editor() as editor:
            editor.create_model(model)
    from tests.picture_questions import asker  # noqa: PLC0415 - its models want their app

    yield asker
    for model in reversed(models):
        with connection.schema_editor() as editor:
            editor.delete_model(model)
