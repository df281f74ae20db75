"""A classifier of true segments that sees no video, as a baseline (EgoOops, 5.3).

It knows the annotated boundaries of the whole recording, which a model in use never has.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.engine.division import TEST
from benchmarks.engine.folds import parts_by_test_fold
from benchmarks.engine.labelled_segments import SegmentRow
from benchmarks.engine.words import word_weights

NAME = "Text, duration and order, logistic (true segments, no video)"
LEAST_S = 0.1
FEATURES = 7


def classify(rows: Sequence[SegmentRow]) -> list[tuple[str, float]] | None:
    """The class of each segment and its probability, never by a model trained on that segment.

    With parts, the model is trained on train and val, else for each fold on all other folds. None
    where there is nothing to train on.
    """
    features = _features(rows)
    texts = np.array([row.text for row in rows], dtype=object)
    answers = np.array([row.answer for row in rows])
    classes = [("", 0.0)] * len(rows)
    in_turn = parts_by_test_fold([row.part for row in rows], [row.fold for row in rows]).values()
    for parts in in_turn:
        test = np.array(parts) == TEST
        train = ~test
        if len(set(answers[train].tolist())) < 2 or not test.any():
            return None
        words, scale = word_weights(texts[train]), StandardScaler()
        columns = [
            sparse.hstack(
                [words.fit_transform(texts[train]), scale.fit_transform(features[train])]
            ),
            sparse.hstack([words.transform(texts[test]), scale.transform(features[test])]),
        ]
        model = LogisticRegression(class_weight="balanced", max_iter=5000)
        model.fit(columns[0].tocsr(), answers[train])
        shares = model.predict_proba(columns[1].tocsr())
        for place, share in zip(np.flatnonzero(test).tolist(), shares, strict=True):
            best = int(np.argmax(share))
            classes[place] = str(model.classes_[best]), float(share[best])
    return classes if in_turn else None


def _features(rows: Sequence[SegmentRow]) -> npt.NDArray[np.float64]:
    """Features of each segment that need no video, (N, F).

    Log duration, position in the recording, pieces of the step, segments beyond the procedure's
    steps, whether its step comes earlier in the procedure than the last one, the gap before it,
    whether it has no step.
    """
    table = np.zeros((len(rows), FEATURES))
    by_recording: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        by_recording[row.recording].append(number)
    for numbers in by_recording.values():
        numbers.sort(key=lambda number: (rows[number].start_s, rows[number].end_s))
        pieces = Counter(rows[number].place for number in numbers)
        last_place, last_end_s = 0, 0.0
        for rank, number in enumerate(numbers):
            row = rows[number]
            table[number] = (
                np.log(max(row.end_s - row.start_s, LEAST_S)),
                rank / max(1, len(numbers) - 1),
                pieces[row.place],
                len(numbers) - row.step_count,
                row.place is not None and row.place < last_place,
                row.start_s - last_end_s,
                row.place is None,
            )
            last_place = last_place if row.place is None else row.place
            last_end_s = row.end_s
    return table
