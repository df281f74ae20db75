"""Another task of the benchmarks is one folder: it is made, frozen, uploaded to, asked and shown.

`benchmark_tasks/count_steps/` is the folder; nothing else knows of it.
"""

import sys
from pathlib import Path

import pytest

from benchmarks.engine import registry
from benchmarks.engine import tasks as package
from benchmarks.engine.division import ExampleRecordings
from tests.annotation.conftest import owner, owner_client  # noqa: F401
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, read_again
from tests.benchmarks.conftest import sample  # noqa: F401
from tests.benchmarks.made import as_csv, baseline_values, figures_of, frozen_set, uploaded

FOLDER = Path(__file__).with_name("benchmark_tasks")
NAME = "count_steps"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def count_steps():
    """Add the folder for one test."""
    package.__path__.append(str(FOLDER))
    registry.tasks.cache_clear()
    try:
        yield registry.tasks()[NAME]
    finally:
        package.__path__.remove(str(FOLDER))
        sys.modules.pop(f"{package.__name__}.{NAME}", None)
        registry.tasks.cache_clear()


def test_a_fifth_task_works_the_whole_way(sample, owner, owner_client):  # noqa: F811
    made = frozen_set(sample, owner, NAME, settings={"least": 2}, division=ExampleRecordings(3))
    baseline = made.assessments.order_by("pk").first()
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    with AnsweringServer(answers=lambda body: "7") as server:
        endpoint = model(server, owner)
        asked = assessed(made, endpoint, owner)
        # As many as the procedure has: the task asks again.
        server.answers = lambda body: str(len(words_of(body).split("?\n")[-1].splitlines()))
        checked = assessed(made, endpoint, owner, variant="checked")
    person = owner_client.post(f"/benchmarks/sets/{made.public_id}/people/")
    item = made.test_items.first()
    owner_client.post(person.url, {"item": item.key, "answer": "7"})
    owner_client.post(f"{person.url}finish/")

    assert figures_of(file) == figures_of(baseline)
    assert asked.counts["read"] == checked.counts["read"] == made.item_count
    for answer in checked.answers.select_related("call"):
        [stage] = answer.stages.all()
        [example] = answer.saw["examples"]
        assert made.items.get(key=example["key"]).part == "train"
        assert answer.call.prompt.endswith(f"You said {stage.call.text}. Count again.")
        assert answer.seconds is not None
    assert read_again(made.assessments.get(kind="person")).counts["read"] == 1
    page = owner_client.get(f"/benchmarks/sets/{made.public_id}/").content.decode()
    table = owner_client.get(f"/benchmarks/sets/{made.public_id}/table/csv/").content.decode()
    assert owner_client.get(f"/benchmarks/new/{NAME}/").status_code == 200
    for name in (
        "How many steps?",
        "Their model 2",
        "Asked, at once",
        "Asked, checked, after an example",
        "As many as the procedure has",
    ):
        assert name in page
    assert table.splitlines()[0].startswith("group,label,exact,exact_low,exact_high,error,")
