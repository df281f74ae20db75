"""Plan the cuts of a trace: which windows of its take are replaced, moved, removed or kept.

Source: PIE-V, section 4.4 (wrong execution and substitution replace a step, insertion and
correction add a clip, a transposition regenerates its window, a deletion removes a step and is
bridged) and section D.6 (limits of the models).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from annotation.engine.corpus.procedure import Event, Take, Trace, TraceStep
from annotation.engine.taxonomy import Mod
from generation.engine.splicing.edit_list import (
    LABEL_OF_MOD,
    EditList,
    EditNote,
    Piece,
    PieceKind,
    SourceRange,
    StepLabel,
    StepTime,
    tiled,
    timed_steps,
)
from generation.engine.splicing.exceptions import SplicingError
from generation.engine.splicing.options import EditOptions, Transposition
from generation.engine.splicing.windows import Window, exclusive_windows

# Seconds by which equal times may differ because of rounding; no footage is that short.
_TIGHT = 1e-9


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the trace with its window; None if it has no footage of its own."""

    index: int
    step: TraceStep
    window: Window | None


def plan_edits(
    *, take: Take, trace: Trace, source_duration_s: float, options: EditOptions | None = None
) -> EditList:
    """The edit list that turns a recording of the take into the trace.

    `source_duration_s` is the length of the recording. Raises `WindowError` if a step's times do
    not fit the recording and `SplicingError` if the trace belongs to another take.
    """
    options = options or EditOptions()
    if trace.take_uid != take.uid:
        raise SplicingError(
            f"trace {trace.uid} belongs to take {trace.take_uid}; expected take {take.uid}"
        )
    windows = {
        window.reference_index: replace(
            window,
            start_s=options.on_frame(window.start_s),
            end_s=options.on_frame(window.end_s),
        )
        for window in exclusive_windows(take, source_duration_s)
    }
    rows, notes = _rows(take, trace, windows)
    planner = _Planner(options, source_duration_s, windows)
    for block in _blocks(rows):
        planner.add_block(block)
    planner.finish()
    pieces = tiled((piece, piece.duration_s) for piece in planner.pieces)
    return EditList(
        take_uid=take.uid,
        trace_uid=trace.uid,
        source_duration_s=source_duration_s,
        pieces=pieces,
        steps=timed_steps(_steps(trace, rows, pieces), pieces),
        notes=(*notes, *planner.notes),
    )


def _rows(
    take: Take, trace: Trace, windows: Mapping[int, Window]
) -> tuple[list[_Row], list[EditNote]]:
    """The rows with their windows, and notes about unusual times."""
    rows, notes = [], []
    for index, step in enumerate(trace.steps):
        reference = step.reference_index
        if reference is not None and not 0 <= reference < len(take.steps):
            raise SplicingError(
                f"row {index} of trace {trace.uid} realises step {reference};"
                f" expected 0 to {len(take.steps) - 1}"
            )
        window = None
        if reference is not None and step.mod not in {Mod.INSERTION, Mod.CORRECTION}:
            window = windows.get(reference)
        rows.append(_Row(index, step, window))
        if window is not None and window.is_adjusted:
            notes.append(
                EditNote(
                    index,
                    "the annotated times overlap another step or the end of the recording;"
                    f" used {window.start_s:.3f} to {window.end_s:.3f} s",
                )
            )
        elif window is None and reference is not None:
            notes.append(EditNote(index, "the step has no times in the recording"))
    return rows, notes


def _blocks(rows: Sequence[_Row]) -> list[list[_Row]]:
    """The rows in runs; a run of several rows is a stretch whose steps changed their order.

    A run ends where every step so far is earlier in the source than all steps that follow. Rows
    without a window stay with the row before them.
    """
    lowest_after: list[float] = []
    lowest = float("inf")
    for row in reversed(rows):
        lowest_after.append(lowest)
        if row.window is not None:
            lowest = min(lowest, row.window.rank)
    lowest_after.reverse()
    blocks: list[list[_Row]] = []
    block: list[_Row] = []
    highest = -1.0
    for row, lowest in zip(rows, lowest_after, strict=True):
        block.append(row)
        if row.window is not None:
            highest = max(highest, row.window.rank)
        if highest < lowest:
            blocks.append(block)
            block = []
    return blocks


