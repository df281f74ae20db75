"""Reader of PIE-V's own files: an error plan, and what writer, judge or freeform model made of it.

The plan gives the takes; every output of a folder gives traces (`piev_rewrites`). Which file is
what is recognised by its content: takes of a plan have `steps`, takes of an output a `status`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from annotation.engine.formats.piev_events import PlannedTake
from annotation.engine.formats.piev_rewrites import read_rewrites
from annotation.engine.formats.reading import (
    Entry,
    Faults,
    WarningList,
    fault_of_file,
    files_under,
    note_repeats,
    read_json,
)
from annotation.engine.procedure import Reading, Step, Take, Trace
from annotation.engine.taxonomy import ErrorType

TITLE = "PIE-V error plan and rewrites"
DESCRIPTION = (
    "An error plan with or without corrections, a writer, judge or freeform output with its plan "
    "in the same folder, or a folder with a plan and any number of outputs."
)
IS_VERIFIED = True

PLAN_PATTERN = "*error_plan*.json"
CORRECTION_LABEL = "correction"


class FileKind(Enum):
    """What a JSON file of a folder turns out to be."""

    PLAN = auto()
    OUTPUT = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One parsed JSON file."""

    path: Path
    root: Entry

    @property
    def takes(self) -> dict[str, object]:
        takes = self.root.value.get("takes") if isinstance(self.root.value, dict) else None
        return takes if isinstance(takes, dict) else {}

    def _has_take_with(self, *fields: str) -> bool:
        return any(
            isinstance(take, dict) and any(field in take for field in fields)
            for take in self.takes.values()
        )

    @property
    def kind(self) -> FileKind:
        if self._has_take_with("steps"):
            return FileKind.PLAN
        return FileKind.OUTPUT if self._has_take_with("status", "rewrite") else FileKind.OTHER

    @property
    def has_corrections(self) -> bool:
        return self._has_take_with("corrections")


def _read_source(path: Path) -> SourceFile:
    return SourceFile(path=path, root=read_json(path))


def _choose_plan(plans: Sequence[SourceFile], where: Path, warnings: WarningList) -> SourceFile:
    """Return the plan with corrections if there is one, else the first by name."""
    if not plans:
        raise fault_of_file(where.name, "no plan", f"a plan ({PLAN_PATTERN}) in the same folder")
    chosen = min(plans, key=lambda item: (not item.has_corrections, item.path.name))
    for plan in plans:
        if plan is not chosen:
            warnings.add(plan.path.name, f"left out: {chosen.path.name} is the plan that is used")
    return chosen


def _find_files(path: Path, warnings: WarningList) -> tuple[SourceFile, list[SourceFile]]:
    if not path.is_dir():
        source = _read_source(path)
        if source.kind is FileKind.PLAN:
            return source, []
        if source.kind is FileKind.OTHER:
            expected = '"takes" with the "steps" of a plan or the "status" of an output'
            raise fault_of_file(path.name, type(source.root.value).__name__, expected)
        beside = [_read_source(item) for item in sorted(path.parent.glob(PLAN_PATTERN))]
        plans = [item for item in beside if item.kind is FileKind.PLAN]
        return _choose_plan(plans, path, warnings), [source]
    sources = [_read_source(item) for item in files_under(path, ".json")]
    for source in sources:
        if source.kind is FileKind.OTHER:
            warnings.add(source.path.name, "left out: neither a plan nor an output of takes")
    plans = [item for item in sources if item.kind is FileKind.PLAN]
    outputs = [item for item in sources if item.kind is FileKind.OUTPUT]
    return _choose_plan(plans, path, warnings), outputs


def _read_step(entry: Entry, position: int) -> Step:
    if entry.integer("index") != position:
        entry.fault("index", entry.raw("index"), f"{position}, as steps are numbered from 0")
    start_s, end_s = entry.times("start_time", "end_time")
    path = entry.elements_of("taxonomy_path") if entry.has("taxonomy_path") else []
    return Step(
        text=entry.text("step_description"),
        # A plan of a procedure whose steps have no ids writes null.
        step_id="" if entry.raw("step_unique_id") is None else entry.identifier("step_unique_id"),
        start_s=start_s,
        end_s=end_s,
        is_essential=entry.boolean("is_essential") if entry.has("is_essential") else None,
        semrep=entry.text("semantic_representation", is_required=False),
        taxonomy_path=tuple(item.as_text() for item in path),
    )


