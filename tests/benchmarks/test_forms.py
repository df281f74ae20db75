"""Which settings of a task the form of an item set accepts."""

import pytest

from benchmarks.engine.registry import tasks
from benchmarks.forms.item_sets import ItemSetForm

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("only", ["", " ".join(f"{n}_{n}" for n in range(1, 400))])
def test_a_setting_of_recordings_may_be_empty_or_long(sample, owner, only):
    task = tasks()["step_localisation"]
    data = {
        "name": "Steps", "source": sample.public_id, "seed": 0,
        "setting_recordings": "all recordings", "setting_only": only, "setting_train": "",
        "setting_division": "none of them",
    }  # fmt: skip

    form = ItemSetForm(data, user=owner, task=task)

    assert form.errors == {}
    assert form.to_request().settings["only"] == only
