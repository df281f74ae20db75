"""The work behind a live run: the recording's clock goes on, and the model is asked when it is due.

What happens is stored event by event, and with it in the run what the next decision begins with; a
worker that goes on after another finds the recording paused there. One that has watched for as long
as a worker may hands the run over while it plays, so that a recording may last as long as it likes.
While nobody plays it no worker has it: the next command (`services.live`) puts it on the queue.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from threading import Event
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.backends.media.memory import release_memory
from annotation.models import Job, JobStatus
from annotation.services.records.jobs import (
    Claim,
    LostClaimError,
    beating,
    fail_job,
    finish_job,
    put_back,
    refuse_if_stopping,
    wait_for_person,
    work_on_jobs,
)
from annotation.services.records.stopping import is_stopping
from annotation.services.videos.local_videos import VideoFileError
from benchmarks.engine import task as engine
from benchmarks.engine.guiding.live_clock import LiveClock, LiveTally, due_moment
from benchmarks.models import (
    Item,
    LiveCommand,
    LiveCommandKind,
    LiveEvent,
    LiveEventKind,
    LiveRun,
)
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.selectors.live import tally_of_run
from benchmarks.services.assessments import usable_endpoints
from benchmarks.services.conversing import carry_out
from benchmarks.services.live import STOPPED, end_live
from benchmarks.services.pictures import Picture
from generation.backends.exceptions import CancelledError, StoppedError
from generation.models import TextCall, TextEndpoint
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker

# How often the clock and the commands are looked at, in seconds.
LOOK_S = 0.1
# A worker leaves a recording that nobody plays for so long; one that is played longer is handed
# over, as a worker may take an hour.
REST_S, LONGEST_S = 60.0, 3300.0
# How often freed memory is given back, in seconds: pictures and requests leave gaps in it.
RELEASE_S = 60.0


class HandOverError(Exception):
    """Another worker has to go on, as this one may not take longer."""


class RestError(Exception):
    """Nobody plays the recording: until somebody does, the worker has other things to do."""


@dataclass(frozen=True, slots=True)
class Wall:
    """The time outside, which a test lets stand still."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


WALL = Wall()


