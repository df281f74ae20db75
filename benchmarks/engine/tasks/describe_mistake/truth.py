"""Describe a mistake in words, by rules, from its trace.

A row says what was done instead only if its words differ from the written ones; what is left then
are the labels of the data set with their descriptions.
"""

from collections.abc import Sequence

from annotation.engine.corpus.procedure import NativeLabel, Take, TraceStep
from annotation.engine.taxonomy import ErrorType, Mod, TaxonomyLabel
from benchmarks.engine.happenings import NoticedMistake
from benchmarks.engine.material import Recording, is_mistake

# Labels that say that something went wrong and not what.
SAYING_NOTHING = frozenset({"mistake", "other", "others"})


def describe(recording: Recording, mistake: NoticedMistake) -> str:
    """What was done in place of which written step; "" where nothing describes it."""
    assert recording.trace is not None
    event_id, kind = mistake.event.event_id, mistake.event.proposed_type
    rows = [row for row in recording.trace.steps if row.event_id == event_id and is_mistake(row)]
    moved = [row for row in rows if row.mod in {Mod.MOVED_SOURCE, Mod.MOVED_TARGET}]
    if moved:
        return _moved(recording.take, moved)
    is_moved = kind in (TaxonomyLabel.TRANSPOSITION, ErrorType.TRANSPOSITION)
    return " ".join(filter(None, (_of_row(recording.take, row, is_moved) for row in rows)))


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


def _of_row(take: Take, row: TraceStep, is_moved: bool) -> str:
    index = row.reference_index
    written = take.steps[index].text if index is not None else ""
    if row.mod is Mod.DELETION:
        return f"The step “{written}” was left out."
    labels = _in_words(row.labels, row.text)
    if row.mod is Mod.INSERTION or not written:
        if not row.text:
            return labels
        sentence = f"“{row.text}” was done, which the procedure does not have."
    elif row.text.casefold() not in {"", written.casefold()}:
        sentence = f"Instead of “{written}”, “{row.text}” was done."
    elif is_moved:
        sentence = f"“{written}” was done at another place than the procedure says."
    elif labels:
        sentence = f"“{written}” was done wrongly."
    else:
        return ""
    return f"{sentence} {labels}".strip()


def _in_words(labels: Sequence[NativeLabel], text: str) -> str:
    """The data set's own labels that describe something, each as a sentence with its note.

    A note that is the row's own text is not said again.
    """
    # The notes of a generator's own types are about its rewriting, not about what was done.
    types = ErrorType.by_name()
    sentences = []
    for label in labels:
        name, note = label.name.strip(), label.note.strip()
        if label.is_derived or name in types:
            continue
        telling = [
            "" if name.casefold() in SAYING_NOTHING else name,
            "" if note.casefold() == text.strip().casefold() else note,
        ]
        if words := ": ".join(filter(None, telling)):
            sentences.append(f"{words[0].upper()}{words[1:].removesuffix('.')}.")
    return " ".join(dict.fromkeys(sentences))
