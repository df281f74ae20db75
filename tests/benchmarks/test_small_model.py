"""A real model, small and poor, answers, judges and rates: every answer ends in a stated status."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from annotation.engine.corpus.procedure import Reading
from annotation.engine.rubric.rubric import Metric
from annotation.models import Dataset, Rating, Trace
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.task import AnswerStatus
from benchmarks.engine.tasks.guide.items import PREDICTED
from benchmarks.management.serving import answered
from benchmarks.models import Answer, AnswerStage
from benchmarks.selectors.reports import details_of
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import AskRequest, start_assessment
from generation.models import TextAttempt, TextCall
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker
from tests.benchmarks.agents.served import AnsweringAgent, agent_at
from tests.benchmarks.made import frozen_set
from tests.benchmarks.tasks.material import TAKE, TRACE
from tests.factories import AssignmentFactory, CampaignFactory
from tests.generation.text_endpoints import make_endpoint
from tests.small_model import small_model

pytestmark = pytest.mark.django_db(transaction=True)
RATED_AT = datetime(2026, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def url():
    with small_model() as address:
        yield address


@pytest.fixture
def endpoint(url, owner):
    changes = {"model_name": "smollm2", "concurrency": 1, "timeout_s": 240}
    return make_endpoint(url, name="Small", owner=owner, **changes)


@pytest.fixture
def tea(owner):
    """One recording with two mistakes and a correction."""
    target = ImportTarget(name="Tea", format="native", owner=owner, is_shared=False)
    import_reading(Reading(takes=(TAKE,), traces=(TRACE,)), target=target, actor=owner)
    return Dataset.objects.get()


def assessed(item_set, endpoint, owner, **changes):
    request = AskRequest(endpoint=endpoint.public_id, **changes)
    assessment, job_ids = start_assessment(item_set=item_set, request=request, actor=owner)
    work_on_assessments(job_ids=job_ids)
    assessment.refresh_from_db()
    return assessment


def test_every_answer_ends_in_a_stated_status_and_none_is_paid_twice(tea, owner, endpoint):
    item_set = frozen_set(tea, owner, "step_mistakes")

    first = assessed(item_set, endpoint, owner)
    second = assessed(item_set, endpoint, owner)

    assert first.job.status == "done"
    assert sum(first.counts.values()) == item_set.item_count == 2
    assert first.counts["missing"] == first.counts["failed"] == 0
    for answer in Answer.objects.filter(assessment=first):
        assert (answer.status == AnswerStatus.READ) == (answer.value is not None)
        assert answer.raw or answer.reason
    # The second reads what is recorded.
    assert TextCall.objects.count() == TextAttempt.objects.count() == 2
    assert list(second.answers.order_by("item").values_list("status", "value")) == list(
        first.answers.order_by("item").values_list("status", "value")
    )


def test_a_watcher_and_its_planner_end_every_point_in_a_stated_status(tea, owner, endpoint):
    item_set = frozen_set(tea, owner, "guide", settings={"plan": PREDICTED})

    done = assessed(item_set, endpoint, owner)

    assert done.job.status == "done"
    assert sum(done.counts.values()) == item_set.item_count > 0
    assert done.counts["missing"] == done.counts["failed"] == 0
    for answer in done.answers.all():
        assert (answer.status == AnswerStatus.READ) == (answer.value is not None)
        assert answer.raw or answer.reason
    # Without pictures, and the first request is that of the planner.
    assert AnswerStage.objects.filter(answer__assessment=done, role="planner").exists()
    assert done.settings["is_text_only"]


def test_text_is_described_and_judged(tea, owner, endpoint):
    item_set = frozen_set(tea, owner, "describe_mistake")

    assessment = assessed(item_set, endpoint, owner, judges=[endpoint.public_id])

    assert assessment.counts["missing"] == assessment.counts["failed"] == 0
    assert "the participant's own model" in assessment.settings["judge_names"][0]
    for answer in assessment.answers.filter(status=AnswerStatus.READ):
        (judged,) = answer.judged.values()
        assert judged["status"] in set(AnswerStatus)
        assert (judged["value"] is None) == (judged["status"] != AnswerStatus.READ)


def test_as_a_rater_it_is_not_usable(tea, owner, endpoint):
    campaign = CampaignFactory(owner=owner)
    campaign.datasets.add(tea)
    made = campaign.rounds.get()
    for value in ("yes", "no", "yes"):
        assignment = AssignmentFactory(
            round=made, trace=Trace.objects.get(), status="submitted", submitted_at=RATED_AT
        )
        for event in assignment.trace.events.all():
            Rating.objects.create(
                assignment=assignment, event=event, metric=Metric.ERROR_VALIDITY, value=value,
                revision=1, client_id="test", rated_at=RATED_AT,
            )  # fmt: skip
    made.closed_at = timezone.now()
    made.opened_at = made.opened_at or made.closed_at
    made.save()
    source = f"{made.public_id}:{tea.public_id}"
    item_set = frozen_set(
        tea, owner, "model_as_rater", source=source, settings={"calibration_share": 0.0}
    )

    assessment = assessed(item_set, endpoint, owner)

    assert assessment.counts["missing"] == assessment.counts["failed"] == 0
    verdict = next(table for table in details_of(assessment) if table.key == "verdict")
    assert [row.cells["verdict"].value for row in verdict.rows()] == ["not usable"]


def test_agent_that_the_model_plays_ends_every_answer_in_a_stated_status(tea, owner, endpoint):
    item_set = frozen_set(tea, owner, "step_mistakes")
    asker = TextAsker(endpoint, Payer(key="agent:small", name="the agent"))

    with AnsweringAgent(lambda request: answered(asker, request)) as agent:
        assessment = assessed(item_set, agent_at(agent.url, owner, timeout_s=240), owner)

    assert (assessment.kind, assessment.job.status) == ("agent", "done")
    assert sum(assessment.counts.values()) == item_set.item_count == len(agent.asked)
    assert assessment.counts["missing"] == assessment.counts["failed"] == 0
    for answer in Answer.objects.filter(assessment=assessment):
        assert (answer.status == AnswerStatus.READ) == (answer.value is not None)
        assert answer.raw or answer.reason
