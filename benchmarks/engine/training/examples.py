"""Training examples, which are the feature rows of each step, and batches of them.

Letters: M feature arrays (one per modality), T rows of a recording, n rows of a step, d features,
W words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from benchmarks.engine.features.rows import first_half, rows_of
from benchmarks.engine.task import Sample

Rows = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A step to learn from; `label` is the number of its class (0 for no, 1 for yes).

    `arrays` are (T, d) each, usually on disk; `rows`, (n,), are the step's rows in all of them.
    `text` is the step in words.
    """

    label: int
    arrays: tuple[Rows, ...]
    rows: Ints
    text: str = ""

    def features(self) -> tuple[Rows, ...]:
        return tuple(np.asarray(array[self.rows], dtype=np.float32) for array in self.arrays)


# The row id of the item and the place of the sample among the item's.
Key = tuple[int, int]


@dataclass(slots=True)
class GatheredExamples:
    """The examples of items; `left_out` gives the reason for samples without a row.

    `shortened` are samples of which some rows lie beyond the end of the features.
    """

    examples: dict[Key, Example] = field(default_factory=dict)
    left_out: dict[Key, str] = field(default_factory=dict)
    shortened: set[Key] = field(default_factory=set)


def gather_examples(
    samples: Mapping[Key, Sample],
    classes: Sequence[str],
    sets: Sequence[Mapping[str, Rows]],
    seconds_per_row: float,
) -> GatheredExamples:
    """The rows of each sample in one or more feature sets; a set is its arrays by recording."""
    gathered = GatheredExamples()
    opened: dict[str, tuple[Rows, ...]] = {}
    for key, sample in samples.items():
        uid = sample.recording
        if any(uid not in arrays for arrays in sets):
            gathered.left_out[key] = "its recording has no features"
            continue
        if uid not in opened:
            opened[uid] = tuple(arrays[uid] for arrays in sets)
        length = min(len(array) for array in opened[uid])
        rows = rows_of(sample.pieces, seconds_per_row, length)
        index = first_half(rows.index) if sample.is_early else rows.index
        if not len(index):
            place = f"its time lies behind the end of the features, {length} rows"
            gathered.left_out[key] = place if rows.lost_count else "it is too short for a row"
            continue
        if rows.lost_count:
            gathered.shortened.add(key)
        label = classes.index(sample.label)
        gathered.examples[key] = Example(label, opened[uid], index, sample.text)
    return gathered


def as_single_rows(train: Sequence[Example], examples: Sequence[Example]) -> list[Example]:
    """Examples with one row each: the mean of the segment's rows and its words, (sum of d + W,).

    W is the number of words in the texts of `train`; a word's value is its TF-IDF.
    """
    if not examples:
        return []
    # scikit-learn takes a second to load.
    from benchmarks.engine.words import word_weights  # noqa: PLC0415

    train_texts = [example.text for example in train]
    words = word_weights(train_texts, dtype=np.float32).fit(train_texts)
    means = [np.hstack([rows.mean(axis=0) for rows in example.features()]) for example in examples]
    texts = words.transform([example.text for example in examples]).toarray()
    table = np.hstack([means, texts])
    return [
        replace(example, arrays=(table,), rows=np.array([place]))
        for place, example in enumerate(examples)
    ]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to learn from at once: (n, d) of each modality, and their labels, (n,)."""

    features: tuple[Rows, ...]
    labels: Ints


def step_batches(examples: Sequence[Example], rng: np.random.Generator) -> Iterator[Batch]:
    """A batch for every step, in random order."""
    for place in rng.permutation(len(examples)):
        example = examples[place]
        labels = np.full(len(example.rows), example.label, dtype=np.int64)
        yield Batch(example.features(), labels)


def row_batches(
    examples: Sequence[Example], size: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """All rows of all steps in random order, in batches of `size`.

    Arrays stay on disk: only the rows of one batch are read at a time.
    """
    counts = [len(example.rows) for example in examples]
    # Steps of one recording share their arrays. They are numbered as they come: sorting by id()
    # would order the rows of a batch differently in every process, and change the figures.
    numbers: dict[int, int] = {}
    source_of = [numbers.setdefault(id(one.arrays[0]), len(numbers)) for one in examples]
    arrays_of = dict(zip(source_of, (one.arrays for one in examples), strict=True))
    sources = np.repeat(source_of, counts)
    labels = np.repeat([example.label for example in examples], counts)
    rows = np.concatenate([example.rows for example in examples])
    order = rng.permutation(len(rows))
    for first in range(0, len(order), size):
        chosen = order[first : first + size]
        # Grouped by recording, so that each array is read once.
        chosen = chosen[np.argsort(sources[chosen], kind="stable")]
        used, starts = np.unique(sources[chosen], return_index=True)
        parts = np.split(rows[chosen], starts[1:])
        features = tuple(
            np.concatenate(
                [arrays_of[source][place][part] for source, part in zip(used, parts, strict=True)]
            ).astype(np.float32, copy=False)
            for place in range(len(arrays_of[0]))
        )
        yield Batch(features, labels[chosen])
