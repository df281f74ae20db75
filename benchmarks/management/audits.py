"""Shortcut audits as lines for a terminal, and as the table of `docs/benchmarks.md`."""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.models import Dataset
from benchmarks.models import ItemSet
from benchmarks.services.shortcut_audits import TaskAudit, audits_of_tasks


def audit_lines(item_set: ItemSet) -> Iterator[str]:
    """What guessers guess of a set, and what leaving that out would leave."""
    shortcuts = item_set.shortcuts
    for guesser in shortcuts["guessers"]:
        yield f"{guesser['title']}: {_guesser_in_words(guesser)}"
    counted, whole_count = shortcuts["item_count"], shortcuts["whole_count"]
    sample = "" if counted == whole_count else f", a sample of {whole_count}"
    recordings = f"{shortcuts['recording_count']} recordings"
    yield f"Guessed: {counted} items of {recordings}{sample}"
    about = "" if counted == whole_count else "about "
    things = "items of whole recordings" if shortcuts.get("are_recordings_left_out") else "items"
    for choice in shortcuts["choices"]:
        at_least, left = choice["at_least"], f"{choice['left']} stay"
        option = "--balance" if at_least is None else f"--guessed-by {at_least}"
        yield f"leave_out {option}: {about}{choice['count']} {things} go, {about}{left}"
    yield f"SHA-256 {item_set.shortcuts_hash}"


def audit_table(datasets: Sequence[Dataset]) -> Iterator[str]:
    """A row for each task on each data set; bold beats chance."""
    # scikit-learn takes a second to load, and only the audit needs it here.
    from benchmarks.engine.shortcuts.audit import GUESSERS  # noqa: PLC0415

    heads = ["task", "data", "items", "chance", *GUESSERS]
    yield f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|"
    for dataset in datasets:
        for row in audits_of_tasks(dataset.public_id):
            cells = [f"`{row.task.name}`", dataset.name, *_audit_cells(row)]
            yield f"| {' | '.join(cells)} |"


def _audit_cells(row: TaskAudit) -> list[str]:
    """Items, chance and the figure of each guesser; or why there is none."""
    if row.audit is None:
        return ["–", row.reason]
    sample = "" if row.item_count == row.whole_count else f" of {row.whole_count:,}"
    items, guessers = f"{row.item_count:,}{sample}", row.audit.guessers
    if not row.audit.guesser_count:
        return [items, guessers[0].reason]
    chances = [guesser.chance for guesser in guessers if guesser.chance is not None]
    figures = ["–" if one.figure is None else f"{one.figure:.2f}".lstrip("0") for one in guessers]
    marked = [
        f"**{figure}**" if guesser.beats_chance else figure
        for figure, guesser in zip(figures, guessers, strict=True)
    ]
    return [items, f"{chances[0]:.2f}".lstrip("0"), *marked]


def _guesser_in_words(guesser: dict[str, Any]) -> str:
    if guesser["reason"]:
        return f"not guessed, {guesser['reason']}"
    interval = f"[{guesser['low']:.3f}, {guesser['high']:.3f}]" if guesser["high"] else ""
    words = f"{guesser['figure']:.3f} {interval or guesser['why_no_interval']}"
    end = ", BEATS CHANCE" if guesser["beats_chance"] else ""
    return f"{words}, by chance {guesser['chance']:.3f}{end}"
