"""Answers that name the class of a mistake, read and counted as EgoErrorVQA does and by us.

A row has the classes that are right, `correct` alone for none, and a choice: an option, `UNREAD`,
or None where nobody replied. Letters: N rows, D draws. What has no denominator is nan.

Source: EgoErrorVQA, 4.3 and its public code. There an answer that names another class is a false
positive and leaves the denominator of recall, so `recall` is not the share of all errors that were
found: `typed_recall` is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.engine.error_classes import CORRECT, CORRECTION, OPTIONS
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.reading import json_object, read_choice
from benchmarks.engine.task import Reading

Floats = npt.NDArray[np.float64]
Figure = Callable[[Floats], Floats]
Row = tuple[Sequence[str], str | None]

UNREAD = "unparsed"
NO_REPLY = "missing"
# What a row counts as, and the columns of counts. A false positive names another class for an error
# (FP_TYPE) or any class for a correct step (FP_CLEAN).
TP, FP_TYPE, FP_CLEAN, TN, FN, NO_REPLY_TO_ERROR, NO_REPLY_TO_CORRECT = range(7)
COUNT_KINDS = 7
STRIPPED = '.,!?;:"'


def published_reading(text: str, names: Sequence[str] = OPTIONS) -> str:
    """The name that a text is, whatever its case, else the text as it is without its ends.

    In the public code whatever is no name counts as a claimed error.

    >>> published_reading(" correct. ")
    'correct'
    """
    plain = text.strip().strip(STRIPPED).strip()
    return next((name for name in names if name.casefold() == plain.casefold()), plain)


def read_class(text: str, names: Sequence[str] = OPTIONS) -> Reading:
    """Our reading: that of every task, also of an object with a `choice` in place of an `answer`.

    >>> read_class('{"choice": "Omission"}').value
    {'answer': 'Omission', 'score': None}
    """
    answer_object = json_object(text) or {}
    is_choice = "choice" in answer_object and "answer" not in answer_object
    return read_choice(text, names, field="choice" if is_choice else "answer")


def kind_of(classes: Sequence[str], choice: str | None) -> int:
    """What a row counts as, a column of counts."""
    is_error = CORRECT not in classes
    if choice is None:
        return NO_REPLY_TO_ERROR if is_error else NO_REPLY_TO_CORRECT
    if choice == CORRECT:
        return FN if is_error else TN
    if not is_error:
        return FP_CLEAN
    return TP if choice in classes else FP_TYPE


def counts_of(rows: Iterable[Row]) -> Floats:
    """The counts of all rows, (1, 7), as figures take them."""
    kinds = [kind_of(classes, choice) for classes, choice in rows]
    counted = np.bincount(np.array(kinds, dtype=np.int64), minlength=COUNT_KINDS)
    return counted.astype(np.float64)[None, :]


def _quotient(above: Sequence[int], below: Sequence[int]) -> Figure:
    return lambda counts: ratio(counts[:, above].sum(axis=1), counts[:, below].sum(axis=1))


_CLAIMED, _ANSWERED = [TP, FP_TYPE, FP_CLEAN], [TP, FP_TYPE, FP_CLEAN, TN, FN]
_ERRORS = [TP, FP_TYPE, FN, NO_REPLY_TO_ERROR]
# Over all steps, no reply is the worst answer: a claim where none is due, and a miss.
_CLAIMED_OF_ALL = [*_CLAIMED, NO_REPLY_TO_ERROR, NO_REPLY_TO_CORRECT]
_TYPED_OF_ALL = [TP, FN, NO_REPLY_TO_ERROR]
# Counts are (D, 7), figures (D,).
FIGURES: Mapping[str, Figure] = {
    "accuracy": _quotient([TP, TN], range(COUNT_KINDS)),
    "accuracy_answered": _quotient([TP, TN], _ANSWERED),
    "precision": _quotient([TP], _CLAIMED),
    "recall": _quotient([TP], [TP, FN]),
    "f1": _quotient([TP, TP], [TP, FP_TYPE, FP_CLEAN, TP, FN]),
    "detection_precision": _quotient([TP, FP_TYPE], _CLAIMED),
    "detection_recall": _quotient([TP, FP_TYPE], [TP, FP_TYPE, FN]),
    "type_accuracy": _quotient([TP], [TP, FP_TYPE]),
    "typed_recall": _quotient([TP], _ERRORS),
    "typed_f1": _quotient([TP, TP], [*_CLAIMED, *_ERRORS]),
    "specificity": _quotient([TN], [TN, FP_CLEAN]),
    "precision_of_all": _quotient([TP], _CLAIMED_OF_ALL),
    "recall_of_all": _quotient([TP], _TYPED_OF_ALL),
    "f1_of_all": _quotient([TP, TP], [*_CLAIMED_OF_ALL, *_TYPED_OF_ALL]),
    "detection_precision_of_all": _quotient([TP, FP_TYPE], _CLAIMED_OF_ALL),
    "detection_recall_of_all": _quotient([TP, FP_TYPE], _ERRORS),
    "specificity_of_all": _quotient([TN], [TN, FP_CLEAN, NO_REPLY_TO_CORRECT]),
}


def per_class(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Support, hits, false alarms, misses, precision, recall and F1 of each option.

    A row that is answered with one of its classes is a hit there and says nothing of its others; a
    row without a reply is a miss for each of its classes.
    """
    found = {}
    for option in OPTIONS:
        hits = alarms = misses = support = 0
        for classes, choice in rows:
            support += option in classes
            hits += choice == option and option in classes
            alarms += choice == option and option not in classes
            misses += option in classes and choice not in classes
        found[option] = {
            "support": support,
            "tp": hits,
            "fp": alarms,
            "fn": misses,
            "precision": float(ratio(hits, hits + alarms)),
            "recall": float(ratio(hits, hits + misses)),
            "f1": float(ratio(2 * hits, 2 * hits + alarms + misses)),
        }
    return found


def macro_f1(classes: Mapping[str, Mapping[str, float]]) -> float:
    """The mean F1 of the options that some row has, an undefined one taken as 0."""
    supported = [figures["f1"] for figures in classes.values() if figures["support"]]
    return float(np.mean(np.nan_to_num(supported))) if supported else float("nan")


def confusion(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """How often each option was answered how; a row with k classes weighs 1 / k in each."""
    cells: dict[str, dict[str, float]] = {option: {} for option in OPTIONS}
    for classes, choice in rows:
        for option in classes:
            own, answer = cells[option], NO_REPLY if choice is None else choice
            own[answer] = own.get(answer, 0.0) + 1 / len(classes)
    return cells


def without_corrections(row: Row) -> Row:
    """The row with corrections taken as correct, in its classes and in its choice."""
    classes, choice = row
    left = tuple(name for name in classes if name != CORRECTION) or (CORRECT,)
    return left, CORRECT if choice == CORRECTION else choice