def watch_live(*, job_ids: Sequence[int], wall: Wall = WALL) -> None:
    """Work on the live runs behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=lambda claim: _work(claim, wall))


def _work(claim: Claim, wall: Wall) -> None:
    rows = LiveRun.objects.select_related("item_set", "endpoint", "owner", "job")
    run = rows.get(job_id=claim.job_id)
    try:
        _watch(claim, wall, run)
    except (CancelledError, LostClaimError) as error:
        if not Job.objects.filter(pk=claim.job_id, status=JobStatus.CANCELLED).exists():
            raise LostClaimError(str(error)) from error
        # Who stops a run leaves it to its worker to end it, whatever that was about to do.
        _end(claim, run, STOPPED)


def _watch(claim: Claim, wall: Wall, run: LiveRun) -> None:
    reason = ""
    try:
        with beating(claim) as is_lost:
            _Watch.of(claim, is_lost, run, wall).go_on()
    except HandOverError:
        with transaction.atomic():
            put_back(claim=claim, pause=timedelta(0), batch_size=1)
            LiveCommand.objects.create(run=run, kind=LiveCommandKind.PLAY)
        return
    except RestError:
        _rest(claim, run)
        return
    except CancelledError:
        raise
    except (StoppedError, VideoFileError) as error:
        reason = str(error)
    _end(claim, run, reason)


def _rest(claim: Claim, run: LiveRun) -> None:
    """Leave the run until the next command, or go on where one has come meanwhile."""
    run.figures = asdict(tally_of_run(run).figures(run.position_s))
    with transaction.atomic():
        run.save(update_fields=["figures"])
        # Who sends a command locks the job, too, so either of us sees what the other has done.
        Job.objects.select_for_update().filter(pk=claim.job_id).first()
        if LiveCommand.objects.filter(run=run, taken_at=None).exists():
            put_back(claim=claim, pause=timedelta(0), batch_size=1)
        else:
            wait_for_person(claim=claim)


def _end(claim: Claim, run: LiveRun, reason: str) -> None:
    run.figures = asdict(tally_of_run(run).figures(run.position_s))
    with transaction.atomic():
        if reason and reason != STOPPED:
            fail_job(claim=claim, error=f"It was stopped: {reason}")
        elif not reason:
            finish_job(claim=claim, result={})
        end_live(run, reason)


@dataclass(slots=True)
class _Watch:
    """One run in a worker: its clock, and what is carried from decision to decision."""

    claim: Claim
    is_lost: Event
    run: LiveRun
    wall: Wall
    task: engine.Task
    items: list[Item]
    moments_s: tuple[float, ...]
    clock: LiveClock
    askers: dict[str, TextAsker] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    tally: LiveTally = field(default_factory=LiveTally)
    next_place: int = 0
    number: int = 0
    # Those of the last decision by their time: most clips are shown again at the next one.
    pictures: dict[float, Picture] = field(default_factory=dict)

    @classmethod
    def of(cls, claim: Claim, is_lost: Event, run: LiveRun, wall: Wall) -> "_Watch":
        """A watch that goes on after the last decision of the run, if there is one."""
        order = run.item_set.items.filter(recording=run.recording).order_by("sequence_position")
        items = list(order.defer("truth", "groups").select_related("video__dataset"))
        stride_s = run.settings["stride_s"]
        moments = tuple(item.moment_s or 0.0 for item in items)
        if stride_s:
            count = round(1000 * run.length_s) // round(1000 * stride_s) + 1
            moments = tuple(round(stride_s * place, 3) for place in range(count))
        watch = cls(
            claim, is_lost, run, wall, task_of(run.item_set), items, moments,
            LiveClock(run.length_s),
        )  # fmt: skip
        watch.askers = watch._askers()
        last = run.events.order_by("number").last()
        if last is not None:
            watch.number = last.number
            watch.state, watch.tally = run.state, tally_of_run(run)
            watch.next_place = sum(moment <= last.time_s for moment in moments)
            # Of a run that was paused the later one is where.
            watch.clock = watch.clock.moved(max(last.time_s, run.position_s))
        return watch

    def _askers(self) -> dict[str, TextAsker]:
        run, settings = self.run, self.run.settings
        ids = {"": run.endpoint.public_id if run.endpoint else "", **settings.get("roles", {})}
        rows = {
            one.public_id: one for one in TextEndpoint.objects.filter(public_id__in=ids.values())
        }
        if gone := [role or "watcher" for role, public_id in ids.items() if public_id not in rows]:
            raise StoppedError(f"the text model of its {', '.join(gone)} was deleted")
        budget = settings.get("budget_usd")
        payer = Payer(
            key=run.payer_key,
            name="a live run",
            budget=None if budget is None else Decimal(str(budget)),
            check=self.check,
            hang_up=self.check,
            may_ask=lambda one: usable_endpoints(run.owner).filter(pk=one.pk).exists(),
        )
        for one in rows.values():
            one.image_detail = settings["picture_detail"]
        return {role: TextAsker(rows[public_id], payer) for role, public_id in ids.items()}

    def check(self) -> None:
        if self.is_lost.is_set():
            raise CancelledError("the run was stopped, or another worker has it")

    def go_on(self) -> None:
        """Ask whenever a moment is due, until the recording is over or somebody else goes on."""
        began_s = last_wish_s = released_s = self.wall.now()
        self._note_clock()
        while True:
            self.check()
            is_wished = self._take_commands()
            now_s = self.wall.now()
            if now_s - released_s >= RELEASE_S:
                release_memory()
                released_s = now_s
            if is_wished or self.clock.playing_since is not None:
                last_wish_s = now_s
            position_s = self.clock.at(now_s)
            due = None
            if self.clock.playing_since is not None:
                due = due_moment(self.moments_s, self.next_place, position_s)
            if due is not None:
                if due.skipped_count:
                    self._store(LiveEventKind.SKIPPED, self.moments_s[due.place], {
                        "count": due.skipped_count,
                    })  # fmt: skip
                self._decide_at(due.place)
            elif self.clock.playing_since is not None and position_s >= self.run.length_s:
                self.clock = self.clock.paused(now_s)
                self._note_clock()
                return
            else:
                self.wall.sleep(LOOK_S)
            is_left = now_s - last_wish_s > REST_S
            if is_left or now_s - began_s > LONGEST_S or is_stopping():
                is_playing = self.clock.playing_since is not None
                self.clock = self.clock.paused(now_s)
                self._note_clock()
                if is_playing:
                    raise HandOverError
                refuse_if_stopping()
                raise RestError

    def _take_commands(self) -> bool:
        """Do what the person wants since it was looked at last; whether that was anything."""
        command = None
        for command in LiveCommand.objects.filter(run=self.run, taken_at=None).order_by("pk"):
            now_s = self.wall.now()
            if command.kind == LiveCommandKind.PLAY:
                self.clock = self.clock.playing(now_s)
            elif command.kind == LiveCommandKind.PAUSE:
                self.clock = self.clock.paused(now_s)
            elif command.kind == LiveCommandKind.ASK:
                self._decide(round(self.clock.at(now_s), 3), command.text)
            elif command.kind == LiveCommandKind.STEP and self.next_place < len(self.moments_s):
                self.clock = self.clock.moved(self.moments_s[self.next_place])
                self._note_clock()
                self._decide_at(self.next_place)
            self._note_clock()
            LiveCommand.objects.filter(pk=command.pk).update(taken_at=timezone.now())
        return command is not None

    def _note_clock(self) -> None:
        """Tell the page where the recording is."""
        self.run.position_s = self.clock.at(self.wall.now())
        is_playing = self.clock.playing_since is not None
        self.run.playing_since = timezone.now() if is_playing else None
        self.run.save(update_fields=["position_s", "playing_since"])

    def _decide_at(self, place: int) -> None:
        self.next_place = place + 1
        self._decide(self.moments_s[place])

    def _decide(self, now_s: float, asks: str = "") -> None:
        """Ask at a moment, or what the person asks; the clock goes on meanwhile."""
        until_s = next((one for one in self.moments_s if one > now_s), None)
        told = {"asks": asks, **({} if until_s is None else {"until_s": until_s})}
        item, shown = self._item_at(now_s, told)
        talk = self.task.converse(shown, self.state, self.run.item_set.settings)
        began_s, requests, usd = self.wall.now(), [], Decimal(0)
        is_playing = self.clock.playing_since is not None
        try:
            request = next(talk)
            while True:
                self.check()
                asker = self.askers[request.role]
                settings, known = self.run.settings, self.pictures
                reply, saw = carry_out(request, asker, self.task, settings, item, known=known)
                call = TextCall.objects.filter(pk__in=[reply.call_id]).first()
                usd += (call.price if call else None) or Decimal(0)
                seen = [picture["time_s"] for picture in saw["pictures"]]
                sent = {"role": request.role, "call": reply.call_id, **saw, "pictures": seen}
                requests.append(sent)
                took_s = self.wall.now() - began_s
                arrived_s = round(now_s + took_s, 3) if is_playing else now_s
                text = reply.text if reply.is_readable else None
                request = talk.send(engine.Response(text, reply.reason, arrived_s))
        except StopIteration as end:
            conversed: engine.Conversed = end.value
        seen_s = {time_s for one in requests for time_s in one["pictures"]}
        self.pictures = {time_s: self.pictures[time_s] for time_s in seen_s}
        self.state = conversed.state
        shown_event = {
            **(conversed.value or {"answer": ""}),
            "reason": conversed.reason,
            "asks": asks,
            "plan": self.state.get("plan"),
            "seconds": round(self.wall.now() - began_s, 3),
            "usd": float(usd),
        }
        self._store(LiveEventKind.DECIDED, now_s, shown_event, requests)

    def _item_at(self, now_s: float, told: Mapping[str, Any]) -> tuple[Item, engine.Item]:
        """What is asked about at a moment: the latest point that has come, as of now."""
        before = [item for item in self.items if (item.moment_s or 0.0) <= now_s]
        row = (before or self.items)[-1 if before else 0]
        item = Item(key=row.key, video=row.video, start_s=0.0, moment_s=now_s)
        shown = replace(
            engine_item(row, with_truth=False),
            payload={**row.payload, "now_s": now_s},
            moment_s=now_s,
            stretches=(),
            told=told,
        )
        return item, shown

    def _store(
        self,
        kind: LiveEventKind,
        time_s: float,
        shown: Mapping[str, Any],
        requests: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.number += 1
        self.tally.add(time_s, shown)
        self.run.state = dict(self.state)
        self.run.figures = asdict(self.tally.figures(self.clock.at(self.wall.now())))
        # Together: who goes on after a worker that died finds both, or neither.
        with transaction.atomic():
            LiveEvent.objects.create(
                run=self.run,
                number=self.number,
                kind=kind,
                time_s=time_s,
                shown=dict(shown),
                requests=list(requests),
            )
            self.run.save(update_fields=["state", "figures"])
