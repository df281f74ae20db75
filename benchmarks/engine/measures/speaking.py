"""Speak now or stay silent: figures of the decisions, and matching of speech with mistakes.

Source: Plan, Watch, Recover, section 3.3.1 and appendix A.1; its onset recall is that of appendix
H.2. Letters: D draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.task import Figure, Measure

Floats = npt.NDArray[np.float64]

# Speech within this distance of an onset counts as about it (H.2), ends included.
ONSET_TOLERANCE_S = 2.0

DECISION_MEASURES = (
    Measure("g_mean_f1", "G-mean F1"),
    Measure("speak_f1", "F1 of speaking"),
    Measure("silent_f1", "F1 of silence"),
    Measure("accuracy", "Accuracy", note="Of the answers that could be read."),
    Measure("speak_share", "Share spoken", best=None),
    *(
        Measure(f"{key}_of_all", f"{title} of all", note="What could not be read counts as wrong.")
        for key, title in (
            ("g_mean_f1", "G-mean F1"),
            ("speak_f1", "F1 of speaking"),
            ("silent_f1", "F1 of silence"),
            ("accuracy", "Accuracy"),
        )
    ),
)


def decision_figures() -> dict[str, Figure]:
    """Figures from sums (D, 4 or more): right and wrong speech, wrong and right silence."""

    def speaking(sums: Floats) -> Floats:
        return _f1(sums[:, 0], sums)

    def silence(sums: Floats) -> Floats:
        return _f1(sums[:, 3], sums)

    return {
        "g_mean_f1": lambda sums: np.sqrt(speaking(sums) * silence(sums)),
        "speak_f1": speaking,
        "silent_f1": silence,
        "accuracy": lambda sums: ratio(sums[:, 0] + sums[:, 3], sums[:, :4].sum(axis=1)),
        "speak_share": lambda sums: ratio(sums[:, 0] + sums[:, 1], sums[:, :4].sum(axis=1)),
    }


def decision_figures_of_all() -> dict[str, Figure]:
    """Figures over all items, from sums (D, 5 or more): as above, then answers that were not read.

    Whichever of the two was right, an answer that was not read is the other for both F1.
    """

    def f1(place: int) -> Figure:
        def of(sums: Floats) -> Floats:
            counted = sums[:, :4].copy()
            counted[:, 1] += sums[:, 4]
            return _f1(sums[:, place], counted)

        return of

    speaking, silence = f1(0), f1(3)
    return {
        "g_mean_f1_of_all": lambda sums: np.sqrt(speaking(sums) * silence(sums)),
        "speak_f1_of_all": speaking,
        "silent_f1_of_all": silence,
        "accuracy_of_all": lambda sums: ratio(sums[:, 0] + sums[:, 3], sums[:, :5].sum(axis=1)),
    }


def _f1(right: Floats, sums: Floats) -> Floats:
    """0 where all counts are 0, as in the released scorer; nan where no answer was read."""
    wrong = sums[:, 1] + sums[:, 2]
    return np.where(sums[:, :4].sum(axis=1) > 0, ratio(2 * right, 2 * right + wrong, 0.0), np.nan)


@dataclass(frozen=True, slots=True)
class OnsetMatch:
    """Onsets matched one to one with speech, (onset s, speech s); `duplicates` were left out."""

    pairs: tuple[tuple[float, float], ...]
    onset_count: int
    duplicates: int

    @property
    def recall(self) -> float | None:
        return len(self.pairs) / self.onset_count if self.onset_count else None

    @property
    def median_lag_s(self) -> float | None:
        """How long after its onset what was said came, negative for before; None without a pair."""
        return median(said - onset for onset, said in self.pairs) if self.pairs else None


def onset_matches(
    onsets_s: Sequence[float],
    said_s: Sequence[float],
    *,
    before_s: float = ONSET_TOLERANCE_S,
    after_s: float = ONSET_TOLERANCE_S,
) -> OnsetMatch:
    """The largest matching of onsets with speech from `before_s` before to `after_s` after them.

    Both are gone through in order of time; taking the earliest that fits gives a largest matching.
    Times are rounded to milliseconds; speech at the same moment counts once.
    """
    onsets = sorted(round(1000 * moment) for moment in onsets_s)
    spoken = sorted({round(1000 * moment) for moment in said_s})
    earliest, latest = round(-1000 * before_s), round(1000 * after_s)
    pairs = []
    place = 0
    for onset in onsets:
        while place < len(spoken) and spoken[place] < onset + earliest:
            place += 1
        if place < len(spoken) and spoken[place] <= onset + latest:
            pairs.append((onset / 1000, spoken[place] / 1000))
            place += 1
    return OnsetMatch(tuple(pairs), len(onsets), len(said_s) - len(spoken))


@dataclass(frozen=True, slots=True)
class EventMatch:
    """Speech at any time, matched with the moments at which it was called for.

    Figures are None where they are undefined; `why` says so where nothing is to be matched.
    """

    match: OnsetMatch
    missing: int
    redundant: int
    precision: float | None
    f1: float | None
    why: str


def matched_events(
    due_s: Sequence[float],
    said_s: Sequence[float],
    *,
    before_s: float = ONSET_TOLERANCE_S,
    after_s: float = ONSET_TOLERANCE_S,
) -> EventMatch:
    """Match as `onset_matches` does, and count what is missing and what is redundant."""
    match = onset_matches(due_s, said_s, before_s=before_s, after_s=after_s)
    hits, due = len(match.pairs), match.onset_count
    said = len(said_s) - match.duplicates
    return EventMatch(
        match,
        due - hits,
        said - hits,
        hits / said if said else None,
        2 * hits / (due + said) if due + said else None,
        "" if due + said else "nothing happened and nothing was said",
    )
