"""Note who looked at figures of segments of a main round before it was closed."""

from collections.abc import Iterable

from annotation.models import Phase, Round, User
from annotation.selectors.figures.figures import InterimFigures
from annotation.services.figures.interim_looks import note_interim_looks
from segments.measures.report import FigureRow

ALL_TRACKS = "all tracks"


def note_segment_look(*, round_: Round, rows: Iterable[FigureRow], person: User | None) -> None:
    """Store which figures a person, or a command (None), was shown of a round that is open."""
    if round_.phase != Phase.MAIN or not round_.is_open:
        return
    shown = {
        (row.track or ALL_TRACKS, row.part.value) for row in rows if row.summary.value is not None
    }
    if shown:
        look = InterimFigures(round_, tuple(sorted(shown)), is_noted=False)
        note_interim_looks(looks=[look], person=person)