def _read_error_ids(entry: Entry, step_count: int) -> list[tuple[str, str]]:
    """Return (event id, published name of its type) of the planned errors."""
    errors = []
    items = entry.objects("errors")
    for item in items:
        name, step_index = item.text("type"), item.integer("step_index")
        if name and name not in ErrorType.by_name():
            item.fault("type", name, " or ".join(ErrorType.by_name()))
        if not 0 <= step_index < step_count:
            item.fault("step_index", step_index, f"a step from 0 to {step_count - 1}")
        errors.append((item.text("event_id"), name))
    places = ((event_id, item.place) for (event_id, _), item in zip(errors, items, strict=True))
    note_repeats(places, entry.faults, "event_id")
    return errors


def _read_targets(entry: Entry, event_ids: Sequence[str]) -> dict[str, str]:
    targets = {}
    items = entry.objects("corrections") if entry.has("corrections") else []
    for item in items:
        target = item.text("targets_error_id")
        if target and target not in event_ids:
            item.fault("targets_error_id", target, "an error of this take")
        targets[item.text("correction_id")] = target
    note_repeats(
        [(str(item.raw("correction_id")), item.place) for item in items],
        entry.faults,
        "correction_id",
    )
    return targets


def _read_planned_take(uid: str, entry: Entry) -> PlannedTake:
    items = entry.objects("steps")
    steps = tuple(_read_step(item, position) for position, item in enumerate(items))
    if not steps:
        entry.fault("steps", [], "at least one step")
    errors = _read_error_ids(entry, len(steps))
    name = entry.text("take_name")
    return PlannedTake(
        take=Take(
            uid=uid, name=name, scenario=entry.text("scenario"), steps=steps, video_stem=name
        ),
        error_types=dict(errors),
        correction_targets=_read_targets(entry, [event_id for event_id, _ in errors]),
    )


def _read_plan(source: SourceFile) -> dict[str, PlannedTake]:
    root = source.root
    plan = {
        uid: _read_planned_take(uid, entry.as_object())
        for uid, entry in root.child("takes").items()
    }
    root.faults.raise_if_any()
    return plan


def _plan_labels(plan: Mapping[str, PlannedTake]) -> Counter[str]:
    labels = Counter(name for planned in plan.values() for name in planned.error_types.values())
    correction_count = sum(len(planned.correction_targets) for planned in plan.values())
    if correction_count:
        labels[CORRECTION_LABEL] = correction_count
    return labels


def read(path: Path) -> Reading:
    """Return the takes of the plan and a trace for every rewritten take of every output.

    `native_labels` counts the types on the rows of the outputs, or of the plan's errors and
    corrections when it comes alone.
    """
    warnings = WarningList()
    plan_source, outputs = _find_files(path, warnings)
    plan = _read_plan(plan_source)
    names = Faults(path.name)
    note_repeats(((item.path.stem, str(item.path)) for item in outputs), names, "output")
    names.raise_if_any()
    traces: list[Trace] = []
    for output in outputs:
        uid_suffix = f":{output.path.stem}" if len(outputs) > 1 else ""
        traces.extend(read_rewrites(output.path.stem, output.root, plan, uid_suffix, warnings))
    return Reading(
        takes=tuple(planned.take for planned in plan.values()),
        traces=tuple(traces),
        native_labels=dict(
            Counter(label.name for trace in traces for step in trace.steps for label in step.labels)
            if outputs
            else _plan_labels(plan)
        ),
        derived={
            "errors": sum(len(planned.error_types) for planned in plan.values()),
            "corrections": sum(len(planned.correction_targets) for planned in plan.values()),
        },
        warnings=warnings.as_tuple(),
    )
