"""What the browser computes for itself must be what the server computes: rules and clocks."""

from datetime import UTC, datetime

import numpy as np
import pytest
from playwright.sync_api import Page

from annotation.engine.rating_changes import (
    Answer,
    RatingChange,
    RatingKey,
    RatingState,
    apply_change,
)
from annotation.engine.rubric import Metric, Scope, applicable_metrics, current_rubric
from annotation.engine.timeline import Match, clock, matching_time

pytestmark = pytest.mark.e2e

SEED = 7
SEQUENCE_COUNT = 60
CHANGES_PER_SEQUENCE = 12

TYPE_ALL = """async ([rubric, sequences]) => {
  const { RatingBook } = await import("/static/annotation/js/ratings.js");
  return sequences.map((changes) => {
    const book = new RatingBook({ rubric, events: [{ index: 0 }], ratings: [], has_video: true });
    for (const [metric, value] of changes) book.type(0, metric, value, null);
    return rubric.metrics.map(({ name }) => {
      const { value, is_implied } = book.get(0, name);
      return [name, value ?? "", is_implied];
    });
  });
}"""
MATCH_ALL = """async ([points, times]) => {
  const { matchingTime } = await import("/static/annotation/js/player.js");
  return times.map((time) => matchingTime(points, time));
}"""


def drawn_changes(rng: np.random.Generator) -> list[tuple[str, str]]:
    """Return answers to the metrics of one event; those with rules come up most."""
    edition = current_rubric()
    ruled = [Metric.PROCEDURE_LOGIC, Metric.SEQUENCE_CONSISTENCY, Metric.STATE_CHANGE_COHERENCE]
    metrics = [*applicable_metrics(Scope.EVENT, has_video=True), *ruled * 3]
    changes = []
    for _ in range(CHANGES_PER_SEQUENCE):
        metric = metrics[rng.integers(len(metrics))]
        values = edition.definition(metric).values
        changes.append((metric.value, str(values[rng.integers(len(values))])))
    return changes


def fold(changes: list[tuple[str, str]]) -> list[list[object]]:
    """Return what the server's rules make of the changes: [metric, value, is implied]."""
    edition = current_rubric()
    states: dict[RatingKey, RatingState] = {}
    typed: dict[RatingKey, Answer] = {}
    for sequence, (metric, value) in enumerate(changes, start=1):
        key = RatingKey(0, Metric(metric))
        change = RatingChange(
            sequence=sequence,
            key=key,
            answer=Answer(value),
            base_revision=0,
            rated_at=datetime.now(tz=UTC),
        )
        altered = apply_change(
            change,
            client_id="tab",
            states=states,
            last_typed=lambda key: typed.get(key, Answer()),
            edition=edition,
        )
        states.update(altered)
        typed.update({key: state.answer for key, state in altered.items() if not state.is_implied})
    return [
        [item.metric.value, state.answer.value, state.is_implied]
        if (state := states.get(RatingKey(0, item.metric)))
        else [item.metric.value, "", False]
        for item in edition.metrics
    ]


def test_the_browser_applies_the_skip_rules_as_the_server_does(page: Page, live_server):
    rng = np.random.default_rng(SEED)
    sequences = [drawn_changes(rng) for _ in range(SEQUENCE_COUNT)]
    page.goto(live_server.url + "/login/")

    shown = page.evaluate(TYPE_ALL, [current_rubric().to_dict(), sequences])

    assert shown == [fold(changes) for changes in sequences]


def test_the_browser_matches_times_as_the_server_does(page: Page, live_server):
    rng = np.random.default_rng(SEED)
    spans = np.sort(rng.uniform(0, 300, (12, 2, 2)), axis=2)
    points = clock(Match(*reference, *trace) for reference, trace in spans.tolist())
    times = rng.uniform(0, 320, 200).tolist()
    page.goto(live_server.url + "/login/")

    found = page.evaluate(MATCH_ALL, [[list(point) for point in points], times])

    assert found == pytest.approx([matching_time(points, time) for time in times])
