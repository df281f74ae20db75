"""The training files of an item set: what they must not hold, and the archive that has them.

All checks come first; the archive is then written line by line as it is sent, so that memory holds
one recording. The same set and options give the same bytes.
"""

import io
import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, cast

from django.db.models import F, QuerySet

from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.exceptions import NotNowError
from annotation.models import Dataset
from benchmarks.engine.division import TRAIN, TRAINING, VAL
from benchmarks.engine.material import DATA_SET
from benchmarks.engine.task import Task
from benchmarks.engine.training_files import (
    TrainingExample,
    TrainingFile,
    TrainingOptions,
    clip_name,
    dataset_info,
    drawn_ids,
    messages_with_videos,
    mixture_weights,
)
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import engine_item, task_of

# The date of everything in an archive: its bytes do not depend on when it is made.
FIRST_DATE = (1980, 1, 1, 0, 0, 0)
ROWS_AT_ONCE = 500
# A video may seem shorter than its last moment by the rounding of its frames.
END_TOLERANCE_S = 0.05
NO_LICENCE = "not known to this site; ask the makers of the data set"
# What training must not share with the part test, by the column that says it.
KEPT_APART = {
    "source_recording": ("recording", "recordings"),
    "procedure": ("goal", "goals"),
    "person": ("person", "people"),
    "source_key": ("item", "items"),
    "video": ("video", "videos"),
}
RECIPES = """\
Recipes that the paper prints (Plan, Watch, Recover, arXiv 2606.04970v1); none was tried here.

- Llama: learning rate 5e-6, cosine, decay 0.1, 100 steps of warm-up, 65,536 tokens, batch 4.
- Qwen: 40,400 steps, learning rate 2e-5, decay 0.1, batch 128 on 64 ranks, 24,000 tokens, pictures
  at 2 a second, at most 30 an example.
- Loss on the last message alone, an interrupt weighing 2. The paper does not say of which tokens;
  here `loss_weight` is of the whole example.
"""


class TrainingRefusedError(NotNowError):
    """The files would hold what they must not, or nothing; the message says what."""


