"""The task `guide` through the frame: a set, its audit, files, an endpoint, judges, its pages."""

import json

import pytest
from django.urls import reverse
from django.utils.html import escape

from annotation.engine.corpus.procedure import Reading
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.tasks.guide import TO_KNOW
from benchmarks.engine.tasks.guide.items import EVERY
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, small_set
from tests.benchmarks.made import (
    as_csv,
    as_lines,
    baseline_values,
    figures_of,
    frozen_set,
    uploaded,
)
from tests.benchmarks.tasks.material import TAKE, TRACE

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("points", ["at events, silent ones 3 s away", EVERY])
def test_files_score_as_the_baseline_and_the_audit_works(sample, owner, owner_client, points):
    made = frozen_set(sample, owner, "guide", settings={"points": points})

    for place, baseline in enumerate(made.assessments.order_by("pk")):
        values = baseline_values(made, place)
        from_csv = uploaded(made, owner, as_csv(made, values), name=f"csv {place}")
        from_lines = uploaded(made, owner, as_lines(values), "a.jsonl", name=f"lines {place}")
        assert figures_of(from_csv) == figures_of(from_lines) == figures_of(baseline)
    assert made.shortcuts["item_count"] == made.item_count
    page = owner_client.get(reverse("item-set", args=[made.public_id]))
    assert "own history" in page.content.decode()


@pytest.mark.parametrize(
    ("task", "settings"), [("guide", {"points": EVERY}), ("speak_or_stay_silent", {})]
)
def test_scores_of_an_upload_are_a_curve_and_a_table_of_thresholds(
    sample, owner, owner_client, task, settings
):
    made = frozen_set(sample, owner, task, settings=settings)
    values = baseline_values(made)
    right = dict(made.items.values_list("key", "truth__answer"))
    quiet = next(iter(values.values()))["answer"]
    scored = {
        key: {**value, "score": 20 + 60 * (right[key] != quiet) + place % 7}
        for place, (key, value) in enumerate(values.items())
    }

    without = uploaded(made, owner, as_csv(made, values), name="without")
    with_scores = uploaded(made, owner, as_csv(made, scored), name="with")
    page = owner_client.get(reverse("assessment", args=[with_scores.public_id])).content.decode()
    plain = owner_client.get(reverse("assessment", args=[without.public_id])).content.decode()

    assert figures_of(with_scores) == figures_of(without)
    for shown in ('id="curve"', "chosen on other recordings"):
        assert (shown in page, shown in plain) == (True, False)
    address = reverse("assessment-table", args=[with_scores.public_id, "threshold", "csv"])
    rows = owner_client.get(address).content.decode().splitlines()
    # Silence throughout is no better for its scores, and these divide the points exactly.
    assert f",best on these points,{len(values)},80.0,1.0,1.0,1.0,1.0,1.0," in rows[2]


SPOKEN_S = ("0.0", "4.0", "6.0", "10.0")


def perfect(words):
    now_s = words.partition("It is ")[2].partition(" s into")[0]
    return "$interrupt$ Go on." if now_s in SPOKEN_S else "$silent$"


# 4 of 25 points call for an interrupt: F1 of it is 2 * 4 / (2 * 4 + 21) where nobody is silent,
# of silence 2 * 21 / (2 * 21 + 4) where nobody speaks.
@pytest.mark.parametrize(
    ("assistant", "speak_f1", "silent_f1", "accuracy"),
    [
        (perfect, 1.0, 1.0, 1.0),
        (lambda words: "$interrupt$ Go on.", 8 / 29, 0.0, 4 / 25),
        (lambda words: "$silent$", 0.0, 42 / 46, 21 / 25),
    ],
    ids=["perfect", "always", "silent"],
)
def test_scripted_assistants_get_the_figures_worked_out_by_hand(
    owner, assistant, speak_f1, silent_f1, accuracy
):
    target = ImportTarget(name="Tea", format="native", owner=owner, is_shared=False)
    import_reading(Reading(takes=(TAKE,), traces=(TRACE,)), target=target, actor=owner)
    made = frozen_set(Dataset.objects.get(), owner, "guide", settings={"points": EVERY})

    with AnsweringServer(answers=lambda body: assistant(words_of(body))) as server:
        done = assessed(made, model(server, owner), owner)

    found = figures_of(done)
    assert made.item_count == 25
    assert found["speak_f1"][0] == pytest.approx(speak_f1)
    assert found["silent_f1"][0] == pytest.approx(silent_f1)
    assert found["accuracy"][0] == pytest.approx(accuracy)
    assert found["g_mean_f1"][0] == pytest.approx((speak_f1 * silent_f1) ** 0.5)


def test_page_of_a_set_and_the_form_for_one_say_what_to_know_first(sample, owner, owner_client):
    made = frozen_set(sample, owner, "guide")

    page, form, other = (
        owner_client.get(address).content.decode()
        for address in (
            reverse("item-set", args=[made.public_id]),
            reverse("item-set-new", args=["guide"]),
            reverse("item-set-new", args=["step_mistakes"]),
        )
    )

    assert len(TO_KNOW) == 6
    for words in TO_KNOW:
        assert escape(words) in page
        assert form.count(escape(words)) == 1
    assert "<summary>6 things to know first</summary>" in form
    assert "things to know first" not in other


def test_a_model_that_thinks_aloud_is_malformed_and_never_silent(sample, owner, owner_client):
    made = small_set(sample, owner, "guide", item_count=6)
    replies = iter(
        ["$interrupt$ Go on.", "I think all is well.", "$silent$", "Hm: $interrupt$ Stop."]
    )

    with AnsweringServer(answers=lambda body: next(replies, "$silent$")) as server:
        done = assessed(made, model(server, owner), owner)

    rows = list(done.answers.order_by("pk"))
    assert [row.status for row in rows[:4]] == ["read", "malformed", "read", "read"]
    assert rows[1].value is None
    assert rows[3].value == {
        "answer": "interrupt", "text": "Stop.", "literal": "silent", "malformed": True,
    }  # fmt: skip
    figures = figures_of(done)
    assert figures["malformed_share"][0] == pytest.approx(2 / len(rows))
    asked = [json.dumps(one.body) for one in server.asked]
    assert "Go on." in asked[1]
    page = owner_client.get(reverse("assessment", args=[done.public_id]))
    assert page.status_code == 200
    assert "as the released scorer reads" in page.content.decode()
