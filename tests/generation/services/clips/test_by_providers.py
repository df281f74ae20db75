"""Runs whose clips a provider makes: what is ordered, paid for, reused, told."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest
from django.db import connection
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import JobStatus, Take
from annotation.services.records import jobs
from generation.backends.video.providers.provider import Polling
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import PIEV
from generation.engine.run_options import ClipOptions, RunOptions
from generation.models import ClipCall, ClipState, Run, TakeClip, VideoEndpoint
from generation.selectors.clips.calls import clip_spending_of
from generation.selectors.launching import sample
from generation.selectors.launching.clip_price import price_of_clips
from generation.selectors.launching.sample import SEED, RunSample
from generation.services.calls import asker
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, clone_run, resume_run, retry_failed_takes
from tests.fakes.video_provider_server import API_KEY, DONE, TAKE, WAIT, VideoProviderServer
from tests.generation.filmed import make_run, take_of
from tests.generation.text_endpoints import make_endpoint
from tests.generation.video_endpoints import make_video_endpoint
from tests.recordings import CLIP, write_recording

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = Polling(first_pause_s=0.05, growth=1.0, longest_pause_s=0.05)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Play a provider that makes clips of 12 s at once; nobody waits for seconds between polls."""

    usual_adapter = VideoEndpoint.adapter

    def quick_adapter(endpoint):
        adapter = usual_adapter(endpoint)
        return replace(adapter, limits=replace(adapter.limits, polling=QUICK))

    monkeypatch.setattr(VideoEndpoint, "adapter", quick_adapter)
    monkeypatch.setattr(asker, "LOOK_S", 0.05)
    # That a run was cancelled is noticed with the next beat of its worker.
    monkeypatch.setattr(jobs, "BEAT_PAUSE_S", 0.3)
    recipe = replace(CLIP, frame_count=12 * 24)
    content = write_recording(tmp_path / "made.mp4", recipe).read_bytes()
    with VideoProviderServer("seedance", content, numbers_jobs=True) as running:
        yield running


@pytest.fixture
def endpoint(server, owner):
    return make_video_endpoint(server.url, owner=owner)


def options_for(endpoint, **changes):
    budget = changes.pop("budget_usd", None)
    clips = ClipOptions(maker=endpoint.public_id, **changes)
    return RunOptions(clips=clips, budget_usd=budget).to_dict()


@pytest.fixture
def run(filmed_dataset, owner, endpoint):
    return make_run(filmed_dataset, owner, options=options_for(endpoint))


def work_on(run):
    work_on_takes(job_ids=[take_of(run).job_id])


def ordered_clips(run):
    return TakeClip.objects.filter(run_take=take_of(run)).exclude(maker="bridge")


def prompts_of(server):
    return Counter(asked.body["content"][0]["text"] for asked in server.submitted)


def test_every_clip_but_bridges_is_ordered_once_and_the_trace_published(run, server):
    work_on(run)

    row = take_of(run)
    clips = list(ordered_clips(run))
    assert (row.job.status, row.job.error) == (JobStatus.DONE, "")
    assert [clip.state for clip in clips] == [ClipState.READY] * len(clips)
    assert len(server.submitted) == len(clips) == ClipCall.objects.count() > 1
    assert row.made_video.maker == "seedance seedance-1-0-pro-250528, bridge"
    assert row.published_trace.trace.video.duration_s == pytest.approx(row.made_video.duration_s)
    for clip in clips:
        assert any(text.startswith(clip.prompt_text) for text in prompts_of(server))
    spending = clip_spending_of(run)
    seconds = sum(ClipCall.objects.values_list("duration_s", flat=True))
    assert spending.price == Decimal("0.1") * seconds
    assert spending.possible_price == 0


def test_run_with_openrouter_needs_no_typed_price_and_costs_what_it_reports(
    filmed_dataset, owner, owner_client, server
):
    with VideoProviderServer("openrouter", server.clip, numbers_jobs=True) as router:
        endpoint = make_video_endpoint(router.url, "openrouter", owner=owner, price_per_second=None)
        fields = launch_fields(filmed_dataset, endpoint, budget_usd="9")
        size = owner_client.post(reverse("run-size"), fields).content.decode()
        owner_client.post(reverse("run-launch"), fields)
        run = Run.objects.get()
        work_on(run)

    spending = clip_spending_of(run)
    assert (take_of(run).job.status, take_of(run).job.error) == (JobStatus.DONE, "")
    assert spending.made_count == len(router.submitted) > 1
    assert spending.price == Decimal("0.1875") * spending.made_count
    assert "price unknown" not in size
    assert {asked.body["resolution"] for asked in router.submitted} == {"720p"}


