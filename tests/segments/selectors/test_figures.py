"""Figures of rounds of segments, read from the tables, against numbers computed by hand."""

from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.utils import timezone

from annotation.models import GuidelineVersion, Round
from segments.engine.model import Segment
from segments.measures.report import FIGURES_VERSION, Part, Revision, Split, csv_rows
from segments.models import Segment as SegmentRow
from segments.models import (
    Segmentation,
    SegmentCheck,
    SegmentEvent,
    SegmentRecording,
    SegmentSource,
    SegmentViewing,
    Stage,
)
from segments.selectors.figures import about_round, round_figures
from segments.selectors.reading import MixedSchemesError
from segments.services.segmentations import begin, return_to_author, submit
from tests.factories import SegmentationFactory, SegmentRoundFactory, UserFactory
from tests.golden import assert_golden
from tests.segments.segmented_rounds import finish, make_take, steps_of
from tests.segments.segmenting import make_segmentation, piece, put, save

pytestmark = pytest.mark.django_db

FIRST = steps_of(("a", 0, 4), ("b", 5, 9), ("-1", 9, 10), ("c", 10, 16))
SECOND = steps_of(("a", 0, 5), ("b", 5, 8), ("c", 11, 16), ("d", 17, 19))


@pytest.fixture
def people():
    return [UserFactory(username=name) for name in ("ada", "ben", "cy")]


def values(found, part=Part.AGREEMENT, split=Split.ALL, of="", track=None):
    """Return the figures of one part and split by name."""
    return {
        row.name: row.summary.value
        for row in found.rows
        if (row.part, row.split, row.of) == (part, split, of) and track in (None, row.track)
    }


def log(own, name, segments, *, client="site", head=1, at=None):
    SegmentEvent.objects.bulk_create(
        SegmentEvent(
            segmentation=own, head=head, key=item.key, name=name, after=item.to_dict(),
            client_id=client, client_sequence=head, guideline=own.round.guideline,
            made_at=at or timezone.now(),
        )
        for item in segments
    )  # fmt: skip


def test_other_figures_of_the_same_segments_raise_the_version(people):
    """The file is of one version: whoever changes a figure raises it and has a file written."""
    made = SegmentRoundFactory().round
    for place, shift_s in enumerate((0.0, 0.3, 1.7, -0.9, 2.6, 0.05)):
        take = make_take(uid=f"V{place}")
        shifted = [replace(item, end_s=item.end_s + shift_s) for item in SECOND[place % 2 :]]
        finish(made, take, people[0], FIRST)
        finish(made, take, people[1], shifted)

    figures = {
        " ".join([row.part, row.track, row.split, row.of, row.name]): [
            None if number is None else round(number, 9)
            for number in (row.summary.value, row.summary.interval.low, row.summary.interval.high)
        ]
        for row in round_figures(made).rows
    }

    assert_golden(Path(__file__).with_name(f"figures_version_{FIGURES_VERSION}.json"), figures)


def test_two_annotators_give_the_numbers_computed_by_hand(people):
    made = SegmentRoundFactory().round
    take = make_take()
    finish(made, take, people[0], FIRST)
    finish(made, take, people[1], SECOND)
    finish(made, make_take(), people[0], FIRST)

    found = round_figures(made)

    assert (found.people, found.compared, found.finished) == (("ada", "ben", "cy")[:2], 1, 3)
    assert (found.undefined, found.flagged, found.without_length) == (2, 0, 0)
    ours = values(found)
    # a .8, b .75, c .8333, and d, which the first lacks.
    assert ours["tiou_strict"] == pytest.approx((0.8 + 0.75 + 5 / 6 + 0) / 4)
    assert ours["tiou_common"] == pytest.approx((0.8 + 0.75 + 5 / 6) / 3)
    assert ours["f1@0.50"] == ours["f1@0.75"] == pytest.approx(6 / 7)
    assert ours["edit"] == 75
    # Starts are 0, 0 and 1 s apart, ends 1, -1 and 0.
    assert (ours["start_bias_s"], ours["start_median_s"], ours["end_median_s"]) == (0, 0, 1)
    assert ours["start_within_0.5_s"] == pytest.approx(2 / 3)
    assert (ours["end_within_0.5_s"], ours["end_within_1_s"]) == (pytest.approx(1 / 3), 1)
    # 14 s the same (a 4, b 3, c 5, nothing 1 + 1) of 20; by chance of what each covers.
    chance = (4 * 5 + 4 * 3 + 6 * 5 + 0 * 2 + 1 * 0 + 5 * 5) / 400
    same = (4 + 3 + 5 + 2) / 20
    assert ours["time_kappa"] == pytest.approx((same - chance) / (1 - chance))
    assert ours["label_kappa"] == 1
    [strict] = [row.summary for row in found.rows if row.name == "tiou_strict"]
    assert (strict.n, strict.recordings) == (1, 1)
    assert strict.interval.reason == "an interval needs at least two recordings"


