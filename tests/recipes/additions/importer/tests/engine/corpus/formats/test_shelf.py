"""Shelf lists come in by the command, the page and the API, chosen or recognised."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats
from annotation.models import Dataset, Take
from tests.annotation.conftest import owner, owner_client  # noqa: F401

LIST = "Make tea\n1 Fill the kettle\n5 Pour the water\n"


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "tea.shelf"
    found.write_text(LIST)
    return found


def upload():
    return SimpleUploadedFile("tea.shelf", LIST.encode())


def stored():
    take = Take.objects.get()
    return take.dataset.format, take.name, [step.text for step in take.steps.all()]


def test_registry_has_it_and_a_wrong_line_is_named(tmp_path):
    wrong = tmp_path / "wrong.shelf"
    wrong.write_text("Make tea\nsoon Fill the kettle\n")

    with pytest.raises(FormatError) as caught:
        available_formats()["shelf"].read(wrong)

    assert str(caught.value) == (
        "wrong.shelf, line 2: 'soon Fill the kettle'; expected seconds and a text"
    )


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["shelf", "auto"])
def test_command_reads_it(path, name, capsys):
    call_command("import_dataset", name, str(path), "--name", "Tea", "--dry-run")
    assert not Dataset.objects.exists()

    call_command("import_dataset", name, str(path), "--name", "Tea")

    assert stored() == ("shelf", "Make tea", ["Fill the kettle", "Pour the water"])


def test_page_offers_recognises_and_shows_it(owner_client, settings, tmp_path):  # noqa: F811
    settings.STATE_FOLDER = tmp_path / "state"
    form = owner_client.get(reverse("dataset-import")).content.decode()
    assert '<option value="shelf">Shelf lists</option>' in form
    assert "One text file whose name ends in .shelf." in form

    preview = owner_client.post(
        reverse("dataset-import"), {"name": "Tea", "format": "", "uploads": [upload()]}, follow=True
    )
    assert "Shelf lists" in preview.content.decode()
    address = preview.redirect_chain[-1][0] + "confirm/"
    page = owner_client.post(address, follow=True).content.decode()

    assert stored() == ("shelf", "Make tea", ["Fill the kettle", "Pour the water"])
    assert "Shelf lists" in page


def test_api_takes_it_and_its_schema_names_it(owner, settings, tmp_path):  # noqa: F811
    settings.STATE_FOLDER = tmp_path / "state"
    api = APIClient()
    api.force_authenticate(owner)

    schema = api.get("/api/v1/schema/?format=json").json()
    answer = api.post(
        "/api/v1/datasets/import/",
        {"name": "Tea", "format": "shelf", "files": [upload()]},
        format="multipart",
    )

    assert answer.json()["takes"] == 1
    assert stored()[0] == "shelf"
    assert '"shelf"' in str(schema).replace("'", '"')
