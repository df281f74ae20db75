import json

import pytest

from generation.engine.prompting.semrep import BATCH_SIZE
from generation.models import MadeSemRep
from generation.services.texts.semreps import semreps_by_model
from tests.fakes.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db
TEXTS = [f"Get cup {number}" for number in "abcdefghijklmnopqrst"]


class Representing:
    """A model that represents every item but those of `wrong`, which it copies badly once."""

    def __init__(self, wrong=()):
        self.wrong, self.asked = list(wrong), []

    def complete(self, request):
        items = [json.loads(line) for line in request.prompt.splitlines() if line.startswith("{")]
        self.asked.append([item["text"] for item in items])
        for item in items:
            item["representation"] = f"GET(Agent: you, Object: {item['text'][-1]})"
            if item["text"] in self.wrong:
                self.wrong.remove(item["text"])
                item["text"] = item["text"].upper()
        return ScriptedModel([{"do": "answer", "parsed": {"items": items}}]).complete(request)


def represented(model, texts=TEXTS, name="gpt-x"):
    return semreps_by_model(texts, model_name=name, ask=model.complete)


def test_texts_are_asked_in_batches_each_once():
    model = Representing()

    made = represented(model, [*TEXTS, TEXTS[0]])

    assert made.by_text == {text: f"GET(Agent: you, Object: {text[-1]})" for text in TEXTS}
    assert made.problems == ()
    assert model.asked == [TEXTS[:BATCH_SIZE], TEXTS[BATCH_SIZE:]]


def test_cached_texts_are_not_asked_again():
    represented(Representing(), TEXTS[:5])
    model = Representing()

    made = represented(model, TEXTS[3:7])

    assert model.asked == [TEXTS[5:7]]
    assert list(made.by_text) == TEXTS[3:7]


def test_other_models_and_the_rules_have_caches_of_their_own():
    represented(Representing(), TEXTS[:1])
    model = Representing()

    represented(model, TEXTS[:1], name="gpt-y")

    assert len(model.asked) == 1
    assert not MadeSemRep.objects.filter(made_by=MadeSemRep.RULES).exists()


def test_item_that_was_copied_badly_is_asked_again_alone():
    model = Representing(wrong=[TEXTS[1]])

    made = represented(model, TEXTS[:3])

    assert model.asked == [TEXTS[:3], [TEXTS[1]]]
    assert (list(made.by_text), made.problems) == (TEXTS[:3], ())


def test_item_that_stays_wrong_is_reported_and_not_stored():
    made = represented(Representing(wrong=[TEXTS[1]] * 2), TEXTS[:2])

    assert list(made.by_text) == [TEXTS[0]]
    assert made.problems[0].endswith("the text is 'GET CUP B'; expected 'Get cup b'")
    assert [row.text for row in MadeSemRep.objects.all()] == [TEXTS[0]]


def test_unusable_answers_are_reported():
    made = represented(ScriptedModel([{"do": "not_json"}]), TEXTS[:2])

    assert made.by_text == {}
    assert made.problems[0].startswith("2 texts: Expecting value")
