"""Speech at any moment of a recording, which shares no moments with what calls for it.

It is matched one to one, on the clock. Source: Plan, Watch, Recover has no such measures; those of
its users do. The windows are the released settings of ProAssist's evaluator.
"""

from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.measures.speaking import ONSET_TOLERANCE_S
from benchmarks.engine.task import Figure, Measure

WITHIN = f"Within {ONSET_TOLERANCE_S:g} s, one to one."
# (name, seconds before, seconds after): how far from what calls for it speech counts. ProAssist
# gives them from the speech, as [left, right]: what may come before is its right, after its left.
WINDOWS = (
    (f"{ONSET_TOLERANCE_S:g} s either side", ONSET_TOLERANCE_S, ONSET_TOLERANCE_S),
    ("ProAssist's for Ego4D", 8.5, 4.0),
    ("ProAssist's for EPIC-KITCHENS", 3.0, 1.5),
    ("ProAssist's for HoloAssist", 2.5, 1.5),
    ("ProAssist's for EgoExoLearn", 3.5, 2.0),
    ("ProAssist's for Assembly101", 4.0, 2.0),
    ("ProAssist's for WTaG", 6.0, 3.0),
)


def free_measures(note: str = "") -> tuple[Measure, ...]:
    """The measures of `free_figures`; the note says of what they are."""
    note = f"{note} {WITHIN}".strip()
    return (
        Measure("free_precision", "Free-running precision", best=None, note=note),
        Measure("free_recall", "Free-running recall", note=note),
        Measure("free_f1", "Free-running F1", note=note),
        Measure("free_recall_of_all", "Free-running recall of all", note=note),
        Measure("free_f1_of_all", "Free-running F1 of all", note=note),
    )


def free_figures(matched: int, due: int, spoken: int, due_of_all: int) -> dict[str, Figure]:
    """Figures from sums (D, K), of which these are the columns.

    `due` is what the answers that could be read were to speak at, `due_of_all` what all were.
    """
    return {
        "free_precision": lambda sums: ratio(sums[:, matched], sums[:, spoken]),
        "free_recall": lambda sums: ratio(sums[:, matched], sums[:, due]),
        "free_f1": lambda sums: ratio(2 * sums[:, matched], sums[:, due] + sums[:, spoken]),
        "free_recall_of_all": lambda sums: ratio(sums[:, matched], sums[:, due_of_all]),
        "free_f1_of_all": lambda sums: ratio(
            2 * sums[:, matched], sums[:, due_of_all] + sums[:, spoken]
        ),
    }
