"""Read live runs: who may see which, their events by number, and how fast they were."""

from dataclasses import asdict
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.models import User
from benchmarks.engine.guiding.live_clock import LiveTally
from benchmarks.models import LiveEvent, LiveRun
from benchmarks.selectors.item_sets import may_see_truth, visible_item_sets
from generation.models import TextCall

# So many events at once: more come with the next request.
MOST_EVENTS = 200


def get_live_run_for_user(user: User, public_id: str) -> LiveRun:
    """A run that the user started, of a set whose truth they may see; raises Http404.

    Administrators see all.
    """
    rows = LiveRun.objects.select_related("item_set", "owner", "endpoint", "job")
    if not user.is_administrator:
        rows = rows.filter(owner=user, item_set__in=visible_item_sets(user))
    run = get_object_or_404(rows, public_id=public_id)
    if not may_see_truth(user, run.item_set):
        raise Http404
    return run


def standing_of(run: LiveRun, after: int) -> dict[str, Any]:
    """Where a run is, with its events from number `after` + 1 on (one query, three at its end)."""
    position_s = run.position_s
    if run.playing_since is not None:
        position_s += (timezone.now() - run.playing_since).total_seconds()
    rows = run.events.filter(number__gt=after).order_by("number")[:MOST_EVENTS]
    is_over = run.ended_at is not None
    return {
        "position_s": min(position_s, run.length_s),
        "is_playing": run.playing_since is not None,
        "is_over": is_over,
        "events": [
            {"number": row.number, "kind": row.kind, "time_s": row.time_s, **row.shown}
            for row in rows
        ],
        "figures": run.figures or asdict(LiveTally().figures(position_s)),
        "right": right_words(run) if is_over else [],
    }


def right_words(run: LiveRun) -> list[dict[str, Any]]:
    """What was right to say, by time: only for after the end."""
    rows = run.item_set.items.filter(recording=run.recording).order_by("sequence_position")
    return [
        {"time_s": moment_s, "text": truth.get("text", "")}
        for moment_s, truth in rows.values_list("moment_s", "truth")
        if truth.get("answer") == "interrupt"
    ]


def tally_of_run(run: LiveRun) -> LiveTally:
    """What has happened in a run so far (one query)."""
    tally = LiveTally()
    for time_s, shown in run.events.values_list("time_s", "shown"):
        tally.add(time_s, shown)
    return tally


def asked_at(run: LiveRun, number: int) -> list[dict[str, Any]]:
    """What each role was asked and said at an event, word for word; raises Http404."""
    event = get_object_or_404(LiveEvent, run=run, number=number)
    calls = TextCall.objects.in_bulk([one["call"] for one in event.requests if one["call"]])
    asked = []
    for place, one in enumerate(event.requests):
        call = calls.get(one["call"])
        asked.append({
            "role": one["role"] or "watcher",
            "place": place,
            "times": one["pictures"],
            "system": call.system if call else "",
            "prompt": call.prompt if call else "",
            "raw": call.text if call else "",
            "seconds": call.seconds if call else None,
        })  # fmt: skip
    return asked