def _steps(trace: Trace, rows: Sequence[_Row], pieces: Sequence[Piece]) -> list[StepTime]:
    events: dict[str, Event] = {event.event_id: event for event in trace.events}
    rows_with_clips = {piece.row_index for piece in pieces if piece.is_clip}
    sources: dict[int | None, dict[SourceRange, None]] = {}
    for piece in pieces:
        if piece.source is not None and piece.kind is not PieceKind.BRIDGE:
            sources.setdefault(piece.row_index, {})[piece.source] = None
    steps = []
    for row in rows:
        step, label = row.step, LABEL_OF_MOD[row.step.mod]
        event = events.get(step.event_id or "")
        has_type = label in {StepLabel.MISTAKE, StepLabel.MISSING} and event is not None
        shown = tuple(sources.get(row.index, ()))
        if step.mod is Mod.DELETION and row.window is not None:
            shown = (SourceRange(row.window.start_s, row.window.end_s),)
        steps.append(
            StepTime(
                row_index=row.index,
                mod=step.mod,
                label=label,
                text=step.text,
                start_s=None,
                end_s=None,
                reference_index=step.reference_index,
                event_id=step.event_id,
                mistake_type=str(event.proposed_type or "") if has_type and event else "",
                sources=shown,
                is_generated=row.index in rows_with_clips and step.mod is not Mod.DELETION,
            )
        )
    return steps


