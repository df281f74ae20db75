"""The steps of a recording, each with all the pieces in which it was done, and their task graph.

Source: CaptainCook4D, 4.1, and its released code: the rows of a step are joined, and the last one
decides whether the step is an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.engine.corpus.procedure import Take, TaskGraph
from benchmarks.engine.material import Recording, is_mistake, tags_of

LAST, ANY, FIRST = "last", "any", "first"


@dataclass(frozen=True, slots=True)
class Piece:
    """One timed row; `tags` are the data set's own labels of mistakes, if any."""

    start_s: float
    end_s: float
    tags: tuple[str, ...]
    is_error: bool


@dataclass(frozen=True, slots=True)
class JoinedStep:
    """A step of a recording with the pieces in which it was done, by time.

    `text` are the procedure's words, never the row's own, which may describe the mistake; "" for a
    step that the procedure does not have.
    """

    step_id: str
    text: str
    pieces: tuple[Piece, ...]

    def is_error(self, rule: str) -> bool:
        """Whether it is an error by its `LAST` row, its `FIRST`, or `ANY` of them."""
        marks = [piece.is_error for piece in self.pieces]
        return {LAST: marks[-1], FIRST: marks[0], ANY: any(marks)}[rule]

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tag for piece in self.pieces for tag in piece.tags))


def joined_steps(recording: Recording, reference: Take | None = None) -> tuple[JoinedStep, ...]:
    """The timed steps of a recording in the order in which they began.

    A row that names no step is a step by itself. A take's own recording has no mistakes; the words
    of its steps are those of `reference`, if that is another take.
    """
    written = recording.take if reference is None else reference
    names = {step.step_id: step.text for step in written.steps if step.step_id}
    pieces: dict[str, list[Piece]] = {}
    texts: dict[str, str] = {}
    for place, row in enumerate(recording.timed_rows):
        key = row.step_id or f"row {place + 1}"
        assert row.start_s is not None
        assert row.end_s is not None
        pieces.setdefault(key, []).append(
            Piece(row.start_s, row.end_s, tags_of(row), is_mistake(row))
        )
        own = recording.words_of(row) if written is recording.take else ""
        texts.setdefault(key, names.get(row.step_id) or own)
    # Pieces may overlap: the last is the one that ends last.
    return tuple(
        JoinedStep(key, texts[key], tuple(sorted(own_pieces, key=lambda piece: piece.end_s)))
        for key, own_pieces in pieces.items()
    )


def graph_on_steps(
    graph: TaskGraph | None, step_of_text: Mapping[str, str]
) -> dict[str, list[list[str]]]:
    """A task graph as JSON: {"nodes": [[node, step id]], "edges": [[before, after]] of nodes}.

    A node whose text is not that of a step is left out with its edges.
    """
    if graph is None:
        return {"nodes": [], "edges": []}
    nodes = {node: step_of_text[text] for node, text in graph.nodes if text in step_of_text}
    return {
        "nodes": [[node, step] for node, step in nodes.items()],
        "edges": [list(edge) for edge in graph.edges if nodes.keys() >= set(edge)],
    }
