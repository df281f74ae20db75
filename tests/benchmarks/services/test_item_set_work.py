"""The jobs of item sets: who may write meanwhile, cancel, go on, and what is seen when."""

import threading
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from annotation.models import AuditEntry, Job, User
from annotation.services.records import jobs
from benchmarks.engine.registry import tasks
from benchmarks.models import Answer, ItemSet
from benchmarks.services import batches, freezing, making
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import (
    ItemSetInUseError,
    ItemSetRequest,
    cancel_item_set,
    resume_item_set,
    start_deleting,
    start_freezing,
    start_making,
)
from tests.benchmarks.made import frozen, frozen_set, made_set, worked_on

pytestmark = pytest.mark.django_db

TASK = "step_mistakes"
KIND = type(tasks()[TASK])


def started(dataset, owner, **changes):
    request = ItemSetRequest("Steps", TASK, dataset.public_id, **changes)
    return start_making(request=request, actor=owner)


def written_beside(owner):
    """Whether another connection can write now, or as soon as a beat is over."""
    errors = []

    def write():
        try:
            with connection.cursor() as cursor:
                if connection.vendor == "sqlite":
                    cursor.execute("PRAGMA busy_timeout = 30000")
            User.objects.filter(pk=owner.pk).update(last_name="Changed")
        except Exception as error:  # noqa: BLE001 (told by the assertion)
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    return errors == []


@pytest.mark.django_db(transaction=True)
def test_others_write_while_a_set_is_made_and_frozen(sample, owner, monkeypatch):
    written = []

    def probed(method):
        def during(*args):
            written.append((method.__name__, written_beside(owner)))
            return method(*args)

        return during

    for name in ("items", "baselines", "tally"):
        monkeypatch.setattr(KIND, name, probed(getattr(KIND, name)))
    frozen_set(sample, owner, TASK)

    assert {name for name, _ in written} == {"items", "baselines", "tally"}
    assert [name for name, is_written in written if not is_written] == []


def test_rows_are_stored_in_small_batches(sample, owner, monkeypatch):
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 20)
    sizes, insert = [], batches.insert_rows

    def inserted(claim, insert_sql, rows):
        sizes.append(len(rows))
        insert(claim, insert_sql, rows)

    for module in (making, freezing):
        monkeypatch.setattr(module, "insert_rows", inserted)
    made = frozen_set(sample, owner, TASK)

    answers = Answer.objects.filter(assessment__item_set=made)
    documents = made.shared_payloads.count()
    assert sum(sizes) == documents + made.items.count() + answers.count()
    assert max(sizes) == 20
    assert len(sizes) > 10


def test_nothing_is_made_before_a_worker_comes(sample, owner, owner_client, monkeypatch):
    def never(*_):
        raise AssertionError("the request made items")

    monkeypatch.setattr(KIND, "items", never)
    over_api = owner_client.post(
        "/api/v1/item-sets/",
        {"name": "Steps", "task": TASK, "source": sample.public_id},
        "application/json",
    )
    told = over_api.json()
    page = f"/benchmarks/sets/{told['public_id']}/"

    assert (over_api.status_code, told["state"], told["made_at"]) == (201, "being made", None)
    shown = owner_client.get(page).content.decode()
    assert "Waiting for a worker" in shown
    assert f'data-hx-get="{page}progress/"' in shown
    assert "being made" in owner_client.get("/benchmarks/").content.decode()


def without_batch(number, monkeypatch, then):
    """Call `then` where so many batches of items or answers are stored, in place of the next."""
    stored, insert = [], batches.insert_rows

    def inserted(claim, insert_sql, rows):
        if insert_sql != making.DOCUMENT_SQL:
            if len(stored) == number:
                then()
            stored.append(rows)
        insert(claim, insert_sql, rows)

    for module in (making, freezing):
        monkeypatch.setattr(module, "insert_rows", inserted)


def test_half_made_set_shows_no_item_and_is_made_once_it_goes_on(
    sample, owner, owner_client, monkeypatch
):
    whole = made_set(sample, owner, TASK)
    item_set, job_ids = started(sample, owner)
    page = f"/benchmarks/sets/{item_set.public_id}/"
    api = f"/api/v1/item-sets/{item_set.public_id}/"
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 20)
    with monkeypatch.context() as patched:
        without_batch(2, patched, lambda: cancel_item_set(item_set=item_set, actor=owner))
        work_on_item_sets(job_ids=job_ids)

    assert item_set.items.count() == 40
    key = item_set.items.first().key
    for address in (
        f"{page}items/{key}/",
        f"{page}download/items/",
        f"{api}items/",
        f"{api}table/",
    ):
        assert owner_client.get(address).status_code == 404, address
    told = owner_client.get(api).json()
    assert (told["state"], told["made_at"], told["item_count"]) == ("cancelled", None, 0)
    assert "Go on" in owner_client.get(page).content.decode()
    with pytest.raises(ItemSetInUseError, match="has no items yet"):
        start_freezing(item_set=item_set, actor=owner)

    owner_client.post(f"{page}resume/")
    worked_on(item_set, job_ids)
    assert item_set.content_hash == whole.content_hash
    columns = ("position", "key", "source_key", "own_payload", "truth")
    assert list(item_set.items.values_list(*columns)) == list(whole.items.values_list(*columns))


def test_set_whose_data_changed_while_it_was_stopped_is_made_anew(sample, owner, monkeypatch):
    item_set, job_ids = started(sample, owner)
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 20)
    with monkeypatch.context() as patched:
        without_batch(2, patched, lambda: cancel_item_set(item_set=item_set, actor=owner))
        work_on_item_sets(job_ids=job_ids)
    trace = sample.traces.order_by("uid").first()
    trace.steps.exclude(text="").order_by("index").first().delete()
    worked_on(item_set, resume_item_set(item_set=item_set, actor=owner))

    again = made_set(sample, owner, TASK)
    assert item_set.content_hash == again.content_hash
    assert item_set.items.count() == again.items.count()


