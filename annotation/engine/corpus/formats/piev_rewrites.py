"""The rewritten takes of PIE-V's writer, judge and freeform model as traces.

Writer and judge give rows `{"old", "new", "mod", "etype", "eid", "cid"}` in timeline order,
deletions included; the freeform model gives `[source, mod, error, correction]` per final step and
`[source, error]` per deletion. A take whose rows do not fit its texts is left out with the reason.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from annotation.engine.corpus.formats.errors import fault_of_file
from annotation.engine.corpus.formats.piev_events import EventBook, PlannedTake, Row, Warn
from annotation.engine.corpus.formats.reading import Entry
from annotation.engine.corpus.formats.recordings import merge_by_position
from annotation.engine.corpus.procedure import NativeLabel, Take, Trace, TraceStep, WarningList
from annotation.engine.taxonomy import MODS_WITHOUT_REFERENCE, Mod

# The marks of the freeform model and the published type name that each stands for.
FREEFORM_MODS: Mapping[str, tuple[Mod, str]] = {
    "u": (Mod.UNCHANGED, ""),
    "we": (Mod.ERROR, "wrong_execution"),
    "s": (Mod.ERROR, "substitution"),
    "i": (Mod.INSERTION, "insertion"),
    "c": (Mod.CORRECTION, "correction"),
    "ms": (Mod.MOVED_SOURCE, "transposition"),
    "mt": (Mod.MOVED_TARGET, "transposition"),
}
# What the file says about the model that wrote it.
PROVENANCE_FIELDS = ("model_backend", "model_choice", "temperature", "seed")
SHOWN_ERROR_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The rows of one take in timeline order, and the text of each row that is no deletion."""

    rows: tuple[Row, ...]
    texts: tuple[str, ...]
    is_freeform: bool


def _index(entry: Entry, field: str) -> int | None:
    """A step index; "" and null, which both stand for none, become None."""
    value = entry.raw(field)
    if value is None or value == "":
        return None
    if type(value) is int:
        return value
    entry.fault(field, value, 'a step index, "" or null')
    return None


def _named_cells(entry: Entry, names: Sequence[str]) -> Entry:
    """An array as an object with the given names, so that faults say which cell."""
    cells = entry.value if isinstance(entry.value, list) else []
    if len(cells) != len(names):
        entry.fault("", entry.value, f"an array of {len(names)}: {', '.join(names)}")
        cells = [None] * len(names)
    return Entry(dict(zip(names, cells, strict=True)), entry.place, entry.faults)


def _read_freeform_rows(entry: Entry, items: Iterable[Entry]) -> Iterator[Row]:
    """The rows in timeline order, with each deletion where the take has the step."""
    placed: list[tuple[Row, int | None]] = []
    for new, item in enumerate(items):
        cells = _named_cells(item, ("source_idx", "mod", "error_id", "correction_id"))
        name = cells.text("mod", is_required=False)
        if name not in FREEFORM_MODS:
            cells.fault("mod", name, " or ".join(FREEFORM_MODS))
        mod, type_name = FREEFORM_MODS.get(name, FREEFORM_MODS["u"])
        row = Row(
            mod=mod,
            old=_index(cells, "source_idx"),
            new=new,
            type_name=type_name,
            error_id=cells.text("error_id", is_required=False),
            correction_id=cells.text("correction_id", is_required=False),
        )
        placed.append((row, None if mod in MODS_WITHOUT_REFERENCE else row.old))
    deletions: list[tuple[Row, int]] = []
    elements = entry.elements_of("del")
    for item in elements:
        cells = _named_cells(item, ("source_idx", "error_id"))
        old = _index(cells, "source_idx")
        error_id = cells.text("error_id", is_required=False)
        if old is not None:
            deletions.append((Row(Mod.DELETION, old, None, "deletion", error_id, ""), old))
    if len(deletions) < len(elements):
        entry.fault("del", "null", "the index of the step that is left out")
    return (row for row, _position in merge_by_position(placed, deletions))


def _read_rewrite(entry: Entry) -> Rewrite:
    texts = tuple(item.as_text() for item in entry.elements_of("final_steps"))
    items = entry.elements_of("meta")
    is_freeform = entry.has("del") or any(isinstance(item.value, list) for item in items)
    rows = list(_read_freeform_rows(entry, items)) if is_freeform else []
    for row in () if is_freeform else (item.as_object() for item in items):
        name = row.text("mod")
        if name not in frozenset(Mod):
            row.fault("mod", name, " or ".join(Mod))
        rows.append(
            Row(
                mod=Mod(name) if name in frozenset(Mod) else Mod.UNCHANGED,
                old=_index(row, "old"),
                new=_index(row, "new"),
                type_name=row.text("etype", is_required=False),
                error_id=row.text("eid", is_required=False),
                correction_id=row.text("cid", is_required=False),
                repair_reason=row.text("repair_reason", is_required=False),
            )
        )
    return Rewrite(rows=tuple(rows), texts=texts, is_freeform=is_freeform)


def _why_rows_do_not_fit(rewrite: Rewrite, step_count: int) -> str | None:
    """Why the rows cannot be laid on texts and take, or None where they can."""
    kept = [row for row in rewrite.rows if row.mod is not Mod.DELETION]
    if len(kept) != len(rewrite.texts):
        return (
            f"meta has {len(kept)} rows that are no deletions, but final_steps has "
            f"{len(rewrite.texts)} texts"
        )
    if [row.new for row in kept] != list(range(len(kept))):
        return "the new indices of meta are not 0, 1, 2... in order"
    for row in rewrite.rows:
        if row.old is not None and not 0 <= row.old < step_count:
            return f"meta names source step {row.old}, but the take has {step_count} steps"
        if row.mod is Mod.DELETION and row.old is None:
            return "meta has a deletion that names no source step"
    return None


