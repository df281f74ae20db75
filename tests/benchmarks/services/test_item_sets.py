"""Item sets: made, divided, frozen, hashed and shared."""

import hashlib
import json
import threading
from dataclasses import asdict, replace

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import AuditEntry, Job, Trace
from annotation.services.records.jobs import LEASE, lost_job_ids
from benchmarks.engine.content import OpaqueNames, content_hash, written_item
from benchmarks.engine.division import Division
from benchmarks.engine.happenings import OWN_WORDS
from benchmarks.engine.leakage import find_leaks
from benchmarks.engine.registry import tasks
from benchmarks.engine.task import Item
from benchmarks.models import Answer, ItemSet
from benchmarks.selectors.downloads import Download, download_of
from benchmarks.selectors.item_sets import cautions_of, engine_item, state_of_set
from benchmarks.selectors.material import dataset_source
from benchmarks.selectors.tables import table_of
from benchmarks.services import batches as services_batches
from benchmarks.services.answering import start_answering
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import (
    ItemSetInUseError,
    share_item_set,
    start_deleting,
    start_freezing,
)
from tests.benchmarks.made import (
    TASKS,
    as_csv,
    as_lines,
    baseline_values,
    deleted,
    frozen,
    frozen_set,
    made_set,
    uploaded,
)

pytestmark = pytest.mark.django_db

OPTIONAL = {"stretches", "told"}


@pytest.mark.parametrize("task", TASKS)
def test_same_data_settings_and_seed_give_the_same_items_under_the_next_version(
    sample, owner, task
):
    first, again = (made_set(sample, owner, task) for _ in range(2))
    other = made_set(sample, owner, task, seed=1)

    assert first.content_hash == again.content_hash != other.content_hash
    assert (first.version, again.version, other.version) == (1, 2, 3)
    keys = [list(row.items.values_list("key", flat=True)) for row in (first, again, other)]
    assert keys[0] == keys[1]
    assert not set(keys[0]) & set(keys[2])


@pytest.mark.parametrize("task", TASKS)
def test_keys_and_names_of_recordings_reveal_nothing(sample, owner, task):
    made = made_set(sample, owner, task)

    for item in made.items.all():
        told = [item.key, item.recording, item.sequence]
        assert not any(item.source_recording in word for word in told)
        assert len(item.key) == 16
    assert list(made.items.values_list("position", flat=True)) == list(range(made.item_count))


@pytest.mark.parametrize("task", TASKS)
def test_hash_and_keys_are_those_of_all_sets_made_before(sample, owner, task):
    """As they were written when all items were held in memory: published hashes stay."""

    def canonical(content):
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return text.encode() + b"\n"

    def hash_of(items):
        digest = hashlib.sha256(canonical([task, tasks()[task].version, made.settings]))
        for key in sorted(items):
            item = asdict(items[key])
            # What items could not have then is left out where they have none.
            written = {name: own for name, own in item.items() if own or name not in OPTIONAL}
            digest.update(canonical([key, written]))
        return digest.hexdigest()

    made = made_set(sample, owner, task, seed=5)
    material = dataset_source(owner, sample.public_id).material
    items = {item.key: item for item in tasks()[task].items(material, made.settings, 5)}
    secret = f"{hash_of(items)} 5"
    by_key = {
        hashlib.sha256(canonical([secret, "item", item.key])).hexdigest()[:16]: item
        for item in items.values()
    }

    assert made.content_hash == hash_of(by_key)
    assert list(made.items.values_list("key", flat=True)) == sorted(by_key)
    for row in made.items.all():
        item = by_key[row.key]
        stored = engine_item(row)
        assert replace(stored, sequence=item.sequence) == replace(item, groups=dict(item.groups))


def test_names_cannot_be_worked_out_without_the_truth(sample, owner):
    """With names made of the corpus alone, anybody could tell which recordings have mistakes."""
    items = [Item(f"trace:{n}#1", f"trace:{n}", {}, {"answer": "yes"}) for n in range(2)]
    guessed = [items[0], replace(items[1], truth={"answer": "no"})]
    task = tasks()["step_mistakes"]

    def names_of(these):
        return OpaqueNames(content_hash(task, {}, ((i.key, written_item(i)) for i in these)), 0)

    first, again, other = (names_of(these) for these in (items, items, guessed))

    assert first.of("item", items[0].key) == again.of("item", items[0].key)
    assert first.of("item", items[0].key) != other.of("item", items[0].key)
    assert first.of("recording", items[0].recording) != other.of("recording", items[0].recording)


