"""Measures of segments against an independent, slow way: everything on cells of a tenth."""

import itertools
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from annotation.analytics.agreement.coefficients import kappas_of
from annotation.analytics.agreement.intervals import OUT_OF_RANGE
from annotation.analytics.cases.worked_cases import mismatches
from segments.engine.templates import Template
from segments.measures.agreement import agreement, onset_agreement
from segments.measures.cases import FAMILY
from segments.measures.corrections import Corrected, Work, correction_figures, effort_figures
from segments.measures.figures import Compared, Options, error_summaries, quantile_figure
from segments.measures.kappas import (
    kappas_of_margins,
    label_table,
    margins,
    presence_tables,
    time_table,
)
from segments.measures.matching import (
    boundary_errors,
    edit_score,
    hits_of_pairs,
    hits_of_predictions,
    matched,
    point_errors,
)
from segments.measures.report import MEASURES, Part, Split, rows_of_figures
from segments.measures.spans import UNDEFINED, Coverage, Spans, coverage, temporal_iou
from segments.measures.texts import character_f1, token_f1
from tests.intervals import assert_possible

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())["cases"]
SHARED = "detection/EXPECTED_metrics.json"
CELLS, LABELS = 60, 4


def rows_of(rng, *, may_overlap):
    """Random rows (label, first cell, one past the last)."""
    rows, at = [], 0
    for _ in range(rng.randrange(7)):
        start = rng.randrange(CELLS - 1) if may_overlap else at + rng.randrange(4)
        end = start + 1 + rng.randrange(9)
        if end > CELLS:
            break
        rows.append((rng.choice([UNDEFINED, *range(LABELS)]), start, end))
        at = end
    return rows


def spans_of(rows):
    return Spans.of([r[1] / 10 for r in rows], [r[2] / 10 for r in rows], [r[0] for r in rows])


def cells_of(rows, label):
    return {cell for name, start, end in rows if name == label for cell in range(start, end)}


def slow_iou(first, second):
    shared = len(set(range(*first[1:])) & set(range(*second[1:])))
    return shared / len(set(range(*first[1:])) | set(range(*second[1:])))


def slow_tiou(first, second):
    labels = {row[0] for row in [*first, *second]} - {UNDEFINED}
    ious = {
        label: len(cells_of(first, label) & cells_of(second, label))
        / len(cells_of(first, label) | cells_of(second, label))
        for label in labels
    }
    common = [
        iou for label, iou in ious.items() if cells_of(first, label) and cells_of(second, label)
    ]
    return ious, common


def slow_largest_total(first, second):
    """The largest total overlap over all ways to pair spans of the same label."""
    longer, shorter = sorted([first, second], key=len, reverse=True)
    padded = [*longer, *[None] * len(shorter)]
    best = 0.0
    for chosen in itertools.permutations(range(len(longer)), len(shorter)):
        total = sum(
            slow_iou(padded[place], row)
            for place, row in zip(chosen, shorter, strict=True)
            if padded[place][0] == row[0]
        )
        best = max(best, total)
    return best


def slow_distance(first, second):
    if not first or not second:
        return len(first) + len(second)
    return min(
        slow_distance(first[1:], second) + 1,
        slow_distance(first, second[1:]) + 1,
        slow_distance(first[1:], second[1:]) + (first[0] != second[0]),
    )


def slow_field_hits(truth, predictions, threshold):
    """The published evaluation: a list of hits, the best truth of the same label."""
    truth = sorted((r for r in truth if r[0] != UNDEFINED), key=lambda row: row[1:])
    predictions = sorted((r for r in predictions if r[0] != UNDEFINED), key=lambda row: row[1:])
    hits, true, false = [0] * len(truth), 0, 0
    for row in predictions:
        ious = [slow_iou(row, other) * (row[0] == other[0]) for other in truth]
        best = max(range(len(truth)), key=lambda place: ious[place], default=None)
        if best is not None and ious[best] >= threshold and not hits[best]:
            hits[best], true = 1, true + 1
        else:
            false += 1
    return true, false, len(truth) - sum(hits)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_own_worked_cases_come_out(case):
    assert mismatches(FAMILY, case) == []