def test_figures_are_split_by_scenario_and_by_pair_and_have_intervals(people):
    made = SegmentRoundFactory().round
    for place in range(6):
        take = make_take(scenario="Tea" if place < 3 else "Soup")
        late = [replace(item, start_s=item.start_s + place * 0.1) for item in FIRST]
        pair = people[:2] if place % 2 else people[1:]
        finish(made, take, pair[0], FIRST)
        finish(made, take, pair[1], late)

    found = round_figures(made)

    tea, soup = (values(found, split=Split.SCENARIO, of=name) for name in ("Tea", "Soup"))
    assert (tea["start_bias_s"], soup["start_bias_s"]) == (0.1, 0.4)
    pairs = {row.of for row in found.rows if row.split is Split.PAIR}
    assert pairs == {"ada and ben", "ben and cy"}
    [strict] = [
        row.summary
        for row in found.rows
        if (row.name, row.split, row.part) == ("tiou_strict", Split.ALL, Part.AGREEMENT)
    ]
    assert strict.recordings == 6
    assert strict.interval.low < strict.value < strict.interval.high
    # Step a of one scenario is not step a of another: with one number for both, more would be the
    # same by chance.
    assert values(found)["label_kappa"] == 1


def test_flagged_unfinished_and_deleted_work_is_left_out_and_counted(people):
    made = SegmentRoundFactory().round
    take = make_take()
    flagged = Segment("f", "steps", 17, 19, "d", is_flagged=True)
    deleted = Segment("g", "steps", 1, 19, "d", is_deleted=True)
    finish(made, take, people[0], FIRST)
    finish(made, take, people[1], [*SECOND[:3], flagged, deleted])
    finish(made, take, people[2], SECOND, status="returned")

    found = round_figures(made)

    assert (found.flagged, found.not_counted) == (1, (("Returned", 1),))
    assert values(found)["tiou_strict"] == pytest.approx((0.8 + 0.75 + 5 / 6) / 3)


def test_mistakes_texts_and_missing_steps_are_compared(people):
    made = SegmentRoundFactory().round
    take = make_take()
    wrong = "working with wrong objects"
    first = [
        replace(FIRST[0], label=wrong, text="Use tape but should use glue"),
        FIRST[1],
        Segment("m", "steps", None, None, "c"),
    ]
    second = [replace(first[0], text="use tape but should use a stapler"), *first[1:]]
    finish(made, take, people[0], first)
    finish(made, take, people[1], second)

    ours = values(round_figures(made))

    assert (ours["mistake_kappa"], ours["missing_same"], ours["text_same"]) == (1, 1, 0)
    assert ours["text_token_f1"] == pytest.approx(2 * 5 / 13)
    assert (ours["slot_wrong_same"], ours["slot_correct_same"]) == (1, 0)


def test_onsets_within_two_seconds_agree(people):
    made = SegmentRoundFactory(scheme="onset").round
    take = make_take()
    for person, times in ((people[0], (3, 9)), (people[1], (4.5, 12))):
        points = [
            Segment(f"o{place}", "onsets", at_s, at_s, step)
            for place, (step, at_s) in enumerate(zip("ab", times, strict=True))
        ]
        finish(made, take, person, points)

    ours = values(round_figures(made))

    assert (ours["onset_within_2_s"], ours["onset_bias_s"], ours["onset_paired"]) == (0.5, 2.25, 1)


