"""Reader of EgoProactive, as the Wearable AI challenge releases it: one JSON object per line.

A row is a recording with intervals, and at each the answer that an assistant should give. An
interrupt opens a step, which the silent intervals behind it continue; its words are the
assistant's. Source: dataset card and released scorer of facebook/wearable-ai; Plan, Watch, Recover
(arXiv 2606.04970v1). The rows are gated: a user brings them, and nothing is downloaded.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from annotation.engine.corpus.formats.errors import fault_of_file
from annotation.engine.corpus.formats.folders import files_under
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json_lines
from annotation.engine.corpus.procedure import Reading, Step, Take, Utterance, WarningList
from annotation.engine.taxonomy import Speaker

TITLE = "EgoProactive"
DESCRIPTION = (
    "The file wearable_ai_2026_egoproactive_val_700.jsonl, or a folder with it. Each recording"
    " becomes a take with the steps that its assistant announces, and with what is said."
)
IS_VERIFIED = False
LICENCE = "CC BY-NC 4.0"

INTERRUPT, SILENT = "$interrupt$", "$silent$"
ROLES = {"user": Speaker.USER, "assistant": Speaker.ASSISTANT}
# Longer ones are named; the released ones have 1.3 to 8.0 s.
LONGEST_S = 8.0
OPENING, SPOKEN, QUERY = "opening", "interrupt", "query"


@dataclass(frozen=True, slots=True)
class Row:
    """A recording; `said` has the words of each interval, None where the assistant is silent."""

    uid: str
    query: str
    domain: str
    task: str
    intervals: tuple[tuple[float, float], ...]
    said: tuple[str | None, ...]


def read(path: Path) -> Reading:
    """Raise `FormatError` with every fault, or with the first line that is no JSON."""
    files = files_under(path, ".jsonl")
    if len(files) != 1:
        sentence = "EgoProactive is one file of JSON lines (.jsonl)."
        raise fault_of_file(path.name, len(files), "one .jsonl file", sentence=sentence)
    entries = read_json_lines(files[0])
    if not entries:
        raise fault_of_file(files[0].name, "no row", "a JSON object per line")
    warnings = WarningList()
    rows = [_row(entry, warnings) for entry in entries]
    faults = entries[0].faults
    note_repeats(
        ((row.uid, entry.place) for row, entry in zip(rows, entries, strict=True)),
        faults,
        "video_path",
    )
    faults.raise_if_any()
    derived: Counter[str] = Counter()
    takes, utterances = [], []
    for row in rows:
        takes.append(_take(row, derived))
        utterances += _utterances(row)
        derived["interrupts"] += sum(words is not None for words in row.said)
        derived["silent intervals"] += sum(words is None for words in row.said)
        derived[f"recordings of {row.domain}"] += 1
    return Reading(
        takes=tuple(takes),
        utterances=tuple(utterances),
        derived=dict(derived),
        warnings=warnings.as_tuple(),
    )


def _row(entry: Entry, warnings: WarningList) -> Row:
    duration_s = entry.number("duration_in_sec")
    intervals = _intervals(entry, duration_s)
    answers = entry.elements_of("answers")
    said = tuple(map(_words_of, answers))
    for name, found in (("answers", len(answers)), ("dialog", len(entry.elements_of("dialog")))):
        if found != len(intervals):
            expected = f"as many as video_intervals, {len(intervals)}"
            entry.fault(name, f"{found} entries", expected)
    uid = PurePosixPath(entry.text("video_path")).stem
    where = f"{entry.faults.file} {entry.place}"
    if said and said[0] is None:
        warnings.add(where, f"{uid} begins in silence; usually the first answer is an interrupt")
    for start_s, end_s in intervals:
        if round(1000 * (end_s - start_s)) > 1000 * LONGEST_S:
            warnings.add(where, f"{uid} has an interval of {end_s - start_s:.1f} s at {start_s} s")
    _check_dialog(entry, said, where, warnings)
    return Row(
        uid, entry.text("query"), entry.text("domain"), entry.text("task"), intervals, said
    )  # fmt: skip


def _intervals(entry: Entry, duration_s: float) -> tuple[tuple[float, float], ...]:
    intervals = entry.intervals("video_intervals")
    for place, (start_s, end_s) in enumerate(intervals):
        if start_s < end_s and round(1000 * end_s) > round(1000 * duration_s):
            expected = f"an end within the recording, {duration_s} s"
            entry.fault(f"video_intervals[{place}]", [start_s, end_s], expected)
    if not intervals:
        entry.fault("video_intervals", [], "at least one interval")
    return intervals


def _words_of(answer: Entry) -> str | None:
    text = answer.as_text().lstrip()
    if text.startswith(INTERRUPT):
        words = text.removeprefix(INTERRUPT).strip()
        if not words:
            answer.fault("", answer.value, f"words behind {INTERRUPT}")
        return words
    if text and text.strip() != SILENT:
        answer.fault("", answer.value, f"{SILENT} alone, or {INTERRUPT} and words")
    return None


def _check_dialog(
    entry: Entry, said: Sequence[str | None], where: str, warnings: WarningList
) -> None:
    """Name a history that does not grow exactly behind interrupts, and turns that are none."""
    lengths = []
    for moment in entry.elements_of("dialog"):
        turns = moment.elements()
        lengths.append(len(turns))
        for turn in turns:
            role = turn.as_object().text("role")
            turn.as_object().text("text")
            if role and role not in ROLES:
                turn.fault("role", role, f"one of {', '.join(ROLES)}")
    for place, (before, after) in enumerate(pairwise(lengths)):
        grows = place < len(said) and said[place] is not None
        if (after > before) != grows:
            message = f"its dialogue has {before}, then {after} turns"
            asked = "an interrupt" if grows else "a silence"
            warnings.add(where, f"{message} behind {asked} at interval {place}")


def _take(row: Row, derived: Counter[str]) -> Take:
    """Its steps; silence before the first interrupt belongs to none."""
    steps: list[Step] = []
    for (start_s, end_s), words in zip(row.intervals, row.said, strict=True):
        if words is not None:
            steps.append(Step(words, "", start_s, end_s, taxonomy_path=(row.domain,)))
        elif steps:
            last = steps[-1]
            steps[-1] = Step(last.text, "", last.start_s, end_s, taxonomy_path=last.taxonomy_path)
        else:
            derived["silent intervals before the first interrupt"] += 1
    name = row.task[:200]
    return Take(
        row.uid, name, name, tuple(steps), video_stem=row.uid, intervals=row.intervals
    )  # fmt: skip


def _utterances(row: Row) -> list[Utterance]:
    found = [
        Utterance(Speaker.USER, row.query, row.uid, start_s=0.0, end_s=0.0, reason=QUERY),
    ]
    for place, (interval, words) in enumerate(zip(row.intervals, row.said, strict=True)):
        if words is not None:
            reason = SPOKEN if place else OPENING
            found.append(
                Utterance(
                    Speaker.ASSISTANT, words, row.uid,
                    start_s=interval[0], end_s=interval[1], reason=reason,
                )
            )  # fmt: skip
    return found