def test_cancelled_freeze_leaves_the_set_as_it_was_and_can_be_asked_for_again(
    sample, owner, owner_client, monkeypatch
):
    whole = frozen_set(sample, owner, TASK)
    item_set = made_set(sample, owner, TASK)
    page = f"/benchmarks/sets/{item_set.public_id}/"
    api = f"/api/v1/item-sets/{item_set.public_id}/"
    asked = owner_client.post(f"{api}freeze/", content_type="application/json")
    assert (asked.status_code, asked.json()["state"]) == (202, "being frozen")
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 20)
    with monkeypatch.context() as patched:
        without_batch(9, patched, lambda: owner_client.post(f"{page}cancel/"))
        work_on_item_sets(job_ids=[item_set.job_id])

    item_set.refresh_from_db()
    assert item_set.assessments.count() > 0
    assert (item_set.is_frozen, item_set.job.status) == (False, "cancelled")
    assert owner_client.get(f"{api}assessments/").json()["results"] == []
    shown = owner_client.get(page).content.decode()
    assert "Freeze it after all" in shown
    assert 'id="figures"' not in shown
    frozen(item_set, owner)

    def figures(of):
        rows = of.assessments.order_by("name")
        return [
            (
                row.name,
                row.counts,
                list(row.figures.values_list("measure", "group", "value", "low")),
            )
            for row in rows
        ], Answer.objects.filter(assessment__in=rows).count()

    assert figures(item_set) == figures(whole)
    assert item_set.content_hash == whole.content_hash


def test_worker_that_lost_its_claim_writes_nothing_more(sample, owner, monkeypatch):
    item_set, job_ids = started(sample, owner)
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 20)

    def taken_over():
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert jobs.claim_job(job_id=job_ids[0]) is not None

    without_batch(1, monkeypatch, taken_over)
    work_on_item_sets(job_ids=job_ids)

    assert item_set.items.count() == 20
    assert Job.objects.get().status == "running"


def test_faults_are_told_on_the_page_and_the_set_can_be_deleted(sample, owner, owner_client):
    sample.traces.all().delete()
    sample.takes.all().delete()
    item_set, job_ids = started(sample, owner)
    page = f"/benchmarks/sets/{item_set.public_id}/"
    with pytest.raises(ItemSetInUseError, match="cancel that first"):
        start_deleting(item_set=item_set, actor=owner)
    words = "No items can be made of Everyday"
    with pytest.raises(ValidationError, match=words):
        worked_on(item_set, job_ids)

    assert words in owner_client.get(page).content.decode()
    api = f"/api/v1/item-sets/{item_set.public_id}/"
    assert words in owner_client.get(api).json()["error"]
    owner_client.post(f"{page}delete/")
    work_on_item_sets(job_ids=[item_set.job_id])
    assert not ItemSet.objects.exists()
    assert not Job.objects.exists()


def test_owner_who_may_no_longer_read_the_data_gets_no_items(sample, owner, outsider):
    item_set, job_ids = started(sample, owner)
    sample.owner = outsider
    sample.save()
    with pytest.raises(ValidationError, match=r"You have no dataset .* any more"):
        worked_on(item_set, job_ids)
    assert item_set.items.count() == 0


def test_progress_is_told_and_the_page_loads_anew_at_the_end(
    sample, owner, owner_client, monkeypatch
):
    item_set, job_ids = started(sample, owner)
    address = f"/benchmarks/sets/{item_set.public_id}/progress/"
    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 20)
    monkeypatch.setattr(jobs, "REPORT_PAUSE_S", 0)
    told = []
    with monkeypatch.context() as patched:
        without_batch(3, patched, lambda: told.append(owner_client.get(address).content.decode()))
        worked_on(item_set, job_ids)

    assert f"Items stored: 60 of {item_set.items.count()}" in told[0]
    assert "left</span>" in told[0]
    assert owner_client.get(address)["HX-Refresh"] == "true"


def test_outsiders_find_no_job_and_annotators_are_refused(
    sample, owner, outsider_client, annotator_client
):
    item_set, _ = started(sample, owner)
    page = f"/benchmarks/sets/{item_set.public_id}/"
    api = f"/api/v1/item-sets/{item_set.public_id}/"
    for client, expected in ((outsider_client, 404), (annotator_client, 403)):
        for address in (page, f"{page}progress/", api):
            assert client.get(address).status_code == expected, address
        for address in (page, api):
            for action in ("cancel", "resume", "freeze"):
                assert client.post(f"{address}{action}/").status_code == expected, action
    assert Job.objects.get().status == "queued"


def test_who_froze_a_set_is_recorded(sample, owner):
    item_set = frozen_set(sample, owner, TASK)
    of_set = AuditEntry.objects.filter(subject=f"item_set:{item_set.public_id}").order_by("pk")
    assert list(of_set.values_list("action", "actor__username")) == [
        ("item_set.start", owner.username),
        ("item_set.make", None),
        ("item_set.start_freeze", owner.username),
        ("item_set.freeze", owner.username),
    ]
    assert start_freezing(item_set=item_set, actor=owner) == []


def test_set_of_before_the_jobs_is_frozen_too(sample, owner):
    made = made_set(sample, owner, TASK)
    job = made.job
    ItemSet.objects.update(job=None)
    job.delete()
    made.refresh_from_db()
    assert frozen(made, owner).is_frozen