def test_tokens_that_a_provider_reports_are_on_the_page_of_the_run(run, owner_client, server):
    work_on(run)

    shown = owner_client.get(reverse("run-detail", args=[run.public_id])).content.decode()
    take = owner_client.get(reverse("take-clips", args=[run.public_id, take_of(run).position]))

    tokens = 43_200 * ordered_clips(run).count()
    assert f"reported: {tokens:,} tokens" in shown
    assert "43,200 tokens" in take.content.decode()


def test_clone_with_the_same_seed_pays_for_nothing(run, server, owner):
    work_on(run)
    paid_count = len(server.submitted)

    clone = clone_run(run=run, seed=run.seed, actor=owner).run
    work_on(clone)

    assert take_of(clone).job.status == JobStatus.DONE
    assert len(server.submitted) == paid_count
    assert clip_spending_of(clone).highest_price == 0


def test_refused_clip_fails_the_take_with_the_reason_and_another_prompt_goes_on(
    run, server, owner, owner_client
):
    server.polls = [{"do": "refused"}, DONE]
    work_on(run)
    failed = take_of(run).job
    [clip] = TakeClip.objects.filter(state=ClipState.FAILED)
    page = owner_client.get(reverse("take-clips", args=[run.public_id, take_of(run).position]))
    TakeClip.objects.filter(pk=clip.pk).update(edited_text="A hand lifts an empty cup.")

    work_on_takes(job_ids=retry_failed_takes(run=run, actor=owner))

    assert failed.error.startswith("Clips gave no clip: seedance refused the clip: ")
    assert clip.reason == failed.error
    shown = page.content.decode()
    assert "Refused by moderation".lower() in shown
    assert "OutputVideoSensitiveContentDetected Not shown" in shown
    assert API_KEY not in shown
    assert take_of(run).job.status == JobStatus.DONE
    # Only the refused clip was ordered again, with its new words.
    again = prompts_of(server)
    assert max(again.values()) == 1
    assert sum(again.values()) == ordered_clips(run).count() + 1


def test_clips_finished_beside_a_failed_one_are_not_ordered_again(run, server, owner):
    server.submissions = [{"do": "reject"}, TAKE]
    work_on(run)
    made_count = ClipCall.objects.filter(status="made").count()

    work_on_takes(job_ids=retry_failed_takes(run=run, actor=owner))

    assert made_count > 0
    assert len(server.submitted) == ordered_clips(run).count() + 1
    assert clip_spending_of(run).possible_price == 0


def test_spent_budget_stops_the_run_and_keeps_its_clips(filmed_dataset, owner, endpoint, server):
    run = make_run(filmed_dataset, owner, options=options_for(endpoint, budget_usd=0.5))

    work_on_takes(job_ids=list(run.run_takes.values_list("job_id", flat=True)[:1]))

    row = take_of(run)
    run.refresh_from_db()
    assert row.job.error.startswith("The run was stopped: the budget is $0.50, ")
    assert run.cancelled_at is not None
    assert 0 < clip_spending_of(run).highest_price <= Decimal("0.5")
    assert take_of(run, "written").job.status == JobStatus.CANCELLED
    assert not ClipCall.objects.exclude(status="made").exists()


def test_cancelled_run_leaves_soon_and_resumes_with_the_jobs_that_run(run, server, owner):
    server.polls = [WAIT]

    def cancel():
        cancel_run(run=run, actor=owner)
        connection.close()

    server.on_poll = cancel
    work_on(run)
    cancelled, submitted_count = take_of(run).job.status, len(server.submitted)
    server.on_poll = None
    server.polls = [DONE]
    job_ids = resume_run(run=run, actor=owner)
    work_on_takes(job_ids=[job_id for job_id in job_ids if job_id == take_of(run).job_id])

    ended_count = sum(asked.method == "DELETE" for asked in server.asked)
    assert cancelled == JobStatus.CANCELLED
    assert take_of(run).job.status == JobStatus.DONE
    # What the provider ended for us is ordered anew, nothing else is.
    assert len(server.submitted) == ordered_clips(run).count() + ended_count
    assert 0 < submitted_count <= 4


