"""The shortcut audit: guessers that see no picture, each trained on other recordings.

A guesser that beats chance says that the items tell something by its clue alone, and by how much.
Its figure is the mean recall over the answers, which is 1 / (their number) by chance however rare
one of them is. Letters: N items, G recordings, K answers.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler
from sklearn.tree import DecisionTreeClassifier

from annotation.analytics.agreement.intervals import NO_SPREAD, ROUNDING, why_not_shown
from annotation.analytics.agreement.resampling import jackknife
from benchmarks.engine.measures.counts import summed
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.shortcuts import clues
from benchmarks.engine.task import Item, Task
from benchmarks.engine.words import word_weights

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.str_]
# 2: an interval that would reach beyond 0 and 1 is not cut there, but not shown.
VERSION = 2
FOLDS = 5
# All intervals of an audit hold together with this probability, so few honest sets are accused.
CONFIDENCE = 0.99
# Guessers of two folds share most of what they were trained on, so the error of their figure is
# larger than that of independent ones by this factor: Nadeau and Bengio (2003), equation 9.
SHARED_TRAINING = (1 + FOLDS / (FOLDS - 1)) ** 0.5
# Fewer recordings, or fewer with an answer, are too few to train on some and guess the others.
LEAST_RECORDINGS = 10
LEAST_WITH_ANSWER = 5
TREE = {"max_depth": 4, "class_weight": "balanced", "random_state": 0}
# Before the number of the right choice, where items have choices of their own.
CHOICE = "choice "
ONE_ANSWER = "all items have the same answer"
TOO_FEW = f"fewer than {LEAST_RECORDINGS} recordings"
TOO_RARE = f"an answer that fewer than {LEAST_WITH_ANSWER} recordings have"
SAME_CHOICES = "no item has choices of its own, of which one is right"
NO_DIFFERENCE = "every recording gives the same figure, so there is no interval"
# Takes how many guesses are done, and how many there are.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Guesser:
    """What one guesser reaches; `reason` says why it could not guess, then there is no figure.

    `figure` is its mean recall over the answers with an interval over recordings, corrected for the
    number of guessers, or the reason `why_no_interval`; `chance` what a guess without any clue
    reaches. It beats chance where the interval lies above that, even one that cannot be shown.
    """

    name: str
    title: str
    figure: float | None = None
    low: float | None = None
    high: float | None = None
    why_no_interval: str = ""
    chance: float | None = None
    beats_chance: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """The guessers, and for each item, in its order, how many of those that guessed were right.

    `truth` is what was guessed of each item, `guesses` the guesses of each guesser, () of one that
    could not.
    """

    guessers: tuple[Guesser, ...]
    guessed: tuple[int, ...]
    truth: tuple[str, ...] = ()
    guesses: tuple[tuple[str, ...], ...] = ()

    @property
    def guesser_count(self) -> int:
        """The n of "guessed by k of n"."""
        return sum(not guesser.reason for guesser in self.guessers)

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "guessers": [asdict(guesser) for guesser in self.guessers],
            "guessed": list(self.guessed),
        }

    @property
    def content_hash(self) -> str:
        """The SHA-256 of the audit, beside that of the items."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def truth_of(task: Task, item: Item, *, is_by_place: bool) -> str:
    """What is guessed of an item, as one word.

    Its answer, or which of its choices that is; of a whole recording, whether it has a mistake, or
    anything at all; of a text, the type of the mistake.
    """
    if "answer" in item.truth:
        answer = str(item.truth["answer"])
        return f"{CHOICE}{item.choices.index(answer)}" if is_by_place else answer
    if "intervals" in item.truth:
        kinds = {claim.kind or "something" for claim in task.claims(item, item.truth)}
        return "mistake" if "mistake" in kinds else "something" if "something" in kinds else ""
    return item.groups.get("mistake type", "")


def audit(
    task: Task, items: Sequence[Item], seed: int = 0, report: Progress = lambda *_: None
) -> Audit:
    """Let every guesser guess every item, trained on the recordings of the other folds.

    The same items and seed give the same audit. `report` may raise an error to stop it.
    """
    # Where each item has choices of its own, what can be learnt is which of them is right.
    is_by_place = len({item.choices for item in items}) > 1 and all(
        item.truth.get("answer") in item.choices for item in items
    )
    truth = [truth_of(task, item, is_by_place=is_by_place) for item in items]
    return audit_of(truth, items, tuple(GUESSERS), seed, report)


