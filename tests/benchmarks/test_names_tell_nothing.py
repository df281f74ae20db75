"""Names that the data set gives to recordings are kept from who may not see the truth."""

import json

import pytest

from annotation.models import Role, Take, Trace
from benchmarks.engine.frame_values import unpack_frames
from benchmarks.selectors.item_sets import engine_item
from tests.benchmarks.made import as_csv, as_lines, baseline_values, frozen_set, uploaded
from tests.benchmarks.tasks.material import OTHERWISE
from tests.benchmarks.tasks.test_few_answers import every_task
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
TELLS = "was-done-wrongly"


@pytest.fixture
def telling(sample):
    """The sample, whose recordings have names that tell which have mistakes."""
    for model in (Take, Trace):
        for row in model.objects.filter(dataset=sample):
            row.uid = f"{row.uid}-{TELLS}"
            row.save()
    return sample


def read(client, address):
    response = client.get(address)
    assert response.status_code == 200, address
    if response.streaming:
        return b"".join(response.streaming_content).decode()
    return response.content.decode()


def addresses_of(item_set):
    page, api = (
        f"{start}{item_set.public_id}/" for start in ("/benchmarks/sets/", "/api/v1/item-sets/")
    )
    item = item_set.test_items.first()
    return [
        page, api, f"{api}items/",
        *(f"{start}items/{item.key}/" for start in (page, api)),
        f"{page}recordings/{item.recording}/",
        *(f"{page}download/{which}/" for which in ("items", "template-csv", "template-jsonl")),
        *(f"{api}download/{which}/" for which in ("items", "template-csv")),
    ]  # fmt: skip


@every_task
def test_nothing_that_a_participant_gets_has_the_names_of_the_data_set(
    telling, owner, owner_client, client, task
):
    settings = OTHERWISE.get(task.name, {})
    made = frozen_set(telling, owner, task.name, settings=settings, is_shared=True)
    telling.is_shared = False
    telling.save()
    client.force_login(UserFactory(role=Role.RESEARCHER))

    for address in addresses_of(made):
        assert TELLS not in address
        assert TELLS not in read(client, address), address
    person = client.post(f"/benchmarks/sets/{made.public_id}/people/")
    assert TELLS not in person.url
    assert TELLS not in read(client, person.url)
    for row in made.test_items[:5]:
        item = engine_item(row, with_truth=False)
        prompt = task.prompt(item, ())
        assert TELLS not in prompt.system + prompt.text + prompt.picture_note
        assert TELLS not in f"{item.key} {item.recording} {item.sequence} {item.question}"


def test_who_may_see_the_truth_reads_the_names_and_they_still_match_answers(
    telling, owner, owner_client
):
    made = frozen_set(telling, owner, "mistake_detection")
    file = read(owner_client, f"/benchmarks/sets/{made.public_id}/download/items/")
    names = {json.loads(line)["key"]: json.loads(line)["payload"] for line in file.splitlines()}

    assert all(TELLS in payload["recording_id"] for payload in names.values())
    values = {names[key]["recording_id"]: value for key, value in baseline_values(made).items()}
    done = uploaded(made, owner, as_csv(made, values))
    assert done.counts["read"] == made.item_count


def test_tables_of_single_recordings_are_for_who_may_see_the_truth(
    telling, owner, owner_client, client
):
    made = frozen_set(telling, owner, "anomaly", is_shared=True)
    telling.is_shared = False
    telling.save()
    other = UserFactory(role=Role.RESEARCHER)
    client.force_login(other)
    values = {
        key: {"values": unpack_frames(value).tolist()}
        for key, value in baseline_values(made).items()
    }
    done = uploaded(made, other, as_lines(values), "answers.jsonl")
    page = f"/benchmarks/assessments/{done.public_id}/"
    table = f"{page}tables/recordings/csv/"

    assert TELLS not in read(client, page)
    assert client.get(table).status_code == 404
    assert TELLS in read(owner_client, page)
    assert ",abnormal," in read(owner_client, table)