def test_mistakes_that_belong_to_steps_last_as_long_as_those(people):
    made = SegmentRoundFactory(scheme="captaincook4d").round
    take = make_take()
    for person, end_s in ((people[0], 4), (people[1], 5)):
        step = Segment("s", "steps", 0, end_s, "a")
        mistake = Segment("m", "mistakes", None, None, label="Other", parent_key="s")
        finish(made, take, person, [step, mistake])

    found = round_figures(made)

    assert values(found, track="mistakes")["tiou_strict"] == 0.8


def test_label_again_is_compared_with_the_round_before(people):
    campaign_round = SegmentRoundFactory().round
    again = SegmentRoundFactory(campaign=campaign_round.campaign).round
    take = make_take()
    finish(campaign_round, take, people[0], FIRST)
    finish(again, take, people[1], SECOND)
    finish(again, make_take(), people[1], SECOND)

    found = round_figures(again, campaign_round)

    assert (found.compared, found.people) == (1, ("ada", "ben"))
    assert values(found)["edit"] == 75
    assert round_figures(again).compared == 0


def test_labels_of_given_segments_are_compared_and_not_their_edges(people):
    made = SegmentRoundFactory().round
    given = SegmentRoundFactory(
        campaign=made.campaign, source=SegmentSource.ROUND, source_round=made, has_locked_edges=True
    ).round
    take = make_take()
    finish(made, take, people[0], FIRST)
    relabelled = [replace(FIRST[0], step_id="b"), *FIRST[1:]]
    finish(given, take, people[1], relabelled)

    ours = values(round_figures(given, made))

    # a b c against b b c: two of three the same, chance 1/9 (0 + 2 + 1).
    assert ours["label_kappa"] == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))
    assert not {"tiou_strict", "start_bias_s"} & ours.keys()


def test_rounds_of_other_schemes_and_mixed_guidelines_are_refused(people):
    made = SegmentRoundFactory().round
    other = SegmentRoundFactory(campaign=made.campaign, scheme="partition").round
    own = finish(made, make_take(), people[0], FIRST)

    with pytest.raises(MixedSchemesError, match=r"Round 1 has the scheme egooops 1, round 2 part"):
        round_figures(made, other)

    later = GuidelineVersion.objects.create(
        campaign=made.campaign, kind="segments", number=9, name="9", text={}
    )
    SegmentRow.objects.filter(segmentation=own, key="k1").update(guideline=later)
    type(own).objects.filter(pk=own.pk).update(head=99)
    with pytest.raises(MixedSchemesError, match="several versions of the guideline"):
        round_figures(made)

    GuidelineVersion.objects.filter(pk=other.guideline_id).update(text={"scheme": "onset"})
    with pytest.raises(MixedSchemesError, match="its guideline is for onset 1"):
        round_figures(Round.objects.get(pk=other.pk))


def test_corrections_are_told_from_what_each_person_found(people):
    made = SegmentRoundFactory(scheme="partition", stage=Stage.CORRECT).round
    before = steps_of(("a", 0, 5), ("b", 5, 12), ("c", 12, 20))
    after = [
        replace(before[0], end_s=6.0),
        replace(before[1], start_s=6.0, text="Stir"),
        Segment("new", "steps", 12, 20, "d"),
    ]
    own = finish(made, make_take(), people[0], after)
    log(own, "begin", before)

    found = values(round_figures(made), part=Part.CORRECTIONS)

    # Of four edges two were moved by 1 s; of four segments one is new, one gone, one text edited.
    assert found == {
        "untouched_share": 0.5, "median_s": 0.5, "p90_s": 1.0, "median_of_moved_s": 1.0,
        "inserted_share": 0.25, "deleted_share": 0.25, "step_share": 0.0, "label_share": 0.0,
        "text_share": 0.25,
    }  # fmt: skip