def test_shared_worked_cases_come_out(shared_data):
    cases = json.loads((shared_data / SHARED).read_text())["cases"]
    checked = [case for case in cases if case["kind"] in ("tiou_agreement", "kappa")]
    for case in checked:
        if case["kind"] == "kappa":
            case = {**case, "expected": {"kappa": case["expected"]}}

        assert mismatches(FAMILY, case) == []
    assert len(checked) == 5


@pytest.mark.parametrize("may_overlap", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_random_spans_agree_with_cells(seed, may_overlap):
    rng = random.Random(seed)
    first, second = (rows_of(rng, may_overlap=may_overlap) for _ in range(2))
    ours, theirs = spans_of(first), spans_of(second)

    ious, common = slow_tiou(first, second)
    found = temporal_iou(ours, theirs)
    assert found.by_label == pytest.approx(ious)
    assert found.strict == (pytest.approx(sum(ious.values()) / len(ious)) if ious else None)
    assert found.common == (pytest.approx(sum(common) / len(common)) if common else None)

    own, other = ([r for r in rows if r[0] != UNDEFINED] for rows in (first, second))
    total = matched(ours.defined, theirs.defined).ious.sum()
    assert total == pytest.approx(slow_largest_total(own, other))
    for threshold in (0.1, 0.25, 0.5, 0.75):
        hits = hits_of_predictions(ours, theirs, threshold)
        assert (hits.true, hits.false, hits.missed) == slow_field_hits(first, second, threshold)

    in_order = [[r[0] for r in sorted(rows, key=lambda r: r[1:])] for rows in (own, other)]
    longest = max(map(len, in_order))
    slow = 100 * (1 - slow_distance(*in_order) / longest) if longest else None
    assert edit_score(*in_order) == (slow if slow is None else pytest.approx(slow))

    presence = presence_tables(ours, theirs, CELLS / 10, range(LABELS))
    for label in range(LABELS):
        here, there = cells_of(first, label), cells_of(second, label)
        wanted = [
            [len(here & there), len(here - there)],
            [len(there - here), CELLS - len(here | there)],
        ]
        assert presence[label] == pytest.approx(np.array(wanted) / 10)

    covered = set().union(*(range(r[1], r[2]) for r in first))
    spent = sum(r[2] - r[1] for r in first)
    labels = [r[0] for r in own]
    assert coverage(ours, CELLS / 10) == Coverage(
        pytest.approx(len(covered) / 10),
        pytest.approx((CELLS - len(covered)) / 10),
        pytest.approx((spent - len(covered)) / 10),
        sum(labels.count(label) > 1 for label in set(labels)),
    )

    if not may_overlap:
        tape = [[LABELS + 1] * CELLS for _ in range(2)]
        for cells, rows in zip(tape, (first, second), strict=True):
            for label, start, end in rows:
                cells[start:end] = [LABELS if label == UNDEFINED else label] * (end - start)
        table = time_table(ours, theirs, CELLS / 10, LABELS)
        assert table == pytest.approx(label_table(*tape, LABELS + 2) / 10)
        expected = sum(a == b for a, b in zip(*tape, strict=True)) / CELLS
        chance = sum(tape[0].count(c) * tape[1].count(c) for c in range(LABELS + 2)) / CELLS**2
        kappa = float(kappas_of(table))
        assert (
            math.isnan(kappa)
            if chance == 1
            else kappa == pytest.approx((expected - chance) / (1 - chance))
        )


@pytest.mark.parametrize("seed", range(10))
def test_order_of_sides_changes_nothing_but_the_sign_of_errors(seed):
    rng = random.Random(seed)
    pairs = [[spans_of(rows_of(rng, may_overlap=False)) for _ in range(2)] for _ in range(6)]
    there = agreement([Compared(a, b, 6.0) for a, b in pairs], options())
    back = agreement([Compared(b, a, 6.0) for a, b in pairs], options())

    for name, found in there.items():
        other = back[name]
        if name.startswith("coverage"):
            continue
        expected = None if found.value is None else pytest.approx(found.value, abs=1e-9)
        if name.endswith("bias_s") and found.value is not None:
            expected = pytest.approx(-found.value, abs=1e-9)
        assert (other.value, other.reason, other.n) == (expected, found.reason, found.n)


def options(**settings):
    return Options(np.random.default_rng(0), resamples=200, class_count=LABELS, **settings)


def test_same_spans_are_one_and_disjoint_ones_nothing():
    whole = Spans.of([0, 2, 4], [2, 3, 6], [0, 1, 2])
    other = Spans.of([3], [4], [3])

    same = agreement([Compared(whole, whole, 6.0)], options())
    apart = agreement([Compared(whole, other, 6.0)], options())

    names = ("tiou_strict", "tiou_common", "f1@0.75", "label_kappa", "time_kappa", "edit")
    assert [same[name].value for name in names] == [1, 1, 1, 1, 1, 100]
    assert [apart[name].value for name in names[:3]] == [0, None, 0]
    assert apart["start_median_s"].reason == "nothing to compare"


def test_noise_on_edges_comes_back_as_its_size():
    rng = np.random.default_rng(4)
    recordings = []
    for _ in range(400):
        edges = np.sort(rng.uniform(0, 900, 50)).reshape(25, 2) + np.arange(25)[:, None] * 20
        noisy = edges + rng.normal(0, 0.3, edges.shape)
        noisy[:, 1] = np.maximum(noisy[:, 0], noisy[:, 1])
        recordings.append([Spans.of(*side.T, np.arange(25)) for side in (edges + 5, noisy + 5)])
    errors = [boundary_errors(*pair, matched(*pair))[0] for pair in recordings]

    found = error_summaries(errors, options())

    # The median of |d| of a normal error is .6745 of its standard deviation.
    assert found["median_s"].value / 0.6745 == pytest.approx(0.3, rel=0.05)
    assert found["bias_s"].value == pytest.approx(0, abs=0.02)
    interval = found["median_s"].interval
    assert interval.low < 0.6745 * 0.3 < interval.high
    assert interval.clusters == 400


def test_intervals_need_two_recordings():
    whole = Spans.of([0, 2], [2, 3], [0, 1])
    late = Spans.of([0, 2.5], [2, 3], [0, 1])

    one = agreement([Compared(whole, late, 6.0)], options())["tiou_strict"]
    several = agreement(
        [Compared(whole, late, 6.0), Compared(whole, whole, 6.0), Compared(late, whole, 6.0)],
        options(),
    )["tiou_strict"]

    assert (one.value, one.interval.reason) == (0.75, "an interval needs at least two recordings")
    assert several.value == pytest.approx((0.75 + 1 + 0.75) / 3)
    assert several.interval.low < several.value < several.interval.high


def test_an_interval_beyond_what_its_figure_can_be_is_not_shown():
    whole, late = Spans.of([0, 2], [2, 3], [0, 1]), Spans.of([0, 4], [2, 6], [1, 0])
    pairs = [Compared(whole, whole, 6.0), Compared(whole, late, 6.0)]

    figures = agreement(pairs, options())
    rows = rows_of_figures(Part.AGREEMENT, "steps", Split.ALL, "", figures)

    found = {row.name: row.summary.interval for row in rows}
    assert figures["tiou_strict"].interval.low < 0
    for name in ("tiou_strict", "edit", "time_kappa", "coverage_second"):
        assert (found[name].low, found[name].high) == (None, None), name
        assert found[name].reason == OUT_OF_RANGE, name
    assert found["start_bias_s"] == figures["start_bias_s"].interval


@pytest.mark.parametrize("seed", range(20))
def test_intervals_of_random_segments_can_be(seed):
    rng = random.Random(seed)
    may_overlap = rng.random() < 0.5
    count = rng.choice([2, 3, 9, 24, 25, 40])
    sides = []
    for _ in range(count):
        first = rows_of(rng, may_overlap=may_overlap)
        # Half of the recordings are the same on both sides.
        second = first if rng.random() < 0.5 else rows_of(rng, may_overlap=may_overlap)
        sides.append(Compared(spans_of(first), spans_of(second), CELLS / 10))
    draws = Options(np.random.default_rng(seed), resamples=200, may_overlap=may_overlap)
    edges = np.random.default_rng(seed).uniform(0, 5, (count, 3, 2)).round(1)
    corrected = [Corrected(one, one + rng.choice([0, 0, 0.2]), {"text": 1}, 3) for one in edges]
    works = [Work(rng.random() * 60, 60.0, rng.randrange(4), 5, rng.random()) for _ in sides]

    figures = agreement(sides, draws) | onset_agreement(sides, draws)
    figures |= correction_figures(corrected, draws) | effort_figures(works, draws)
    for row in rows_of_figures(Part.AGREEMENT, "steps", Split.ALL, "", figures):
        if row.summary.value is not None and row.name in MEASURES:
            least, most = row.measure.ends or (0.0, 1.0 if row.measure.is_share else math.inf)
            assert_possible(row.summary.value, row.summary.interval, least, most)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_quantiles_of_counts_are_numpys(share):
    rng = np.random.default_rng(1)
    for _ in range(50):
        sample = np.round(rng.normal(size=rng.integers(1, 12)), 1)
        values, counts = np.unique(sample, return_counts=True)

        found = quantile_figure(values, share)(counts[np.newaxis].astype(float))

        assert found == pytest.approx([np.quantile(sample, share)])


def test_points_are_paired_with_the_nearest():
    first = Spans.of([1, 10, 30], [1, 10, 30], [0, 0, 1])
    second = Spans.of([9, 2, 4], [9, 2, 4], [0, 0, 2])

    assert sorted(point_errors(first, second)) == [-1, 1]


def test_mistakes_have_a_kappa_of_their_own():
    spans = Spans.of([0, 2, 4], [2, 4, 6], [0, 1, 2])
    first, second = np.array([-1, 0, 1]), np.array([-1, 0, 0])

    found = agreement([Compared(spans, spans, 6.0, (first, second))], options(mistake_count=2))[
        "mistake_kappa"
    ]

    assert found.n == 1
    # p_o 2/3; p_e (1*1 + 1*2 + 1*0) / 9
    assert found.value == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))