class _Planner:
    """Goes once through the recording, from start to end, and collects pieces."""

    def __init__(
        self, options: EditOptions, source_duration_s: float, windows: Mapping[int, Window]
    ) -> None:
        self.options = options
        self.end_s = options.on_frame(source_duration_s)
        self.starts_s = sorted(window.start_s for window in windows.values())
        self.pieces: list[Piece] = []
        self.notes: list[EditNote] = []
        self.at_s = 0.0
        self.clip_count = 0
        self.was_deletion = False

    def add_block(self, block: Sequence[_Row]) -> None:
        ranks = {row.window.rank for row in block if row.window is not None}
        if len(ranks) > 1 or sum(row.window is not None for row in block) > 1:
            self._add_moved(block)
            return
        for row in block:
            window = row.window
            if window is None:
                self._add_without_footage(row)
            elif row.step.mod is Mod.DELETION:
                # One bridge for consecutive deletions: footage between them would only flash up.
                if not self.was_deletion:
                    self._keep(self.at_s, window.start_s)
                    source = SourceRange(window.start_s, window.end_s)
                    self._clip(PieceKind.BRIDGE, self.options.bridge_s, row, source)
                self.at_s = window.end_s
            elif self._needs_clip(row):
                start_s, end_s = self._padded(window)
                self._keep(self.at_s, start_s)
                self._make(PieceKind.REPLACEMENT, row, SourceRange(start_s, end_s))
                self.at_s = end_s
            else:
                self._keep(self.at_s, window.start_s)
                self._keep(window.start_s, window.end_s, row)
                self.at_s = window.end_s
            self.was_deletion = row.step.mod is Mod.DELETION

    def finish(self) -> None:
        self._keep(self.at_s, self.end_s)

    def _needs_clip(self, row: _Row) -> bool:
        mod = row.step.mod
        return mod is Mod.ERROR or (mod is Mod.CASCADE and self.options.regenerates_cascades)

    def _keep(self, start_s: float, end_s: float, row: _Row | None = None) -> None:
        self._footage(PieceKind.KEPT, start_s, end_s, row)

    def _footage(self, kind: PieceKind, start_s: float, end_s: float, row: _Row | None) -> None:
        if end_s - start_s <= _TIGHT:
            return
        index = None if row is None else row.index
        source = SourceRange(start_s, end_s)
        self.pieces.append(Piece(kind, 0.0, end_s - start_s, index, source))

    def _clip(
        self, kind: PieceKind, length_s: float, row: _Row, source: SourceRange | None = None
    ) -> None:
        length_s = self.options.length_on_frame(length_s)
        if length_s <= 0:
            return
        is_bridge = kind is PieceKind.BRIDGE
        asked_s = length_s if is_bridge else self.options.limits.order_length_s(length_s)
        self.clip_count += 1
        clip_id = f"clip-{self.clip_count:02d}"
        self.pieces.append(Piece(kind, 0.0, length_s, row.index, source, clip_id, asked_s))

    def _add_without_footage(self, row: _Row) -> None:
        options = self.options
        if row.step.mod is Mod.CORRECTION:
            kind, length_s = PieceKind.CORRECTION, options.correction_s
        elif row.step.mod in {Mod.INSERTION, Mod.ERROR}:
            kind, length_s = PieceKind.INSERTION, options.insertion_s
        else:
            return
        if not self.pieces and self.starts_s:
            # A clip before the first step comes after the preparations at the recording's start.
            self._keep(self.at_s, self.starts_s[0])
            self.at_s = self.starts_s[0]
        self._clip(kind, length_s, row)

    def _make(self, kind: PieceKind, row: _Row, source: SourceRange) -> None:
        limits, wanted_s, note = self.options.limits, source.end_s - source.start_s, ""
        lengths_s = limits.clip_lengths_s(wanted_s)
        if wanted_s > limits.max_s * limits.max_clips_per_step + _TIGHT:
            note = (
                f"lasts {wanted_s:.1f} s; {len(lengths_s)} clips of at most"
                f" {limits.max_s:g} s make {sum(lengths_s):.1f} s of it"
            )
        elif wanted_s < limits.min_s - _TIGHT:
            note = (
                f"its window has {wanted_s:.2f} s, less than the shortest clip;"
                f" it now lasts {sum(lengths_s):g} s"
            )
        if note:
            self.notes.append(EditNote(row.index, note))
        for length_s in lengths_s:
            self._clip(kind, length_s, row, source)

    def _padded(self, window: Window) -> tuple[float, float]:
        """The window, widened into footage between steps until the shortest clip fits."""
        missing_s = max(0.0, self.options.limits.min_s - window.duration_s)
        later = [start_s for start_s in self.starts_s if start_s >= window.end_s]
        room_after_s = min(later, default=self.end_s) - window.end_s
        after_s = min(missing_s, max(0.0, room_after_s))
        before_s = min(missing_s - after_s, max(0.0, window.start_s - self.at_s))
        options = self.options
        return options.on_frame(window.start_s - before_s), options.on_frame(window.end_s + after_s)

    def _add_moved(self, block: Sequence[_Row]) -> None:
        """Add a stretch with reordered steps; the footage before a step moves with it."""
        in_time = sorted(
            {row.window.rank: row.window for row in block if row.window is not None}.items()
        )
        first, last = in_time[0][1], in_time[-1][1]
        self._keep(self.at_s, first.start_s)
        lead_s = {first.rank: first.start_s}
        for (_, earlier), (rank, _) in pairwise(in_time):
            lead_s[rank] = earlier.end_s
        for row in block:
            window = row.window
            if window is None:
                self._add_without_footage(row)
                continue
            source = SourceRange(window.start_s, window.end_s)
            if row.step.mod is Mod.DELETION:
                self._clip(PieceKind.BRIDGE, self.options.bridge_s, row, source)
            elif self.options.transposition is Transposition.REGENERATE:
                self._make(PieceKind.REGENERATION, row, source)
            else:
                start_s = lead_s.pop(window.rank, window.start_s)
                self._footage(PieceKind.MOVED, start_s, window.start_s, None)
                if self._needs_clip(row):
                    self._make(PieceKind.REPLACEMENT, row, source)
                else:
                    self._footage(PieceKind.MOVED, window.start_s, window.end_s, row)
        self.at_s = max(first.end_s, last.end_s)
        self.was_deletion = False
