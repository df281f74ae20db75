"""Bring a reading into the corpus: all of it or nothing, and never under somebody's ratings.

Each take and trace carries a fingerprint of its content, so the same file again changes nothing.
What a new version of a file changes is updated, unless ratings were made on it: then the whole
import is refused with a list.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import Format
from annotation.engine.corpus.integrity import find_faults
from annotation.engine.corpus.procedure import Reading, ReadingWarning
from annotation.models import Dataset, Take, User
from annotation.selectors.corpus import corpus
from annotation.services.corpus.collector import paused_collector
from annotation.services.corpus.import_plan import ImportPlan, plan_import, refusal
from annotation.services.corpus.rows import (
    delete_surplus_steps,
    write_takes,
    write_task_graphs,
    write_traces,
    write_utterances,
)
from annotation.services.records import audit_log
from annotation.services.records.jobs import Progress


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """The data set that a reading goes into; owner and sharing count only when it is new."""

    name: str
    format: str
    owner: User | None = None
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """The uids that an import creates, updates, or finds as they are."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """How much a reading holds."""

    takes: int
    steps: int
    traces: int
    trace_steps: int
    events: int
    native_labels: Mapping[str, int]
    derived: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did, or would do on a dry run. `dataset_id` is the public id, if any yet.

    `kept_count` counts the takes and traces of the data set that the file does not mention; they
    stay as they are.
    """

    counts: ReadingCounts
    takes: Changes
    traces: Changes
    warnings: tuple[ReadingWarning, ...]
    kept_count: int
    is_dry_run: bool
    dataset_id: str | None

    @property
    def created(self) -> int:
        return len(self.takes.created) + len(self.traces.created)

    @property
    def updated(self) -> int:
        return len(self.takes.updated) + len(self.traces.updated)

    @property
    def unchanged(self) -> int:
        return len(self.takes.unchanged) + len(self.traces.unchanged)

    def to_dict(self) -> dict[str, object]:
        return asdict(self.counts) | {
            "created": self.created,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "warnings": warnings_as_json(self.warnings),
        }


def warnings_as_json(warnings: Iterable[ReadingWarning]) -> list[dict[str, str]]:
    return [{"where": item.where, "message": item.message} for item in warnings]


def count_reading(reading: Reading) -> ReadingCounts:
    return ReadingCounts(
        takes=len(reading.takes),
        steps=sum(len(take.steps) for take in reading.takes),
        traces=len(reading.traces),
        trace_steps=sum(len(trace.steps) for trace in reading.traces),
        events=sum(len(trace.events) for trace in reading.traces),
        native_labels=dict(reading.native_labels),
        derived=dict(reading.derived),
    )


# What apps above this one check of the files of a format, by its name; they raise `FormatError`.
CHECKS: dict[str, list[Callable[[Reading], None]]] = defaultdict(list)


def read_files(chosen: Format, path: Path) -> Reading:
    """What the format's reader finds at the path; raises `FormatError` as it does.

    What other apps check of a format (`CHECKS`) refuses the files in the same way.
    """
    with paused_collector():
        reading = chosen.read(path)
        for check in CHECKS.get(chosen.name, ()):
            check(reading)
        return reading


def import_reading(
    reading: Reading,
    *,
    target: ImportTarget,
    actor: User | None = None,
    is_dry_run: bool = False,
    watch: Progress = lambda done_count, total_count: None,
) -> ImportOutcome:
    """Write the reading into the data set of the target's name, or say what writing it would do.

    `watch` is told how many steps of how many are written, and may raise to have none of it.

    Raises `FormatError` when the reading breaks a rule of the tables, `ImportRefusedError` when
    the data set is somebody else's or of another format, or when the reading changes what has
    ratings. Nothing is written then.
    """
    faults = find_faults(reading)
    if faults:
        raise FormatError(faults)
    if is_dry_run:
        dataset = _find_dataset(target, actor)
        plan = plan_import(reading, dataset)
        return _outcome(reading, plan, dataset, is_dry_run=True)
    with paused_collector(), transaction.atomic():
        dataset = _find_dataset(target, actor, is_locked=True)
        plan = plan_import(reading, dataset, is_locked=True)
        dataset = _apply(reading, plan, target, dataset, actor, watch)
    return _outcome(reading, plan, dataset, is_dry_run=False)


