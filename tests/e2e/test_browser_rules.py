"""What the browser computes for itself: the rules as the server has them, and places in time."""

from datetime import UTC, datetime

import numpy as np
import pytest
from playwright.sync_api import Page

from annotation.engine.ratings.changes import (
    Answer,
    RatingChange,
    RatingKey,
    RatingState,
    apply_change,
)
from annotation.engine.rubric.rubric import Metric, Scope, applicable_metrics, current_rubric

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
PLAY_ALL = """async ([sections, times]) => {
  const { Timeline } = await import("/static/annotation/js/sections.js");
  const timeline = new Timeline(sections);
  return times.map((time) => {
    const { reference, trace } = timeline.at(time);
    return [reference.time, trace.time, reference.isWaiting, trace.isWaiting];
  });
}"""
FIND_ALL = """async ([sections, side, seconds]) => {
  const { Timeline } = await import("/static/annotation/js/sections.js");
  const timeline = new Timeline(sections);
  return seconds.map((second) => timeline.at(timeline.from(side, second))[side].time);
}"""
# Step 1 is slower in the trace, which then adds a step, and leaves out one.
SECTIONS = [
    {"kind": "step", "row": 0, "note": "", "reference": [0, 4], "trace": [0, 6]},
    {"kind": "trace_only", "row": 1, "note": "new", "reference": [4, 4], "trace": [6, 9]},
    {"kind": "reference_only", "row": 2, "note": "missing", "reference": [4, 7], "trace": [9, 9]},
    {"kind": "step", "row": 3, "note": "", "reference": [7, 10], "trace": [9, 11]},
]


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
            rubric_=edition,
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


def test_in_each_section_both_sides_play_or_one_waits(page: Page, live_server):
    page.goto(live_server.url + "/login/")

    found = page.evaluate(PLAY_ALL, [SECTIONS, [0, 2, 5, 7.5, 11, 12.5, 14.5, 99]])

    # (reference s, trace s, does the reference wait, does the trace wait)
    assert found == [
        [0, 0, False, False],
        [2, 2, False, False],
        [4, 5, True, False],
        [4, 7.5, True, False],
        [6, 9, False, True],
        [7.5, 9.5, False, False],
        [9.5, 11, False, True],
        [10, 11, False, True],
    ]


def test_every_second_of_a_side_is_found_in_the_sections(page: Page, live_server):
    page.goto(live_server.url + "/login/")
    rng = np.random.default_rng(SEED)
    seconds = {"reference": rng.uniform(0, 10, 50), "trace": rng.uniform(0, 11, 50)}

    for side, wanted in seconds.items():
        found = page.evaluate(FIND_ALL, [SECTIONS, side, wanted.tolist()])
        assert found == pytest.approx(wanted.tolist())
