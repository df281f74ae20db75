"""What the items of a recording share is stored once, and nobody can tell from what is read."""

import json
from dataclasses import replace

import pytest

from annotation.engine.corpus.procedure import Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import Mod
from benchmarks.engine.content import written_item
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.registry import tasks
from benchmarks.engine.shared_payloads import SharedTexts, Sharing, put_together, write_item
from benchmarks.engine.task import Item
from benchmarks.models import Item as StoredItem
from benchmarks.models import SharedPayload
from benchmarks.services.item_draft import ItemDraft
from benchmarks.services.item_sets import resume_item_set
from tests.benchmarks.made import made_set, worked_on
from tests.benchmarks.tasks.material import defaults

PROCEDURE = ["Boil water", "Warm the pot", "Add “tea” \\ é", "Pour\twater", "Serve"]


def item(place, payload, recording="trace:tea"):
    return Item(f"{recording}#{place}", recording, payload, {"answer": "no"}, choices=("a", "b"))


def divided(items):
    """Each item's own entries, document and text that is hashed, as they would be stored."""
    sharing, parts, documents = Sharing(), [], {}
    for one in items:
        references = sharing.references(one)
        documents[sharing.number] = sharing.content
        parts.append((sharing.number, write_item(one, references)))
    stored = {number: json.loads(json.dumps(content)) for number, content in documents.items()}
    return [
        (json.loads(written.payload), stored[number], written.hashed) for number, written in parts
    ]


def check(items):
    """All payloads and texts come back as they were; returns the number of documents."""
    for one, (own, document, hashed) in zip(items, divided(items), strict=True):
        whole = put_together(own, document)
        assert list(whole.items()) == list(json.loads(json.dumps(dict(one.payload))).items())
        assert SharedTexts(document).filled(hashed) == written_item(one)
    return len({id(document) for _, document, _ in divided(items)})


def test_lists_that_go_on_are_stored_once():
    items = [
        item(place, {"goal": "Tea", "procedure": PROCEDURE, "done": PROCEDURE[:place], "n": place})
        for place in (0, 2, 1, 5, 5)
    ]

    assert check(items) == 1
    own, document, _ = divided(items)[2]
    assert own == {"goal": "Tea", "procedure": 5, "done": 1, "n": 1}
    assert document == {"procedure": PROCEDURE, "done": PROCEDURE}


def test_what_differs_within_a_recording_stays_with_its_items():
    items = [
        item(place, {"procedure": PROCEDURE, "pieces": [[place]], "words": PROCEDURE[place:]})
        for place in range(4)
    ]

    assert check(items) == 2
    own, document, _ = divided(items)[3]
    assert own == {"procedure": 5, "pieces": [[3]], "words": PROCEDURE[3:]}
    assert document == {"procedure": PROCEDURE}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2], [1.0, 2]), ([True], [1]), ({"a": 1}, {"a": 1.0}), (["1"], [1]), (["a"], ("a",)),
        (["a", "b"], ["a", 2]), (["a", "b"], "ab"), ([], [[]]),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}),
        ("x" * 50, "x" * 51), (["\0", "\1"], ["\0"]), (None, ["a"]), (["a"], None),
    ],
)  # fmt: skip
def test_values_that_only_look_alike_come_back_as_they_were(first, second):
    values = [first, second, first]
    check([item(place, {"value": value, "goal": "Tea"}) for place, value in enumerate(values)])
    check([item(0, {"value": first}), item(1, {}), item(2, {"other": first, "value": second})])


def test_recordings_do_not_share():
    items = [
        replace(item(place, {"done": PROCEDURE[:place]}), recording=f"trace:{place // 2}")
        for place in range(6)
    ]

    assert check(items) == 3
    assert [document for _, document, _ in divided(items)][1] == {"done": PROCEDURE[:1]}


def long_trace(step_count):
    texts = [f"Stir the pot number {number} with a spoon" for number in range(step_count)]
    take = Take("t", "T", "Make tea", tuple(Step(text) for text in texts))
    rows = tuple(
        TraceStep(Mod.ERROR if place % 7 == 3 else Mod.UNCHANGED, text, place,
                  start_s=4.0 * place, end_s=4.0 * place + 3)
        for place, text in enumerate(texts)
    )  # fmt: skip
    trace = Trace("t-a", "T a", "t", rows, ())
    return Material("Tea", (Recording("trace:t-a", take, trace, duration_s=4.0 * step_count),))


def stored_characters(task, step_count):
    with ItemDraft() as draft:
        for one in task.items(long_trace(step_count), defaults(task), 0):
            draft.add(one)
        draft.complete()
        columns = "LENGTH(payload) + LENGTH(hashed)"
        [(own,)] = draft._file.execute(f"SELECT SUM({columns}) FROM item")  # noqa: S608
        return own + sum(len(text) for _, text in draft.documents())


@pytest.mark.parametrize("name", ["step_mistakes", "speak_or_stay_silent", "mistake_classes"])
def test_items_of_a_long_trace_grow_with_its_length(name):
    once, twice = (stored_characters(tasks()[name], count) for count in (100, 200))

    assert twice < 2.1 * once


@pytest.mark.django_db
def test_a_set_stores_procedure_and_narration_once_per_recording(sample, owner):
    made = made_set(sample, owner, "step_mistakes")

    row = made.items.select_related("shared").order_by("pk").last()
    assert row.own_payload["procedure"] == len(row.shared.content["procedure"])
    assert len(row.payload["before"]) == row.own_payload["before"]
    assert made.shared_payloads.count() == made.items.values("recording").distinct().count()


@pytest.mark.django_db
def test_documents_of_another_version_are_not_gone_on_with(sample, owner):
    """A worker was stopped between documents and items, and goes on after an update of PIE-V."""
    whole = made_set(sample, owner, "step_mistakes")
    item_set = made_set(sample, owner, "step_mistakes")
    first = item_set.shared_payloads.first()
    SharedPayload.objects.filter(pk=first.pk).update(content={"goal": "another"})
    item_set.items.filter(position__gte=5).delete()
    item_set.job.status = "cancelled"
    item_set.job.save()
    type(item_set).objects.filter(pk=item_set.pk).update(made_at=None)
    worked_on(item_set, resume_item_set(item_set=item_set, actor=owner))

    assert [row.payload for row in item_set.items.all()] == [
        row.payload for row in whole.items.all()
    ]
    assert not SharedPayload.objects.filter(pk=first.pk).exists()


@pytest.mark.django_db
def test_items_of_sets_from_before_have_all_in_their_own_payload(sample, owner):
    made = made_set(sample, owner, "step_mistakes")
    row = made.items.first()
    payload = row.payload
    StoredItem.objects.filter(pk=row.pk).update(own_payload=payload, shared=None)

    assert made.items.first().payload == payload
