"""The events of one rewritten take, under the ids that the rows of the file give them."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.engine.corpus.procedure import Event, Take
from annotation.engine.taxonomy import (
    ErrorType,
    EventKind,
    EventType,
    Mod,
    TaxonomyLabel,
    event_type,
)

# Notes a warning about one take of one output.
Warn = Callable[[str], None]


def type_by_name() -> dict[str, EventType]:
    """The types of events by their names in the published files."""
    types = {name: event_type(kind) for name, kind in ErrorType.by_name().items()}
    return {"correction": TaxonomyLabel.CORRECTION, **types}


@dataclass(frozen=True, slots=True)
class PlannedTake:
    """A take of the plan: type name by error id, targeted error by correction id."""

    take: Take
    error_types: Mapping[str, str]
    correction_targets: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a rewrite; ids and type name are "" where the file has none."""

    mod: Mod
    old: int | None
    new: int | None
    type_name: str
    error_id: str
    correction_id: str
    repair_reason: str = ""


class EventBook:
    """Collect the events of one trace under the ids of the file, in order of their first row."""

    def __init__(self, planned: PlannedTake, is_freeform: bool, warn: Warn) -> None:
        self._targets = {} if is_freeform else planned.correction_targets
        self._warn = warn
        self._type_by_name = type_by_name()
        self._kinds: dict[str, EventKind] = {}
        self._types: dict[str, set[EventType | None]] = {}
        self._target_of: dict[str, str] = {}
        self._made_count: Counter[str] = Counter()

    def add(self, row: Row) -> str:
        is_correction = row.mod is Mod.CORRECTION
        kind = EventKind.CORRECTION if is_correction else EventKind.MISTAKE
        event_id = row.correction_id if is_correction else row.error_id
        is_clash = bool(event_id) and self._kinds.get(event_id, kind) is not kind
        if is_clash or not event_id:
            is_repair = not event_id and row.mod is Mod.INSERTION
            prefix = "repair" if is_repair else "unnamed"
            self._made_count[prefix] += 1
            made = f"{prefix}-{self._made_count[prefix]}"
            if is_clash:
                self._warn(
                    f"{event_id} is both an error and a correction: the second called {made}"
                )
            elif not (is_repair and row.repair_reason):
                self._warn(f"row {row.mod} for new step {row.new} names no event: called {made}")
            event_id = made
        self._kinds[event_id] = kind
        name = "correction" if is_correction else row.type_name
        self._types.setdefault(event_id, set()).add(self._type_by_name.get(name))
        if is_correction:
            target = self._targets.get(event_id) or row.error_id
            if target:
                self._target_of[event_id] = target
        return event_id

    def is_mistake(self, event_id: str) -> bool:
        return self._kinds.get(event_id) is EventKind.MISTAKE

    def events(self) -> tuple[Event, ...]:
        """A type only where all rows of the event agree."""
        made = []
        for event_id, kind in self._kinds.items():
            types = self._types[event_id]
            if len(types) > 1:
                self._warn(f"rows of {event_id} have different types: no type proposed")
            target = self._target_of.get(event_id)
            made.append(
                Event(
                    event_id=event_id,
                    kind=kind,
                    proposed_type=next(iter(types)) if len(types) == 1 else None,
                    target_event_id=target if target and self.is_mistake(target) else None,
                )
            )
        return tuple(made)