def test_hits_between_people_are_the_same_either_way():
    first = Spans.of([0, 5], [5, 10], [0, 0])
    second = Spans.of([0], [10], [0])

    there, back = (
        hits_of_pairs(*pair, matched(*pair), 0.5) for pair in ((first, second), (second, first))
    )

    assert (there.true, there.false, there.missed) == (1, 0, 1)
    assert there.f1 == back.f1 == pytest.approx(2 / 3)


def test_texts_are_compared_by_words_and_letters():
    assert token_f1("use tape", "use glue") == 0.5
    # Of the letters two of three, of pairs and triples none.
    assert character_f1("cup", "cap") == pytest.approx(2 / 3 / 3)
    assert character_f1("", "") is None


def test_effort_is_sums_over_sums():
    works = [Work(120, 60, 10, 30, 1.0), Work(60, 120, 0, 0, 0.5), Work(None, 60, 4, 2, 0.0)]

    found = effort_figures(works, options())

    # Whose times are not known counts where no times are needed.
    assert {name: (item.value, item.n) for name, item in found.items()} == {
        "seconds_per_segment": (18.0, 1),
        "seconds_per_recorded_minute": (60.0, 2),
        "gestures_per_segment": (pytest.approx(32 / 14), 2),
        "watched_share": (0.5, 3),
    }
    assert effort_figures([], options())["watched_share"].reason == "nothing to compare"