def _find_dataset(
    target: ImportTarget, actor: User | None, *, is_locked: bool = False
) -> Dataset | None:
    datasets = Dataset.objects.select_for_update() if is_locked else Dataset.objects.all()
    dataset = datasets.filter(name=target.name).first()
    if dataset is None:
        return None
    if actor is not None and not corpus.may_change_dataset(actor, dataset):
        raise refusal("name", target.name, "a name that no other data set has")
    if actor is None and target.owner is not None and dataset.owner != target.owner:
        raise refusal("name", target.name, f"a data set of {target.owner}, as this has another")
    if dataset.format != target.format:
        expected = f"{dataset.format}, the format of the data set {dataset.name}"
        raise refusal("format", target.format, expected)
    return dataset


def _apply(
    reading: Reading,
    plan: ImportPlan,
    target: ImportTarget,
    dataset: Dataset | None,
    actor: User | None,
    watch: Progress,
) -> Dataset:
    total_count = sum(len(write.content.steps) for write in plan.takes)
    total_count += sum(len(write.content.steps) for write in plan.traces)
    done_count = 0

    def note(count: int) -> None:
        nonlocal done_count
        done_count += count
        watch(done_count, total_count)

    note(0)
    is_new = dataset is None
    if dataset is None:
        dataset = Dataset(
            name=target.name, format=target.format, owner=target.owner, is_shared=target.is_shared
        )
        dataset.full_clean()
        try:
            dataset.save()
        except IntegrityError as error:
            # PostgreSQL lets two imports of one new name run until the second one writes.
            raise refusal("name", target.name, "a name that was free until now") from error
    write_takes(dataset, plan.takes, note)
    rows = {take.uid: take for take in Take.objects.filter(dataset=dataset)}
    write_traces(dataset, plan.traces, rows, note)
    delete_surplus_steps(plan.takes)
    has_changed = write_task_graphs(dataset, reading.task_graphs)
    has_changed |= write_utterances(dataset, reading)
    has_changed |= _describe(dataset, reading)
    if is_new or has_changed or plan.takes or plan.traces:
        audit_log.record(
            actor=actor,
            action="dataset.import",
            subject=f"dataset:{dataset.public_id}",
            detail={
                "name": dataset.name,
                "format": dataset.format,
                "takes": len(plan.takes),
                "traces": len(plan.traces),
            },
        )
    # The last moment at which all of it can be taken back.
    note(0)
    return dataset


def _describe(dataset: Dataset, reading: Reading) -> bool:
    """Keep what the last import says of the data set; whether it says anything new."""
    description = {
        "native_labels": dict(reading.native_labels),
        "derived": dict(reading.derived),
        "import_warnings": warnings_as_json(reading.warnings),
    }
    if all(getattr(dataset, name) == value for name, value in description.items()):
        return False
    for name, value in description.items():
        setattr(dataset, name, value)
    dataset.save(update_fields=list(description))
    return True


def _outcome(
    reading: Reading, plan: ImportPlan, dataset: Dataset | None, *, is_dry_run: bool
) -> ImportOutcome:
    return ImportOutcome(
        counts=count_reading(reading),
        takes=Changes(
            created=tuple(w.content.uid for w in plan.takes if w.is_new),
            updated=tuple(w.content.uid for w in plan.takes if not w.is_new),
            unchanged=tuple(plan.unchanged_takes),
        ),
        traces=Changes(
            created=tuple(w.content.uid for w in plan.traces if w.is_new),
            updated=tuple(w.content.uid for w in plan.traces if not w.is_new),
            unchanged=tuple(plan.unchanged_traces),
        ),
        warnings=reading.warnings,
        kept_count=plan.kept_count,
        is_dry_run=is_dry_run,
        dataset_id=dataset.public_id if dataset else None,
    )
