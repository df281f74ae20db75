import csv
import io

import numpy as np
import pytest

from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.planned import Planned, mark_rows
from annotation.analytics.agreement.report import build_report
from annotation.analytics.tables.example_cases import ExampleCase, example_table
from annotation.analytics.tables.paper_tables import (
    COMPOSITE,
    INCOMPLETE,
    OwnFigures,
    OwnScale,
    PaperTable,
    paper_table,
)
from annotation.analytics.tables.table import lay_out
from annotation.analytics.tables.table_writers import table_csv, table_latex
from annotation.engine.campaigns.guideline import built_in_guideline
from annotation.engine.rubric.rubric import Metric, current_rubric
from tests.analytics.agreement.test_report import make_ratings
from tests.analytics.tables.test_table_writers import compiled, needs_latex

EDITION = current_rubric()
GUIDELINE = built_in_guideline(EDITION.version)
SCALE = OwnScale(videos=4, total_steps=40, mistake_steps=10, mistakes=6, corrections=2)


def make_table(which, *own, **changes):
    return paper_table(which, own, rubric_=EDITION, guideline=GUIDELINE, **changes)


def make_own(name="My data", **counts):
    """Figures of one's own: value counts by metric."""
    ratings = [make_ratings(Metric(metric), found) for metric, found in counts.items()]
    rows = {row.metric: row for row in build_report(ratings, resamples=100)}
    return OwnFigures(name=name, basis="round 2, guideline 3", rows=rows, scale=SCALE)


def printed(table):
    return {row.label.text: [cell.text for cell in row.cells] for row in shown_rows(table)}


def shown_rows(table):
    return [row for group in lay_out(table).groups for row in group.rows]


def test_table_3_prints_the_paper_and_its_best_values():
    table = make_table(PaperTable.AGGREGATES)

    rows = printed(table)
    assert rows["EgoPER"] == ["51", "2.67", "1.88", "26", "4.41", "14", "3.22", "3.42"]
    assert rows["Ego-Exo4D-Qwen (freeform)"][-2:] == ["–", "–"]
    best = {
        column.title: [row.label.text for row in shown_rows(table) if row.cells[place].is_best]
        for place, column in enumerate(table.columns)
    }
    assert best == {
        "Err.Valid (Yes, %)": ["Ego-Exo4D-GPT-5.2-PJ (PIE-V+GPT, judged)"],
        "Human Pl.": ["EgoOops"],
        "Confus.": ["CaptainCook4D"],
        "Proc.Logic (Yes, %)": ["Ego-Exo4D-GPT-5.2-PJ (PIE-V+GPT, judged)"],
        "Seq.Cons.": ["Assembly101"],
        "State-Chg (Yes, %)": ["CaptainCook4D"],
        "Vid.Pl.": ["EgoOops"],
        "T–V Gr.": ["Ego-Exo4D-GPT-5.2-PJ (PIE-V+GPT, judged)"],
    }


def test_table_3_prints_both_readings_of_a_row_of_ours():
    # One event with one rating (yes), one with three (no, no, no): half of the events, a quarter
    # of the ratings.
    own = make_own(error_validity=[[0, 1], [3, 0]])

    rows = printed(make_table(PaperTable.AGGREGATES, own))

    assert rows["My data"][0] == "50"
    assert rows["My data, over ratings"][0] == "25"


@pytest.mark.parametrize(
    "counts",
    [
        {"error_validity": [[0, 3], [3, 0]]},
        # The mean of their means and the mean of all differ in the last digit of a float.
        {"human_plausibility": [[1, 0, 0, 0, 2], [1, 1, 1, 0, 0]]},
    ],
)
def test_second_reading_of_a_row_is_left_out_where_it_is_the_same(counts):
    own = make_own(**counts)

    assert "My data, over ratings" not in printed(make_table(PaperTable.AGGREGATES, own))