@pytest.mark.parametrize("task", TASKS)
def test_freezing_lets_every_trivial_baseline_answer_once(sample, owner, task):
    made = frozen_set(sample, owner, task)
    baselines = list(made.assessments.order_by("pk"))
    frozen(made, owner)

    assert len(baselines) >= 2
    assert made.assessments.count() == len(baselines)
    for row in baselines:
        assert row.kind == "baseline"
        assert row.frozen_at is not None
        assert row.figures.exists()
        # With few recordings an interval is a t interval; one that cannot be says why.
        assert not row.figures.exclude(method__in=["jackknife-t", "none"]).exists()
        assert not row.figures.filter(low=None, reason="").exists()
        for measure in tasks()[task].measures:
            ends = row.figures.filter(measure=measure.key, low__isnull=False)
            assert not ends.exclude(low__gte=measure.least, high__lte=measure.most).exists()
        assert sum(row.counts.values()) == made.item_count
    assert AuditEntry.objects.filter(action="item_set.freeze").count() == 1


def test_parts_are_divided_by_whole_units_and_leaks_are_reported(sample, owner):
    by_take = made_set(sample, owner, division=Division("take", (0.5, 0.2, 0.3)))
    parts = {}
    for item in by_take.items.all():
        parts.setdefault(item.take, set()).add(item.part)
    kinds = {leak["kind"] for leak in by_take.leaks}

    assert all(len(found) == 1 for found in parts.values())
    assert set().union(*parts.values()) == {"train", "val", "test"}
    assert not kinds & {"take", "recording"}
    by_recording = made_set(sample, owner, division=Division("recording", (0.5, 0.2, 0.3)))
    told = {leak["kind"]: leak["words"] for leak in by_recording.leaks}
    assert "recording" not in told
    assert "share" in told["take"]


def test_recordings_that_were_generated_from_one_take_share_it_in_every_task(sample, owner):
    def shared(unit):
        division = Division(unit, (0.5, 0.2, 0.3))
        made = made_set(sample, owner, "error_recognition", division=division)
        return {one for leak in made.leaks if leak["kind"] == "take" for one in leak["examples"]}

    assert {"sample-printer", "sample-tyre"} < shared("recording")
    assert shared("take") == set()
    # Takes that people performed anew, as those of a published recipe, share no more than that.
    Trace.objects.update(provenance={})
    assert shared("recording") == set()


def test_leaks_have_a_count_and_a_few_examples():
    def item(number, part):
        asked = f"Is THIS  {number}?" if part == "test" else f"is this {number}?"
        return Item(f"{number} {part}", f"r{part}", {}, {}, question=asked, part=part)

    told = find_leaks([item(number, part) for number in range(8) for part in ("train", "test")], {})

    assert [str(leak) for leak in told] == [
        "test and train share 8 repeated questions: Is THIS 0?; Is THIS 1?; Is THIS 2?; Is THIS 3?;"
        " Is THIS 4?; and 3 more"
    ]
    one = find_leaks([item(0, "train"), item(0, "test")], {})
    assert str(one[0]) == "test and train share 1 repeated question: Is THIS 0?"


@pytest.mark.parametrize("kind", ["recording", "take", "procedure", "person"])
def test_leaks_of_every_kind_are_found(kind):
    items = [Item(part, f"r{part}", {}, {}, question=part, part=part) for part in ("train", "test")]

    told = find_leaks([replace(item, **{kind: "the same"}) for item in items], {})

    assert [(leak.kind, leak.count, leak.examples) for leak in told] == [(kind, 1, ("the same",))]


def test_parts_to_train_on_are_examples_and_not_asked(sample, owner):
    made = frozen_set(sample, owner, division=Division("take", (0.5, 0.2, 0.3)))
    asked = {row["key"]: row for row in lines(made, Download.ITEMS)}
    examples = lines(made, Download.EXAMPLES)

    assert {row["part"] for row in asked.values()} == {"test"}
    assert {row["part"] for row in examples} == {"train", "val"}
    assert all("truth" in row for row in examples)
    assert not any("truth" in row for row in asked.values())
    assert made.item_count == len(asked) < made.items.count()
    answers = as_lines({key: {"answer": "yes", "score": None} for key in asked})
    done = uploaded(made, owner, answers, "answers.jsonl")
    assert {figure.item_count for figure in done.figures.filter(group="")} == {len(asked)}
    assert done.counts["missing"] == 0
    one = as_lines({examples[0]["key"]: {"answer": "yes", "score": None}})
    with pytest.raises(FormatError, match="expected the key of an item of this set"):
        uploaded(made, owner, one, "answers.jsonl", counts_missing=True)


