"""A task graph and a recording's walk through it, prepared for pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from types import MappingProxyType

from benchmarks.engine.charts import ChartPiece, piece
from benchmarks.engine.claims import Claim
from benchmarks.engine.graphs.drawing import BOX_PADDING, LINE_HEIGHT, LaneRow, Lanes, lanes, layers
from benchmarks.engine.graphs.walks import DoneRow, GraphStep, Procedure, Walk

# A box of the drawing holds this much text; the list of steps below has all of it.
LINE_CHARACTERS, BOX_LINES = 25, 4
TICKS, SHOWN_TIMES = 4, 3
EDGE, REVERSED, UNMET = LINE_KINDS = ("edge", "reversed", "unmet")


@dataclass(frozen=True, slots=True)
class Box:
    """A step in the drawing, with its lines of text and whether and when it was done."""

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
    """Boxes, and lines as (path, words, kind); the kind says whether a recording broke the edge."""

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
    """The drawing of a task graph and of a walk, if any; None where the graph has a cycle."""
    steps = procedure.steps
    if procedure.graph.cycle or not steps:
        return None
    written = [
        wrap(step.text, LINE_CHARACTERS, max_lines=BOX_LINES, placeholder="…") or [""]
        for step in steps
    ]
    layout = layers(procedure.edges, [1 + len(lines) for lines in written])
    broken = {
        (edge.before, edge.after): UNMET if edge.is_unmet else REVERSED
        for edge in (walk.broken if walk else ())
        if edge.is_direct
    }
    at_fault = {after for _, after in broken}
    boxes = []
    for step, lines, frame in zip(steps, written, layout.boxes, strict=True):
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
    for (before, after), path in layout.paths:
        kind = broken.get((steps[before].step_id, steps[after].step_id), EDGE)
        drawn.append((path, f"{before + 1} before {after + 1}", kind))
    # Broken edges are drawn last, above the others.
    drawn.sort(key=lambda line: line[-1] != EDGE)
    return DrawnGraph(boxes, drawn, layout.width, layout.height)


def _nth(place: int) -> str:
    """
    >>> [_nth(place) for place in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of the graph, or one of the recording that is not in the graph (`step` None).

    `remarks` are what is wrong with it, each with its kind, such as "broken" or "missing".
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
    """The rows of all steps, the lanes beside them, and every edge that was broken.

    `broken` has "edges" of the graph and "pairs" that follow through other steps, each as text and
    time of both steps and what was wrong.
    """

    rows: list[StepRow]
    lanes: Lanes | None
    broken: dict[str, list[tuple[str, str, str, str, str]]]


def chart_of(
    procedure: Procedure,
    walk: Walk,
    length_s: float,
    claims_by_step: Mapping[str, Sequence[Claim]] = MappingProxyType({}),
) -> Chart:
    """The chart of a walk, with one participant's claims by step id drawn below what was done."""
    has_drawing = not procedure.graph.cycle
    drawn = lanes(len(procedure.steps), procedure.edges) if has_drawing else None
    listed: list[tuple[GraphStep | None, list[DoneRow]]] = [
        (step, walk.pieces.get(step.step_id, [])) for step in procedure.steps
    ]
    listed += [(None, [row]) for row in walk.done if row.step_id not in procedure.texts]
    rows = []
    for place, (step, done) in enumerate(listed):
        timed = [row for row in done if row.start_s is not None and row.end_s is not None]
        times = [f"{row.start_s:.1f}–{row.end_s:.1f} s" for row in timed]
        if more := times[SHOWN_TIMES:]:
            times[SHOWN_TIMES:] = [f"and {len(more)} more"]
        claims = claims_by_step.get(step.step_id, ()) if step else ()
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
        both = [
            (
                f"{procedure.numbers[step_id]}. {procedure.texts[step_id]}",
                "–" if start_s is None else f"{start_s:.1f} s",
            )
            for step_id, start_s in ends
        ]
        words = "never done" if edge.is_unmet else "done too late"
        broken["edges" if edge.is_direct else "pairs"].append((*both[0], *both[1], words))
    return Chart(rows, drawn, broken)


def _pieces(done: Sequence[DoneRow], claims: Sequence[Claim], length_s: float) -> list[ChartPiece]:
    """The bars of a step: when it was done, and below that a participant's claims."""
    pieces = []
    for row in done:
        if row.start_s is not None and row.end_s is not None:
            kind = "mistake" if row.marks else "step"
            pieces.append(piece(row.start_s, row.end_s, length_s, row.text, kind))
    for claim in claims:
        words = "said" if claim.score is None else f"said with score {claim.score:.3g}"
        pieces.append(
            piece(claim.start_s, claim.end_s, length_s, words, "said", top="8", height="3")
        )
    return pieces


def ticks_of(length_s: float) -> list[str]:
    return [f"{length_s * tick / TICKS:.0f}" for tick in range(TICKS + 1)]


def _remarks(
    procedure: Procedure, walk: Walk, step: GraphStep | None, done: Sequence[DoneRow]
) -> Iterable[tuple[str, str]]:
    if step is None:
        yield "other", "Not in the graph"
    elif walk.check is not None and not done:
        yield "missing", "Left out"
    edges_to_step = [edge for edge in walk.broken if step and edge.after == step.step_id]
    # Pairs that merely follow from a broken edge are only in the list of all of them.
    shown = [edge for edge in edges_to_step if edge.is_direct] or edges_to_step
    for is_unmet, words in ((False, "before"), (True, "without")):
        befores = [edge.before for edge in shown if edge.is_unmet == is_unmet]
        if befores:
            numbers = " and ".join(procedure.numbers[before] for before in befores)
            yield "broken", f"Done {words} {numbers}, which must come first"
    if len(done) > 1:
        yield "repeated", f"Done in {len(done)} pieces"
    if marks := dict.fromkeys(mark for row in done for mark in row.marks):
        yield "marked", f"Marked: {', '.join(marks)}"