def test_row_of_ours_competes_for_the_best_value_and_its_second_reading_does_not():
    own = make_own(human_plausibility=[[0, 0, 0, 0, 1], [0, 0, 0, 1, 2]])

    table = make_table(PaperTable.AGGREGATES, own)

    best = [row.label.text for row in shown_rows(table) if row.cells[1].is_best]
    assert best == ["My data"]


def own_of(name, ratings):
    """Figures as pages have them: marked by what they are of."""
    rows = {row.metric: row for row in mark_rows(build_report(ratings, resamples=100), {})}
    return OwnFigures(name=name, basis="round 2, guideline 3", rows=rows, scale=SCALE)


def few_answers():
    """One answer of one person to one of 26 events, and the best that there is."""
    counts = [[0, 0, 0, 0, 1], *[[0, 0, 0, 0, 0]] * 25]
    return own_of("Barely begun", [make_ratings(Metric.VIDEO_PLAUSIBILITY, counts, expected=2)])


def test_one_answer_of_one_rater_is_no_row_among_others():
    table = make_table(PaperTable.AGGREGATES, few_answers())

    assert "Barely begun" not in printed(table)
    assert "Barely begun" not in table_csv(table)
    [note] = [text for _, text in lay_out(table).footnotes if "Barely begun" in text]
    assert note == (
        "Left out: Barely begun. 1 of 52 planned answers to a metric, 1 rater: too few to compare."
    )


# The rubric and example cases are of no figures; rows of a kind have names of their own.
OF_FIGURES = [
    item
    for item in PaperTable
    if item not in (PaperTable.RUBRIC, PaperTable.EXAMPLES, PaperTable.KINDS)
]


FIGURES_AND_RUBRIC = [item for item in PaperTable if item != PaperTable.EXAMPLES]


@pytest.mark.parametrize("which", OF_FIGURES)
def test_row_of_few_answers_stands_apart_and_is_never_bold_when_asked_for(which):
    without = make_table(which)
    table = make_table(which, few_answers(), has_incomplete=True)

    group = lay_out(table).groups[-1]
    assert (group.title, [row.label.text for row in group.rows]) == (INCOMPLETE, ["Barely begun"])
    assert not any(cell.is_best for row in group.rows for cell in row.cells)
    assert bold_of(table) == bold_of(without)


def bold_of(table):
    return [
        (row.label.text, place)
        for row in shown_rows(table)
        for place, cell in enumerate(row.cells)
        if cell.is_best
    ]


def test_metric_of_few_answers_in_a_row_of_many_is_not_compared():
    many = make_ratings(Metric.ERROR_VALIDITY, [[0, 3]] * 10)
    few = make_ratings(Metric.HUMAN_PLAUSIBILITY, [[0, 0, 0, 0, 3]] * 2 + [[0] * 5] * 8)
    own = own_of("Mine", [many, few])

    left_out, shown = (
        make_table(PaperTable.AGGREGATES, own, has_incomplete=asked) for asked in (False, True)
    )

    assert printed(left_out)["Mine"][:2] == ["100", "–"]
    assert printed(shown)["Mine"][:2] == ["100", "5.00"]
    assert ("Mine", 0) in bold_of(shown)
    assert ("Mine", 1) not in bold_of(shown)
    [row] = [row for row in shown_rows(left_out) if row.label.text == "Mine"]
    assert dict(lay_out(left_out).footnotes)[row.cells[1].marks[0]] == (
        "6 of 30 planned answers to a metric, 3 raters: too few to compare."
    )


@pytest.mark.parametrize(
    ("answered", "raters", "plan", "is_incomplete"),
    [
        (9, 2, None, False),
        (8, 2, None, True),
        (10, 1, None, True),
        (8, 2, Planned((), (), least_coverage=0.8), False),
        (10, 1, Planned((), (), least_raters=1), False),
        (10, 2, Planned((), (), least_raters=3), True),
    ],
)
def test_nine_in_ten_planned_answers_of_two_raters_are_compared_unless_filed_otherwise(
    answered, raters, plan, is_incomplete
):
    counts = [[0, raters]] * answered + [[0, 0]] * (10 - answered)
    ratings = make_ratings(
        Metric.ERROR_VALIDITY, counts, expected=raters, basis=Basis(campaign="Audit")
    )

    [row] = mark_rows(build_report([ratings], resamples=0), {"Audit": plan} if plan else {})

    assert row.coverage == pytest.approx(answered / 10)
    assert row.is_incomplete is is_incomplete


