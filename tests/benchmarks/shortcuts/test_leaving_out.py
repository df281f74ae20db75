"""What is left out brings guessers that beat chance down to it, and no further."""

from collections import Counter

import numpy as np
import pytest

from benchmarks.engine.registry import tasks
from benchmarks.engine.shortcuts.audit import GUESSERS, Audit, Guesser, audit
from benchmarks.engine.shortcuts.leaving_out import (
    Choice,
    choices_of,
    counts_of_choices,
    places_to_leave_out,
)
from tests.benchmarks.shortcuts.planted_leaks import honest_items, planted_items

TASK = tasks()["step_mistakes"]
SEEDS = range(3)
BALANCE = Choice(None)


def audited(truth, *guesses):
    """An audit of guessers that all beat chance."""
    guessers = tuple(
        Guesser(f"g{n}", f"G {n}", 0.9, beats_chance=True) for n in range(len(guesses))
    )
    return Audit(guessers, (0,) * len(truth), tuple(truth), tuple(map(tuple, guesses)))


def leaking():
    """100 yes, of which 80 are said to be, and 200 no, of which 10 are said to be yes."""
    truth = ["yes"] * 100 + ["no"] * 200
    guesses = ["yes"] * 80 + ["no"] * 20 + ["yes"] * 10 + ["no"] * 190
    return truth, guesses


def left_of(found, choice):
    gone = set(places_to_leave_out(found, choice, 0))
    rows = zip(found.truth, found.guesses[0], strict=True)
    return Counter(row for place, row in enumerate(rows) if place not in gone)


def test_guessed_items_go_until_each_answer_is_guessed_by_chance():
    found = audited(*leaking())

    assert left_of(found, Choice(1)) == {
        ("yes", "yes"): 20, ("yes", "no"): 20, ("no", "yes"): 10, ("no", "no"): 10,
    }  # fmt: skip


def test_balance_keeps_the_shares_of_the_answers():
    found = audited(*leaking())

    # A third of what is guessed either way is yes, as in the whole set.
    assert left_of(found, BALANCE) == {
        ("yes", "yes"): 5, ("yes", "no"): 20, ("no", "yes"): 10, ("no", "no"): 40,
    }  # fmt: skip


def test_what_all_guessers_guess_goes_before_what_one_guesses():
    truth = ["yes"] * 40 + ["no"] * 40
    # The second is right about half of what the first is right about, and else by chance.
    first = ["yes"] * 40 + ["no"] * 40
    second = (["yes"] * 30 + ["no"] * 10) + (["no"] * 30 + ["yes"] * 10)

    both = set(places_to_leave_out(audited(truth, first, second), Choice(2), 0))
    one = set(places_to_leave_out(audited(truth, first, second), Choice(1), 0))

    assert both == {*range(30), *range(40, 70)}
    assert both < one


@pytest.mark.parametrize("kind", GUESSERS)
def test_planted_leak_goes_to_chance(kind):
    for seed in SEEDS:
        items = planted_items(kind, np.random.default_rng(seed))
        before = audit(TASK, items, seed)
        leaks = [guesser.name for guesser in before.guessers if guesser.beats_chance]
        assert kind in leaks

        for choice in (Choice(1), BALANCE):
            gone = set(places_to_leave_out(before, choice, seed))
            left = [item for place, item in enumerate(items) if place not in gone]
            after = {one.name: one for one in audit(TASK, left, seed).guessers}
            assert not any(one.beats_chance for one in after.values()), (seed, choice)
            figure, chance = after[kind].figure, after[kind].chance
            assert figure is None or abs(figure - chance) < 0.3
            assert len(left) > 40
            # Only what a guesser that beats chance was right about.
            guessed = [
                own for one, own in zip(before.guessers, before.guesses, strict=True)
                if one.beats_chance
            ]  # fmt: skip
            for place in gone:
                assert before.truth[place] in {own[place] for own in guessed}


def test_honest_set_loses_nothing():
    for seed in SEEDS:
        found = audit(TASK, honest_items(np.random.default_rng(seed)), seed)

        assert counts_of_choices(found, seed) == []
        assert places_to_leave_out(found, Choice(1), seed) == []
        assert places_to_leave_out(found, BALANCE, seed) == []


def test_counts_are_those_of_what_goes_and_come_from_the_seed():
    found = audited(*leaking())

    assert counts_of_choices(found, 0) == [(Choice(1), 240), (BALANCE, 225)]
    assert choices_of(2, are_recordings=False) == [Choice(2), Choice(1), BALANCE]
    assert choices_of(2, are_recordings=True) == [BALANCE]
    one, again, other = (places_to_leave_out(found, Choice(1), seed) for seed in (0, 0, 1))
    assert one == again != other
    assert len(other) == len(one)


def test_of_what_tells_everything_nothing_is_left():
    truth, _ = leaking()

    # The last of an answer goes only by balancing: without it nothing can be guessed.
    assert counts_of_choices(audited(truth, truth), 0) == [(Choice(1), 299), (BALANCE, 300)]


def test_whole_recordings_go_until_guesses_are_right_by_chance():
    # Two of ten recordings tell all of their answers, the others half of them.
    recordings = [f"r{place}" for place in range(10) for _ in range(8)]
    truth = (["yes"] * 4 + ["no"] * 4) * 10
    by_chance = (["yes", "no"] * 4) * 8
    found = audited(truth, truth[:16] + by_chance)

    gone = places_to_leave_out(found, BALANCE, 0, recordings=recordings)

    assert gone == list(range(16))
    assert counts_of_choices(found, 0, recordings) == [(BALANCE, 16)]


def test_recordings_that_all_tell_as_much_leave_nothing():
    recordings = [f"r{place}" for place in range(10) for _ in range(8)]
    truth = (["yes"] * 4 + ["no"] * 4) * 10
    found = audited(truth, truth)

    assert counts_of_choices(found, 0, recordings) == [(BALANCE, 80)]


def test_recording_with_the_last_of_an_answer_stays():
    recordings = [f"r{place}" for place in range(4) for _ in range(6)]
    truth = ["yes", *["no"] * 23]
    # The only yes is told, and a third of no; without it nothing would be asked.
    guesses = ["yes", *(["no", "yes", "yes"] * 8)[1:]]
    found = audited(truth, guesses)

    gone = places_to_leave_out(found, BALANCE, 0, recordings=recordings)

    assert gone == list(range(24)) or 0 not in gone


def test_part_of_a_set_loses_what_guessers_of_the_whole_guess():
    found = audited(*leaking())
    quiet = Audit(
        tuple(Guesser(one.name, one.title, one.figure) for one in found.guessers),
        found.guessed, found.truth, found.guesses,
    )  # fmt: skip

    assert places_to_leave_out(quiet, Choice(1), 0) == []
    assert len(places_to_leave_out(quiet, Choice(1), 0, leaks=["g0"])) == 240