def _warn_of_rows(rewrite: Rewrite, take: Take, warn: Warn) -> None:
    realised = [row.old for row in rewrite.rows if row.mod not in MODS_WITHOUT_REFERENCE]
    uses = Counter(old for old in realised if old is not None)
    absent = [index for index in range(len(take.steps)) if index not in uses]
    if absent:
        warn(f"source steps without a row or a deletion: {', '.join(map(str, absent))}")
    repeated = sorted(index for index, count in uses.items() if count > 1)
    if repeated:
        warn(f"source steps with several rows: {', '.join(map(str, repeated))}")
    foreign = [row for row in rewrite.rows if row.mod in MODS_WITHOUT_REFERENCE]
    if any(row.old is not None for row in foreign):
        warn("rows of insertions and corrections name a source step: dropped, as they have none")
    for row in rewrite.rows:
        if row.mod is not Mod.UNCHANGED or row.old is None or row.new is None:
            continue
        if rewrite.texts[row.new] != take.steps[row.old].text:
            warn(f"row of new step {row.new} is marked unchanged but its text differs")


def _make_steps(rewrite: Rewrite, take: Take, book: EventBook, warn: Warn) -> Iterator[TraceStep]:
    no_event = (Mod.UNCHANGED, Mod.CASCADE)
    # All at once: a cascade row may name the mistake of a later row.
    own = [None if row.mod in no_event else book.add(row) for row in rewrite.rows]
    for row, event_id in zip(rewrite.rows, own, strict=True):
        if row.mod is Mod.CASCADE and row.error_id:
            if book.is_mistake(row.error_id):
                event_id = row.error_id
            else:
                shown = f"cascade row of new step {row.new} names {row.error_id}"
                warn(f"{shown}, which no row makes: left open")
        names = {row.type_name: row.repair_reason} if row.type_name else {row.repair_reason: ""}
        is_foreign = row.old is None or row.mod in MODS_WITHOUT_REFERENCE
        yield TraceStep(
            mod=row.mod,
            text="" if row.new is None or row.mod is Mod.DELETION else rewrite.texts[row.new],
            reference_index=None if is_foreign else row.old,
            event_id=event_id,
            step_id="" if is_foreign or row.old is None else take.steps[row.old].step_id,
            labels=tuple(NativeLabel(name, note) for name, note in names.items() if name),
        )


def make_rewritten_trace(
    uid: str,
    rewrite: Rewrite,
    planned: PlannedTake,
    provenance: Mapping[str, str],
    warn: Warn,
) -> Trace:
    take = planned.take
    _warn_of_rows(rewrite, take, warn)
    book = EventBook(planned, rewrite.is_freeform, warn)
    steps = tuple(_make_steps(rewrite, take, book, warn))
    events = book.events()
    if not rewrite.is_freeform:
        known = {*planned.error_types, *planned.correction_targets}
        made = {event.event_id for event in events}
        if known - made:
            warn(f"planned events without a row: {', '.join(sorted(known - made))}")
        unplanned = [
            item for item in sorted(made - known) if not item.startswith(("repair-", "unnamed-"))
        ]
        if unplanned:
            warn(f"event ids that the plan does not have: {', '.join(unplanned)}")
    return Trace(
        uid=uid,
        name=take.name,
        take_uid=take.uid,
        steps=steps,
        events=events,
        reference_reason="This is the take that was rewritten.",
        provenance=provenance,
    )


def read_rewrites(
    stem: str,
    root: Entry,
    plan: Mapping[str, PlannedTake],
    uid_suffix: str,
    warnings: WarningList,
) -> list[Trace]:
    """A trace for each take of the output file `stem` whose rows fit its texts.

    Takes that come without a rewrite, that the plan does not have or whose rows and texts disagree
    are left out, each with a warning. Raises `FormatError` when no take is of the plan.
    """
    traces = []
    meta = root.value.get("meta") if isinstance(root.value, dict) else None
    told = meta if isinstance(meta, dict) else {}
    model = {field: str(told[field]) for field in PROVENANCE_FIELDS if told.get(field) is not None}
    takes = list(root.child("takes").items())
    for uid, item in takes:
        entry = item.as_object()
        status = entry.text("status", is_required=False) or "unknown"
        name = entry.text("take_name", is_required=False)
        warn = partial(warnings.add, f"{root.faults.file} take {uid} ({name})")
        if uid not in plan:
            warn("left out: the plan does not have this take")
            continue
        if not entry.has("rewrite"):
            error = entry.text("error", is_required=False)[:SHOWN_ERROR_CHARACTERS]
            warn(f"left out: status {status}, no rewrite{f': {error}' if error else ''}")
            continue
        rewrite = _read_rewrite(entry.child("rewrite").as_object())
        reason = _why_rows_do_not_fit(rewrite, len(plan[uid].take.steps))
        if reason:
            warn(f"left out: {reason}")
            continue
        provenance = {"file": stem, **model, "status": status}
        traces.append(
            make_rewritten_trace(f"{uid}{uid_suffix}", rewrite, plan[uid], provenance, warn)
        )
    root.faults.raise_if_any()
    if takes and not any(uid in plan for uid, _item in takes):
        raise fault_of_file(root.faults.file, takes[0][0], "takes that the plan has")
    return traces
