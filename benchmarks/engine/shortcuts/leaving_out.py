"""Which items of a set to leave out, so that guessers that beat chance no longer do.

To leave out every item that is guessed would leave those that are guessed wrongly, and a guesser
that says the opposite would be right about all of them. So as many go as bring each guesser down to
chance, drawn at random among what it guesses. Where items are asked in order, a moment that is not
asked would change what is right at the next, so whole recordings go there. Letters: N items, G
guessers that beat chance, K answers, R recordings.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.shortcuts.audit import Audit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
# Of an advantage, which is a difference of shares.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Choice:
    """What to leave out: what at least so many guessers guess, or with None what balances them."""

    at_least: int | None

    def to_dict(self) -> dict[str, Any]:
        return {"at_least": self.at_least}


def leaks_of(audit: Audit) -> list[str]:
    """The names of the guessers that beat chance."""
    return [guesser.name for guesser in audit.guessers if guesser.beats_chance]


def choices_of(leak_count: int, *, are_recordings: bool) -> list[Choice]:
    """All choices where so many guessers beat chance, from the one that asks most agreement."""
    counts = () if are_recordings else range(leak_count, 0, -1)
    return [*map(Choice, counts), Choice(None)]


def places_to_leave_out(
    audit: Audit,
    choice: Choice,
    seed: int,
    *,
    leaks: Collection[str] | None = None,
    recordings: Sequence[str] = (),
) -> list[int]:
    """The places of the items that go, rising; [] where no guesser beats chance.

    `leaks` are the names of guessers that beat chance where the audit is of a part of a larger set;
    `recordings`, (N,), are given where whole ones go. The same arguments give the same places.
    """
    leaks = leaks_of(audit) if leaks is None else leaks
    own_guesses = zip(audit.guessers, audit.guesses, strict=False)
    guesses = [own for guesser, own in own_guesses if own and guesser.name in leaks]
    if not guesses:
        return []
    table = _Leaks(np.array(audit.truth), np.array(guesses))
    rng = np.random.default_rng([seed, 3])
    if recordings:
        kept = _without_recordings(table, np.array(recordings), rng)
    elif choice.at_least is None:
        kept = _balanced(table, rng)
    else:
        kept = _without_guessed(table, choice.at_least, rng)
    return np.flatnonzero(~kept).tolist()


class _Leaks:
    """The guesses of guessers that beat chance: `is_right` is (G, N), `answer` (N,) from 0."""

    def __init__(self, truth: npt.NDArray[Any], guesses: npt.NDArray[Any]) -> None:
        self.answers, self.answer = np.unique(truth, return_inverse=True)
        self.guesses = guesses
        self.is_right = guesses == truth

    def counts(self, kept: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Right items of each guesser by answer, (G, K), and items by answer, (K,)."""
        width = len(self.answers)
        right = [np.bincount(self.answer[kept & own], minlength=width) for own in self.is_right]
        return np.array(right), np.bincount(self.answer[kept], minlength=width)

    def advantages(self, kept: npt.NDArray[np.bool_]) -> Floats:
        """The mean recall of each guesser above chance, (G,)."""
        right, count = self.counts(kept)
        return _advantages(right, count)


def _advantages(right: Ints, count: Ints) -> Floats:
    """From right items (…, G, K) and items (…, K): the mean recall above chance, (…, G)."""
    recalls = ratio(right, np.broadcast_to(count[..., None, :], right.shape), 0.0)
    above: Floats = recalls.mean(axis=-1) - 1 / count.shape[-1]
    return above


def _without_guessed(
    leaks: _Leaks, at_least: int, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """What is kept, (N,), without items that at least so many guess, until none has an advantage.

    Items that most guess go first. One goes while those that guess it have, together, an advantage,
    over all answers and in its own, so answers that are guessed more often lose more.
    """
    kept = np.ones(len(leaks.answer), dtype=np.bool_)
    votes = leaks.is_right.sum(axis=0)
    order = rng.permutation(len(votes))
    order = order[np.argsort(-votes[order], kind="stable")]
    right, count = leaks.counts(kept)
    chance = 1 / len(count)
    for place in order[votes[order] >= at_least].tolist():
        answer, own = leaks.answer[place], leaks.is_right[:, place]
        above_in_answer = right[own, answer].sum() - chance * count[answer] * own.sum()
        if above_in_answer <= 0 or _advantages(right[own], count).sum() <= ROUNDING:
            continue
        kept[place] = False
        right[own, answer] -= 1
        count[answer] -= 1
    return kept


def _balanced(leaks: _Leaks, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """What is kept, (N,), once answers are as frequent in what is guessed alike as in the set.

    Of items for which a guesser says an answer, those that have this answer go until their share is
    that in the whole set: the guess then tells nothing, and answers stay about as frequent.
    """
    kept = np.ones(len(leaks.answer), dtype=np.bool_)
    shares = np.bincount(leaks.answer) / len(leaks.answer)
    order = rng.permutation(len(kept))
    # Each round takes what is left of the largest advantage, so there are never many.
    while (above := leaks.advantages(kept)).max() > ROUNDING:
        worst, before = int(above.argmax()), kept.sum()
        for answer, share in enumerate(shares):
            same = kept & (leaks.guesses[worst] == leaks.answers[answer])
            right = same & leaks.is_right[worst]
            most = share / (1 - share) * (same.sum() - right.sum())
            doomed = order[right[order]][int(np.floor(most + ROUNDING)) :]
            kept[doomed] = False
        if kept.sum() == before:
            break
    return kept


def _without_recordings(
    leaks: _Leaks, recordings: npt.NDArray[Any], rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """What is kept, (N,), without whole recordings, until no guesser has an advantage.

    The next to go is the one that takes most of what advantages there are, for its items. One with
    the last items of an answer stays; where none helps any more, nothing is kept.
    """
    names, row = np.unique(recordings, return_inverse=True)
    counted = [leaks.counts(row == place) for place in range(len(names))]
    rights, counts = (np.array(part) for part in zip(*counted, strict=True))
    is_kept, order = np.ones(len(names), dtype=np.bool_), rng.permutation(len(names))
    while True:
        right, count = rights[is_kept].sum(axis=0), counts[is_kept].sum(axis=0)
        above = _advantages(right, count)
        if above.max() <= ROUNDING:
            break
        others = order[is_kept[order] & (count - counts[order] > 0).all(axis=1)]
        left = _advantages(right - rights[others], count - counts[others])
        taken = above.clip(0).sum() - left.clip(0).sum(axis=1)
        worth = taken / counts[others].sum(axis=1)
        if not (worth > 0).any():
            is_kept[:] = False
            break
        is_kept[others[worth.argmax()]] = False
    return is_kept[row]


def counts_of_choices(
    audit: Audit, seed: int, recordings: Sequence[str] = ()
) -> Sequence[tuple[Choice, int]]:
    """How many items would go by each choice; [] where no guesser beats chance."""
    leak_count = len(leaks_of(audit))
    choices = choices_of(leak_count, are_recordings=bool(recordings)) if leak_count else []
    return [
        (choice, len(places_to_leave_out(audit, choice, seed, recordings=recordings)))
        for choice in choices
    ]
