"""Tables about one participant: onsets by tolerance, the released scorer's reading, data sets."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

import numpy as np

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.deviations import NONE_MARKED
from benchmarks.engine.guiding.planner_table import planner_tables
from benchmarks.engine.material import DATA_SET
from benchmarks.engine.measures.guiding import decision_scores, mean_over_datasets
from benchmarks.engine.measures.speaking import onset_matches
from benchmarks.engine.task import Answered, Item
from benchmarks.engine.tasks.guide.tallying import official_points, points_of, streams

TOLERANCES_S = (0.5, 1.0, 2.0, 4.0, 8.0)
COUNTS = ("tp", "fp", "tn", "fn")
SHARES = ("interrupt_precision", "interrupt_recall", "interrupt_f1", "silent_precision",
          "silent_recall", "silent_f1", "macro_f1", "gmean_f1", "accuracy")  # fmt: skip


def details(items: Sequence[Item], answers: Sequence[Answered]) -> tuple[Table, ...]:
    points = points_of(items, answers)
    readings = {
        "as read here": points.outcomes,
        "as the released scorer reads": official_points(points, answers).outcomes,
    }
    counts = {name: np.bincount(own, minlength=6) for name, own in readings.items()}
    sets = np.array([item.groups.get(DATA_SET, "") for item in items])
    by_set = {
        str(name): np.bincount(points.outcomes[sets == name], minlength=6)
        for name in sorted(set(sets.tolist()))
    }
    outcomes = Counter(
        answer.value["planner"] for answer in answers if answer.value and "planner" in answer.value
    )
    tables = [_points(items), _decisions(counts), _onsets(items, answers)]
    tables += planner_tables(outcomes)
    return (*tables, _data_sets(by_set)) if len(by_set) > 1 else tuple(tables)


def _points(items: Sequence[Item]) -> Table:
    """How many points there are, and how near a silent one comes to an interrupt."""
    moments: dict[str, tuple[set[float], set[float]]] = {}
    for item in items:
        is_silent = item.truth["answer"] == Decision.SILENT
        moments.setdefault(item.sequence, (set(), set()))[is_silent].add(item.moment_s or 0.0)
    gaps = [
        abs(one - other)
        for spoken, silent in moments.values()
        for one in silent
        for other in spoken
    ]
    cells = {
        "recordings": Cell(len(moments)),
        "interrupts": Cell(sum(len(spoken) for spoken, _ in moments.values())),
        "silent": Cell(sum(len(silent) for _, silent in moments.values())),
        "gap": Cell(min(gaps, default=None)),
    }
    columns = (
        Column("recordings", "Recordings"), Column("interrupts", "That call for an interrupt"),
        Column("silent", "Silent"), Column("gap", "Smallest gap (s)", 1),
    )  # fmt: skip
    rows = (Row(Cell("all"), cells, is_compared=False),)
    return Table("points", "Points", "Points", columns, (RowGroup("", rows),))


def _decisions(counts: dict[str, np.ndarray]) -> Table:
    columns = (
        *(Column(key, key.upper()) for key in COUNTS),
        *(Column(key, key.replace("_", " ").capitalize(), 3) for key in SHARES),
        Column("notes", "Notes"),
    )
    rows = []
    for name, own in counts.items():
        scores = decision_scores(own.astype(np.float64))
        cells = {key: Cell(scores[key]) for key in (*COUNTS, *SHARES)}
        said = ", ".join(scores["notes"]).replace("_", " ")
        rows.append(Row(Cell(name), {**cells, "notes": Cell(said)}, is_compared=False))
    notes = ("A figure whose counts are all 0 is 0; the notes say which.",)
    return Table("decisions", "Decisions", "Answers", columns, (RowGroup("", tuple(rows)),), notes)


def _onsets(items: Sequence[Item], answers: Sequence[Answered]) -> Table:
    found = streams(items, answers)
    total = sum(len(stream.onsets_s) for stream in found)
    rows = []
    for tolerance_s in TOLERANCES_S if total else ():
        matches = [
            onset_matches(one.onsets_s, one.said_s, before_s=tolerance_s, after_s=tolerance_s)
            for one in found
        ]
        lags = [said - onset for match in matches for onset, said in match.pairs]
        cells = {
            "recall": Cell(len(lags) / total),
            "onsets": Cell(total),
            "lag": Cell(median(lags) if lags else None),
        }
        rows.append(Row(Cell(f"within {tolerance_s:g} s"), cells, is_compared=False))
    columns = (
        Column("recall", "Spoken at", 3), Column("onsets", "Onsets"),
        Column("lag", "Median lag (s)", 2),
    )  # fmt: skip
    notes = () if total else (NONE_MARKED,)
    groups = (RowGroup("", tuple(rows)),)
    return Table("onsets", "Onsets of deviations", "Tolerance", columns, groups, notes)


def _data_sets(by_set: dict[str, np.ndarray]) -> Table:
    found = mean_over_datasets({name: one.astype(np.float64) for name, one in by_set.items()})
    shown = {**found.by_dataset, "mean of data sets": found.mean, "all points": found.pooled}
    rows = tuple(
        Row(Cell(name), {"g_mean": Cell(None if np.isnan(value) else value)}, is_compared=False)
        for name, value in shown.items()
    )
    columns = (Column("g_mean", "G-mean F1", 3),)
    return Table("data_sets", "Data sets", "Data set", columns, (RowGroup("", rows),))