def test_corrections_are_told_by_size_and_kind():
    first = Corrected(
        np.array([[0.0, 4.0], [5.0, 9.0]]), np.array([[0.0, 4.5], [4.0, 9.0]]),
        changed={"label": 1, "inserted": 1}, segments=3,
    )  # fmt: skip
    second = Corrected(
        np.array([[0.0, 2.0]]), np.array([[0.0, 2.0]]), changed={"deleted": 1}, segments=2
    )

    found = correction_figures([first, second], options())

    assert {name: (item.value, item.n) for name, item in found.items()} == {
        "untouched_share": (pytest.approx(4 / 6), 6),
        "median_s": (0.0, 6),
        "p90_s": (0.75, 6),
        "median_of_moved_s": (0.75, 2),
        "inserted_share": (0.2, 1),
        "deleted_share": (0.2, 1),
        "step_share": (0.0, 0),
        "label_share": (0.2, 1),
        "text_share": (0.0, 0),
    }


def test_pairs_of_people_on_one_recording_are_drawn_together():
    whole = Spans.of([0, 2], [2, 3], [0, 1])
    late = Spans.of([0, 2.5], [2, 3], [0, 1])
    sides = [("R1", late), ("R1", whole), ("R2", late), ("R3", whole)]

    found = agreement(
        [Compared(whole, other, 6.0, recording=name) for name, other in sides], options()
    )["tiou_strict"]

    assert found.value == pytest.approx((0.75 + 1 + 0.75 + 1) / 4)
    assert (found.n, found.recordings, found.interval.clusters) == (4, 3, 3)