def audit_of(
    answers_of_items: Sequence[str],
    items: Sequence[Item],
    names: Sequence[str],
    seed: int = 0,
    report: Progress = lambda *_: None,
) -> Audit:
    """Let the guessers of these names guess what is true of each item, as `audit` does."""
    truth = np.array(answers_of_items)
    recordings = np.array([item.recording for item in items])
    chosen = {name: GUESSERS[name] for name in names}
    reason = _why_not(truth, recordings)
    if reason:
        none = tuple(Guesser(name, title, reason=reason) for name, (title, _) in chosen.items())
        return Audit(none, (0,) * len(items))
    # Whole recordings, as many in each fold.
    uids, place = np.unique(recordings, return_inverse=True)
    folds = np.random.default_rng(seed).permutation(np.arange(len(uids)) % FOLDS)[place]
    answers: dict[str, Labels | None] = {}
    for done_count, (name, (_, guess)) in enumerate(chosen.items()):
        report(done_count * len(items), len(chosen) * len(items))
        answers[name] = guess(items, truth, folds)
    report(len(chosen) * len(items), len(chosen) * len(items))
    count = sum(guesses is not None for guesses in answers.values())
    guessed = np.zeros(len(items), dtype=np.int64)
    guessers = []
    for name, (title, _) in chosen.items():
        guesses = answers[name]
        if guesses is None:
            guessers.append(Guesser(name, title, reason=SAME_CHOICES))
            continue
        is_right = guesses == truth
        guessed += is_right
        guessers.append(_judged(name, title, is_right, truth, recordings, count))
    return Audit(
        tuple(guessers),
        tuple(guessed.tolist()),
        tuple(truth.tolist()),
        tuple(() if one is None else tuple(one.tolist()) for one in answers.values()),
    )


def _why_not(truth: Labels, recordings: npt.NDArray[Any]) -> str:
    """Why nothing can be guessed here, "" where it can."""
    answers = np.unique(truth)
    if len(answers) < 2:
        return ONE_ANSWER
    if len(np.unique(recordings)) < LEAST_RECORDINGS:
        return TOO_FEW
    with_answer = [len(np.unique(recordings[truth == answer])) for answer in answers]
    return TOO_RARE if sorted(with_answer)[-2] < LEAST_WITH_ANSWER else ""


def _in_turn(
    folds: npt.NDArray[np.int64], truth: Labels, fit: Callable[[Any, Any], Labels]
) -> Labels:
    """The guesses for each fold by what was fitted on the others."""
    guesses = np.empty_like(truth)
    for fold in range(FOLDS):
        test = folds == fold
        if len(np.unique(truth[~test])) < 2:
            guesses[test] = truth[~test][0] if (~test).any() else ""
        elif test.any():
            guesses[test] = fit(np.flatnonzero(~test), np.flatnonzero(test))
    return guesses


def _by_words(items: Sequence[Item], truth: Labels, folds: npt.NDArray[np.int64]) -> Labels:
    texts = np.array([clues.shown_words(item) for item in items], dtype=object)
    unwritten = clues.unwritten_share(items)

    def fit(train: Any, test: Any) -> Labels:
        words = word_weights(texts[train], sublinear_tf=True)
        columns = [
            sparse.hstack([words.fit_transform(texts[train]), unwritten[train]]).tocsr(),
            sparse.hstack([words.transform(texts[test]), unwritten[test]]).tocsr(),
        ]
        model = LogisticRegression(class_weight="balanced", max_iter=1000)
        guesses: Labels = model.fit(columns[0], truth[train]).predict(columns[1])
        return guesses

    return _in_turn(folds, truth, fit)


