"""The pages of benchmarks: who may open them, what they show, and how many queries they take."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.engine.happenings import WRITTEN_WORDS
from benchmarks.engine.tasks.error_recognition import CUT_IN_TIME
from benchmarks.models import Assessment, FeatureSet, Figure, ItemSet
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.tables import table_of
from benchmarks.services.item_sets import share_item_set
from tests.benchmarks.asked import started
from tests.benchmarks.made import (
    TASKS,
    as_csv,
    baseline_values,
    frozen_set,
    made_set,
    uploaded,
    worked_on,
)
from tests.factories import DatasetFactory, UserFactory
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db

MOST_QUERIES = 15


def test_a_set_is_made_frozen_uploaded_to_and_read_through_the_pages(sample, owner_client):
    made = owner_client.post(
        "/benchmarks/new/step_mistakes/",
        {
            "name": "Steps",
            "source": sample.public_id,
            "seed": 3,
            "unit": "take",
            "setting_shown": WRITTEN_WORDS,
            "setting_follow_ups": "left out",
        },
    )
    page = made.url
    waiting = owner_client.get(page).content.decode()
    item_set = ItemSet.objects.get()
    worked_on(item_set, [item_set.job_id])
    owner_client.post(f"{page}freeze/")
    frozen_only_when_done = owner_client.get(page).content.decode()
    worked_on(item_set, [item_set.job_id])
    template = owner_client.get(f"{page}download/template-csv/").getvalue().decode()
    text = as_csv(item_set, baseline_values(item_set))
    file = SimpleUploadedFile("answers.csv", text.encode())
    sent = {"upload-name": "Ours 1", "upload-file": file}
    answered = owner_client.post(f"{page}upload/", sent)
    shown = owner_client.get(page).content.decode()

    assert "being made" in waiting
    assert "being frozen" in frozen_only_when_done
    assert template.splitlines()[0] == "key,answer,score"
    assert len(template.splitlines()) == item_set.item_count + 1
    assert answered.url == f"/benchmarks/assessments/{Assessment.objects.last().public_id}/"
    assert "Ours 1" in shown
    assert item_set.content_hash in shown
    assert owner_client.get(answered.url).status_code == 200


def test_a_refused_file_is_shown_with_its_faults(step_set, owner_client):
    file = SimpleUploadedFile("answers.csv", b"key,answer\nalien,yes\n")

    sent = {"upload-name": "Ours", "upload-file": file}
    answer = owner_client.post(f"/benchmarks/sets/{step_set.public_id}/upload/", sent)

    assert answer.status_code == 400
    assert "answers.csv, line 2: key is &#x27;alien&#x27;" in answer.content.decode()


def test_a_refused_question_to_a_model_is_shown_with_its_faults(step_set, owner, owner_client):
    endpoint = make_endpoint(owner=owner)

    sent = {"ask-endpoint": endpoint.public_id, "ask-pictures": 65, "ask-repeats": 1}
    answer = owner_client.post(f"/benchmarks/sets/{step_set.public_id}/ask/", sent)

    shown = answer.content.decode()
    assert answer.status_code == 400
    assert "Ensure this value is less than or equal to 64." in shown
    assert 'name="ask-pictures" value="65"' in shown
    assert 'name="upload-name"' in shown
    assert not step_set.assessments.filter(kind="endpoint").exists()


def test_the_page_of_an_assessment_comes_anew_once_its_job_has_ended(step_set, owner, owner_client):
    assessment, _ = started(step_set, make_endpoint(owner=owner), owner)
    page = f"/benchmarks/assessments/{assessment.public_id}/"
    polled = {"headers": {"HX-Request": "true"}}

    at_work = owner_client.get(page, **polled)
    owner_client.post(f"{page}cancel/")
    ended = owner_client.get(page, **polled)

    assert 'id="assessment-progress" data-hx-get=' in at_work.content.decode()
    assert (ended.headers["HX-Refresh"], ended.content) == ("true", b"")
    assert "Resume</button>" in owner_client.get(page).content.decode()


@pytest.mark.parametrize("task", TASKS)
def test_every_page_of_every_task_opens(sample, owner, owner_client, task):
    made = frozen_set(sample, owner, task)
    [first, second] = made.assessments.order_by("pk")[:2]
    page = f"/benchmarks/sets/{made.public_id}/"
    pages = [
        "/benchmarks/", page, f"{page}items/{made.items.first().key}/",
        f"{page}compare/?first={first.public_id}&second={second.public_id}",
        f"/benchmarks/assessments/{first.public_id}/", f"/benchmarks/new/{task}/",
        f"{page}table/latex/", f"{page}table/csv/", f"{page}table/markdown/",
        f"{page}download/items/",
    ]  # fmt: skip

    assert {address: owner_client.get(address).status_code for address in pages} == dict.fromkeys(
        pages, 200
    )


def test_comparison_says_when_items_were_not_answered(step_set, owner, owner_client):
    values = baseline_values(step_set)
    [of_recording] = step_set.items.filter(key=next(iter(values)))
    recording = step_set.items.filter(recording=of_recording.recording)
    left_out = set(recording.values_list("key", flat=True))
    kept = {key: value for key, value in values.items() if key not in left_out}
    half = uploaded(step_set, owner, as_csv(step_set, kept), counts_missing=True)
    half.settings = {}
    half.save()
    first, second = step_set.assessments.filter(kind="baseline")[:2]
    page = f"/benchmarks/sets/{step_set.public_id}/"

    def compared(one, other):
        address = f"{page}compare/?first={one.public_id}&second={other.public_id}"
        return owner_client.get(address).content.decode()

    assert f"Not read: {len(left_out)} answers of {half.name}." in compared(first, half)
    assert "On the same items" not in compared(first, half)
    assert "On the same items" in compared(first, second)
    shown = owner_client.get(f"{page}recordings/{of_recording.recording}/").content.decode()
    assert f"{half.name}: no answer</summary>" in shown


def test_api_table_has_an_existing_breakdown_and_is_named_after_its_content(step_set, owner_client):
    address = f"/api/v1/item-sets/{step_set.public_id}/table/?form=csv"

    whole = owner_client.get(address)
    refused = owner_client.get(f"{address}&group=phase&value=last%20half")

    assert owner_client.get(f"{address}&group=phase&value=last%20third").status_code == 200
    assert step_set.content_hash[:12] in whole["content-disposition"]
    assert refused.status_code == 400
    assert "expected one of first third" in refused.content.decode()


def test_warnings_are_on_the_page_and_under_tables(sample, owner, owner_client):
    made = frozen_set(sample, owner, "error_recognition", settings={"division": "by step"})
    page = f"/benchmarks/sets/{made.public_id}/"

    assert CUT_IN_TIME in owner_client.get(page).content.decode()
    assert CUT_IN_TIME in owner_client.get(f"{page}table/markdown/").content.decode()


def test_outsiders_find_nothing_and_annotators_are_refused(
    step_set, outsider_client, annotator_client
):
    pages = ["", f"items/{step_set.items.first().key}/", "download/items/", "table/csv/"]

    for page in pages:
        address = f"/benchmarks/sets/{step_set.public_id}/{page}"
        assert outsider_client.get(address).status_code == 404
        assert annotator_client.get(address).status_code == 403


def test_nul_in_an_address_raises_no_error(step_set, owner_client):
    """PostgreSQL raises an error for NUL in a text; on every database it is ignored."""
    page = f"/benchmarks/sets/{step_set.public_id}/"
    first, second = (row.public_id for row in step_set.assessments.order_by("pk")[:2])
    named = owner_client.post(f"{page}people/", {"person-username": "no\x00body"}, follow=True)
    shown = owner_client.get(f"{page}?group=%00&value=%00")
    table = owner_client.get(f"{page}table/csv/?group=%00&value=%00")
    compared = owner_client.get(f"{page}compare/?first=%00{first}&second={second}%00")

    assert (shown.status_code, compared.status_code) == (200, 200)
    assert table.content == owner_client.get(f"{page}table/csv/").content
    assert "There is no account &#x27;nobody&#x27;." in named.content.decode()


def test_sharing_opens_items_and_not_their_truth(step_set, owner, outsider, outsider_client):
    share_item_set(item_set=step_set, is_shared=True, actor=owner)
    item = step_set.items.exclude(groups={}).first()
    page = f"/benchmarks/sets/{step_set.public_id}/"
    api = f"/api/v1/item-sets/{step_set.public_id}/"

    told = outsider_client.get(f"{api}items/{item.key}/").json()
    download = outsider_client.get(f"{page}download/items/").getvalue().decode()
    shown = outsider_client.get(f"{page}items/{item.key}/").content.decode()
    # Once their own answers are final, they see the others' and still not the truth.
    values = baseline_values(step_set)
    uploaded(step_set, outsider, as_csv(step_set, values))
    after = outsider_client.get(f"{api}items/{item.key}/").json()

    assert (told["truth"], told["groups"], told["answers"]) == (None, None, [])
    assert "truth" not in download
    assert item.source_key not in download
    assert item.source_recording not in download
    assert "Truth</h2>" not in shown
    assert (after["truth"], len(after["answers"]) > 1) == (None, True)


def test_only_the_owner_names_others_on_page_and_api(
    step_set, owner, outsider, annotator, owner_client, outsider_client
):
    share_item_set(item_set=step_set, is_shared=True, actor=owner)
    page = f"/benchmarks/sets/{step_set.public_id}/people/"
    api = f"/api/v1/item-sets/{step_set.public_id}/people/"

    def over_api(client, **named):
        answer = client.post(api, named, "application/json")
        return answer.status_code, answer.json().get("name") or answer.json()

    assert outsider_client.post(page, {"person-username": annotator.username}).status_code == 404
    assert over_api(outsider_client, username=annotator.username)[0] == 404
    assert not step_set.assessments.filter(kind="person").exists()
    for named in ({}, {"username": outsider.username}):
        assert over_api(outsider_client, **named) == (201, outsider.username)
    assert over_api(owner_client, username=annotator.username) == (201, annotator.username)
    words = "There is no account 'nobody'."
    assert over_api(owner_client, username="nobody") == (400, {"username": [words]})


def test_pages_take_as_many_queries_for_many_rows(sample, owner, owner_client):
    made = frozen_set(sample, owner)
    text = as_csv(made, baseline_values(made))

    def asked(address):
        with CaptureQueriesContext(connection) as caught:
            assert owner_client.get(address).status_code == 200
        return [query["sql"] for query in caught]

    def queries(address):
        return len(asked(address))

    page = f"/benchmarks/sets/{made.public_id}/"
    item = f"{page}items/{made.items.first().key}/"
    uploaded(made, owner, text, name="First")
    assessment = f"/benchmarks/assessments/{made.assessments.last().public_id}/"
    for address in (page, assessment):
        queries(address)  # what is computed once
    few = [queries(address) for address in ("/benchmarks/", page, item, assessment)]
    for number in range(3):
        uploaded(made, owner, text, name=f"More {number}")
        made_set(sample, owner)
    many = [queries(address) for address in ("/benchmarks/", page, item, assessment)]

    assert many == few
    # What the user may read is asked once a page.
    assert max(few) <= MOST_QUERIES
    # Figures are stored: the table of a set reads no answer, however many there are.
    assert [sql for sql in asked(page) if "benchmarks_answer" in sql] == []
    with CaptureQueriesContext(connection) as caught:
        table_of(made)
    assert len(caught) == 2


def test_the_page_of_a_set_does_not_grow_with_its_participants(
    step_set, owner_client, django_assert_num_queries
):
    address = f"/benchmarks/sets/{step_set.public_id}/"
    [key, *_] = [measure.key for measure in task_of(step_set).measures]

    def let_answer(numbers):
        made = Assessment.objects.bulk_create(
            Assessment(
                item_set=step_set, kind="file", name=f"Model {number:03}", frozen_at=timezone.now()
            )
            for number in numbers
        )
        Figure.objects.bulk_create(
            Figure(assessment=one, measure=key, value=0.9, item_count=1, recording_count=1)
            for one in made
        )
        return made[-1]

    let_answer(range(1, 40))
    owner_client.get(address)  # what is computed once
    with CaptureQueriesContext(connection) as few:
        first = owner_client.get(address).content
    last = let_answer(range(40, 200))
    Figure.objects.filter(assessment=last).update(value=1.0)
    with django_assert_num_queries(len(few)):
        page = owner_client.get(address).content
    narrowed = "?participants-q=199&participants-kind=file"
    found = owner_client.get(address + narrowed).content.decode()
    asked = owner_client.get(f"{address}compare/?first={last.public_id}&second=")
    beside = owner_client.get(asked.url).content.decode()

    assert len(page) < len(first) + 1000
    assert (b"Model 030" in page, b"Model 031" in page) == (True, False)
    # The best one is on another page, and the baselines are on every one.
    assert b"<b>0.900</b>" not in page
    assert "<b>1.000</b>" in found
    assert step_set.assessments.filter(kind="baseline").first().name in found
    # Two of different pages can be compared.
    assert f'<option value="{last.public_id}" selected>Model 199</option>' in beside
    assert b"Model 040" in owner_client.get(f"{address}table/csv/").content


def test_answers_to_an_item_cost_the_same_queries_however_many(
    step_set, owner, owner_client, django_assert_num_queries
):
    page = f"/api/v1/item-sets/{step_set.public_id}/items/{step_set.items.first().key}/"
    few = len(owner_client.get(page).json()["answers"])
    uploaded(step_set, owner, as_csv(step_set, baseline_values(step_set)))
    with CaptureQueriesContext(connection) as before:
        owner_client.get(page)
    uploaded(step_set, owner, as_csv(step_set, baseline_values(step_set)), name="Again")

    with django_assert_num_queries(len(before)):
        answers = owner_client.get(page).json()["answers"]

    assert (len(answers), {row["key"] for row in answers}) == (few + 2, {page.split("/")[-2]})


@pytest.mark.parametrize("model", ["itemset", "assessment", "featureset"])
def test_lists_of_the_administration_cost_the_same_queries(
    administrator, administrator_client, django_assert_num_queries, model
):
    administrator.is_staff = administrator.is_superuser = True
    administrator.save()
    address = f"/admin/benchmarks/{model}/"

    def make(number):
        owner = UserFactory()
        made = ItemSet.objects.create(
            name=f"Set {number}", task="step_mistakes", task_version=1, owner=owner
        )
        Assessment.objects.create(item_set=made, kind="file", name="Ours", owner=owner)
        FeatureSet.objects.create(name="Sound", dataset=DatasetFactory(), owner=owner)

    make(1)
    with CaptureQueriesContext(connection) as of_one:
        administrator_client.get(address)
    make(2)
    make(3)

    with django_assert_num_queries(len(of_one)):
        page = administrator_client.get(address).content.decode()

    assert page.count('class="field-owner') == 3
