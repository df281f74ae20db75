"""Who may order a clip when: places, budgets, the same clip at once, workers that stop."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from annotation.services.records.jobs import cancel_jobs
from generation.backends.exceptions import BudgetSpentError, CancelledError
from generation.backends.video.providers.exceptions import SettingsError, UnclearSubmissionError
from generation.models import ClipAttempt, ClipCall, VideoEndpoint
from generation.selectors.clips.calls import clip_spending_of, clip_use_of
from generation.services.calls.payer import Payer
from tests.fakes.video_provider_server import DONE, WAIT

pytestmark = pytest.mark.django_db(transaction=True)


def test_orders_wait_for_a_place_at_the_endpoint(shop):
    clips = shop.clips(settings={"concurrency": 1, "requests_per_minute": 2})
    shop.make(clips, "a")
    shop.make(clips, "b", sample=1)

    def check():
        if shop.clock.now_s > 30:
            raise CancelledError("waited long enough")

    with pytest.raises(CancelledError):
        shop.make(replace(clips, payer=Payer(check=check)), "c", sample=2)

    assert len(shop.server.submitted) == 2
    assert ClipCall.objects.count() == 2


def test_budget_lets_no_order_out_that_could_exceed_it(shop, tea_run):
    run_take = tea_run.run_takes.first()
    clips = shop.clips(run_take=run_take, budget=Decimal("0.39"))
    shop.make(clips)

    with pytest.raises(BudgetSpentError, match=r"\$0\.2000 of it is spent"):
        shop.make(clips, sample=1)

    spending = clip_spending_of(tea_run)
    assert (spending.price, spending.possible_price) == (Decimal("0.2"), 0)
    assert len(shop.server.submitted) == 1


def test_recorded_clip_costs_a_run_nothing(shop, tea_run):
    shop.make(shop.clips())
    run_take = tea_run.run_takes.first()

    shop.make(shop.clips(settings={"name": "B"}, run_take=run_take, budget=Decimal("0.01")))

    assert clip_spending_of(tea_run).price == 0


def test_order_that_may_be_running_counts_against_the_budget(shop, tea_run):
    shop.server.submissions = [{"do": "hang_up"}]
    run_take = tea_run.run_takes.first()
    clips = shop.clips(run_take=run_take, budget=Decimal("0.39"))
    with pytest.raises(UnclearSubmissionError):
        shop.make(clips)

    with pytest.raises(BudgetSpentError):
        shop.make(clips)

    assert clip_spending_of(tea_run).possible_price == Decimal("0.2")


def test_budget_cannot_be_kept_without_a_price(shop, tea_run):
    clips = shop.clips(
        settings={"price_per_second": None},
        run_take=tea_run.run_takes.first(),
        budget=Decimal(100),
    )

    with pytest.raises(BudgetSpentError, match="no prices"):
        shop.make(clips)

    assert shop.server.asked == []


def in_threads(count, work):
    def run(number):
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_same_clip_requested_at_once_is_paid_once(shop):
    shop.server.submissions = [{"do": "take", "latency_s": 0.3}]
    clips = shop.clips(clock=time.monotonic, sleep=lambda seconds: time.sleep(seconds / 20))

    made = in_threads(4, lambda number: shop.make(clips, f"clip-{number}").frame_count)

    assert made == [30] * 4
    assert len(shop.server.submitted) == 1


def test_no_more_jobs_than_the_concurrency_are_at_the_provider(shop):
    shop.server.numbers_jobs = True
    most, two_here = [], threading.Event()

    def sleep(seconds):
        most.append(ClipAttempt.objects.filter(ended_at__isnull=True).count())
        if most[-1] == 2:
            two_here.set()
        # Whoever comes first has not finished before there is a second one.
        two_here.wait(60)
        time.sleep(seconds / 20)

    clips = shop.clips(settings={"concurrency": 2}, clock=time.monotonic, sleep=sleep)

    in_threads(4, lambda number: shop.make(clips, f"clip-{number}", sample=number))

    assert max(most) == 2
    assert ClipCall.objects.filter(status="made").count() == len(shop.server.submitted) == 4


@pytest.mark.parametrize(
    ("is_cancelled", "told", "status"), [(True, 1, "failed"), (False, 0, "running")]
)
def test_job_is_ended_at_the_provider_only_where_the_run_was_cancelled(
    shop, tea_run, is_cancelled, told, status
):
    shop.server.polls = [WAIT]
    run_take = tea_run.run_takes.first()

    def check():
        if shop.clock.now_s > 5:
            if is_cancelled:
                cancel_jobs(job_ids=[run_take.job_id])
            raise CancelledError("the take was cancelled, or another worker is working on it")

    with pytest.raises(CancelledError):
        shop.make(shop.clips(run_take=run_take, check=check))

    assert [asked.method for asked in shop.server.asked].count("DELETE") == told
    assert ClipCall.objects.get().status == status
    assert clip_spending_of(tea_run).possible_price == Decimal("0.2")


def test_worker_that_was_silent_for_too_long_leaves_its_clip_to_another(shop):
    shop.server.polls = [WAIT]
    clips = shop.clips()

    def sleep(seconds):
        shop.clock.sleep(seconds)
        ClipAttempt.objects.update(ended_at=timezone.now(), outcome="lost")

    with pytest.raises(CancelledError, match="another worker is working on this clip"):
        shop.make(replace(clips, sleep=sleep))
    shop.server.polls = [DONE]
    shop.make(clips)

    assert len(shop.server.submitted) == 1


def test_limits_are_those_that_the_endpoint_has_now(shop):
    clips = shop.clips()
    VideoEndpoint.objects.update(price_per_second=Decimal("0.3"))

    shop.make(clips)

    assert ClipAttempt.objects.get().price == Decimal("0.6")


def test_deleted_endpoint_is_reported_and_no_clip_ordered(shop):
    clips = shop.clips()
    VideoEndpoint.objects.all().delete()

    with pytest.raises(SettingsError, match="the video model Clips was deleted"):
        shop.make(clips)

    assert shop.server.asked == []


def test_clip_that_is_cancelled_before_its_order_goes_out_costs_nothing(shop):
    def check():
        if ClipAttempt.objects.exists():
            raise CancelledError("the take was cancelled")

    with pytest.raises(CancelledError):
        shop.make(shop.clips(check=check))

    call = ClipCall.objects.get()
    assert (call.status, shop.server.asked) == ("failed", [])
    assert clip_use_of(call.endpoint).highest_price == 0
