"""Free text of any participant is judged in a second stage, which is paid for."""

from collections import Counter

import pytest
from django.core.exceptions import ValidationError
from django.db.models import Sum

from benchmarks.selectors.assessments import spending_on
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import reask_failed, resume_assessment
from benchmarks.services.judging import judge_assessment, judge_prices, judges_for
from generation.models import TextCall
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, read_again, small_set
from tests.benchmarks.made import as_csv, baseline_values, figures_of, uploaded
from tests.benchmarks.sample_answers import answer_of
from tests.fakes.openai_server import OpenAiServer
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)


def judge(server, owner, **changes):
    return model(server, owner, **{"name": "Judge", "model_name": "judge", **changes})


def test_judges_see_the_truth_and_the_answer_and_participants_never_do(sample, owner):
    made = small_set(sample, owner, "describe_mistake", item_count=6)
    with AnsweringServer(answers=answer_of) as server:
        judges = [judge(server, owner).public_id]
        done = assessed(made, model(server, owner), owner, judges=judges)
        asked = [asked.body for asked in server.asked]
        paid = Counter(server.paid)
        work_on_assessments(job_ids=reask_failed(assessment=done, actor=owner))

    told = {kind: [words_of(one) for one in asked if one["model"] == kind]
            for kind in ("gpt-x", "judge")}  # fmt: skip
    truths = list(made.items.values_list("truth__text", flat=True))
    assert done.counts["read"] == made.item_count
    assert not any(truth in words for truth in truths for words in told["gpt-x"])
    assert all(any(truth in words for words in told["judge"]) for truth in truths)
    assert set(paid.values()) == {1}
    assert len(server.asked) == len(asked)
    assert {row.judged["Judge"]["status"] for row in done.answers.all()} == {"read"}
    assert figures_of(done)["graded_share"][0] == 1.0
    assert figures_of(done)["grade"][0] is not None


def test_an_uploaded_file_is_judged_afterwards_and_stays_final(sample, owner):
    made = small_set(sample, owner, "describe_mistake", item_count=4)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    before = figures_of(file)
    with AnsweringServer(answers=answer_of) as server:
        judges = [judge(server, owner).public_id]
        job_ids = judge_assessment(assessment=file, judges=judges, actor=owner)
        frozen_while_judged = read_again(file).frozen_at
        work_on_assessments(job_ids=job_ids)

    after = figures_of(read_again(file))
    assert frozen_while_judged is not None
    assert before["grade"][0] is None
    assert after["grade"][0] is not None
    assert after["token_f1"] == before["token_f1"]
    assert read_again(file).settings["judge_names"] == ["Judge (judge)"]


def test_page_warns_of_a_judge_of_the_participants_own_family(sample, owner, owner_client):
    made = small_set(sample, owner, "describe_mistake", item_count=3)
    with AnsweringServer(answers=answer_of) as server:
        kin = judge(server, owner, name="Kin", model_name="openai/gpt-x-mini")
        other = judge(server, owner, name="Other")
        done = assessed(made, model(server, owner), owner, judges=[other.public_id])
        page = f"/benchmarks/assessments/{done.public_id}/"
        before = owner_client.get(page).content.decode()
        judge_assessment(assessment=done, judges=[kin.public_id], actor=owner)

    names = read_again(done).settings["judge_names"]
    after = owner_client.get(page).content.decode()
    assert names == ["Other (judge)", "Kin (openai/gpt-x-mini, of the participant's own family)"]
    assert "own family" not in before
    assert "Graded by its own family of models (Kin)" in after


def test_a_judgement_that_cannot_be_read_is_asked_once_more_and_never_a_zero(sample, owner):
    made = small_set(sample, owner, "describe_mistake", item_count=3)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    with OpenAiServer([{"do": "answer", "text": '{"score": 9, "reason": "So good."}'}]) as server:
        judges = [judge(server, owner).public_id]
        work_on_assessments(job_ids=judge_assessment(assessment=file, judges=judges, actor=owner))

    judged = [row.judged["Judge"] for row in read_again(file).answers.all()]
    assert {found["status"] for found in judged} == {"malformed"}
    assert all("outside 0-5" in found["reason"] for found in judged)
    assert {found["value"] for found in judged} == {None}
    # Items that are asked alike are asked once.
    asked = Counter(words_of(asked.body) for asked in server.asked)
    assert set(asked.values()) == {2}
    assert figures_of(read_again(file))["graded_share"][0] == 0.0


