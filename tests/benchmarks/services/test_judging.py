"""Free text is judged by a second, paid stage, whoever gave it."""

from collections import Counter

import pytest
from django.core.exceptions import ValidationError

from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import judge_assessment, reask_failed
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, read_again, small_set
from tests.benchmarks.made import as_csv, baseline_values, figures_of, uploaded
from tests.benchmarks.sample_answers import answer_of
from tests.fakes.openai_server import OpenAiServer

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


def test_a_judgement_that_cannot_be_read_is_asked_once_more_and_never_a_zero(sample, owner):
    made = small_set(sample, owner, "describe_mistake", item_count=3)
    file = uploaded(made, owner, as_csv(made, baseline_values(made)))
    with OpenAiServer([{"do": "answer", "text": '{"score": 9, "reason": "So good."}'}]) as server:
        judges = [judge(server, owner).public_id]
        work_on_assessments(job_ids=judge_assessment(assessment=file, judges=judges, actor=owner))

    judged = [row.judged["Judge"] for row in read_again(file).answers.all()]
    assert {found["status"] for found in judged} == {"malformed"}
    assert all("expected a whole number" in found["reason"] for found in judged)
    assert {found["value"] for found in judged} == {None}
    # Items that are asked alike are asked once.
    asked = Counter(words_of(asked.body) for asked in server.asked)
    assert set(asked.values()) == {2}
    assert figures_of(read_again(file))["graded_share"][0] == 0.0


def test_what_has_nothing_to_judge_or_is_not_finished_is_refused(sample, owner):
    steps = small_set(sample, owner, item_count=2)
    file = uploaded(steps, owner, as_csv(steps, baseline_values(steps)))

    with pytest.raises(ValidationError, match="nothing to judge"):
        judge_assessment(assessment=file, judges=["x"], actor=owner)