def lines(item_set, which):
    return [json.loads(line) for line in "".join(download_of(item_set, which)).splitlines()]


def test_division_by_a_unit_that_items_lack_is_refused(sample, owner):
    with pytest.raises(ValidationError, match="some items have no person"):
        made_set(sample, owner, division=Division("person", (0.5, 0.2, 0.3)))


@pytest.mark.parametrize(
    ("task", "settings"),
    [("error_recognition", {"division": "by step"}), ("mistake_detection", {})],
)
def test_set_divided_by_its_settings_is_not_divided_again(sample, owner, task, settings):
    with pytest.raises(ValidationError, match="the settings divide it already"):
        made_set(sample, owner, task, settings=settings, division=Division("take", (0.5, 0.2, 0.3)))
    failed = ItemSet.objects.get()
    assert (failed.made_at, failed.items.count(), failed.job.status) == (None, 0, "failed")


def test_settings_are_refused_by_name(sample, owner):
    wrong = {"labels": "colours", "speed": 3}

    with pytest.raises(ValidationError) as caught:
        made_set(sample, owner, "mistake_intervals", settings=wrong)

    assert set(caught.value.message_dict) == {"labels", "speed"}
    assert not ItemSet.objects.exists()


def test_data_of_others_is_refused(sample, outsider):
    with pytest.raises(ValidationError, match="You have no dataset"):
        made_set(sample, outsider)


def test_answered_set_cannot_be_deleted(step_set, owner, owner_client):
    share_item_set(item_set=step_set, is_shared=True, actor=owner)
    uploaded(step_set, owner, as_csv(step_set, baseline_values(step_set)))

    with pytest.raises(ItemSetInUseError, match="1 participants"):
        start_deleting(item_set=step_set, actor=owner)
    refused = owner_client.delete(f"/api/v1/item-sets/{step_set.public_id}/")
    assert (refused.status_code, list(refused.json())) == (409, ["detail"])
    assert "1 participants" in refused.json()["detail"]
    page = f"/benchmarks/sets/{step_set.public_id}/"
    assert "1 participants" in owner_client.post(f"{page}delete/", follow=True).content.decode()

    step_set.assessments.filter(kind="file").delete()
    deleted(step_set, owner)
    assert not ItemSet.objects.exists()


@pytest.mark.parametrize(
    "join",
    [
        lambda made, user: start_answering(item_set=made, person=user, actor=user),
        lambda made, user: uploaded(made, user, as_csv(made, {})),
    ],
    ids=["person", "file"],
)
def test_joining_a_set_deleted_meanwhile_is_refused(step_set, owner, join, monkeypatch):
    def deleted_first(actor, item_set):
        deleted(ItemSet.objects.get(pk=item_set.pk), owner)

    monkeypatch.setattr("benchmarks.services.uploads.refuse_while_answering", deleted_first)
    monkeypatch.setattr(
        "benchmarks.services.answering.require_frozen",
        lambda item_set: deleted_first(owner, item_set),
    )

    with pytest.raises(ItemSetInUseError, match="has been deleted"):
        join(step_set, owner)


def test_pages_and_api_refuse_joining_a_deleted_set_with_a_message(
    step_set, owner_client, monkeypatch
):
    gone = ItemSet.objects.get(pk=step_set.pk)
    deleted(step_set, None)
    for module in ("views.participants", "api.participants"):
        monkeypatch.setattr(f"benchmarks.{module}.get_item_set_for_user", lambda *_: gone)

    over_api = owner_client.post(
        f"/api/v1/item-sets/{gone.public_id}/people/", {}, "application/json"
    )
    page = owner_client.post(f"/benchmarks/sets/{gone.public_id}/people/")

    assert over_api.status_code == 409
    assert over_api.json()["detail"].endswith("has been deleted.")
    assert (page.status_code, page.url) == (302, f"/benchmarks/sets/{gone.public_id}/")


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_make_two_versions(sample, owner):
    together, errors = threading.Barrier(3), []

    def work():
        try:
            together.wait()
            made_set(sample, owner)
        except BaseException as error:  # noqa: BLE001 (a thread's error must fail the test)
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert sorted(ItemSet.objects.values_list("version", flat=True)) == [1, 2, 3]


