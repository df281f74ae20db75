"""What is learnt from: the rows of features that belong to each step, and batches of them.

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
    """A step as models learn it; `label` is the number of its class, 0 or 1 for no or yes.

    `arrays` are (T, d) each, usually on disk; `rows`, (n,), are the step's places in all of them.
    `text` is what is written of the step.
    """

    label: int
    arrays: tuple[Rows, ...]
    rows: Ints
    text: str = ""

    def features(self) -> tuple[Rows, ...]:
        return tuple(np.asarray(array[self.rows], dtype=np.float32) for array in self.arrays)


# The item's row id, and which of its samples.
Key = tuple[int, int]


@dataclass(slots=True)
class Gathered:
    """Examples of items; those without a row are left out, with the reason.

    `shortened` are those of which some rows lie behind the end of the features.
    """

    examples: dict[Key, Example] = field(default_factory=dict)
    left_out: dict[Key, str] = field(default_factory=dict)
    shortened: set[Key] = field(default_factory=set)


def gathered(
    samples: Mapping[Key, Sample],
    classes: Sequence[str],
    sets: Sequence[Mapping[str, Rows]],
    seconds_per_row: float,
) -> Gathered:
    """The rows of samples in one or more feature sets, each with arrays by recording."""
    found = Gathered()
    opened: dict[str, tuple[Rows, ...]] = {}
    for key, sample in samples.items():
        uid = sample.recording
        if any(uid not in arrays for arrays in sets):
            found.left_out[key] = "its recording has no features"
            continue
        if uid not in opened:
            opened[uid] = tuple(arrays[uid] for arrays in sets)
        length = min(len(array) for array in opened[uid])
        rows = rows_of(sample.pieces, seconds_per_row, length)
        index = first_half(rows.index) if sample.is_early else rows.index
        if not len(index):
            place = f"its time lies behind the end of the features, {length} rows"
            found.left_out[key] = place if rows.lost_count else "it is too short for a row"
            continue
        if rows.lost_count:
            found.shortened.add(key)
        label = classes.index(sample.label)
        found.examples[key] = Example(label, opened[uid], index, sample.text)
    return found


def of_one_row(train: Sequence[Example], examples: Sequence[Example]) -> list[Example]:
    """Examples of one row: the mean of a segment's rows beside its words, (sum of d + W,).

    W is how many words the texts of `train` have; each stands by its TF-IDF there.
    """
    if not examples:
        return []
    # scikit-learn takes a second to load.
    from benchmarks.engine.words import word_weights  # noqa: PLC0415

    learnt = [example.text for example in train]
    words = word_weights(learnt, dtype=np.float32).fit(learnt)
    means = [np.hstack([one.mean(axis=0) for one in example.features()]) for example in examples]
    texts = words.transform([example.text for example in examples]).toarray()
    table = np.hstack([means, texts])
    return [
        replace(example, arrays=(table,), rows=np.array([place]))
        for place, example in enumerate(examples)
    ]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that are learnt at once: (n, d) of each modality, and their labels, (n,)."""

    features: tuple[Rows, ...]
    labels: Ints


def steps_in_turn(examples: Sequence[Example], rng: np.random.Generator) -> Iterator[Batch]:
    """Every step by itself, in an order of the rng's."""
    for place in rng.permutation(len(examples)):
        example = examples[place]
        labels = np.full(len(example.rows), example.label, dtype=np.int64)
        yield Batch(example.features(), labels)


def rows_in_turn(
    examples: Sequence[Example], size: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """All rows of all steps in batches of `size`, in an order of the rng's.

    Arrays stay on disk: only the rows of one batch are read at a time.
    """
    counts = [len(example.rows) for example in examples]
    # Steps of one recording share their arrays; numbered, since no two processes place them alike.
    numbers: dict[int, int] = {}
    of_example = [numbers.setdefault(id(one.arrays[0]), len(numbers)) for one in examples]
    whole = dict(zip(of_example, (one.arrays for one in examples), strict=True))
    sources = np.repeat(of_example, counts)
    labels = np.repeat([example.label for example in examples], counts)
    rows = np.concatenate([example.rows for example in examples])
    order = rng.permutation(len(rows))
    for first in range(0, len(order), size):
        chosen = order[first : first + size]
        # Together by recording, so that each array is read once.
        chosen = chosen[np.argsort(sources[chosen], kind="stable")]
        found, starts = np.unique(sources[chosen], return_index=True)
        parts = np.split(rows[chosen], starts[1:])
        features = tuple(
            np.concatenate(
                [whole[source][place][part] for source, part in zip(found, parts, strict=True)]
            ).astype(np.float32, copy=False)
            for place in range(len(whole[0]))
        )
        yield Batch(features, labels[chosen])
