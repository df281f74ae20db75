"""A task graph and a recording's walk through it, as pages draw and tell them."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from types import MappingProxyType

from benchmarks.engine.charts import Piece, pieces
from benchmarks.engine.graph_drawing import BOX_PADDING, LINE_HEIGHT, LaneRow, Lanes, lanes, layered
from benchmarks.engine.task import Claim
from benchmarks.engine.walks import Done, Procedure, Walk

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
    number: int
    text: str
    lines: tuple[tuple[float, str], ...]
    note: str
    kind: str

    @property
    def left(self) -> float:
        return self.x + BOX_PADDING

    @property
    def right(self) -> float:
        return self.x + self.width - BOX_PADDING

    @property
    def top(self) -> float:
        """Of the first line of text, where it stands."""
        return self.y + BOX_PADDING + LINE_HEIGHT - 3


@dataclass(frozen=True, slots=True)
class Line:
    """An edge of the drawing; its kind is "edge", or how the recording broke it."""

    path: str
    words: str
    kind: str


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: float
    height: float
    line_kinds: tuple[str, ...] = LINE_KINDS


def drawn_graph(procedure: Procedure, walk: Walk | None = None) -> DrawnGraph | None:
    """The graph, with a walk through it where one is given; None where it has a cycle."""
    if procedure.graph.cycle or not procedure.order:
        return None
    texts = [procedure.texts[node] for node in procedure.order]
    written = [
        wrap(text, LINE_CHARACTERS, max_lines=BOX_LINES, placeholder="…") or [""] for text in texts
    ]
    found = layered(_edges(procedure), [1 + len(lines) for lines in written])
    broken = {
        (one.before, one.after): UNMET if one.is_unmet else REVERSED
        for one in (walk.broken if walk else ())
        if one.is_direct
    }
    boxes = []
    for node, lines, (x, y, width, height) in zip(
        procedure.order, written, found.boxes, strict=True
    ):
        step, note, kind = procedure.step_of[node], "", ""
        if walk is not None and walk.check is not None:
            place = walk.places.get(step)
            note = f"done {_nth(place)}" if place else "left out"
            first = walk.pieces[step][0].start_s if place else None
            note += "" if first is None else f", {first:.1f} s"
            at_fault = {after for _, after in broken}
            kind = "missing" if not place else "broken" if step in at_fault else "done"
        boxes.append(
            Box(
                x, y, width, height, procedure.numbers[node], procedure.texts[node],
                tuple(
                    (y + BOX_PADDING + LINE_HEIGHT * (n + 2) - 3, line)
                    for n, line in enumerate(lines)
                ),
                note, kind,
            )
        )  # fmt: skip
    drawn = []
    for (before, after), path in found.paths:
        pair = procedure.step_of[procedure.order[before]], procedure.step_of[procedure.order[after]]
        words = f"{before + 1} before {after + 1}"
        drawn.append(Line(path, words, broken.get(pair, EDGE)))
    # Broken edges are drawn last, above the others.
    drawn.sort(key=lambda line: line.kind != EDGE)
    return DrawnGraph(tuple(boxes), tuple(drawn), found.width, found.height)


def _edges(procedure: Procedure) -> list[tuple[int, int]]:
    numbers = procedure.numbers
    pairs = dict.fromkeys(procedure.graph.edges)
    return [(numbers[before] - 1, numbers[after] - 1) for before, after in pairs]


def _nth(place: int) -> str:
    """
    >>> [_nth(place) for place in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"


@dataclass(frozen=True, slots=True)
class Remark:
    """What is off with a step, in words; `kind` is "broken", "missing" or "marked"."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step of the graph, or one of the recording that the graph does not have (`number` "")."""

    number: str
    text: str
    after: str
    lane: LaneRow | None
    nth: str
    times: list[str]
    pieces: list[Piece]
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """Two steps with their texts and times, as the page and the list beside it say them."""

    before: str
    before_time: str
    after: str
    after_time: str
    words: str
    is_direct: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """All rows of the steps, the lanes beside them, and every edge that was broken."""

    rows: list[StepRow]
    lanes: Lanes | None
    broken: list[BrokenRow]

    @property
    def by_parts(self) -> list[tuple[str, list[BrokenRow]]]:
        """The broken edges of the graph itself, and the pairs that follow by way of other steps."""
        return [
            (name, rows)
            for name, is_direct in (("edges", True), ("pairs", False))
            if (rows := [row for row in self.broken if row.is_direct == is_direct])
        ]


def chart_of(
    procedure: Procedure,
    walk: Walk,
    length_s: float,
    said: Mapping[str, Sequence[Claim]] = MappingProxyType({}),
) -> Chart:
    """`said` are claims of one participant by the id of the step, drawn below what was done."""
    has_drawing = not procedure.graph.cycle
    drawn = lanes(len(procedure.order), _edges(procedure)) if has_drawing else None
    rows = []
    for place, node in enumerate(procedure.order):
        step = procedure.step_of[node]
        found = walk.pieces.get(step, [])
        rows.append(
            StepRow(
                number=str(procedure.numbers[node]),
                text=procedure.texts[node],
                after=", ".join(str(procedure.numbers[one]) for one in procedure.before(node)),
                lane=drawn.rows[place] if drawn else None,
                nth=_nth(walk.places[step]) if found else "",
                times=_times(found),
                pieces=_step_pieces(found, length_s) + _said_pieces(said.get(step, ()), length_s),
                remarks=tuple(_remarks(procedure, walk, step, found)),
            )
        )
    others = [one for one in walk.done if one.step_id not in procedure.step_texts]
    for one in others:
        marks = (Remark("marked", f"Marked: {', '.join(one.marks)}"),) if one.marks else ()
        remarks = (Remark("other", "Not in the graph"), *marks)
        nth = _nth(walk.places[one.step_id])
        rows.append(
            StepRow("", one.text, "", None, nth, _times([one]), _step_pieces([one], length_s),
                    remarks)
        )  # fmt: skip
    broken = [
        BrokenRow(
            _named(procedure, edge.before), _second(edge.before_s),
            _named(procedure, edge.after), _second(edge.after_s),
            "never done" if edge.is_unmet else "done too late",
            edge.is_direct,
        )
        for edge in walk.broken
    ]  # fmt: skip
    return Chart(rows, drawn, broken)


def ticks_of(length_s: float) -> list[str]:
    """Seconds at even distances, from 0 to the end."""
    return [f"{length_s * tick / TICKS:.0f}" for tick in range(TICKS + 1)]


def _step_pieces(done: Sequence[Done], length_s: float) -> list[Piece]:
    timed = [one for one in done if one.start_s is not None]
    found = pieces(
        [{"start_s": one.start_s, "end_s": one.end_s, "label": one.text} for one in timed],
        length_s,
    )
    return [
        replace(piece, kind="mistake" if one.marks else "step")
        for piece, one in zip(found, timed, strict=True)
    ]


def _said_pieces(claims: Sequence[Claim], length_s: float) -> list[Piece]:
    found = pieces(
        [
            {
                "start_s": one.start_s,
                "end_s": one.end_s,
                "label": "said" if one.score is None else f"said with score {one.score:.3g}",
            }
            for one in claims
        ],
        length_s,
    )
    return [replace(piece, kind="said", top="8", height="3") for piece in found]


def _remarks(procedure: Procedure, walk: Walk, step: str, done: Sequence[Done]) -> Iterable[Remark]:
    if walk.check is not None and not done:
        yield Remark("missing", "Left out")
    own = [edge for edge in walk.broken if edge.after == step]
    # What merely follows from another broken edge is in the list of all of them.
    shown = [edge for edge in own if edge.is_direct] or own
    for is_unmet, words in ((False, "before"), (True, "without")):
        befores = [edge.before for edge in shown if edge.is_unmet == is_unmet]
        if befores:
            numbers = " and ".join(procedure.step_numbers[str(before)] for before in befores)
            yield Remark("broken", f"Done {words} {numbers}, which must come first")
    if len(done) > 1:
        yield Remark("repeated", f"Done in {len(done)} pieces")
    if marks := dict.fromkeys(mark for one in done for mark in one.marks):
        yield Remark("marked", f"Marked: {', '.join(marks)}")


def _named(procedure: Procedure, step: Hashable) -> str:
    return f"{procedure.step_numbers[str(step)]}. {procedure.step_texts[str(step)]}"


def _second(start_s: float | None) -> str:
    return "–" if start_s is None else f"{start_s:.1f} s"


def _times(done: Sequence[Done]) -> list[str]:
    timed = [one for one in done if one.start_s is not None]
    words = [f"{one.start_s:.1f}–{one.end_s:.1f} s" for one in timed[:SHOWN_TIMES]]
    return words + ([f"and {len(timed) - SHOWN_TIMES} more"] if timed[SHOWN_TIMES:] else [])