def _by_numbers(
    features: Callable[[Sequence[Item]], Floats],
) -> Callable[[Sequence[Item], Labels, npt.NDArray[np.int64]], Labels]:
    def guess(items: Sequence[Item], truth: Labels, folds: npt.NDArray[np.int64]) -> Labels:
        table = features(items)

        def fit(train: Any, test: Any) -> Labels:
            model = DecisionTreeClassifier(min_samples_leaf=max(5, len(train) // 100), **TREE)
            guesses: Labels = model.fit(table[train], truth[train]).predict(table[test])
            return guesses

        return _in_turn(folds, truth, fit)

    return guess


def _by_names(
    features: Callable[[Sequence[Item]], list[dict[str, float]]],
) -> Callable[[Sequence[Item], Labels, npt.NDArray[np.int64]], Labels]:
    def guess(items: Sequence[Item], truth: Labels, folds: npt.NDArray[np.int64]) -> Labels:
        table = DictVectorizer().fit_transform(features(items)).tocsr()

        def fit(train: Any, test: Any) -> Labels:
            model = LogisticRegression(class_weight="balanced", max_iter=1000)
            guesses: Labels = model.fit(table[train], truth[train]).predict(table[test])
            return guesses

        return _in_turn(folds, truth, fit)

    return guess


def _by_options(
    items: Sequence[Item], truth: Labels, folds: npt.NDArray[np.int64]
) -> Labels | None:
    """The choice that looks most like a right one; None where there is nothing to choose by."""
    if not all(answer.startswith(CHOICE) for answer in truth.tolist()):
        return None
    tables = [clues.options(item) for item in items]
    names = [[f"{CHOICE}{place}" for place in range(len(item.choices))] for item in items]
    is_right = [np.array(own) == truth[place] for place, own in enumerate(names)]

    def fit(train: Any, test: Any) -> Labels:
        scale = MaxAbsScaler()
        model = LogisticRegression(class_weight="balanced", max_iter=1000)
        rows = scale.fit_transform(np.vstack([tables[place] for place in train]))
        model.fit(rows, np.concatenate([is_right[place] for place in train]))
        best = [
            int(np.argmax(model.decision_function(scale.transform(tables[place]))))
            for place in test
        ]
        return np.array([names[place][at] for place, at in zip(test, best, strict=True)])

    return _in_turn(folds, truth, fit)


def _judged(
    name: str,
    title: str,
    is_right: npt.NDArray[np.bool_],
    truth: Labels,
    recordings: npt.NDArray[Any],
    guesser_count: int,
) -> Guesser:
    """The mean recall with its interval over recordings, by a corrected jackknife."""
    answers, code = np.unique(truth, return_inverse=True)
    names, row = np.unique(recordings, return_inverse=True)
    is_answer = code[:, None] == np.arange(len(answers))
    columns = np.hstack([is_answer & is_right[:, None], is_answer]).astype(np.float64)
    sums = summed(columns, row, len(names))

    def mean_recall(sums: Floats) -> Floats:
        hits, counts = np.hsplit(sums, 2)
        recalls: Floats = np.nanmean(ratio(hits, counts), axis=1)
        return recalls

    value = float(mean_recall(sums.sum(axis=0, keepdims=True))[0])
    error = jackknife(sums, mean_recall).standard_error or 0.0
    share = 1 - (1 - CONFIDENCE) / (2 * guesser_count)
    reach = float(scipy.special.stdtrit(len(names) - 1, share)) * error * SHARED_TRAINING
    low, high, chance = value - reach, value + reach, 1 / len(answers)
    # Who always says the same has the figure of chance, but for the last digit.
    beats_chance = low > chance + ROUNDING
    reason = why_not_shown(value, low, high, 0.0, 1.0)
    if reason:
        words = NO_DIFFERENCE if reason == NO_SPREAD else reason
        return Guesser(name, title, value, None, None, words, chance, beats_chance)
    return Guesser(name, title, value, low, high, "", chance, beats_chance)


# By its name: what it goes by, in words, and how it guesses.
GUESSERS: dict[str, tuple[str, Callable[..., Labels | None]]] = {
    "words": ("Words of the question", _by_words),
    "length": ("Length of the texts", _by_numbers(clues.lengths)),
    "place": ("Place in the recording", _by_numbers(clues.places)),
    "options": ("Choices that are offered", _by_options),
    "times": ("Lengths, gaps and digits of the times", _by_numbers(clues.times)),
    "source": ("Who and what it comes from", _by_names(clues.sources)),
    "shape": ("Form of the question", _by_names(clues.shapes)),
}