def test_page_and_table_say_what_is_not_asked_about_and_what_later_versions_changed(
    step_set, owner_client
):
    ItemSet.objects.filter(pk=step_set.pk).update(task_version=1)
    step_set.refresh_from_db()

    page = owner_client.get(reverse("item-set", args=[step_set.public_id])).content.decode()
    notes = table_of(step_set).notes

    older = "This set keeps version 1 of its task, which is now version 2. Since then: Participants"
    left_out = "Not asked about: 19 steps that the procedure does not have"
    for words in (older, left_out):
        assert words in page
        assert [words in note for note in notes].count(True) == 1


def test_rows_own_words_carry_a_warning_and_a_set_of_this_version_says_nothing_of_others(
    sample, owner
):
    own_words = made_set(sample, owner, settings={"shown": OWN_WORDS})

    (warning, followed) = cautions_of(own_words)
    assert "read each row's own words" in warning
    assert followed.startswith("Not asked about: 12 steps that merely follow")


def test_a_set_is_deleted_in_batches_and_gone_on_with_after_a_kill(
    step_set, owner, owner_client, monkeypatch
):
    """One transaction for all rows held every other write of the site for many seconds."""
    share_item_set(item_set=step_set, is_shared=True, actor=owner)
    batches = []
    turn = services_batches.short_transaction

    def counted(claim):
        batches.append(claim)
        if len(batches) == 4:
            raise SystemExit
        return turn(claim)

    monkeypatch.setattr(services_batches, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(services_batches, "short_transaction", counted)
    page, api = (
        f"{path}/{step_set.public_id}/" for path in ("/benchmarks/sets", "/api/v1/item-sets")
    )
    queued = owner_client.delete(api)
    assert (queued.status_code, queued.json()["state"]) == (202, "being deleted")
    assert owner_client.delete(api).status_code == 409
    job = ItemSet.objects.get(pk=step_set.pk).job
    with pytest.raises(SystemExit):
        work_on_item_sets(job_ids=[job.pk])
    left = ItemSet.objects.get(pk=step_set.pk)
    assert (left.is_made, left.is_frozen, left.is_shared) == (False, False, False)
    assert state_of_set(left) == "being deleted"
    assert "Items and answers deleted" in owner_client.get(page).content.decode()
    with pytest.raises(ItemSetInUseError, match="no items yet"):
        start_freezing(item_set=left, actor=owner)

    row_count = Answer.objects.filter(item__item_set=left).count() + left.items.count()
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - LEASE)
    work_on_item_sets(job_ids=lost_job_ids())

    assert not ItemSet.objects.filter(pk=step_set.pk).exists()
    assert not Job.objects.filter(pk=job.pk).exists()
    assert len(batches) >= 4 + row_count // 10
    # Where its page is still open.
    progress = f"{page}progress/"
    assert owner_client.get(progress).status_code == 404
    sent = owner_client.get(progress, headers={"HX-Request": "true"})
    assert sent.headers["HX-Redirect"] == "/benchmarks/"


def test_a_cancelled_deletion_is_gone_on_with_or_asked_for_again(
    step_set, owner, owner_client, monkeypatch
):
    page = f"/benchmarks/sets/{step_set.public_id}/"
    owner_client.post(f"{page}delete/")
    owner_client.post(f"{page}cancel/")
    left = ItemSet.objects.get(pk=step_set.pk)
    assert (state_of_set(left), left.is_made) == ("deleted in part", False)
    shown = owner_client.get(page).content.decode()
    assert "Go on deleting it" in shown
    assert "Some of the set is deleted" in shown
    assert "in the background" not in shown
    owner_client.post(f"{page}resume/")
    assert state_of_set(ItemSet.objects.get(pk=step_set.pk)) == "being deleted"
    assert "deleted in the background" in owner_client.get(page).content.decode()
    owner_client.post(f"{page}cancel/")

    owner_client.post(f"{page}delete/")
    work_on_item_sets(job_ids=[left.job_id])

    assert not ItemSet.objects.filter(pk=step_set.pk).exists()