def test_clip_that_is_finished_when_the_run_is_cancelled_is_kept_and_not_deleted(
    run, server, owner
):
    """The run is cancelled while the job runs; when it is asked for once more, it is done."""
    server.polls = [{"do": "wait", "word": 1}, DONE]

    def cancel():
        cancel_run(run=run, actor=owner)
        connection.close()

    server.on_poll = cancel
    work_on(run)
    cancelled = take_of(run).job.status
    submitted_count = len(server.submitted)
    kept = ClipCall.objects.filter(status="made").count()
    server.on_poll = None
    job_ids = resume_run(run=run, actor=owner)
    work_on_takes(job_ids=[job_id for job_id in job_ids if job_id == take_of(run).job_id])

    assert cancelled == JobStatus.CANCELLED
    assert (kept, submitted_count) == (submitted_count, submitted_count)
    assert server.deleted == set()
    assert take_of(run).job.status == JobStatus.DONE
    assert len(server.submitted) == ordered_clips(run).count()


def test_job_that_still_waits_when_the_run_is_cancelled_is_ended(run, server, owner):
    server.polls = [WAIT]

    def cancel():
        cancel_run(run=run, actor=owner)
        connection.close()

    server.on_poll = cancel
    work_on(run)

    assert len(server.deleted) == len(server.submitted) > 0
    assert not ClipCall.objects.filter(status="running").exists()


def test_launch_refuses_an_endpoint_whose_model_is_gone(owner_client, filmed_dataset, endpoint):
    VideoEndpoint.objects.update(model_name="seedance-1-5-pro-251215")

    page = owner_client.post(reverse("run-launch"), launch_fields(filmed_dataset, endpoint))

    assert "Clips cannot be used: Seedance no longer has seedance-1-5-pro" in page.content.decode()
    assert "(cannot be used now)</option>" in page.content.decode()
    assert Run.objects.count() == 0


def test_api_refuses_an_endpoint_whose_adapter_is_gone(owner, filmed_dataset, endpoint):
    VideoEndpoint.objects.update(provider="veo")
    client = APIClient()
    client.force_authenticate(owner)

    body = {
        "dataset": filmed_dataset.public_id,
        "profile": "piev",
        "seed": 13,
        "stages": ["plan", "write", "video"],
        "clips": {"maker": endpoint.public_id},
    }
    answer = client.post("/api/v1/runs/", body, format="json")

    assert answer.status_code == 400
    [fault] = answer.json()["clips"]["maker"]
    assert fault.startswith("Clips cannot be used: the provider veo no longer exists: ")


def test_deleted_endpoint_fails_the_take_with_words(run, endpoint):
    endpoint.delete()

    work_on(run)

    assert take_of(run).job.error == (
        f"The video model {endpoint.public_id} of this run was deleted."
    )


def test_provider_that_is_not_shared_any_more_gets_no_order_until_it_is_again(
    filmed_dataset, owner, outsider, endpoint, server
):
    VideoEndpoint.objects.update(owner=outsider, is_shared=False)
    run = make_run(filmed_dataset, owner, options=options_for(endpoint))
    work_on(run)
    stopped, asked_count = take_of(run).job, len(server.asked)
    VideoEndpoint.objects.update(is_shared=True)
    job_ids = resume_run(run=run, actor=owner)

    work_on_takes(job_ids=[job_id for job_id in job_ids if job_id == stopped.pk])

    assert (stopped.status, asked_count) == (JobStatus.FAILED, 0)
    assert stopped.error == (
        "The run was stopped: its owner may not use Clips any more; the owner of that"
        " model can share it."
    )
    assert take_of(run).job.status == JobStatus.DONE
    assert len(server.submitted) == ordered_clips(run).count()


def test_nothing_is_ordered_before_the_prompts_are_approved(
    filmed_dataset, owner, endpoint, server
):
    run = make_run(filmed_dataset, owner, options=options_for(endpoint, reviews_prompts=True))

    work_on(run)

    assert take_of(run).job.status == JobStatus.WAITING
    assert server.asked == []


def test_run_page_says_what_the_clips_cost(run, owner_client):
    work_on(run)

    shown = owner_client.get(reverse("run-detail", args=[run.public_id])).content.decode()

    spending = clip_spending_of(run)
    assert f"from Clips; {spending.made_count} made, 0 failed" in shown
    assert f"<b>${spending.price:.2f}</b>" in shown


def launch_fields(filmed_dataset, endpoint, **changes):
    return {
        "dataset": filmed_dataset.public_id,
        "profile": "piev",
        "seed": 13,
        "stages": ["plan", "correct", "write", "video", "publish"],
        "clip_maker": endpoint.public_id,
        "clip_view": "egocentric",
        **changes,
    }


