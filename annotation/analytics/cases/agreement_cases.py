"""Worked cases of agreement, through the functions that pages, commands and the API use.

What a case holds is written in `docs/researchers.md`, under "Check an installation".
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from annotation.analytics.agreement.agreement import (
    NO_PAIRS,
    NO_RATINGS,
    NO_VARIATION,
    Floats,
    printed_alpha,
)
from annotation.analytics.agreement.alternative_annotator import Scoring, alternative_annotator_test
from annotation.analytics.agreement.answers import NO_ANSWER, Answers
from annotation.analytics.agreement.between_raters import alpha_without_each, self_agreement
from annotation.analytics.agreement.coefficients import (
    PairKappas,
    Weights,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    pair_kappas,
    percent_agreement,
    pooled_agreement,
)
from annotation.analytics.agreement.intervals import INTERVAL_QUANTILES
from annotation.analytics.agreement.procedure_logic import logic_agreement, score_procedure_logic
from annotation.analytics.agreement.resampling import (
    MAX_PAIRS,
    ClusterSums,
    Distribution,
    Figure,
    alpha_figure,
    cluster_coincidences,
    difference_distribution,
    distribution,
    draws_of,
    jackknife,
    paired_alpha_figure,
    paired_sums,
)
from annotation.analytics.cases.worked_cases import Family
from annotation.analytics.raters.planner import required_units
from annotation.analytics.raters.raters import RaterAnswers, bias
from annotation.engine.rubric.rubric import CONFIDENCE_VALUES, YES_NO_VALUES, Level, Metric

Input = Mapping[str, Any]
Figures = dict[str, Any]

REASONS = {NO_RATINGS: "no ratings", NO_PAIRS: "no pairs", NO_VARIATION: "no variation"}
# Of few clusters every draw is gone through; the expected figures are exact.
MOST_EXACT = 5_000_000
SEED = 0
# Figures of a rater are of a metric: one with a scale of so many values that have an order.
ORDERED = (Weights.LINEAR, Weights.QUADRATIC, Weights.ORDINAL)
METRIC_BY_SIZE = {2: Metric.ERROR_VALIDITY, 5: Metric.CONFUSABILITY}


def table(case: Input) -> Figures:
    """Every coefficient of a table of ratings, one list per unit, null where there is none."""
    scale = case["scale"]
    answers = _answers(case["ratings"], scale)
    counts = answers.counts
    figures: Figures = {"units": len(counts), "ratings": int(counts.sum())}
    for level in map(Level, case["levels"]):
        alpha = printed_alpha(counts, level)
        figures |= {"paired_units": alpha.units, "pairable_values": alpha.pairable_values}
        figures[f"alpha_{level}"] = alpha.value
        if alpha.reason:
            figures["alpha_reason"] = REASONS[alpha.reason]
    kappas = pair_kappas(answers)
    figures |= {
        "percent_agreement": percent_agreement(counts),
        "percent_agreement_pooled": pooled_agreement(counts),
        "fleiss_kappa": fleiss_kappa(counts),
        "conger_kappa": conger_kappa(answers),
        "cohen_kappa_by_pair": _by_pair(kappas, answers.rater_count),
        "cohen_kappa_mean": kappas.mean,
    }
    for weights in ORDERED:
        weighted = pair_kappas(answers, weights)
        figures[f"cohen_kappa_{weights}_by_pair"] = _by_pair(weighted, answers.rater_count)
        figures[f"cohen_kappa_{weights}_mean"] = weighted.mean
    used = counts[:, counts.any(axis=0)]
    for ending, table_of in (("", counts), ("_used_categories_only", used)):
        if table_of.shape[1] > 1:
            figures[f"ac1{ending}"] = gwet_ac(table_of)
            figures |= {f"ac2_{item}{ending}": gwet_ac(table_of, item) for item in ORDERED}
    return figures


def procedure_logic(case: Input) -> Figures:
    """Equation 1 and the composite of answers [yes or no, confidence or null], null without any."""
    events = case["answers"]
    counts = np.zeros((len(events), 2), dtype=np.int64)
    tallies = np.zeros((len(events), 2, len(CONFIDENCE_VALUES)), dtype=np.int64)
    for event, given in enumerate(events):
        for value, confidence in filter(None, given):
            if value is None:
                continue
            side = YES_NO_VALUES.index(value)
            counts[event, side] += 1
            if confidence is not None:
                tallies[event, side, CONFIDENCE_VALUES.index(confidence)] += 1
    score = score_procedure_logic(tallies)
    agreed = logic_agreement(counts, tallies)
    return {
        "per_event": list(score.per_event),
        "overall": score.overall,
        "composite": agreed.composite,
        **asdict(agreed),
    }


def bootstrap(case: Input) -> Figures:
    """Alpha with every draw of clusters gone through, and with each cluster left out."""
    counts = _answers(case["ratings"], case["scale"]).counts
    clusters = np.array(case["clusters"])
    found = cluster_coincidences(counts, clusters)
    left_out = jackknife(found.sums, _alphas(case))
    figures = {
        "alpha": printed_alpha(counts, Level(case["level"])).value,
        "clusters": len(found.clusters),
        "delete_one_cluster": {
            str(name): _or_none(value)
            for name, value in zip(found.clusters, left_out.without_each, strict=True)
        },
        "jackknife_standard_error": left_out.standard_error,
    } | _described(_of_clusters(case))
    if case.get("units_alone"):
        by_unit = _ends(_drawn(cluster_coincidences(counts, None).sums, _alphas(case)))
        figures |= {f"{end}_if_units_were_drawn": value for end, value in by_unit.items()}
    return figures


def difference(case: Input) -> Figures:
    """Two data sets with traces of their own: each is drawn by itself."""
    return _both_alphas(case) | _described(_apart(case))


def paired_difference(case: Input) -> Figures:
    """Two settings over the same takes: one draw of takes for both."""
    return _both_alphas(case) | _described(_together(case))


def raters(case: Input) -> Figures:
    """Bias by rater, alpha without each, and what every two said of the same units."""
    scale, level = case["scale"], Level(case["level"])
    answers = _answers(case["ratings"], scale)
    metric = METRIC_BY_SIZE.get(len(scale))
    if metric is None:
        raise ValueError(f"the scale has {len(scale)} values; expected 2 or 5")
    given = RaterAnswers(
        metric=metric,
        rater_count=answers.rater_count,
        raters=answers.raters.astype(np.int64),
        units=answers.units.astype(np.int64),
        traces=answers.units.astype(np.int64),
        values=answers.values.astype(np.int64),
        moments=np.full(len(answers.units), math.nan),
        is_implied=np.zeros(len(answers.units), dtype=bool),
    )
    figures: Figures = {
        "bias": [bias(given, rater).value for rater in range(answers.rater_count)],
        "alpha": printed_alpha(answers.counts, level).value,
        "alpha_without": [_or_none(value) for value in alpha_without_each(answers, level)],
    }
    for first in range(answers.rater_count):
        for second in range(first + 1, answers.rater_count):
            table = answers.confusion(first, second)
            figures[f"confusion_{first}_{second}"] = table.tolist()
    return figures


def repeats(case: Input) -> Figures:
    """`ratings[unit][rater]` lists the answers of a rater in order: the last one counts."""
    scale, level = case["scale"], Level(case["level"])
    rows = [
        (unit, rater, scale.index(value))
        for unit, row in enumerate(case["ratings"])
        for rater, given in enumerate(row)
        for value in given or ()
    ]
    units, raters, values = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    shape = (len(case["ratings"]), max(map(len, case["ratings"])), len(scale))
    again = self_agreement(units, raters, values, rater_count=shape[1])
    pooled = np.zeros((shape[0], shape[2]), dtype=np.int64)
    np.add.at(pooled, (units, values), 1)
    counts = Answers.of(units, raters, values, shape=shape).counts
    return {
        "alpha": printed_alpha(counts, level).value,
        "alpha_if_repeats_counted_as_raters": printed_alpha(pooled, level).value,
        "self_agreement": again.share,
        "repeated": again.repeated,
    }


def alt_test(case: Input) -> Figures:
    """The alternative annotator test of a model, with labels as places among all that occur."""
    rows = case["ratings"]
    given = {value for row in rows for value in row} | set(case["model"])
    labels = sorted(given - {None}, key=lambda value: (str(type(value)), value))

    def numbers(values: Sequence[Any]) -> list[float]:
        return [
            math.nan if value is None
            else float(value) if isinstance(value, int | float)
            else float(labels.index(value))
            for value in values
        ]  # fmt: skip

    tested = alternative_annotator_test(
        np.array([numbers(row) for row in rows]),
        np.array(numbers(case["model"])),
        scoring=Scoring(case["scoring"]),
        epsilon=case["epsilon"],
    )
    return {
        "p_values": list(tested.p_values),
        "won_against": list(tested.won_against),
        "winning_rate": tested.winning_rate,
        "advantage_by_human": list(tested.advantages),
        "average_advantage_probability": tested.mean_advantage,
    }


def planner(case: Input) -> Figures:
    """Units by the published form; two raters unless a row says otherwise."""
    exact = [
        required_units(
            row["alpha_min"], row["rarest_share"], z=row["z"], coders=row.get("raters", 2)
        )
        for row in case["rows"]
    ]
    return {"exact": exact, "units": [math.ceil(units) for units in exact]}


FAMILY = Family(
    kinds={
        "table": table,
        "procedure_logic": procedure_logic,
        "bootstrap": bootstrap,
        "difference": difference,
        "paired_difference": paired_difference,
        "raters": raters,
        "repeats": repeats,
        "alt_test": alt_test,
        "planner": planner,
    },
    bands={
        "bootstrap": lambda case, draws: _ends(_of_clusters(case, draws)),
        "difference": lambda case, draws: _ends(_apart(case, draws)),
        "paired_difference": lambda case, draws: _ends(_together(case, draws)),
    },
)


def _answers(rows: Sequence[Sequence[Any]], scale: Sequence[Any]) -> Answers:
    places = {value: place for place, value in enumerate(scale)} | {None: NO_ANSWER}
    unknown = {str(value) for row in rows for value in row if value not in places}
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))} is not on the scale {scale}")
    values = np.array([[places[value] for value in row] for row in rows], dtype=np.int64)
    return Answers.of_table(values, len(scale))


def _by_pair(kappas: PairKappas, rater_count: int) -> dict[str, float | None]:
    known = {
        (int(first), int(second)): _or_none(kappa)
        for first, second, kappa in zip(kappas.first, kappas.second, kappas.kappas, strict=True)
    }
    return {
        f"{first}-{second}": known.get((first, second))
        for first in range(rater_count)
        for second in range(first + 1, rater_count)
    }


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _alphas(case: Input) -> Figure:
    return alpha_figure(len(case["scale"]), Level(case["level"]))


def _side(case: Input, side: str) -> ClusterSums:
    """One setting of a case; both of a pair share `clusters`, others have their own."""
    clusters = case.get(f"{side}_clusters", case.get("clusters"))
    return cluster_coincidences(_answers(case[side], case["scale"]).counts, np.array(clusters))


def _of_clusters(case: Input, draws: int = 0) -> Distribution:
    return _drawn(_side(case, "ratings").sums, _alphas(case), draws)


def _apart(case: Input, draws: int = 0) -> Distribution:
    first, second = (
        _drawn(_side(case, side).sums, _alphas(case), draws, seed=seed)
        for seed, side in enumerate(("first", "second"))
    )
    return difference_distribution(first, second, most_pairs=MAX_PAIRS if draws else MOST_EXACT)


def _together(case: Input, draws: int = 0) -> Distribution:
    sums = paired_sums(_side(case, "first"), _side(case, "second"))
    return _drawn(sums, paired_alpha_figure(len(case["scale"]), Level(case["level"])), draws)


def _drawn(sums: Floats, figure: Figure, draws: int = 0, *, seed: int = SEED) -> Distribution:
    """Over so many draws; without a number over all that there are."""
    return distribution(
        draws_of(sums),
        figure,
        rng=np.random.default_rng(seed),
        resamples=draws,
        most_exact=0 if draws else MOST_EXACT,
    )


def _ends(draws: Distribution) -> dict[str, float | None]:
    low, high = (draws.quantile(share) for share in INTERVAL_QUANTILES)
    return {"low": low, "high": high}


def _described(draws: Distribution) -> Figures:
    return _ends(draws) | {
        "undefined_share": draws.undefined_share,
        "mean": draws.mean,
        "distinct_values": len(draws.values),
    }


def _both_alphas(case: Input) -> Figures:
    first, second = (
        printed_alpha(_answers(case[side], case["scale"]).counts, Level(case["level"])).value
        for side in ("first", "second")
    )
    return {
        "first_alpha": first,
        "second_alpha": second,
        "difference": None if first is None or second is None else first - second,
    }
