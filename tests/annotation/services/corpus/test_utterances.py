"""What is said in recordings: stored, replaced where a file differs, and shown on the clock."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Event, Reading, Step, Take, Trace, TraceStep
from annotation.engine.corpus.procedure import Utterance as Said
from annotation.engine.taxonomy import EventKind, Mod, Speaker
from annotation.models import AuditEntry, Dataset, Utterance
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.corpus.imports import ImportTarget, import_reading

pytestmark = pytest.mark.django_db

TAKE = Take("tea", "Tea", "Make tea", (Step("Boil water", start_s=0.0, end_s=4.0),))
TRACE = Trace(
    "tea-a", "Tea a", "tea",
    (TraceStep(Mod.ERROR, "Boil milk", 0, "E1", start_s=0.0, end_s=4.0),),
    (Event("E1", EventKind.MISTAKE),),
)  # fmt: skip
READING = Reading(
    takes=(TAKE,),
    traces=(TRACE,),
    utterances=(
        Said(Speaker.USER, "What is first?", "tea", start_s=0.0, end_s=1.0, reason="query"),
        Said(Speaker.ASSISTANT, "Boil water.", "tea", start_s=1.0, end_s=2.0),
        Said(Speaker.INSTRUCTOR, "Not milk <b>!", trace_uid="tea-a", start_s=1.0, end_s=3.0),
    ),
)


def imported(reading, owner):
    target = ImportTarget(name="Tea", format="native", owner=owner)
    return import_reading(reading, target=target, actor=owner)


def stored():
    rows = Utterance.objects.order_by("take", "trace", "index")
    return list(
        rows.values_list("take__uid", "trace__uid", "who", "start_s", "end_s", "text", "reason")
    )


def test_what_is_said_is_stored_once_and_replaced_where_it_differs(owner):
    imported(READING, owner)
    ids = set(Utterance.objects.values_list("pk", flat=True))
    audited = AuditEntry.objects.count()
    imported(READING, owner)

    assert set(Utterance.objects.values_list("pk", flat=True)) == ids
    assert AuditEntry.objects.count() == audited
    assert sorted(map(str, stored())) == sorted(map(str, [
        ("tea", None, "user", 0.0, 1.0, "What is first?", "query"),
        ("tea", None, "assistant", 1.0, 2.0, "Boil water.", ""),
        (None, "tea-a", "instructor", 1.0, 3.0, "Not milk <b>!", ""),
    ]))  # fmt: skip

    imported(replace(READING, utterances=READING.utterances[1:]), owner)

    assert [row[5] for row in stored() if row[0]] == ["Boil water."]
    assert Utterance.objects.filter(pk__in=ids).count() == 1
    assert AuditEntry.objects.count() == audited + 1


def test_recordings_that_a_file_does_not_mention_keep_what_is_said(owner):
    imported(READING, owner)
    other = replace(TAKE, uid="coffee", name="Coffee")

    imported(Reading(takes=(other,)), owner)

    assert Utterance.objects.count() == 3


def test_a_reading_with_something_said_nowhere_writes_nothing(owner):
    wrong = replace(READING.utterances[0], take_uid="coffee")

    with pytest.raises(FormatError, match="the uid of a take here"):
        imported(replace(READING, utterances=(wrong,)), owner)

    assert not Dataset.objects.exists()


def test_the_table_refuses_what_is_said_in_two_recordings_or_backwards(owner):
    imported(READING, owner)
    row = Utterance.objects.filter(take__isnull=False).first()
    trace = Utterance.objects.get(trace__isnull=False).trace

    for changes in ({"trace": trace}, {"take": None}, {"end_s": -1.0}, {"who": "nobody"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Utterance.objects.filter(pk=row.pk).update(**changes)


def test_what_is_said_goes_with_its_data_set(owner):
    imported(READING, owner)

    delete_dataset(dataset=Dataset.objects.get(), actor=owner)

    assert not Utterance.objects.exists()


def test_pages_of_takes_and_traces_show_it_on_the_clock(owner, owner_client):
    imported(READING, owner)
    dataset = Dataset.objects.get()
    take, trace = dataset.takes.get(), dataset.traces.get()

    of_take = owner_client.get(reverse("take-detail", args=[take.public_id])).content.decode()
    of_trace = owner_client.get(reverse("trace-detail", args=[trace.public_id])).content.decode()

    # The track is as long as what is said, 2 s: the second piece is its right half.
    assert '<rect class="assistant" x="500.0" width="500.0"' in of_take
    assert "What is first?" in of_take
    assert "Not milk &lt;b&gt;!" in of_trace
    assert "What is first?" not in of_trace


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_asks_as_often_whatever_is_said(
    owner, owner_client, count, django_assert_num_queries
):
    imported(replace(READING, utterances=READING.utterances[:1] * count), owner)
    take = Dataset.objects.get().takes.get()
    address = reverse("take-detail", args=[take.public_id])
    owner_client.get(address)

    with django_assert_num_queries(8):
        owner_client.get(address)


def test_a_page_without_anything_said_has_no_track(owner, owner_client):
    imported(replace(READING, utterances=()), owner)
    take = Dataset.objects.get().takes.get()

    page = owner_client.get(reverse("take-detail", args=[take.public_id])).content.decode()

    assert "What is said" not in page
