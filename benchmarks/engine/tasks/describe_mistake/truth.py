"""Describe a mistake in words, by rules, from its trace."""

from annotation.engine.corpus.procedure import Take, TraceStep
from annotation.engine.taxonomy import Mod
from benchmarks.engine.happenings import NoticedMistake
from benchmarks.engine.material import Recording


def describe(recording: Recording, mistake: NoticedMistake) -> str:
    """One or two sentences that name the written step and what was done instead."""
    assert recording.trace is not None
    rows = [
        row
        for row in recording.trace.steps
        if row.event_id == mistake.event.event_id and row.mod is not Mod.CASCADE
    ]
    moved = [row for row in rows if row.mod in {Mod.MOVED_SOURCE, Mod.MOVED_TARGET}]
    if moved:
        return _moved(recording.take, moved)
    return " ".join(_of_row(recording.take, row) for row in rows)


def _moved(take: Take, rows: list[TraceStep]) -> str:
    done = [row.text for row in rows]
    written = [
        take.steps[row.reference_index].text
        for row in sorted(rows, key=lambda row: row.reference_index or 0)
        if row.reference_index is not None
    ]
    if len(done) > 1 and len(written) > 1 and done != written:
        return f"Steps changed places: “{done[0]}” was done before “{written[0]}”."
    return f"“{done[0]}” was done at another place than the procedure says."


def _of_row(take: Take, row: TraceStep) -> str:
    index = row.reference_index
    written = take.steps[index].text if index is not None else ""
    if row.mod is Mod.DELETION:
        return f"The step “{written}” was left out."
    if row.mod is Mod.INSERTION or not written:
        return f"“{row.text}” was done, which the procedure does not have."
    return f"Instead of “{written}”, “{row.text}” was done."