def test_answer_that_cannot_be_judged_is_not_missing():
    counts, unjudged = [[0, 2]] * 8 + [[0, 0]] * 2, np.array([0] * 8 + [2, 2])
    ratings = make_ratings(Metric.ERROR_VALIDITY, counts, expected=2, unjudged=unjudged)

    [row] = mark_rows(build_report([ratings], resamples=0), {})

    assert (row.planned, row.coverage, row.is_incomplete) == (20, 1.0, False)


@pytest.mark.parametrize(
    ("which", "count"), [(PaperTable.AGREEMENT, 5), (PaperTable.ALL_AGREEMENT, 8)]
)
def test_tables_of_agreement_stand_both_readings_of_procedure_logic_side_by_side(which, count):
    table = make_table(which)

    rows = printed(table)
    places = {column.key: place for place, column in enumerate(table.columns)}
    assert len(rows) == count
    assert rows["EgoPER"][places["procedure_logic"]] == "0.728"
    assert rows["EgoPER"][places[COMPOSITE]] == "0.728"
    assert rows["Assembly101"][places["state_change_coherence"]] == "1.000"
    assert [title for title, _ in lay_out(table).spans] == ["", "Proc.Logic", ""]
    assert any("stands under both" in text for _, text in lay_out(table).footnotes)


def test_row_of_ours_carries_its_alpha_interval_basis_and_reason():
    own = make_own(
        human_plausibility=[
            [0, 0, 0, 0, 3], [3, 0, 0, 0, 0], [0, 0, 0, 1, 2], [1, 2, 0, 0, 0], [0, 1, 1, 0, 1],
            [0, 0, 3, 0, 0], [1, 0, 1, 1, 0], [0, 2, 1, 0, 0], [0, 0, 1, 1, 1], [3, 0, 0, 0, 0],
        ] * 3,
        confusability=[[0, 0, 0, 0, 3]] * 30,
    )  # fmt: skip
    row = own.rows[Metric.HUMAN_PLAUSIBILITY]

    table = make_table(PaperTable.AGREEMENT, own)

    [shown] = [item for item in shown_rows(table) if item.label.text == "My data"]
    footnotes = dict(lay_out(table).footnotes)
    assert shown.cells[1].text == f"{row.alpha:.3f}"
    assert footnotes[shown.label.marks[0]] == (
        "round 2, guideline 3; 3 raters, 3.00 per event on average over 30 events."
    )
    assert footnotes[shown.cells[2].marks[0]] == (
        "All ratings are the same, so agreement is undefined."
    )
    [line] = [
        line for line in csv.DictReader(io.StringIO(table_csv(table))) if line["label"] == "My data"
    ]
    assert float(line["human_plausibility"]) == row.alpha
    assert float(line["human_plausibility_low"]) == row.interval.low
    assert float(line["human_plausibility_high"]) == row.interval.high
    shown_text = f"{row.alpha:.3f} [{row.interval.low:.3f}, {row.interval.high:.3f}]"
    with_intervals = printed(make_table(PaperTable.AGREEMENT, own, shows_intervals=True))
    assert with_intervals["My data"][1].replace("−", "-") == shown_text


@pytest.mark.parametrize("which", [PaperTable.GENERATED_SCALE, PaperTable.SAMPLE])
def test_tables_of_scale_count_mistakes_both_ways(which):
    table = make_table(which, make_own(error_validity=[[0, 3]]))

    keys = [column.key for column in table.columns]
    row = dict(zip(keys, printed(table)["My data"], strict=True))
    expected = {
        "videos": "4",
        "total_steps": "40",
        "mistake_steps": "10",
        "mistake_rate": "25.00",
        "steps_per_video": "10.00",
        "mistakes_per_video": "2.50",
        "mistakes": "6",
        "corrections": "2",
    }
    if which is PaperTable.GENERATED_SCALE:
        del expected["steps_per_video"]
    assert row == expected


