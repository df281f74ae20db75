"""A task graph and a recording's walk through it, as pages draw and tell them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from types import MappingProxyType

from benchmarks.engine.charts import ChartPiece, piece
from benchmarks.engine.graph_drawing import (
    BOX_PADDING,
    LINE_HEIGHT,
    LaneRow,
    Lanes,
    lanes,
    layered_drawing,
)
from benchmarks.engine.task import Claim
from benchmarks.engine.walks import DoneRow, GraphStep, Procedure, Walk

# A line of a box holds about so many characters; the rest of a text is in the list of the steps.
LINE_CHARACTERS, BOX_LINES = 25, 4
TICKS, SHOWN_TIMES = 4, 3
EDGE, REVERSED, UNMET = LINE_KINDS = ("edge", "reversed", "unmet")


@dataclass(frozen=True, slots=True)
class Box:
    """A step of the drawing: its lines of text and what became of it."""

    x: float
    y: float
    width: float
    height: float
    step: GraphStep
    lines: list[str]
    note: str
    kind: str


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """Boxes, and lines as (path, words, kind): the kind is "edge", or how a recording broke it."""

    boxes: list[Box]
    lines: list[tuple[str, str, str]]
    width: float
    height: float
    line_kinds: tuple[str, ...] = LINE_KINDS
    # Where text stands in a box.
    left: int = BOX_PADDING
    top: int = BOX_PADDING + LINE_HEIGHT - 3
    line_height: int = LINE_HEIGHT


def drawn_graph(procedure: Procedure, walk: Walk | None = None) -> DrawnGraph | None:
    """The graph, with a walk through it where one is given; None where it has a cycle."""
    steps = procedure.steps
    if procedure.graph.cycle or not steps:
        return None
    written = [
        wrap(step.text, LINE_CHARACTERS, max_lines=BOX_LINES, placeholder="…") or [""]
        for step in steps
    ]
    found = layered_drawing(procedure.edges, [1 + len(lines) for lines in written])
    broken = {
        (one.before, one.after): UNMET if one.is_unmet else REVERSED
        for one in (walk.broken if walk else ())
        if one.is_direct
    }
    at_fault = {after for _, after in broken}
    boxes = []
    for step, lines, frame in zip(steps, written, found.boxes, strict=True):
        note, kind = "", ""
        if walk is not None and step.step_id in walk.pieces:
            first_s = walk.pieces[step.step_id][0].start_s
            note = f"done {_nth(walk.places[step.step_id])}"
            note += "" if first_s is None else f", {first_s:.1f} s"
            kind = "broken" if step.step_id in at_fault else "done"
        elif walk is not None:
            note, kind = "left out", "missing"
        boxes.append(Box(*frame, step, lines, note, kind))
    drawn = []
    for (before, after), path in found.paths:
        kind = broken.get((steps[before].step_id, steps[after].step_id), EDGE)
        drawn.append((path, f"{before + 1} before {after + 1}", kind))
    # Broken edges are drawn last, above the others.
    drawn.sort(key=lambda line: line[-1] != EDGE)
    return DrawnGraph(boxes, drawn, found.width, found.height)


def _nth(place: int) -> str:
    """
    >>> [_nth(place) for place in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of the graph, or one of the recording that the graph does not have (`step` None).

    `remarks` are what is off with it, each with its kind: "broken", "missing", "marked" and others.
    """

    step: GraphStep | None
    text: str
    lane: LaneRow | None
    nth: str
    times: list[str]
    pieces: list[ChartPiece]
    remarks: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Chart:
    """All rows of the steps, the lanes beside them, and every edge that was broken.

    `broken` has "edges" of the graph itself and "pairs" that follow by way of other steps: both
    steps with their texts and times, and what was wrong.
    """

    rows: list[StepRow]
    lanes: Lanes | None
    broken: dict[str, list[tuple[str, str, str, str, str]]]


def chart_of(
    procedure: Procedure,
    walk: Walk,
    length_s: float,
    said: Mapping[str, Sequence[Claim]] = MappingProxyType({}),
) -> Chart:
    """`said` are claims of one participant by the id of the step, drawn below what was done."""
    has_drawing = not procedure.graph.cycle
    drawn = lanes(len(procedure.steps), procedure.edges) if has_drawing else None
    listed: list[tuple[GraphStep | None, list[DoneRow]]] = [
        (step, walk.pieces.get(step.step_id, [])) for step in procedure.steps
    ]
    listed += [(None, [one]) for one in walk.done if one.step_id not in procedure.texts]
    rows = []
    for place, (step, done) in enumerate(listed):
        timed = [one for one in done if one.start_s is not None and one.end_s is not None]
        times = [f"{one.start_s:.1f}–{one.end_s:.1f} s" for one in timed]
        if more := times[SHOWN_TIMES:]:
            times[SHOWN_TIMES:] = [f"and {len(more)} more"]
        claims = said.get(step.step_id, ()) if step else ()
        rows.append(
            StepRow(
                step=step,
                text=step.text if step else done[0].text,
                lane=drawn.rows[place] if drawn and step else None,
                nth=_nth(walk.places[done[0].step_id]) if done else "",
                times=times,
                pieces=_pieces(done, claims, length_s),
                remarks=list(_remarks(procedure, walk, step, done)),
            )
        )
    broken: dict[str, list[tuple[str, str, str, str, str]]] = {"edges": [], "pairs": []}
    for edge in walk.broken:
        ends = ((edge.before, edge.before_s), (edge.after, edge.after_s))
        told = [
            (
                f"{procedure.numbers[step_id]}. {procedure.texts[step_id]}",
                "–" if start_s is None else f"{start_s:.1f} s",
            )
            for step_id, start_s in ends
        ]
        words = "never done" if edge.is_unmet else "done too late"
        broken["edges" if edge.is_direct else "pairs"].append((*told[0], *told[1], words))
    return Chart(rows, drawn, broken)


def _pieces(done: Sequence[DoneRow], claims: Sequence[Claim], length_s: float) -> list[ChartPiece]:
    """What was done of a step, and below it what a participant says of it."""
    pieces = []
    for one in done:
        if one.start_s is not None and one.end_s is not None:
            kind = "mistake" if one.marks else "step"
            pieces.append(piece(one.start_s, one.end_s, length_s, one.text, kind))
    for claim in claims:
        words = "said" if claim.score is None else f"said with score {claim.score:.3g}"
        pieces.append(
            piece(claim.start_s, claim.end_s, length_s, words, "said", top="8", height="3")
        )
    return pieces


def ticks_of(length_s: float) -> list[str]:
    """Seconds at even distances, from 0 to the end."""
    return [f"{length_s * tick / TICKS:.0f}" for tick in range(TICKS + 1)]


def _remarks(
    procedure: Procedure, walk: Walk, step: GraphStep | None, done: Sequence[DoneRow]
) -> Iterable[tuple[str, str]]:
    if step is None:
        yield "other", "Not in the graph"
    elif walk.check is not None and not done:
        yield "missing", "Left out"
    own = [edge for edge in walk.broken if step and edge.after == step.step_id]
    # What merely follows from another broken edge is in the list of all of them.
    shown = [edge for edge in own if edge.is_direct] or own
    for is_unmet, words in ((False, "before"), (True, "without")):
        befores = [edge.before for edge in shown if edge.is_unmet == is_unmet]
        if befores:
            numbers = " and ".join(procedure.numbers[before] for before in befores)
            yield "broken", f"Done {words} {numbers}, which must come first"
    if len(done) > 1:
        yield "repeated", f"Done in {len(done)} pieces"
    if marks := dict.fromkeys(mark for one in done for mark in one.marks):
        yield "marked", f"Marked: {', '.join(marks)}"