def test_corrections_of_work_without_a_log_are_told_from_what_it_is_based_on(people):
    made = SegmentRoundFactory().round
    base = finish(made, make_take(), people[0], FIRST)
    review = SegmentRoundFactory(
        campaign=made.campaign, stage=Stage.REVIEW, source=SegmentSource.ROUND, source_round=made
    ).round
    moved = [replace(FIRST[0], end_s=4.5), *FIRST[1:]]
    own = finish(review, base.recording.take, people[1], moved)
    own.based_on.add(base)

    found = values(round_figures(review), part=Part.CORRECTIONS)

    assert (found["untouched_share"], found["median_of_moved_s"]) == (pytest.approx(7 / 8), 0.5)


def check(own, key, question, *, says, revision=1):
    SegmentCheck.objects.create(
        segmentation=own, key=key, segment_revision=revision, question=question, answer=says,
        client_id="tab", client_sequence=own.checks.count() + 1, made_at=timezone.now(),
    )  # fmt: skip


def test_a_blind_second_audit_tells_noes_before_after_and_on_controls(people):
    audit = SegmentRoundFactory(scheme="partition", stage=Stage.AUDIT, source="steps").round
    campaign = audit.campaign
    correct = SegmentRoundFactory(
        campaign=campaign, scheme="partition", stage=Stage.CORRECT, source="round",
        source_round=audit,
    ).round  # fmt: skip
    again = SegmentRoundFactory(
        campaign=campaign, scheme="partition", stage=Stage.AUDIT, source="round",
        source_round=correct, control_count=1,
    ).round  # fmt: skip
    pieces = steps_of(("a", 0, 10), ("b", 10, 20))
    take, control = make_take(), make_take()
    first = finish(audit, take, people[0], pieces)
    check(first, "k0", "accurate", says=True)
    check(first, "k0", "accurate", says=False)
    check(first, "k1", "accurate", says=True)
    # An answer about an earlier revision counts no more.
    check(first, "k1", "complete", says=False, revision=0)
    second = finish(again, take, people[2], pieces)
    on_control = finish(again, control, people[2], pieces, is_control=True)
    for own in (second, on_control):
        check(own, "k0", "accurate", says=True)
        check(own, "k1", "accurate", says=own is second)

    found = round_figures(again)

    before, after, controls = (
        values(found, part=Part.ANSWERS, split=split)
        for split in (Split.BEFORE, Split.AFTER, Split.CONTROLS)
    )
    assert (before["no_accurate"], before["no_any"], before["no_complete"]) == (0.5, 0.5, None)
    assert (after["no_any"], controls["no_any"]) == (0, 0.5)
    assert values(round_figures(audit), part=Part.ANSWERS)["no_any"] == 0.5


def test_effort_and_coverage_are_told_by_person(people):
    made = SegmentRoundFactory().round
    own = finish(made, make_take(), people[0], FIRST)
    other = finish(made, make_take(), people[1], SECOND)
    start = timezone.now()
    log(own, "begin", FIRST[:1])
    log(own, "draw", FIRST[1:2], client="tab", head=2, at=start)
    log(own, "draw", FIRST[2:], client="tab", head=3, at=start + timedelta(seconds=60))
    SegmentViewing.objects.create(
        segmentation=own, opened_at=start, watched=[[0, 5, 1.0], [5, 10, 2.0]]
    )

    found = round_figures(made)

    # 60 s for 4 segments and a third of a minute; two gestures of hers; half of it watched.
    assert values(found, part=Part.EFFORT, split=Split.PERSON, of="ada") == {
        "seconds_per_segment": 15.0, "seconds_per_recorded_minute": 180.0,
        "gestures_per_segment": 0.5, "watched_share": 0.5,
    }  # fmt: skip
    assert values(found, part=Part.EFFORT, split=Split.PERSON, of="ben")["watched_share"] == 0
    covered = values(found, part=Part.COVERAGE, split=Split.PERSON, of="ada")
    assert (covered["covered_share"], covered["gap_share"], covered["overlap_share"]) == (
        0.75, 0.25, 0,
    )  # fmt: skip
    assert other.round == made


