"""A frozen question set becomes an item set, is answered, and graded by two judges."""

import json

import pytest
from django.core.exceptions import ValidationError

from annotation.models import Role
from benchmarks.models import ItemSet, Question
from benchmarks.services.item_sets import ItemSetRequest, start_making
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model
from tests.benchmarks.made import figures_of, frozen_set
from tests.benchmarks.questions.made import questions_frozen, questions_made
from tests.benchmarks.test_names_tell_nothing import addresses_of, read
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
LEAK, GROUP = "wasdonewronglyhere", "countedunderthis"


@pytest.fixture
def question_set(sample, owner):
    return questions_frozen(questions_made(sample, owner), owner)


def asked_set(question_set, owner, **changes):
    source = question_set.public_id
    return frozen_set(None, owner, "error_questions", source=source, **changes)


def answer_of(body):
    if body["model"] == "judge":
        return json.dumps({"score": 4, "reason": "Nearly."})
    if body["model"] == "strict":
        return json.dumps({"score": 2, "reason": "Half."})
    return json.dumps({"answer": "Yes, I did it as the procedure says."})


def test_one_question_per_step_is_asked_and_the_score_is_the_mean_of_the_judges(
    question_set, owner
):
    made = asked_set(question_set, owner)
    with AnsweringServer(answers=answer_of) as server:
        judges = [
            model(server, owner, name=name, model_name=name).public_id
            for name in ("judge", "strict")
        ]
        done = assessed(made, model(server, owner), owner, judges=judges)
        told = [words_of(one.body) for one in server.asked if one.body["model"] == "gpt-x"]

    steps = question_set.questions.order_by().values("sample").distinct().count()
    assert made.item_count == steps
    assert figures_of(done)["avg_sim"][0] == 3.0
    assert figures_of(done)["graded_share"][0] == 1.0
    gold = list(made.items.values_list("truth__text", flat=True))
    assert not [text for text in gold if any(text in words for words in told)]
    # Whoever asks again gets the same questions.
    again = asked_set(question_set, owner)
    assert again.content_hash == made.content_hash


def test_nothing_that_a_participant_gets_has_a_planted_leak(sample, owner, owner_client, client):
    """The truth of every question is marked, and what it is counted under by another mark."""
    question_set = questions_made(sample, owner)
    for row in Question.objects.filter(question_set=question_set):
        row.answer += f" {LEAK}"
        row.groups = {name: f"{value} {GROUP}" for name, value in row.groups.items()}
        row.save()
    made = asked_set(questions_frozen(question_set, owner), owner, is_shared=True)
    client.force_login(UserFactory(role=Role.RESEARCHER))

    assert all(LEAK in text for text in made.items.values_list("truth__text", flat=True))
    names = set(made.items.values_list("source_recording", flat=True))
    of_set, of_items = addresses_of(made)[:2], addresses_of(made)[2:]
    assert LEAK in read(owner_client, addresses_of(made)[4])
    for address in (*of_set, *of_items):
        shown = read(client, address)
        assert LEAK not in shown, address
        assert not [name for name in names if name in shown], address
        # The page of a set names the breakdowns of all its items.
        if address in of_items:
            assert GROUP not in shown, address
            assert "Unintended and unnecessary" not in shown, address


def test_only_a_frozen_set_of_ones_own_is_a_source(sample, owner, outsider):
    unfrozen = questions_made(sample, owner)
    frozen = questions_frozen(questions_made(sample, owner), owner)

    for actor, source in ((owner, unfrozen.public_id), (outsider, frozen.public_id)):
        request = ItemSetRequest(name="Asked", task="error_questions", source=source)
        with pytest.raises(ValidationError) as refused:
            start_making(request=request, actor=actor)
        assert set(refused.value.message_dict) == {"source"}
    assert not ItemSet.objects.exists()


def test_changed_data_set_makes_no_items(question_set, owner, sample):
    key = question_set.questions.filter(sample__startswith="trace:").first().sample
    sample.traces.filter(uid=key.partition(":")[2].partition("#")[0]).update(uid="renamed")

    with pytest.raises(ValidationError, match=r"changed since .* no longer there"):
        asked_set(question_set, owner)
