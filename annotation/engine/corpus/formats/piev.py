"""Reader of PIE-V's own files: an error plan, and what writer, judge or freeform model made of it.

The plan gives the takes; every output of a folder gives traces (`piev_rewrites`). Which file is
what is recognised by its content: takes of a plan have `steps`, takes of an output a `status`.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.folders import files_under
from annotation.engine.corpus.formats.piev_events import PlannedTake
from annotation.engine.corpus.formats.piev_rewrites import read_rewrites
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json
from annotation.engine.corpus.procedure import Reading, Step, Take, Trace, WarningList
from annotation.engine.taxonomy import ErrorType

TITLE = "PIE-V error plan and rewrites"
DESCRIPTION = (
    "An error plan with or without corrections, a writer, judge or freeform output with its plan "
    "in the same folder, or a folder with a plan and any number of outputs."
)
IS_VERIFIED = True

PLAN_PATTERN = "*error_plan*.json"
CORRECTION_LABEL = "correction"


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
    def is_plan(self) -> bool:
        return self._has_take_with("steps")

    @property
    def is_output(self) -> bool:
        return not self.is_plan and self._has_take_with("status", "rewrite")

    @property
    def has_corrections(self) -> bool:
        return self._has_take_with("corrections")


def _find_files(path: Path, warnings: WarningList) -> tuple[SourceFile, list[SourceFile]]:
    if path.is_dir():
        sources = [SourceFile(item, read_json(item)) for item in files_under(path, ".json")]
        for source in sources:
            if not source.is_plan and not source.is_output:
                warnings.add(source.path.name, "left out: neither a plan nor an output of takes")
        outputs = [item for item in sources if item.is_output]
    else:
        source = SourceFile(path, read_json(path))
        if source.is_plan:
            return source, []
        if not source.is_output:
            expected = '"takes" with the "steps" of a plan or the "status" of an output'
            raise fault_of_file(path.name, type(source.root.value).__name__, expected)
        beside = sorted(path.parent.glob(PLAN_PATTERN))
        sources = [SourceFile(item, read_json(item)) for item in beside]
        outputs = [source]
    plans = [item for item in sources if item.is_plan]
    if not plans:
        raise fault_of_file(path.name, "no plan", f"a plan ({PLAN_PATTERN}) in the same folder")
    # The one with corrections if there is one, else the first by name.
    chosen = min(plans, key=lambda item: (not item.has_corrections, item.path.name))
    for plan in plans:
        if plan is not chosen:
            warnings.add(plan.path.name, f"left out: {chosen.path.name} is the plan that is used")
    return chosen, outputs


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


def _read_planned_take(uid: str, entry: Entry) -> PlannedTake:
    items = entry.objects("steps")
    steps = tuple(_read_step(item, position) for position, item in enumerate(items))
    if not steps:
        entry.fault("steps", [], "at least one step")
    errors: dict[str, str] = {}
    error_places = []
    for item in entry.objects("errors"):
        type_name, step_index = item.text("type"), item.integer("step_index")
        if type_name and type_name not in ErrorType.by_name():
            item.fault("type", type_name, " or ".join(ErrorType.by_name()))
        if not 0 <= step_index < len(steps):
            item.fault("step_index", step_index, f"a step from 0 to {len(steps) - 1}")
        event_id = item.text("event_id")
        errors[event_id] = type_name
        error_places.append((event_id, item.place))
    note_repeats(error_places, entry.faults, "event_id")
    name, scenario = entry.text("take_name"), entry.text("scenario")
    targets = {}
    corrections = entry.objects("corrections") if entry.has("corrections") else []
    for item in corrections:
        target = item.text("targets_error_id")
        if target and target not in errors:
            item.fault("targets_error_id", target, "an error of this take")
        targets[item.text("correction_id")] = target
    correction_places = [(str(item.raw("correction_id")), item.place) for item in corrections]
    note_repeats(correction_places, entry.faults, "correction_id")
    take = Take(uid=uid, name=name, scenario=scenario, steps=steps, video_stem=name)
    return PlannedTake(take=take, error_types=errors, correction_targets=targets)


def read(path: Path) -> Reading:
    """The takes of the plan and a trace for every rewritten take of every output.

    `native_labels` counts the types on the rows of the outputs, or of the plan's errors and
    corrections when it comes alone.
    """
    warnings = WarningList()
    plan_source, outputs = _find_files(path, warnings)
    planned_takes = plan_source.root.child("takes").items()
    plan = {uid: _read_planned_take(uid, entry.as_object()) for uid, entry in planned_takes}
    plan_source.root.faults.raise_if_any()
    names = Faults(path.name)
    note_repeats(((item.path.stem, str(item.path)) for item in outputs), names, "output")
    names.raise_if_any()
    traces: list[Trace] = []
    for output in outputs:
        uid_suffix = f":{output.path.stem}" if len(outputs) > 1 else ""
        traces.extend(read_rewrites(output.path.stem, output.root, plan, uid_suffix, warnings))
    error_types = [name for planned in plan.values() for name in planned.error_types.values()]
    correction_count = sum(len(planned.correction_targets) for planned in plan.values())
    if outputs:
        steps = (step for trace in traces for step in trace.steps)
        labels = Counter(label.name for step in steps for label in step.labels)
    else:
        labels = Counter(error_types)
        if correction_count:
            labels[CORRECTION_LABEL] = correction_count
    return Reading(
        takes=tuple(planned.take for planned in plan.values()),
        traces=tuple(traces),
        native_labels=dict(labels),
        derived={"errors": len(error_types), "corrections": correction_count},
        warnings=warnings.as_tuple(),
    )