def test_margins_give_the_kappa_of_the_table():
    rng = np.random.default_rng(5)
    for _ in range(20):
        table = rng.integers(0, 5, (3, 3)).astype(float)

        row = margins(table, np.array([1, 4, 6]), 8)

        assert kappas_of_margins(row[np.newaxis])[0] == pytest.approx(
            float(kappas_of(table)), nan_ok=True
        )


def test_missing_repeated_and_texts_of_matched_spans_are_compared():
    first = Spans.of([0, 2, 4, 6], [2, 4, 6, 8], [0, 1, 0, 2])
    second = Spans.of([0, 2, 4], [2, 4, 6], [0, 1, 0])
    compared = Compared(
        first, second, 9.0,
        mistakes=(np.array([0, -1, -1, -1]), np.array([0, -1, -1])),
        texts=(("use tape", "", "x", "y"), ("use glue", "", "x")),
        missing=(frozenset({3}), frozenset({2, 3})),
        slots_of=lambda label, text: Template("use {wrong}").values(text),
    )  # fmt: skip

    found = agreement([compared], options(mistake_count=1))

    names = ("missing_same", "repeated_same", "text_same", "text_token_f1", "slot_wrong_same")
    assert {name: (found[name].value, found[name].n) for name in names} == {
        "missing_same": (pytest.approx(2 / 3), 2),
        "repeated_same": (1.0, 1),
        "text_same": (0.5, 2),
        "text_token_f1": (0.75, 2),
        "slot_wrong_same": (0.0, 1),
    }


def test_onsets_within_two_seconds_are_the_same():
    first = Spans.of([1, 10, 30], [1, 10, 30], [0, 1, 2])
    second = Spans.of([2.5, 13], [2.5, 13], [0, 1])

    found = onset_agreement([Compared(first, second, 40.0)], options())

    assert (found["onset_within_2_s"].value, found["onset_within_2_s"].n) == (0.5, 2)
    assert found["onset_bias_s"].value == 2.25
    assert found["onset_paired"].value == pytest.approx(4 / 5)


def test_bad_arrays_are_refused():
    with pytest.raises(ValueError, match=r"span 1 is 5\.0 to 4\.0 s; expected no end before"):
        Spans.of([0, 5], [1, 4], [0, 0])
    with pytest.raises(ValueError, match="2 starts, 1 ends and 2 labels; expected as many"):
        Spans.of([0, 5], [1], [0, 0])
    with pytest.raises(ValueError, match=r"times are \(1, 2\) and \(2, 2\); expected"):
        Corrected(np.zeros((1, 2)), np.zeros((2, 2)), {}, 0)


def test_what_is_beyond_a_tolerance_by_less_than_a_millisecond_is_beyond_it():
    found = error_summaries([np.array([0.1001, -0.1001, 5.1 - 5.0, 0.3 - 0.2])], options())

    assert found["within_0.1_s"].value == 0.5
