"""What a model was asked is seen, word for word, by who may see it; and its runs are told apart."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import JobStatus
from benchmarks.engine.division import Division
from benchmarks.selectors.assessments import state_of, status_counts
from benchmarks.selectors.pages import progress_of
from benchmarks.services.answering import start_answering
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import resume_assessment
from generation.backends.exceptions import CancelledError
from generation.models import TextCall
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.asked import assessed, model, read_again, small_set, started
from tests.benchmarks.made import made_set
from tests.benchmarks.sample_answers import answer_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shared(sample, owner):
    return small_set(sample, owner, item_count=4, is_shared=True)


def asked_by(client, assessment):
    answer = client.get(f"/api/v1/assessments/{assessment.public_id}/asked/")
    content = b"".join(answer.streaming_content) if answer.status_code == 200 else b""
    return answer.status_code, [json.loads(line) for line in content.splitlines()]


def test_what_was_asked_is_in_a_file_and_on_the_page_of_the_item(
    shared, outsider, outsider_client, owner_client
):
    with AnsweringServer(answers=answer_of) as server:
        own = assessed(shared, model(server, outsider), outsider)
        sent = [asked.body["messages"] for asked in server.asked]

    for client in (outsider_client, owner_client):
        status, lines = asked_by(client, own)
        assert (status, len(lines)) == (200, 4)
        assert {line["system"] for line in lines} == {sent[0][0]["content"]}
        words = json.dumps(sent, ensure_ascii=False)
        assert all(json.dumps(line["prompt"], ensure_ascii=False)[1:-1] in words for line in lines)
        assert all(json.loads(line["raw"])["answer"] == line["value"]["answer"] for line in lines)
        assert {line["reading_version"] for line in lines} == {2}
        page = f"/benchmarks/sets/{shared.public_id}/items/{lines[0]['key']}/"
        assert "As it was asked" in client.get(page).content.decode()
    file = owner_client.get(f"/benchmarks/assessments/{own.public_id}/asked.jsonl")
    assert file["content-disposition"].endswith(f'{own.public_id}.jsonl"')


def test_others_who_may_not_see_the_truth_do_not_see_what_was_asked(
    shared, owner, outsider, outsider_client
):
    with AnsweringServer(answers=answer_of) as server:
        owners = assessed(shared, model(server, owner), owner)
        own = assessed(shared, model(server, outsider, name="Own"), outsider)
    page = f"/benchmarks/sets/{shared.public_id}/items/{shared.items.first().key}/"

    assert asked_by(outsider_client, owners) == (404, [])
    files = [f"/benchmarks/assessments/{row.public_id}/asked.jsonl" for row in (owners, own)]
    assert [outsider_client.get(file).status_code for file in files] == [404, 200]
    picture = f"/benchmarks/assessments/{owners.public_id}/asked/x/0/0.jpg"
    assert outsider_client.get(picture).status_code == 404
    assert outsider_client.get(page).content.decode().count("As it was asked") == 1
    start_answering(item_set=shared, person=outsider, actor=owner)
    assert asked_by(outsider_client, own) == (404, [])


def test_runs_of_one_model_are_told_apart(shared, owner):
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        names = [assessed(shared, endpoint, owner, repeats=count).name for count in (1, 2, 3)]

    assert names == ["Asked", "Asked (run 2)", "Asked (run 3)"]


def test_items_are_numbered_among_those_to_answer_and_examples_among_theirs(
    sample, owner, owner_client
):
    division = Division("recording", (0.5, 0.2, 0.3))
    made = made_set(sample, owner, division=division)
    counts = made.test_items.count(), made.examples.count()
    last = {"Item": made.test_items.last(), "Example": made.examples.last()}

    for (kind, item), count in zip(last.items(), counts, strict=True):
        page = owner_client.get(f"/benchmarks/sets/{made.public_id}/items/{item.key}/")
        assert f"{kind} {count} of {count} ·" in page.content.decode()


def test_time_left_counts_from_the_resume(shared, owner):
    with AnsweringServer(answers=answer_of) as server:
        run, _ = started(shared, model(server, owner), owner)
    items = list(shared.items.all())
    now = timezone.now()
    for number, item in enumerate(items[:3]):
        at = now - timedelta(hours=2) if number < 2 else now - timedelta(seconds=1)
        run.answers.create(
            item=item, status="read", value={"answer": "yes", "score": None}, answered_at=at
        )
    run.job.status, run.job.started_at = JobStatus.RUNNING, now - timedelta(seconds=100)
    run.job.lease_until = now + timedelta(seconds=100)
    run.job.save()

    progress = progress_of(run, status_counts(run))

    # One answer in 100 s, and one is left.
    assert progress.left_s == pytest.approx(100, abs=60)
    run.answers.filter(item=items[2]).delete()
    assert progress_of(run, status_counts(run)).left_s is None


def test_a_run_that_a_command_is_stopped_at_keeps_its_answers_and_goes_on(shared, owner):
    told = []

    def watch(done_count, total_count):
        told.append((done_count, total_count))
        if done_count == 2:
            raise CancelledError("stopped by Ctrl+C")

    with AnsweringServer(answers=answer_of) as server:
        run, job_ids = started(shared, model(server, owner), owner, concurrency=1)
        work_on_assessments(job_ids=job_ids, watch=watch)
        stopped = read_again(run)
        kept = run.answers.count()
        asked_before = len(server.asked)
        resumed = resume_assessment(assessment=stopped, actor=owner)
        work_on_assessments(job_ids=resumed)

    assert sorted(set(told)) == [(0, 4), (1, 4), (2, 4)]
    assert (state_of(stopped), kept, asked_before) == ("cancelled", 2, 2)
    assert (state_of(read_again(run)), len(server.asked)) == ("done", 4)


def test_a_run_that_met_its_budget_is_stopped_and_its_budget_printed_in_full(
    shared, owner, owner_client
):
    with AnsweringServer(answers=answer_of) as server:
        run, job_ids = started(shared, model(server, owner), owner, budget_usd=0.0004)
        work_on_assessments(job_ids=job_ids)
        stopped = read_again(run)
        page = owner_client.get(f"/benchmarks/assessments/{run.public_id}/").content.decode()
        api = owner_client.get(f"/api/v1/assessments/{run.public_id}/").json()
        resumed = resume_assessment(assessment=stopped, actor=owner, budget_usd=5.0)
        queued = state_of(read_again(run))
        work_on_assessments(job_ids=resumed)

    assert (state_of(stopped), api["state"]) == ("stopped", "stopped")
    assert "the budget is $0.0004" in stopped.job.error
    assert "of $0.0004" in page
    assert '<span class="state stopped">stopped</span>' in page
    assert 'step="any"' in page
    assert (queued, state_of(read_again(run))) == ("queued", "done")
    assert TextCall.objects.exists()
