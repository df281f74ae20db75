"""Right words and cues by a scripted text model: checked, repaired once, paid for once."""

import json

import pytest
from django.core.exceptions import ValidationError
from django.http import Http404
from django.urls import reverse

from benchmarks.engine.tasks.guide.items import GOLD
from benchmarks.engine.tasks.guide.reference_prompts import MOST_WORDS
from benchmarks.services.item_sets import ItemSetInUseError, resume_item_set
from benchmarks.services.reference_reviews import start_reference_review
from benchmarks.services.reference_writing import start_reference_writing
from generation.models import TextCall
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import model
from tests.benchmarks.made import frozen, made_set, worked_on
from tests.factories import UserFactory
from texts.models import TextItem

pytestmark = pytest.mark.django_db
COMPLETE = ["the cup is full", "steam rises", "the lid is on"]
INCOMPLETE = ["the cup is empty", "hands hold the lid", "the kettle stands still"]


@pytest.fixture
def item_set(sample, owner):
    made = made_set(sample, owner, "guide")
    first = made.items.order_by("source_recording").first().source_recording
    made.items.exclude(source_recording=first).delete()
    return made


def good(body):
    if "complete cue" in words_of(body):
        return json.dumps({"complete": COMPLETE, "incomplete": INCOMPLETE})
    return json.dumps({"text": "Now do what comes next."})


def written(item_set, owner, answers, budget_usd=None, **changes):
    with AnsweringServer(answers=answers) as server:
        endpoint = model(server, owner, **changes)
        job_ids = start_reference_writing(
            item_set=item_set, writer=endpoint.public_id, budget_usd=budget_usd, actor=owner
        )
        worked_on(item_set, job_ids)
        return [words_of(one.body) for one in server.asked]


def plans(item_set):
    return [row.truth["plan"] for row in item_set.items.all() if row.truth.get("plan")]


def test_a_model_writes_words_and_cues_which_are_reviewed_and_frozen(item_set, owner):
    content, before = item_set.content_hash, [row.truth for row in item_set.items.all()]

    asked = written(item_set, owner, good)

    assert item_set.content_hash != content
    assert item_set.words_by == f"gpt-x: {len(asked)} of {len(asked)} texts"
    for truth, row in zip(before, item_set.items.all(), strict=True):
        assert row.truth["text"] == ("Now do what comes next." if truth["text"] else "")
    current = [plan for plan in plans(item_set) if plan["current"]]
    assert [plan["cues"] for plan in current] == [
        {"complete": COMPLETE, "incomplete": INCOMPLETE}
    ] * len(current)
    # Each step is asked about once, whatever the number of points with it.
    assert len(asked) == len(set(asked))
    round_ = start_reference_review(item_set=item_set, name="Words", actor=owner)
    texts = set(TextItem.objects.filter(round=round_).values_list("text", flat=True))
    assert texts == {*COMPLETE, *INCOMPLETE, "Now do what comes next."}


@pytest.mark.parametrize(
    ("cues", "text", "fault"),
    [
        ({"complete": COMPLETE[:1], "incomplete": INCOMPLETE}, "Do it.", "1 and 3 cues"),
        ({"complete": COMPLETE[:2], "incomplete": COMPLETE[:2]}, "Do it.", "one list only"),
        (
            {"complete": [COMPLETE[0], "she knows it"], "incomplete": INCOMPLETE},
            "Do it.",
            "can be seen",
        ),
        ({"complete": "full"}, "Do it.", "no lists"),
        (
            {"complete": COMPLETE, "incomplete": INCOMPLETE},
            "word " * (MOST_WORDS + 1),
            f"{MOST_WORDS + 1} words",
        ),
        ({"complete": COMPLETE, "incomplete": INCOMPLETE}, "$interrupt$ Go", "$interrupt$"),
        ({"complete": COMPLETE, "incomplete": INCOMPLETE}, "", "no text"),
    ],
)
def test_what_fails_a_check_is_asked_once_more_and_stays_as_it_was(
    item_set, owner, cues, text, fault
):
    before = {row.key: row.truth for row in item_set.items.all()}

    def bad(body):
        return json.dumps(cues if "complete cue" in words_of(body) else {"text": text})

    asked = written(item_set, owner, bad)

    repairs = [words for words in asked if "What you wrote before was not good: " in words]
    faults = item_set.job.result["faults"]
    assert repairs
    assert len(faults) == len(repairs)
    assert all(fault in one for one in faults.values())
    for row in item_set.items.all():
        if not row.truth["text"] or f"{row.key}/words" in faults:
            assert row.truth["text"] == before[row.key]["text"]
        else:
            assert row.truth["text"] == "Do it."


def test_a_budget_stops_it_and_more_of_it_pays_only_for_the_rest(item_set, owner, owner_client):
    before = item_set.content_hash
    with AnsweringServer(answers=good) as server:
        asked = {"writer": model(server, owner).public_id, "actor": owner}

        first = start_reference_writing(item_set=item_set, budget_usd=0.02, **asked)
        with pytest.raises(ValidationError, match="It was stopped"):
            worked_on(item_set, first)
        assert (item_set.content_hash, item_set.words_by) == (before, "")
        assert len(server.asked) > 0
        # Going on with as much stops at once, with more it ends.
        with pytest.raises(ValidationError, match="It was stopped"):
            worked_on(item_set, resume_item_set(item_set=item_set, actor=owner))
        page = owner_client.get(reverse("item-set", args=[item_set.public_id])).content.decode()
        assert 'name="budget_usd"' in page
        worked_on(item_set, resume_item_set(item_set=item_set, actor=owner, budget_usd=5.0))

    assert item_set.content_hash != before
    prompts = [words_of(one.body) for one in server.asked]
    assert len(prompts) == len(set(prompts)) == TextCall.objects.count()


def test_history_that_models_are_told_has_the_words_that_were_written(sample, owner):
    made = made_set(sample, owner, "guide", settings={"history": GOLD})

    written(made, owner, good)

    told = [one["text"] for row in made.items.all() for one in row.told.get("history", [])]
    assert set(told) == {"Now do what comes next."}


def test_only_who_sees_the_truth_has_a_made_set_written(item_set, sample, owner):
    with AnsweringServer(answers=good) as server:
        endpoint = model(server, owner)
        asked = {"writer": endpoint.public_id, "budget_usd": None, "actor": owner}
        with pytest.raises(Http404):
            start_reference_writing(item_set=item_set, **{**asked, "actor": UserFactory()})
        with pytest.raises(ValidationError, match="You have no text model 'other'"):
            start_reference_writing(item_set=item_set, **{**asked, "writer": "other"})
        with pytest.raises(ValidationError, match="expected dollars"):
            start_reference_writing(item_set=item_set, **{**asked, "budget_usd": 0.0})
        other = made_set(sample, owner)
        with pytest.raises(ItemSetInUseError, match="no right words"):
            start_reference_writing(item_set=other, **asked)
        done = frozen(item_set, owner)
        with pytest.raises(ItemSetInUseError, match="is frozen"):
            start_reference_writing(item_set=done, **asked)
