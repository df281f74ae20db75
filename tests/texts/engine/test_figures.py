"""Figures of verdicts, beside numbers computed by hand."""

import json
from dataclasses import replace

import pytest

from texts.engine.deciding import GivenVerdict
from texts.engine.figures import ReadText, text_figures
from texts.engine.vocabulary import REVIEW

PAIRS = (
    ("accept", "accept"), ("accept", "reject"), ("edit", "edit"), ("edit", "edit"),
    ("reject", "reject"), ("accept", "edit", "edit"), ("accept",), ("accept", "accept"),
)  # fmt: skip


def read(verdicts, *, recording=0, group="", words=("Salt?", "Salt?", "Salt?"), seconds=None):
    given = {
        place: GivenVerdict(name, text=words[place - 1] if name == "edit" else "")
        for place, name in enumerate(verdicts, start=1)
    }
    people = {place: ("ann", "ben", "cid")[place - 1] for place in given}
    return ReadText(recording, group, given, people, dict.fromkeys(given, seconds))


def figures_of(texts, **options):
    return text_figures(texts, REVIEW, **{"overlap": 2, "seed": 0, **options})


def test_two_reviewers_and_a_third_where_they_differ():
    texts = [read(pair, recording=place) for place, pair in enumerate(PAIRS)]
    texts[3] = read(PAIRS[3], recording=3, words=("Did I add salt?", "Did I salt it?"))

    figures = figures_of(texts)

    assert (figures.equal.hits, figures.equal.count) == (5, 7)
    kappas = {kappa.name: kappa.value for kappa in figures.kappas}
    assert kappas["kappa"] == pytest.approx(0.5757575757575757)
    assert kappas["kappa_keep"] == pytest.approx(0.5882352941176471)
    assert figures.decided == 5


def test_the_worked_case_of_the_published_figures(shared_data):
    told = json.loads((shared_data / "egoerrorvqa" / "EXPECTED_metrics.json").read_text())
    [case] = [case for case in told["cases"] if case["kind"] == "review"]
    texts = []
    for place, row in enumerate(case["input"]["rows"]):
        names = [name for name in (row["first"], row["second"], row["third"]) if name]
        words = (row.get("first_text", "x"), row.get("second_text", "x"), "x")
        texts.append(read(names, recording=place, words=words))

    figures = figures_of(texts)

    expected = case["expected"]
    kappas = {kappa.name: kappa.value for kappa in figures.kappas}
    assert figures.equal.value == pytest.approx(expected["same"])
    assert kappas["kappa"] == pytest.approx(expected["kappa_three_verdicts"]["value"])
    assert kappas["kappa_keep"] == pytest.approx(expected["kappa_keep_or_reject"]["value"])
    counts = expected["counts"]
    assert figures.decided == sum(
        counts[state] for state in ("accepted", "accepted as edited", "rejected")
    )


def test_texts_of_one_recording_give_no_interval():
    figures = figures_of([read(("accept", "accept")), read(("accept", "reject"))])

    assert figures.equal.value == 0.5
    assert figures.equal.interval.low is None
    assert figures.equal.interval.reason


def test_intervals_go_by_recordings_and_hold_their_shares():
    texts = [
        read(("accept", "accept" if place % 3 else "reject"), recording=place // 2)
        for place in range(80)
    ]

    equal = figures_of(texts).equal

    assert equal.interval.clusters == 40
    assert 0 <= equal.interval.low < equal.value < equal.interval.high <= 1
    assert figures_of(texts).equal == equal


def test_groups_reasons_and_seconds_are_counted():
    reject = {
        1: GivenVerdict("reject", ("unclear",)),
        2: GivenVerdict("reject", ("wrong", "unclear")),
    }
    texts = [
        read(("accept", "accept"), group="explain", seconds=4.0),
        ReadText(1, "detect", reject, {1: "ann", 2: "ben"}, {1: 8.0, 2: None}),
        read((), group="detect"),
    ]

    figures = figures_of(texts)

    groups = [
        (item.name, *((share.hits, share.count) for share in (item.before, item.kept, item.after)))
        for item in figures.by_group
    ]
    assert groups == [("detect", (2, 3), (0, 1), (0, 1)), ("explain", (1, 3), (1, 1), (1, 1))]
    assert [(reader.name, reader.given, reader.keeping) for reader in figures.by_person] == [
        ("ann", 2, 1), ("ben", 2, 1),
    ]  # fmt: skip
    assert [reader.seconds.value for reader in figures.by_person] == [6.0, 4.0]
    assert [(share.title, share.hits, share.count) for share in figures.reasons] == [
        ("It is unclear", 2, 2), ("It is wrong about the recording", 1, 2),
    ]  # fmt: skip
    assert figures.seconds.value == 4.0
    assert "at least 25 recordings" in figures.seconds.interval.reason


def test_the_median_time_has_an_interval_over_draws_of_recordings():
    texts = [
        read(("accept", "reject"), recording=place, seconds=float(place % 9)) for place in range(45)
    ]

    figures = figures_of(texts)

    seconds = figures.seconds
    assert seconds.value == 4.0
    # Of a sum of 45 ranks the middle is within about 1.96 * sqrt(45) / 2 of the 23rd.
    assert (seconds.interval.low, seconds.interval.high) == (3.0, 5.0)
    assert (seconds.interval.clusters, seconds.interval.method) == (45, "bootstrap")
    assert [reader.seconds.value for reader in figures.by_person] == [4.0, 4.0]
    assert figures_of(texts) == figures
    # Texts of one recording are drawn together: fewer recordings say less.
    few = [
        read(("accept",), recording=place % 30, seconds=float(place % 30)) for place in range(60)
    ]
    many = [replace(item, recording=place) for place, item in enumerate(few)]
    wide, narrow = (figures_of(each).seconds.interval for each in (few, many))
    assert wide.high - wide.low > narrow.high - narrow.low


def test_a_median_that_nothing_moves_has_no_interval():
    texts = [read(("accept", "accept"), recording=place, seconds=5.0) for place in range(40)]

    seconds = figures_of(texts).seconds

    assert (seconds.value, seconds.interval.low) == (5.0, None)
    assert "nearly every resample gives this figure" in seconds.interval.reason


def test_nothing_read_has_no_figures():
    figures = figures_of([read(())])

    assert (figures.equal.value, figures.decided, figures.seconds.value) == (None, 0, None)
    assert figures.seconds.interval.reason == "nothing to compute it from"