def test_launch_offers_providers_with_a_budget_and_takes_one(
    owner_client, filmed_dataset, endpoint
):
    page = owner_client.get(reverse("run-launch")).content.decode()

    answer = owner_client.post(reverse("run-launch"), launch_fields(filmed_dataset, endpoint))

    assert "Clips: Seedance, seedance-1-0-pro-250528" in page
    assert 'name="budget_usd"' in page
    run = Run.objects.get()
    assert (answer.status_code, run.options["clips"]["maker"]) == (302, endpoint.public_id)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget_usd": "5"}, "A budget needs the prices of Clips."),
        ({"clip_maker": "no-such-endpoint"}, "Select a valid choice"),
    ],
)
def test_launch_refuses_a_budget_without_prices_and_an_unknown_maker(
    owner_client, filmed_dataset, endpoint, changes, words
):
    VideoEndpoint.objects.update(price_per_second=None)

    fields = launch_fields(filmed_dataset, endpoint, **changes)
    page = owner_client.post(reverse("run-launch"), fields)

    assert words in page.content.decode()
    assert Run.objects.count() == 0


def test_api_launches_with_a_provider_of_ones_own_only(owner, outsider, filmed_dataset, endpoint):
    body = {
        "dataset": filmed_dataset.public_id,
        "profile": "piev",
        "seed": 13,
        "stages": ["plan", "write", "video"],
        "clips": {"maker": endpoint.public_id},
    }
    client = APIClient()
    client.force_authenticate(owner)

    taken = client.post("/api/v1/runs/", body, format="json")
    VideoEndpoint.objects.update(owner=outsider)
    refused = client.post("/api/v1/runs/", body, format="json")

    assert (taken.status_code, refused.status_code) == (201, 400)
    assert refused.json() == {"clips": {"maker": ["There is no such video model."]}}


def test_launch_page_says_what_the_clips_would_cost(owner_client, filmed_dataset, endpoint):
    fields = launch_fields(filmed_dataset, endpoint)

    priced = owner_client.post(reverse("run-size"), fields).content.decode()
    VideoEndpoint.objects.update(price_per_second=None)
    unpriced = owner_client.post(reverse("run-size"), fields).content.decode()
    by_hand = owner_client.post(reverse("run-size"), {**fields, "clip_maker": "manual"})

    takes = Take.objects.filter(dataset=filmed_dataset)
    estimate = price_of_clips(RunSample(takes, PIEV), endpoint, corrects=True)
    assert (estimate.take_count, estimate.price) == (1, estimate.seconds * Decimal("0.1"))
    assert f"about <b>{estimate.clip_count}</b> in 1 filmed take" in priced
    assert f"<b>{estimate.seconds}</b> s to order · about <b>${estimate.price:.2f}</b>" in priced
    assert "price unknown" in unpriced
    assert "to order" not in by_hand.content.decode()


def test_launch_page_plans_each_sampled_take_once_per_seed(
    owner, owner_client, filmed_dataset, endpoint, monkeypatch
):
    planned = []

    def plan_and_note(procedure, *, seed, **others):
        planned.append((procedure.take_uid, seed))
        return plan_take(procedure, seed=seed, **others)

    monkeypatch.setattr(sample, "plan_take", plan_and_note)
    writer = make_endpoint(owner=owner)
    fields = launch_fields(filmed_dataset, endpoint, writer=writer.public_id)

    page = owner_client.post(reverse("run-size"), fields).content.decode()

    assert "Writing:" in page
    assert "Clips:" in page
    uids = Take.objects.filter(dataset=filmed_dataset).values_list("uid", flat=True)
    assert sorted(planned) == [(uid, seed) for uid in sorted(uids) for seed in range(5)]


def test_estimate_is_what_a_run_with_its_seed_orders(owner, filmed_dataset, endpoint):
    run = make_run(filmed_dataset, owner, seed=SEED, options=options_for(endpoint))

    work_on(run)

    estimate = price_of_clips(RunSample(filmed_dataset.takes.all(), PIEV), endpoint, corrects=True)
    ordered_s = ClipCall.objects.values_list("duration_s", flat=True)
    assert (estimate.clip_count, estimate.seconds) == (len(ordered_s), sum(ordered_s))
    assert estimate.price == clip_spending_of(run).price


def test_takes_without_a_recording_cost_nothing(filmed_dataset, endpoint):
    takes = Take.objects.filter(uid="written")

    assert price_of_clips(RunSample(takes, PIEV), endpoint, corrects=True) is None
