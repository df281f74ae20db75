"""A model that watches a recording of the sample corpus, on a clock that stands still."""

import json
from dataclasses import asdict
from datetime import timedelta
from itertools import count

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.http import Http404
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Job, JobStatus, Role
from annotation.services.records.jobs import due_jobs
from benchmarks.engine.tasks.guide.items import PREDICTED
from benchmarks.models import LiveCommand, LiveEvent, LiveRun
from benchmarks.selectors.live import standing_of, tally_of_run
from benchmarks.services import live_work
from benchmarks.services.live import (
    LiveEndedError,
    LiveRequest,
    command_live,
    end_live,
    start_live,
)
from benchmarks.services.live_work import Wall, watch_live
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, small_set
from tests.benchmarks.sample_answers import PLANNER, answer_of
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


class Still:
    """Wall time that goes on only while the loop sleeps."""

    def __init__(self):
        self.now_s = 0.0

    def sleep(self, seconds):
        self.now_s = round(self.now_s + seconds, 6)

    @property
    def wall(self):
        return Wall(now=lambda: self.now_s, sleep=self.sleep)


@pytest.fixture
def planned(sample, owner):
    return small_set(sample, owner, "guide", item_count=24, settings={"plan": PREDICTED})


def begun(item_set, endpoint, owner, *kinds, **changes):
    recording = item_set.test_items.order_by("sequence", "sequence_position").first().recording
    request = LiveRequest(endpoint=endpoint.public_id, stride_s=0, **changes)
    run, job_ids = start_live(item_set=item_set, recording=recording, request=request, actor=owner)
    for kind, text in kinds:
        command_live(run=run, kind=kind, text=text)
    return run, job_ids


def watched(item_set, endpoint, owner, *kinds, wall=None, **changes):
    run, job_ids = begun(item_set, endpoint, owner, *(kinds or [("play", "")]), **changes)
    watch_live(job_ids=job_ids, wall=wall or Still().wall)
    return LiveRun.objects.select_related("item_set", "job").get(pk=run.pk)


def states_of(run, decided):
    """What each decision left, read from the last one: what is said and renewed is only added to.

    The plan is that which the page got with the event.
    """
    last = run.state
    return [
        {
            "is_open": True,
            "plan": event.shown["plan"],
            "history": [one for one in last["history"] if one["time_s"] <= event.time_s],
            "updates_s": [time_s for time_s in last["updates_s"] if time_s <= event.time_s],
        }
        for event in decided
    ]


class Killed(BaseException):
    """A worker's end without any last word."""


def test_under_a_clock_that_stands_still_nothing_is_asked_that_the_queue_did_not_ask(
    planned, owner
):
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        queued = assessed(planned, endpoint, owner, pictures=3)
        before = len(server.asked)
        run = watched(planned, endpoint, owner, pictures=3)

    # Every request was one that is recorded, to the byte.
    assert len(server.asked) == before
    rows = queued.answers.filter(item__recording=run.recording)
    rows = list(rows.order_by("item__sequence_position"))
    decided = list(run.events.filter(kind="decided"))
    assert states_of(run, decided) == [row.state for row in rows]
    assert run.state == rows[-1].state
    assert [event.time_s for event in decided] == [row.item.moment_s for row in rows]
    assert run.events.filter(kind="skipped").count() == 0
    assert (run.job.status, run.events.last().kind) == ("done", "ended")


def test_what_comes_while_the_model_is_asked_is_skipped_counted_and_said_to_be_late(planned, owner):
    still = Still()

    def slow(body):
        still.now_s += 7.0
        return answer_of(body) if PLANNER in words_of(body) else "$interrupt$ Go on."

    with AnsweringServer(answers=slow) as server:
        run = watched(planned, model(server, owner), owner, wall=still.wall)

    decided = [event.shown for event in run.events.filter(kind="decided")]
    skipped = [event.shown["count"] for event in run.events.filter(kind="skipped")]
    asked = planned.items.filter(recording=run.recording).count()
    assert len(decided) + sum(skipped) == asked
    assert run.figures["skipped_count"] == sum(skipped) > 0
    assert decided[0]["lag_s"] == 14.0
    assert run.figures["late_count"] == sum(shown["is_late"] for shown in decided) > 0
    assert run.figures["real_time_factor"] > 1


def test_nothing_is_asked_before_somebody_plays_and_steps_and_questions_are_answered(
    planned, owner
):
    with AnsweringServer(answers=lambda body: "$interrupt$ Yes.") as server:
        steps = [("step", ""), ("ask", "Is it hot?"), ("stop", "")]
        run, job_ids = begun(planned, model(server, owner), owner)
        for kind, text in steps[:2]:
            command_live(run=run, kind=kind, text=text)
        looks = count()

        def sleep(seconds):
            if next(looks) == 3:
                command_live(run=run, kind="stop")

        watch_live(job_ids=job_ids, wall=Wall(now=lambda: 0.0, sleep=sleep))
        texts = [words_of(asked.body) for asked in server.asked]

    run.refresh_from_db()
    events = list(run.events.values_list("kind", "time_s", "shown__asks"))
    assert events[:2] == [("decided", 0.0, ""), ("decided", 0.0, "Is it hot?")]
    assert any("The person asks you: Is it hot?" in text for text in texts)
    assert LiveCommand.objects.filter(run=run, taken_at=None).count() <= 1


