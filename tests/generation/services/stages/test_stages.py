"""The stages after planning: text, judgement and published traces, each take once and whole."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from annotation.models import Dataset, Event, Job, JobStatus, RatingEvent, Trace
from annotation.selectors.corpus.corpus import trace_of
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.stages import Stage
from generation.forms.runs import STAGE_LABELS
from generation.models import JudgeFinding, PublishedTrace, Run, RunTake
from generation.services.run_work import work_on_takes
from generation.services.stages import stage_works
from tests.factories import AssignmentFactory


def test_every_stage_has_its_work_its_label_and_its_words_for_the_form():
    assert list(stage_works()) == list(STAGE_LABELS) == [stage for stage in Stage if stage.label]


def job_ids_of(run):
    return list(RunTake.objects.filter(run=run).values_list("job_id", flat=True))


def takes_of(run):
    return RunTake.objects.filter(run=run).select_related("take", "plan", "rewrite", "judgement")


def test_stored_text_is_that_of_writer_and_judge_for_the_stored_plan(full_run):
    work_on_takes(job_ids=job_ids_of(full_run))

    for row in takes_of(full_run):
        plan = plan_from_dict(row.take.uid, row.plan.document)
        written = write_rewrite(plan, rng=generator_for(full_run.seed, row.take.uid, Stage.WRITE))
        judged = judge(plan, Submission(written.rewrite))
        assert row.rewrite.document == written.rewrite.to_dict()
        assert row.judgement.document == judged.rewrite.to_dict()
        assert row.judgement.status == judged.status
        left = [(item.code, item.detail) for item in judged.report.remaining]
        stored = row.judgement.findings.filter(is_left=True).values_list("code", "detail")
        assert list(stored) == left


def test_published_traces_realise_the_planned_events_against_the_source_takes(full_run):
    work_on_takes(job_ids=job_ids_of(full_run))

    dataset = Run.objects.get(pk=full_run.pk).published_dataset
    planned = [row for row in takes_of(full_run) if row.plan.error_count]
    assert planned, "the seed plans no mistake at all"
    assert (dataset.name, dataset.owner, dataset.takes.count()) == (
        "Tea, seed 123", full_run.owner, 0,
    )  # fmt: skip
    assert dataset.traces.count() == len(planned)
    for row in planned:
        trace = row.published_trace.trace
        plan = plan_from_dict(row.take.uid, row.plan.document)
        corrections = plan.corrections or ()
        assert trace.take == row.take
        assert {
            (event.event_id, event.proposed_type, event.target and event.target.event_id)
            for event in trace.events.all()
        } == {(error.event_id, str(error.error_type), None) for error in plan.errors} | {
            (item.correction_id, "C", item.target_event_id) for item in corrections
        }
        shown = [step.text for step in trace.steps.order_by("index") if step.text]
        assert shown == row.judgement.document["final_steps"]


def test_published_trace_keeps_its_provenance_and_an_opaque_uid(full_run):
    work_on_takes(job_ids=job_ids_of(full_run))

    row = takes_of(full_run).exclude(plan__error_count=0).first()
    trace = row.published_trace.trace
    assert trace.provenance == {
        "run": full_run.public_id,
        "profile": "piev",
        "seed": "123",
        "writer": "rules",
        "judge": "none",
        "status": row.judgement.status,
        "sense_findings": str(row.judgement.sense_left),
    }
    assert len(trace.uid) == 16
    assert row.take.uid not in trace.uid


def test_work_done_twice_publishes_once(full_run):
    work_on_takes(job_ids=job_ids_of(full_run))
    before = {trace.uid: trace_of(trace) for trace in Trace.objects.all()}
    keys = set(Trace.objects.values_list("pk", flat=True))
    RunTake.objects.filter(run=full_run).update(stages_done=0)
    Job.objects.filter(run_take__run=full_run).update(status=JobStatus.QUEUED)

    work_on_takes(job_ids=job_ids_of(full_run))

    assert {trace.uid: trace_of(trace) for trace in Trace.objects.all()} == before
    assert set(Trace.objects.values_list("pk", flat=True)) == keys
    assert Dataset.objects.filter(produced_by=full_run).count() == 1
    assert PublishedTrace.objects.count() == len(before)


def test_stages_can_be_worked_on_one_after_the_other(full_run):
    work_on_takes(job_ids=job_ids_of(full_run))
    whole = {row.take.uid: row.judgement.document for row in takes_of(full_run)}
    Trace.objects.all().delete()
    RunTake.objects.filter(run=full_run).update(stages_done=3)
    Job.objects.filter(run_take__run=full_run).update(status=JobStatus.QUEUED)

    work_on_takes(job_ids=job_ids_of(full_run))

    assert {row.take.uid: row.judgement.document for row in takes_of(full_run)} == whole
    assert JudgeFinding.objects.count() == sum(
        row.judgement.findings.count() for row in takes_of(full_run)
    )
    assert Trace.objects.count() == PublishedTrace.objects.count() > 0


def test_take_without_a_mistake_is_not_published(full_run):
    work_on_takes(job_ids=job_ids_of(full_run))

    empty = takes_of(full_run).filter(plan__error_count=0)
    assert not PublishedTrace.objects.filter(run_take__in=empty).exists()
    assert Event.objects.values("trace").distinct().count() == Trace.objects.count()


def test_rewritten_text_of_a_rated_trace_is_refused(full_run):
    work_on_takes(job_ids=job_ids_of(full_run))
    row = takes_of(full_run).exclude(plan__error_count=0).first()
    trace = row.published_trace.trace
    rated_at = row.rewrite.written_at
    RatingEvent.objects.create(
        assignment=AssignmentFactory(trace=trace),
        event=trace.events.first(),
        metric="confusability",
        value="3",
        revision=1,
        client_id="tab",
        client_sequence=1,
        rated_at=rated_at,
    )
    Trace.objects.filter(pk=trace.pk).update(content_hash="another")
    RunTake.objects.filter(pk=row.pk).update(stages_done=4)
    Job.objects.filter(pk=row.job_id).update(status=JobStatus.QUEUED)

    work_on_takes(job_ids=[row.job_id])

    row.job.refresh_from_db()
    assert row.job.status == JobStatus.FAILED
    assert "expected the trace as it was rated" in row.job.error


def test_another_data_set_of_the_same_name_is_not_touched(tea_dataset, owner, full_run):
    other = Dataset.objects.create(name="Tea, seed 123", format="native")

    work_on_takes(job_ids=job_ids_of(full_run))

    dataset = Run.objects.get(pk=full_run.pk).published_dataset
    assert dataset.name == f"Tea, seed 123 ({full_run.public_id})"
    assert other.traces.count() == 0


@pytest.mark.django_db(transaction=True)
def test_workers_that_publish_at_once_share_one_data_set(full_run):
    start = Barrier(3)

    def work(job_id):
        try:
            start.wait()
            work_on_takes(job_ids=[job_id])
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as executor:
        list(executor.map(work, job_ids_of(full_run)))

    states = Job.objects.filter(run_take__run=full_run).values_list("status", flat=True)
    assert set(states) == {JobStatus.DONE}
    assert Dataset.objects.filter(format="generated").count() == 1
    with_mistakes = takes_of(full_run).exclude(plan__error_count=0).count()
    assert Run.objects.get(pk=full_run.pk).published_dataset.traces.count() == with_mistakes
