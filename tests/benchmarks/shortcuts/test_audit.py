"""The shortcut audit finds a planted leak of each kind, and accuses no items without one."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.engine.happenings import OWN_WORDS, WRITTEN_WORDS
from benchmarks.engine.registry import tasks
from benchmarks.engine.shortcuts.audit import GUESSERS, audit
from tests.benchmarks.shortcuts.planted_leaks import honest_choices, honest_items, planted_items
from tests.benchmarks.tasks.material import defaults, published_material, sample_material

OF_DATASETS = [task for task in tasks().values() if task.source == "dataset"]
TASK = tasks()["step_mistakes"]
SEEDS = range(20)


@pytest.mark.parametrize("kind", GUESSERS)
def test_planted_leak_is_found_by_the_guesser_of_its_kind(kind):
    for seed in SEEDS:
        found = audit(TASK, planted_items(kind, np.random.default_rng(seed)), seed)

        guesser = {one.name: one for one in found.guessers}[kind]
        assert guesser.beats_chance, seed
        assert (guesser.figure or 0.0) > (guesser.chance or 0.0) + 0.1


@pytest.mark.parametrize("made", [honest_items, honest_choices])
def test_items_without_a_leak_are_not_accused(made):
    accused = {
        (seed, guesser.name): guesser
        for seed in SEEDS
        for guesser in audit(TASK, made(np.random.default_rng(seed)), seed).guessers
        if guesser.beats_chance
    }

    assert accused == {}


def test_each_item_has_the_number_of_guessers_that_were_right():
    items = planted_items("words", np.random.default_rng(0))

    found = audit(TASK, items)

    assert found == audit(TASK, items)
    assert len(found.guessed) == len(items)
    # Choices are the same for all items, so nothing can be guessed by them.
    assert found.guesser_count == len(GUESSERS) - 1
    assert max(found.guessed) <= found.guesser_count
    mistakes: dict[bool, list[int]] = {True: [], False: []}
    for item, count in zip(items, found.guessed, strict=True):
        if item.truth["answer"] == "yes":
            mistakes["instead" in item.question].append(count)
    assert np.mean(mistakes[True]) > np.mean(mistakes[False]) + 0.9


def test_hash_is_of_the_figures_and_the_scores():
    items = honest_items(np.random.default_rng(0))
    first, again = audit(TASK, items), audit(TASK, items)

    assert first.content_hash == again.content_hash
    assert replace(first, guessed=(0, *first.guessed[1:])).content_hash != first.content_hash
    assert json.loads(json.dumps(first.to_dict())) == first.to_dict()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (lambda item: replace(item, truth={"answer": "no"}), "all items have the same answer"),
        (lambda item: replace(item, recording="r1"), "fewer than 10 recordings"),
        (
            lambda item: replace(item, truth={"answer": "yes" if item.recording == "r1" else "no"}),
            "an answer that fewer than 5 recordings have",
        ),
    ],
)
def test_what_cannot_be_audited_says_why(changed, reason):
    items = [changed(item) for item in honest_items(np.random.default_rng(0))]

    found = audit(TASK, items)

    assert {guesser.reason for guesser in found.guessers} == {reason}
    assert found.guesser_count == 0
    assert set(found.guessed) == {0}


@pytest.mark.parametrize("task", OF_DATASETS, ids=lambda task: task.name)
def test_items_of_every_task_can_be_audited(task):
    items = list(task.items(sample_material(), defaults(task), 0))

    found = audit(task, items)

    assert len(found.guessed) == len(items)
    for guesser in found.guessers:
        assert (guesser.figure is None) == bool(guesser.reason)


@pytest.mark.shared_data
@pytest.mark.parametrize(("shown", "is_found"), [(WRITTEN_WORDS, False), (OWN_WORDS, True)])
def test_words_of_published_annotations_are_found_and_those_of_the_procedure_tell_nothing(
    shared_data, shown, is_found
):
    material = published_material(shared_data, "egooops")
    items = list(TASK.items(material, {**defaults(TASK), "shown": shown}, 0))

    words = audit(TASK, items).guessers[0]

    assert words.beats_chance == is_found
    assert ((words.figure or 0.0) > 0.85) == is_found


def test_intervals_that_cannot_be_are_not_cut_but_named():
    """A guesser that is nearly always right has an interval that would go beyond 1."""
    rng = np.random.default_rng(0)
    items = [
        replace(item, payload={**item.payload, "remark": None})
        if (item.truth["answer"] == "yes") != (rng.random() < 0.004)
        else item
        for item in honest_items(rng)
    ]

    shape = {one.name: one for one in audit(TASK, items).guessers}["shape"]

    assert 0.95 < (shape.figure or 0.0) < 1
    assert (shape.low, shape.high) == (None, None)
    assert "beyond what the figure can be" in shape.why_no_interval
    assert shape.beats_chance


def test_intervals_of_guessers_hold_their_figure_or_say_why_there_is_none():
    for seed in SEEDS:
        for kind in ("words", "shape", "options"):
            for guesser in audit(TASK, planted_items(kind, np.random.default_rng(seed))).guessers:
                if guesser.low is None or guesser.high is None:
                    assert guesser.why_no_interval or guesser.reason
                else:
                    assert 0 <= guesser.low < (guesser.figure or 0.0) < guesser.high <= 1


def test_audit_tells_how_many_guesses_are_done_and_stops_between_guessers():
    items = honest_items(np.random.default_rng(0))
    told = []
    audit(TASK, items, 0, lambda *counts: told.append(counts))
    whole = len(items) * len(GUESSERS)

    assert told == [(place * len(items), whole) for place in range(len(GUESSERS) + 1)]

    class StoppedError(Exception):
        pass

    def stop(done_count, total_count):
        if done_count == 2 * len(items):
            raise StoppedError

    with pytest.raises(StoppedError):
        audit(TASK, items, 0, stop)
