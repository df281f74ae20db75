"""An edit list: the new recording as pieces of the old one and of clips, and new times of steps.

The pieces tile the new recording: each starts where the one before it ends. Each belongs to one row
of the trace or to none (footage between steps), so that rows can be timed again if a clip turns out
longer or shorter than planned.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from annotation.engine.taxonomy import Mod
from generation.engine.splicing.exceptions import EditListError

FORMAT = "piev-edit-list"
VERSION = 1


class PieceKind(StrEnum):
    """The kind of a piece; all but `kept` and `moved` are clips that have to be made."""

    KEPT = "kept"
    MOVED = "moved"
    REPLACEMENT = "replacement"
    INSERTION = "insertion"
    CORRECTION = "correction"
    BRIDGE = "bridge"
    REGENERATION = "regeneration"


FOOTAGE_KINDS = frozenset({PieceKind.KEPT, PieceKind.MOVED})


class StepLabel(StrEnum):
    """The kind of a step of the new recording, in the words of its annotation."""

    UNCHANGED = "unchanged"
    MISTAKE = "mistake"
    CORRECTION = "correction"
    CASCADE = "cascade"
    MISSING = "missing"


LABEL_OF_MOD = {
    Mod.UNCHANGED: StepLabel.UNCHANGED,
    Mod.ERROR: StepLabel.MISTAKE,
    Mod.CASCADE: StepLabel.CASCADE,
    Mod.INSERTION: StepLabel.MISTAKE,
    Mod.CORRECTION: StepLabel.CORRECTION,
    Mod.DELETION: StepLabel.MISSING,
    Mod.MOVED_SOURCE: StepLabel.MISTAKE,
    Mod.MOVED_TARGET: StepLabel.MISTAKE,
}


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A part of the source recording, in seconds."""

    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the new recording, from `start_s` to `end_s` of its time.

    `row_index` is the trace row that it shows or, for a bridge, leaves out; None between steps.
    `source` is the footage that it shows (kept, moved) or replaces (the clips of one window have
    the same); None for an added clip. Clips have an id; `asked_s` is the length to order, of which
    the first seconds are used.
    """

    kind: PieceKind
    start_s: float
    end_s: float
    row_index: int | None = None
    source: SourceRange | None = None
    clip_id: str = ""
    asked_s: float | None = None

    @property
    def is_clip(self) -> bool:
        return self.kind not in FOOTAGE_KINDS

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class StepTime:
    """One row of the trace in the new recording: its time, its kind, and its source.

    Both times are None for a missing step and for one without times in the source. `sources` is the
    footage that it shows, that its clips replace or, for a missing step, that was removed.
    """

    row_index: int
    mod: Mod
    label: StepLabel
    text: str
    start_s: float | None
    end_s: float | None
    reference_index: int | None = None
    event_id: str | None = None
    mistake_type: str = ""
    sources: tuple[SourceRange, ...] = ()
    is_generated: bool = False


@dataclass(frozen=True, slots=True)
class EditNote:
    """A note that something was adjusted, shortened or left out, and at which row."""

    row_index: int | None
    message: str


@dataclass(frozen=True, slots=True)
class EditList:
    """Everything that is needed to make the recording of a trace, and to annotate it."""

    take_uid: str
    trace_uid: str
    source_duration_s: float
    pieces: tuple[Piece, ...]
    steps: tuple[StepTime, ...]
    notes: tuple[EditNote, ...] = field(default=())

    @property
    def duration_s(self) -> float:
        """The length of the new recording, in seconds."""
        return self.pieces[-1].end_s if self.pieces else 0.0

    @property
    def clips(self) -> tuple[Piece, ...]:
        return tuple(piece for piece in self.pieces if piece.is_clip)

    def retimed(self, clip_durations_s: Mapping[str, float]) -> "EditList":
        """The list with the real lengths of clips, by clip id.

        Other clips keep their planned length; an unknown id raises `EditListError`.
        """
        unknown = clip_durations_s.keys() - {piece.clip_id for piece in self.clips}
        if unknown:
            raise EditListError(f"no clips {sorted(unknown)} in the edits of {self.trace_uid}")
        pieces = tiled(
            (piece, clip_durations_s.get(piece.clip_id, piece.duration_s)) for piece in self.pieces
        )
        return replace(self, pieces=pieces, steps=timed_steps(self.steps, pieces))

    def to_dict(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "EditList":
        """The list from the result of `to_dict`; raises `EditListError` if it is not one."""
        if document.get("format") != FORMAT or document.get("version") != VERSION:
            raise EditListError(
                f"format {document.get('format')!r} version {document.get('version')!r};"
                f" expected {FORMAT!r} version {VERSION}"
            )
        try:
            return cls(
                take_uid=document["take_uid"],
                trace_uid=document["trace_uid"],
                source_duration_s=document["source_duration_s"],
                pieces=tuple(
                    Piece(
                        **{
                            **item,
                            "kind": PieceKind(item["kind"]),
                            "source": SourceRange(**item["source"]) if item["source"] else None,
                        }
                    )
                    for item in document["pieces"]
                ),
                steps=tuple(
                    StepTime(
                        **{
                            **item,
                            "mod": Mod(item["mod"]),
                            "label": StepLabel(item["label"]),
                            "sources": tuple(SourceRange(**source) for source in item["sources"]),
                        }
                    )
                    for item in document["steps"]
                ),
                notes=tuple(EditNote(**item) for item in document["notes"]),
            )
        except KeyError as error:
            raise EditListError(f"no field {error} in the edit list") from error
        except (TypeError, ValueError) as error:
            raise EditListError(f"not an edit list: {error}") from error


def tiled(lengths: Iterable[tuple[Piece, float]]) -> tuple[Piece, ...]:
    """The pieces one after another from 0, each with the given length (seconds)."""
    pieces: list[Piece] = []
    at_s = 0.0
    for piece, duration_s in lengths:
        pieces.append(replace(piece, start_s=at_s, end_s=at_s + duration_s))
        at_s += duration_s
    return tuple(pieces)


def timed_steps(steps: Iterable[StepTime], pieces: Sequence[Piece]) -> tuple[StepTime, ...]:
    """The steps with the times of the pieces that show them, None if there are none."""
    shown: dict[int, list[Piece]] = {}
    for piece in pieces:
        if piece.row_index is not None and piece.kind is not PieceKind.BRIDGE:
            shown.setdefault(piece.row_index, []).append(piece)
    return tuple(
        replace(step, start_s=own[0].start_s, end_s=own[-1].end_s)
        if (own := shown.get(step.row_index))
        else replace(step, start_s=None, end_s=None)
        for step in steps
    )
