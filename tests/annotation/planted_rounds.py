"""A round in the database whose raters answered as `bench.planted_raters` makes them up."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np

from annotation.engine.rubric.rubric import Scope
from annotation.models import Assignment, Rating, RatingEvent, Round, RoundRater
from annotation.services.ratings.counts import note_changes, recount_work
from bench.planted_raters import Kind, made_up_audit
from tests.factories import (
    CampaignFactory,
    CampaignRaterFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
    UserFactory,
)

BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)


def planted_round(
    kinds: list[Kind], *, owner=None, seed: int = 0, traces: int = 30, events: int = 4
) -> Round:
    """A closed pilot round over one data set; its raters are called a, b, c, ... as kinds stand."""
    audit = made_up_audit(
        kinds, rng=np.random.default_rng(seed), traces=traces, events=events, has_checks=False
    )
    dataset = DatasetFactory()
    made_traces = [TraceFactory(dataset=dataset) for _ in range(traces)]
    made_events = [
        EventFactory(trace=trace, index=index) for trace in made_traces for index in range(events)
    ]
    campaign = CampaignFactory(owner=owner, overlap=3, phase="pilot", closed_at=BEGAN)
    campaign.datasets.add(dataset)
    made = campaign.rounds.get()
    made.ratings.traces.set(made_traces)
    people = [UserFactory(username=chr(ord("a") + place)) for place in range(len(kinds))]
    for person in people:
        CampaignRaterFactory(campaign=campaign, rater=person)
        RoundRater.objects.get_or_create(round=made, rater=person)
    given = {
        (int(rater), int(trace))
        for item in audit.answers
        for rater, trace in zip(item.raters, item.traces, strict=True)
    }
    held = {
        (rater, trace): Assignment.objects.create(
            round=made, rater=people[rater], trace=made_traces[trace], position=trace
        )
        for rater, trace in sorted(given)
    }
    rows = [
        {
            "assignment": held[int(rater), int(trace)],
            "event": made_events[int(unit)] if item.definition.scope is Scope.EVENT else None,
            "metric": item.metric.value,
            "value": item.definition.values[int(value)],
            "is_implied": bool(is_implied),
            "revision": 1,
            "client_id": "tab",
            "rated_at": BEGAN + timedelta(seconds=float(moment)),
        }
        for item in audit.answers
        for rater, unit, trace, value, moment, is_implied in zip(
            item.raters, item.units, item.traces, item.values, item.moments, item.is_implied,
            strict=True,
        )
    ]  # fmt: skip
    Rating.objects.bulk_create([Rating(**row, guideline=made.guideline) for row in rows])
    RatingEvent.objects.bulk_create(
        [
            RatingEvent(**row, client_sequence=number, guideline=made.guideline)
            for number, row in enumerate(rows)
        ]
    )
    note_changes(Counter(row["assignment"].pk for row in rows))
    recount_work({row["assignment"].pk for row in rows})
    return made