def test_table_2_is_filled_from_the_rubric_and_the_guideline():
    rows = printed(make_table(PaperTable.RUBRIC))

    assert list(rows) == [item.title for item in EDITION.metrics]
    assert rows["Procedure Logic"][:2] == ["yes/no, confidence 1–3", "event"]
    assert rows["Text-Video Grounding"] == [
        "1–5",
        "trace",
        "Does the whole written trace match what the video shows?",
    ]


def test_own_data_without_a_rating_has_a_row_that_says_so():
    own = make_own(error_validity=[[0, 0]])

    for which in OF_FIGURES:
        assert "My data" in printed(make_table(which, own))


def test_alpha_of_mistakes_and_of_corrections_stand_in_rows_of_their_own():
    counts = [[0, 3], [3, 0], [1, 2], [3, 0], [0, 3], [2, 1], [2, 1]] * 12
    both = make_ratings(
        Metric.ERROR_VALIDITY, counts, is_correction=np.arange(len(counts)) % 3 == 0, expected=3
    )
    own = own_of("Mine", [both])

    table = make_table(PaperTable.KINDS, own, shows_intervals=True)

    for words, kind in own.rows[Metric.ERROR_VALIDITY].kinds.items():
        shown = printed(table)[f"Mine, {words}"][0].replace("−", "-")
        ends = f"[{kind.interval.low:.3f}, {kind.interval.high:.3f}]"
        assert shown == f"{kind.alpha:.3f} {ends}"
        assert f"Mine, {words}" in table_latex(table)
    assert "of mistakes" in own.rows[Metric.ERROR_VALIDITY].kinds


def test_examples_are_told_below_that_of_the_paper():
    case = ExampleCase(
        "Error Validity", "Tea/t1", "round 1", "6 Add salt → –", "Yes × 2, No × 1",
        "Yes", "Slip", "=It spoils the dish.",
    )  # fmt: skip

    table = example_table([case])

    assert [row.cells[0].text for row in shown_rows(table)] == ["indiana_bike_03_1", "Tea/t1"]
    assert r"6 Add salt $\rightarrow$ --" in table_latex(table)
    [line] = [
        line for line in csv.DictReader(io.StringIO(table_csv(table))) if line["group"] == "Ours"
    ]
    assert (line["label"], line["event"], line["answers"], line["decision"], line["reason"]) == (
        "Error Validity", "6 Add salt → –", "Yes × 2, No × 1", "Yes", "'=It spoils the dish.",
    )  # fmt: skip


@needs_latex
def test_every_table_compiles_with_rows_of_ours(tmp_path):
    own = make_own("50% of R&D_[set]", human_plausibility=[[0, 0, 0, 0, 3], [3, 0, 0, 0, 0]])

    tables = [make_table(which, own, shows_intervals=True) for which in FIGURES_AND_RUBRIC]
    tables.append(example_table([]))

    assert compiled(tmp_path, tables).stat().st_size > 10_000


def test_taxonomy_fit_says_what_raters_saw_of_changes():
    seen = Basis(campaign="Audit", step_words=("arrows", "words"))
    counts = [[0, 2, 0, 1, 0, 0], [2, 0, 0, 0, 0, 1], [0, 0, 3, 0, 0, 0]] * 5
    ratings = make_ratings(Metric.TAXONOMY_FIT, counts, basis=seen)
    rows = {row.metric: row for row in build_report([ratings], resamples=100)}
    own = OwnFigures(name="My data", basis="round 2", rows=rows, scale=SCALE)

    footnotes = [text for _, text in lay_out(make_table(PaperTable.AGREEMENT, own)).footnotes]

    told = "Taxonomy Fit: raters saw empty cells and arrows for changed steps; raters read words"
    assert any(text.startswith(told) for text in footnotes)