def test_figures_are_read_anew_only_after_a_change(people, django_assert_num_queries):
    made = SegmentRoundFactory().round
    take = make_take()
    finish(made, take, people[0], FIRST)
    finish(made, take, people[1], SECOND)
    before = round_figures(made)

    with django_assert_num_queries(1):
        assert round_figures(made) is before

    finish(made, take, people[2], SECOND)
    assert round_figures(made).finished == 3


def test_an_empty_round_has_no_rows():
    made = SegmentRoundFactory().round
    SegmentRecording.objects.create(round=made, take=make_take())
    SegmentationFactory(recording=made.recordings.get())

    found = round_figures(made)

    assert (found.rows, found.compared, found.finished) == ((), 0, 0)
    assert found.not_counted == (("Open", 1),)


def agreed_after_a_return():
    """Return a round whose first author was returned the work and then did as the second had."""
    proposals = [piece("a", 0, 5, step_id="1"), piece("b", 5, 10, step_id="2")]
    own = make_segmentation(scheme="partition", proposals=proposals, overlap=2)
    other = SegmentationFactory(recording=own.recording)
    for work in (own, other):
        begin(public_id=work.public_id, actor=work.person)
        taken = {"is_proposal": False}
        save(work, put(1, "a", 1, **taken), put(2, "b", 1, **taken))
    save(other, put(3, "b", 2, start_s=6.0), put(4, "a", 2, end_s=6.0))
    for work in (own, other):
        submit(public_id=work.public_id, actor=work.person)
    review_round = SegmentRoundFactory(
        campaign=own.round.campaign, stage=Stage.REVIEW, scheme="partition"
    ).round
    recording = SegmentRecording.objects.create(
        round=review_round, take=own.recording.take, source_segmentation=own,
        proposals=own.recording.proposals,
    )  # fmt: skip
    review = SegmentationFactory(recording=recording)
    begin(public_id=review.public_id, actor=review.person)
    return own, review


def test_figures_are_of_what_each_person_first_submitted_whatever_a_review_brought_about():
    own, review = agreed_after_a_return()
    first = values(round_figures(own.round))
    assert (first["tiou_strict"], first["start_within_0.5_s"]) == (pytest.approx(49 / 60), 0.5)

    return_to_author(public_id=review.public_id, note="The second begins later.",
                     actor=review.person)  # fmt: skip
    waiting, now = (round_figures(own.round, None, revision) for revision in Revision)
    # A returned copy stays among the first; the reviewed work has nobody to compare with.
    assert (waiting.finished, waiting.not_counted, values(waiting)) == (2, (), first)
    assert (now.finished, now.not_counted, values(now)) == (1, (("Returned", 1),), {})

    save(own, put(5, "b", 2, start_s=6.0), put(6, "a", 2, end_s=6.0), client_id="later")
    submit(public_id=own.public_id, actor=own.person)
    found, reviewed = (round_figures(own.round, None, revision) for revision in Revision)

    assert (found.changed_since, values(found)) == (1, first)
    assert found.rows == waiting.rows
    assert values(reviewed)["tiou_strict"] == 1
    header, *lines = csv_rows(found.rows, about_round(own.round, None, Revision.FIRST))
    assert {line[header.index("revision")] for line in lines} == {"as first submitted"}


def test_work_of_before_the_update_gets_the_revision_that_the_log_tells():
    own, review = agreed_after_a_return()
    return_to_author(public_id=review.public_id, note="", actor=review.person)
    save(own, put(5, "b", 2, start_s=6.0), put(6, "a", 2, end_s=6.0), client_id="later")
    submit(public_id=own.public_id, actor=own.person)
    before = list(Segmentation.objects.order_by("pk").values("first_head", "first_submitted_at"))
    Segmentation.objects.update(first_head=None, first_submitted_at=None)

    import_module("annotation.migrations.0032_first_submissions_of_segments").fill(apps, None)

    after = list(Segmentation.objects.order_by("pk").values("first_head", "first_submitted_at"))
    assert [row["first_head"] for row in after] == [row["first_head"] for row in before]
    assert [row["first_head"] for row in after] == [3, 5, None]
    assert [row["first_submitted_at"] is None for row in after] == [False, False, True]