@dataclass(slots=True)
class _Written:
    """What was written so far: counts by file and source, ids of the files of train, clips."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    ids: dict[str, dict[str, list[str]]] = field(default_factory=dict)


def training_archive(
    item_set: ItemSet, options: TrainingOptions, *, sees_truth: bool = False
) -> Iterator[bytes]:
    """A ZIP archive of the files, in pieces; raises TrainingRefusedError before the first.

    Who `sees_truth` may read the data set, and finds the names of its recordings.
    """
    task = task_of(item_set)
    if not task.training_files:
        raise TrainingRefusedError(f"The task {task.title!r} has no training files.")
    since = max(file.since for file in task.training_files)
    if item_set.task_version < since:
        raise TrainingRefusedError(
            f"The items are of version {item_set.task_version} of their task; expected {since} or"
            " later. Make the set anew."
        )
    rows = _allowed(item_set, options)
    if not rows.exists():
        raise TrainingRefusedError(
            "No item of the parts train and val is left. Divide a set into train, val and test, by"
            " procedure or by person."
        )
    late = rows.filter(video__duration_s__lt=F("moment_s") - END_TOLERANCE_S).order_by("position")
    if row := late.select_related("video").first():
        raise TrainingRefusedError(
            f"Item {row.key} is at {row.moment_s} s and its video ends at"
            f" {cast(Any, row.video).duration_s} s; expected clips that lie within the video."
        )
    return _zipped(_members(item_set, task, rows, options, sees_truth=sees_truth))


def _allowed(item_set: ItemSet, options: TrainingOptions) -> QuerySet[Item]:
    """The items of train and val; raises TrainingRefusedError for what test has, too."""
    rows = item_set.examples
    shared = {name: _shared(item_set, name) for name in KEPT_APART}
    faults = [
        f"{len(values)} {KEPT_APART[name][len(values) > 1]} ({_listed(values)})"
        for name, values in shared.items()
        if values
    ]
    if faults and not options.leaves_out_shared:
        raise TrainingRefusedError(
            f"Training and the part test share {', '.join(faults)}; expected none. Divide the set"
            " by another unit, or leave out what they share."
        )
    for name, values in shared.items():
        if values:
            rows = rows.exclude(**{f"{name}__in": values})
    both = _values(rows.filter(part=TRAIN), "source_recording").keys() & _values(
        rows.filter(part=VAL), "source_recording"
    )
    if both:
        raise TrainingRefusedError(
            f"The parts train and val share recordings ({_listed(sorted(both))}); expected none."
        )
    return rows


def _values(rows: QuerySet[Item], name: str) -> dict[str, set[Any]]:
    """The values of a column as they are, by what they are without case and spacing."""
    found: dict[str, set[Any]] = defaultdict(set)
    for value in rows.order_by().values_list(name, flat=True).distinct().iterator():
        if value not in {None, ""}:
            found[" ".join(str(value).casefold().split())].add(value)
    return found


def _shared(item_set: ItemSet, name: str) -> list[Any]:
    """What train or val shares with test of one column, as train and val write it."""
    own, tests = _values(item_set.examples, name), _values(item_set.test_items, name)
    return sorted(value for key in own.keys() & tests.keys() for value in own[key])


def _listed(values: Iterable[Any], most: int = 3) -> str:
    texts = [str(value) for value in values]
    more = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return "; ".join([*texts[:most], *more])


def _licences(item_set: ItemSet) -> dict[str, str]:
    """The licence of each source of a set, by the name that items have for it."""
    several = list(item_set.sources.select_related("dataset"))
    pairs: list[tuple[str, Dataset | None]] = [(one.name, one.dataset) for one in several]
    if not pairs:
        pairs = [(item_set.source, item_set.dataset)]
    known = available_formats()
    return {
        name: (known[dataset.format].licence if dataset and dataset.format in known else "")
        or NO_LICENCE
        for name, dataset in pairs
    }


def _recordings(rows: QuerySet[Item]) -> Iterator[list[Item]]:
    """The items of one recording after the other, each in the order of time."""
    order = ("source_recording", "sequence_position", "position")
    ids = list(rows.order_by(*order).values_list("pk", flat=True))
    stored = Item.objects.select_related("video").prefetch_related("shared")

    def in_order() -> Iterator[Item]:
        for first in range(0, len(ids), ROWS_AT_ONCE):
            some = ids[first : first + ROWS_AT_ONCE]
            by_id = stored.in_bulk(some)
            yield from (by_id[pk] for pk in some)

    for _, items in groupby(in_order(), attrgetter("source_recording")):
        yield list(items)


def _members(
    item_set: ItemSet,
    task: Task,
    rows: QuerySet[Item],
    options: TrainingOptions,
    *,
    sees_truth: bool,
) -> Iterator[tuple[str, Iterable[str]]]:
    """The name and the pieces of each file; the last ones say what the others hold."""
    licences, written = _licences(item_set), _Written()
    clips: dict[str, tuple[str, str, float, float]] = {}
    for file in task.training_files:
        for part in TRAINING:
            own = rows.filter(part=part)
            if not own.exists():
                continue

            def lines(file: TrainingFile = file, own: QuerySet[Item] = own) -> Iterator[str]:
                for items in _recordings(own):
                    yield from _lines(item_set, task, file, items, options, licences, written,
                                      clips, sees_truth=sees_truth)  # fmt: skip

            yield f"{file.name}-{part}.jsonl", lines()
    for file in task.training_files:
        ids = written.ids.get(file.name, {})
        drawn = drawn_ids(ids, item_set.seed, file.name)
        yield f"{file.name}-drawn.jsonl", (json.dumps({"id": one}) + "\n" for one in drawn)
    yield "clips.jsonl", (
        _json({"file": name, "recording": recording, "video_uid": uid,
               "start_s": start_s, "end_s": end_s})
        for name, (recording, uid, start_s, end_s) in sorted(clips.items())
    )  # fmt: skip
    files = [name for name, counts in written.counts.items() if counts]
    info = dataset_info(files, f"piev_{item_set.task}_{item_set.content_hash[:8]}")
    yield "dataset_info.json", [json.dumps(info, indent=1) + "\n"]
    mixture = {
        name: {"rows": dict(sorted(counts.items())), "weights": mixture_weights(counts)}
        for name, counts in written.counts.items()
    }
    yield "mixture.json", [json.dumps(mixture, ensure_ascii=False, indent=1) + "\n"]
    left_out = item_set.examples.count() - rows.count()
    yield "README.md", [_card(item_set, task, written, licences, options, left_out)]


def _lines(
    item_set: ItemSet,
    task: Task,
    file: TrainingFile,
    rows: list[Item],
    options: TrainingOptions,
    licences: Mapping[str, str],
    written: _Written,
    clips: dict[str, tuple[str, str, float, float]],
    *,
    sees_truth: bool,
) -> Iterator[str]:
    """The lines of a recording; what they hold is noted for the files that say so."""
    first = rows[0]
    source = str(first.groups.get(DATA_SET, item_set.source))
    uid = first.source_recording.partition(":")[2] if sees_truth else first.recording
    about = {
        "source": source,
        "licence": licences.get(source, NO_LICENCE),
        "recording": first.recording,
        "video_uid": uid,
        "split": first.part,
        "seed": item_set.seed,
        "task_version": item_set.task_version,
        "content_hash": item_set.content_hash,
    }
    # The keys that participants know, not the sources': these may name what happens.
    items = [replace(engine_item(row), key=row.key, recording=row.recording) for row in rows]
    has_video = first.video is not None
    for example in task.training_examples(file.name, items, options, item_set.seed):
        seen = example.clips_s if has_video else ()
        names = [clip_name(first.recording, clip) for clip in seen]
        clips |= {
            name: (first.recording, uid, *clip) for name, clip in zip(names, seen, strict=True)
        }
        name = f"{file.name}-{first.part}.jsonl"
        for copy in range(2 if options.is_doubled and example.loss_weight > 1 else 1):
            written.counts[name][source] += 1
            line_id = example.key + ("/again" if copy else "")
            if first.part == TRAIN:
                written.ids.setdefault(file.name, {}).setdefault(source, []).append(line_id)
            weight = 1.0 if options.is_doubled else example.loss_weight
            yield _json(_line(example, line_id, names, seen, {**about, "loss_weight": weight}))


def _line(
    example: TrainingExample,
    line_id: str,
    names: list[str],
    clips_s: tuple[tuple[float, float], ...],
    about: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "id": line_id,
        "messages": messages_with_videos(example.messages, len(names)),
        "videos": names,
        "meta": {
            **about,
            "t_s": example.moment_s,
            "clips": [list(clip) for clip in clips_s],
            "label": example.label,
            "reasons": list(example.reasons),
            "prompt_version": example.prompt_version,
            "noise": example.noise,
        },
    }


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _card(
    item_set: ItemSet,
    task: Task,
    written: _Written,
    licences: Mapping[str, str],
    options: TrainingOptions,
    left_out: int,
) -> str:
    """What the archive holds and where it is from, for people."""
    describes = {file.name: file.describes for file in task.training_files}
    files = [
        f"- `{name}`: {sum(counts.values())} examples, {describes[name.rpartition('-')[0]]}"
        for name, counts in written.counts.items()
    ]
    weights = "Interrupts stand twice; every `loss_weight` is 1." if options.is_doubled else (
        "`loss_weight` in `meta` is for trainers that take weights; others can have the lines"
        " doubled instead."
    )  # fmt: skip
    parts = [
        f"# Training files of {item_set}",
        f"Made from the parts train and val of {item_set.source}, content {item_set.content_hash},"
        f" seed {item_set.seed}, task {item_set.task} version {item_set.task_version}. No"
        " recording, goal, person or item of the part test is in them, no clip is after its moment."
        f" {left_out} items of train and val are left out because test shares something of them.",
        "\n".join(files),
        "`*-drawn.jsonl` lists ids drawn by the weights of `mixture.json`, which are in proportion"
        " to the root of each source's rows. `clips.jsonl` has the seconds of each clip: cut them"
        " from your copies of the recordings, for example with `ffmpeg -ss START -to END -i VIDEO"
        " CLIP`. Examples of recordings without a video have no clips.",
        weights,
        "## Licences\n\nThe data are their makers', under their licences:\n\n"
        + "\n".join(f"- {name}: {licence}" for name, licence in sorted(licences.items())),
        "## Recipes\n\n" + RECIPES,
    ]
    return "\n\n".join(parts)


class _Pieces(io.RawIOBase):
    """A file that is written in one direction, and whose content is taken away piece by piece."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._parts.append(bytes(content))
        return len(content)

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def _zipped(members: Iterable[tuple[str, Iterable[str]]]) -> Iterator[bytes]:
    """An archive in pieces, as its members are made."""
    pieces = _Pieces()
    with zipfile.ZipFile(cast(Any, pieces), "w") as archive:
        for name, lines in members:
            info = zipfile.ZipInfo(name, FIRST_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as file:
                for line in lines:
                    file.write(line.encode())
                    if piece := pieces.take():
                        yield piece
            if piece := pieces.take():
                yield piece
    if piece := pieces.take():
        yield piece