def test_a_budget_stops_and_a_worker_goes_on_after_another(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        poor = watched(planned, endpoint, owner, budget_usd=0.000001)
        whole = watched(planned, endpoint, owner)
        paid = len(server.asked)
        run, job_ids = begun(planned, endpoint, owner, ("play", ""))
        killed_after(run, job_ids, decided_count=4)
        long_ago = timezone.now() - timedelta(hours=1)
        Job.objects.filter(pk=run.job_id).update(lease_until=long_ago)
        command_live(run=run, kind="play")
        watch_live(job_ids=job_ids, wall=Still().wall)

    assert poor.job.status == "failed"
    assert "budget" in poor.events.last().shown["reason"]
    run.refresh_from_db()
    after, undisturbed = (
        [(event.time_s, event.shown["answer"], event.shown["plan"]) for event in one]
        for one in (run.events.filter(kind="decided"), whole.events.filter(kind="decided"))
    )
    assert after == undisturbed
    assert (run.state, run.figures["decided_count"]) == (whole.state, len(after))
    # What was asked before the kill and after it is what was asked without one.
    assert len(server.asked) == paid


def killed_after(run, job_ids, *, decided_count):
    still = Still()

    def sleep(seconds):
        still.sleep(seconds)
        if run.events.filter(kind="decided").count() >= decided_count:
            raise Killed

    with pytest.raises(Killed):
        watch_live(job_ids=job_ids, wall=Wall(now=lambda: still.now_s, sleep=sleep))
    run.refresh_from_db()
    assert run.events.filter(kind="decided").count() == decided_count


def test_what_a_page_asks_for_does_not_grow_with_what_was_decided(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        run, job_ids = begun(planned, model(server, owner), owner, ("play", ""))
        before = standing_of(run, 0)["figures"]
        killed_after(run, job_ids, decided_count=5)
        number = run.events.last().number
        with CaptureQueriesContext(connection) as asked:
            standing = standing_of(run, number)
        so_far = tally_of_run(run).figures(run.events.last().time_s)

    assert before["decided_count"] == 0
    assert (standing["events"], len(asked)) == ([], 1)
    assert standing["figures"] == asdict(so_far)
    assert so_far.decided_count == 5


def test_an_event_has_nothing_of_what_was_said_before(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        run = watched(planned, model(server, owner), owner)

    said = {one["text"] for one in run.state["history"]}
    decided = list(run.events.filter(kind="decided"))
    assert said
    assert "state" not in {field.name for field in LiveEvent._meta.get_fields()}
    for event in decided:
        assert not {"history", "updates_s"} & set(event.shown)
        assert "history" not in json.dumps(event.requests)


def test_a_run_that_is_longer_than_a_worker_may_take_is_handed_over(planned, owner, monkeypatch):
    monkeypatch.setattr(live_work, "LONGEST_S", 5.0)
    with AnsweringServer(answers=answer_of) as server:
        run = watched(planned, model(server, owner), owner)
        workers = 1
        while run.ended_at is None:
            [job_ids] = due_jobs(now=timezone.now() + timedelta(seconds=1)).values()
            watch_live(job_ids=job_ids, wall=Still().wall)
            run.refresh_from_db()
            workers += 1

    decided = list(run.events.filter(kind="decided").values_list("time_s", flat=True))
    items = planned.items.filter(recording=run.recording).order_by("sequence_position")
    assert workers > 2
    assert decided == list(items.values_list("moment_s", flat=True))
    run.job.refresh_from_db()
    assert run.job.status == "done"


def test_a_run_that_nobody_plays_gives_its_worker_back_and_goes_on_where_it_was(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        whole = watched(planned, endpoint, owner)
        paid = len(server.asked)
        run, job_ids = begun(planned, endpoint, owner, ("play", ""))
        still = Still()

        def sleep(seconds):
            still.sleep(seconds)
            if run.events.filter(kind="decided").count() == 4 and run.commands.count() == 1:
                command_live(run=run, kind="pause")

        watch_live(job_ids=job_ids, wall=Wall(now=lambda: still.now_s, sleep=sleep))
        run.refresh_from_db()
        rested_s, rested = run.position_s, run.job.status
        sent = command_live(run=run, kind="play")
        again = command_live(run=run, kind="pause")
        command_live(run=run, kind="play")
        watch_live(job_ids=sent, wall=Still().wall)

    assert (rested, sent, again) == (JobStatus.WAITING, job_ids, [])
    run.refresh_from_db()
    decided = [run.events.filter(kind="decided"), whole.events.filter(kind="decided")]
    after, undisturbed = ([(one.time_s, one.shown["answer"]) for one in own] for own in decided)
    assert after == undisturbed
    assert after[3][0] <= rested_s <= after[4][0]
    assert run.events.last().shown == {"reason": ""}
    # The same questions as of the one that nobody interrupted, which are recorded.
    assert len(server.asked) == paid


def test_a_run_that_no_worker_has_ends_when_its_person_ends_it(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        run, job_ids = begun(planned, model(server, owner), owner)

        command_live(run=run, kind="stop")
        watch_live(job_ids=job_ids, wall=Still().wall)

    run.refresh_from_db()
    assert run.ended_at is not None
    assert [event.shown for event in run.events.all()] == [{"reason": "stopped"}]
    assert run.job.status == JobStatus.CANCELLED


def test_a_run_whose_worker_died_ends_when_its_person_ends_it_and_only_once(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        run, job_ids = begun(planned, model(server, owner), owner, ("play", ""))
        killed_after(run, job_ids, decided_count=2)
        Job.objects.filter(pk=run.job_id).update(lease_until=timezone.now() - timedelta(hours=1))

        command_live(run=run, kind="stop")

    run.refresh_from_db()
    ended_at = run.ended_at
    end_live(run, "late")
    run.refresh_from_db()
    assert run.ended_at == ended_at is not None
    assert [one.shown for one in run.events.filter(kind="ended")] == [{"reason": "stopped"}]
    assert run.figures["decided_count"] == 2


@pytest.mark.parametrize("longest_s", [live_work.LONGEST_S, 5.0])
def test_a_run_that_is_stopped_as_its_worker_ends_or_hands_over_has_ended(
    planned, owner, monkeypatch, longest_s
):
    """The worker learns of the stop at its next beat, which comes later than its end here."""
    monkeypatch.setattr(live_work, "LONGEST_S", longest_s)
    still = Still()
    with AnsweringServer(answers=answer_of) as server:
        run, job_ids = begun(planned, model(server, owner), owner, ("play", ""))

        def sleep(seconds):
            still.sleep(seconds)
            if not LiveCommand.objects.filter(run=run, kind="stop").exists():
                command_live(run=run, kind="stop")

        watch_live(job_ids=job_ids, wall=Wall(now=lambda: still.now_s, sleep=sleep))

    run.refresh_from_db()
    assert run.ended_at is not None
    assert run.events.last().shown == {"reason": "stopped"}
    assert run.figures["decided_count"] > 0
    assert run.job.status == JobStatus.CANCELLED


def test_gold_comes_after_the_end_and_commands_are_refused(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        waiting, _ = begun(planned, endpoint, owner)
        run = watched(planned, endpoint, owner)

    assert standing_of(waiting, 0)["right"] == []
    assert standing_of(run, 0)["right"]
    assert [event["number"] for event in standing_of(run, 2)["events"]][:2] == [3, 4]
    with pytest.raises(LiveEndedError):
        command_live(run=run, kind="play")


def test_pages_and_addresses_are_the_owners_alone(planned, owner, owner_client, client):
    with AnsweringServer(answers=answer_of) as server:
        run = watched(planned, model(server, owner), owner)
    decided = run.events.filter(kind="decided").first()
    addresses = [
        reverse("live", args=[run.public_id]),
        reverse("live-events", args=[run.public_id]),
        reverse("live-asked", args=[run.public_id, decided.number]),
        reverse("live-new", args=[planned.public_id, run.recording]),
    ]
    planned.is_shared = True
    planned.save()

    for address in addresses:
        assert owner_client.get(address).status_code == 200, address
    assert PLANNER in owner_client.get(addresses[2]).content.decode()
    client.force_login(UserFactory(role=Role.RESEARCHER))
    assert [client.get(address).status_code for address in addresses] == [404] * 4
    body = json.dumps({"kind": "play"})
    sent = client.post(
        reverse("live-command", args=[run.public_id]), body, content_type="application/json"
    )
    assert sent.status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [("{", 400), ('{"kind": "fly"}', 400), ('{"kind": "ask"}', 400), ('{"kind": "play"}', 201)],
)
def test_commands_from_the_page_are_checked(planned, owner, owner_client, body, status):
    with AnsweringServer(answers=answer_of) as server:
        run, _ = begun(planned, model(server, owner), owner)

    address = reverse("live-command", args=[run.public_id])
    assert owner_client.post(address, body, content_type="application/json").status_code == status


def test_what_is_out_of_range_or_not_watched_is_refused(sample, planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        for changes in ({"stride_s": 0.1}, {"pictures": 999}, {"budget_usd": -1.0}):
            request = LiveRequest(**{"endpoint": endpoint.public_id, **changes})
            with pytest.raises(ValidationError):
                start_live(item_set=planned, recording="x", request=request, actor=owner)
        other = small_set(sample, owner, "step_mistakes", item_count=6)
        request = LiveRequest(endpoint=endpoint.public_id)
        with pytest.raises(Http404):
            start_live(item_set=other, recording="x", request=request, actor=owner)