def test_price_of_judges_is_shown_first_and_a_budget_stops_them(
    sample, owner, owner_client, outsider
):
    made = small_set(sample, owner, "describe_mistake", item_count=4)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    page = f"/benchmarks/assessments/{file.public_id}/"
    with AnsweringServer(answers=answer_of) as server:
        cheap = judge(server, owner)
        free = judge(server, owner, name="Free", price_in=None, price_out=None)
        judge(server, outsider, name="Theirs")
        prices = judge_prices(file, owner)
        shown = owner_client.get(page).content.decode()
        told = owner_client.get(f"/api/v1/assessments/{file.public_id}/judge/").json()
        nobody = owner_client.post(f"{page}judge/", {}, follow=True).content.decode()
        sent = {"judges": [cheap.public_id], "budget_usd": float(prices[1].usd) * 0.4}
        started = owner_client.post(f"{page}judge/", sent)
        work_on_assessments(job_ids=[read_again(file).job_id])
        stopped, paid = read_again(file), len(server.paid)
        at_stop = owner_client.get(page).content.decode()
        work_on_assessments(
            job_ids=resume_assessment(assessment=stopped, actor=owner, budget_usd=5.0)
        )

    assert [(one.endpoint.name, one.left_count) for one in prices] == [("Free", 4), ("Judge", 4)]
    assert prices[0].usd is None
    assert f"Judge (judge): 4 answers, at most ${prices[1].usd:.4f}" in shown
    assert "Free (judge): 4 answers, its prices are not known" in shown
    assert told[1] == {
        "endpoint": cheap.public_id, "name": "Judge", "left_count": 4, "usd": float(prices[1].usd),
    }  # fmt: skip
    assert "judges: This field is required." in nobody
    assert started.url == page
    assert "budget" in stopped.job.error
    assert 0 < paid < len(set(server.paid))
    assert "Answers graded: " not in at_stop
    assert "Raise the budget" in at_stop
    done = read_again(file)
    assert (done.job.status, done.job.done_count, done.job.total_count) == ("done", 4, 4)
    assert figures_of(done)["graded_share"][0] == 1.0
    # What was paid stays within what was said.
    assert TextCall.objects.aggregate(usd=Sum("price"))["usd"] <= prices[1].usd
    assert [one.words for one in judge_prices(done, owner)][1] == (
        "Judge (judge): has graded every answer"
    )
    assert free.public_id not in done.settings["judges"]


def test_second_judge_adds_to_the_first_ones_judgements(sample, owner, annotator_client):
    made = small_set(sample, owner, "describe_mistake", item_count=3)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    with AnsweringServer(answers=answer_of) as server:
        for name in ("First", "Second"):
            judges = [judge(server, owner, name=name).public_id]
            row, spent = read_again(file), float(spending_on(file).highest_price)
            job_ids = judge_assessment(assessment=row, judges=judges, actor=owner, budget_usd=2.0)
            work_on_assessments(job_ids=job_ids)

    done = read_again(file)
    assert spent > 0
    assert done.settings["budget_usd"] == pytest.approx(2 + spent)
    assert len(done.settings["judges"]) == 2
    assert done.settings["judge_names"] == ["First (judge)", "Second (judge)"]
    assert {name for row in done.answers.all() for name in row.judged} == {"First", "Second"}
    address = f"/benchmarks/assessments/{file.public_id}/judge/"
    assert annotator_client.post(address, {"judges": judges}).status_code == 403


def test_judging_without_texts_or_before_the_end_is_refused(sample, owner):
    steps = small_set(sample, owner, item_count=2)
    file = uploaded(steps, owner, as_csv(steps, baseline_values(steps)))

    with pytest.raises(ValidationError, match="nothing to judge"):
        judge_assessment(assessment=file, judges=["x"], actor=owner)


def test_judge_must_be_usable_by_owner_and_actor(sample, owner, outsider, administrator):
    made = small_set(sample, owner, "describe_mistake", item_count=2, is_shared=True)
    ours, theirs = (
        uploaded(made, who, as_csv(made, baseline_values(made)), name=who.username)
        for who in (owner, outsider)
    )
    own = make_endpoint(name="Own", owner=owner)
    make_endpoint(name="Reasons", owner=owner, reasoning_effort="high")
    alien = make_endpoint(name="Theirs", owner=outsider)
    make_endpoint(name="Everybody’s", owner=administrator, is_shared=True)

    found = [
        [row.name for row in judges_for(*given)]
        for given in ((ours, administrator), (theirs, owner), (theirs, outsider))
    ]
    prices = {one.endpoint.name: one.usd for one in judge_prices(ours, owner)}

    assert found == [
        ["Everybody’s", "Own", "Reasons"], ["Everybody’s"], [],
    ]  # fmt: skip
    assert prices["Reasons"] > prices["Own"]
    for assessment, actor, endpoint in ((theirs, owner, alien), (theirs, owner, own)):
        with pytest.raises(ValidationError, match=f"You have no text model '{endpoint.public_id}'"):
            judge_assessment(assessment=assessment, judges=[endpoint.public_id], actor=actor)
    assert not TextCall.objects.exists()


def test_naming_judges_twice_at_once_is_refused_the_second_time(sample, owner):
    made = small_set(sample, owner, "describe_mistake", item_count=2)
    uploaded(made, owner, as_csv(made, baseline_values(made)))
    one, other = (made.assessments.get(kind="file") for _ in range(2))
    first, second = (
        make_endpoint("http://127.0.0.1:9/v1", name=name, owner=owner) for name in ("A", "B")
    )
    judge_assessment(assessment=one, judges=[first.public_id], actor=owner)

    with pytest.raises(ValidationError, match="not finished"):
        judge_assessment(assessment=other, judges=[second.public_id], actor=owner)
    assert read_again(one).settings["judges"] == [first.public_id]
