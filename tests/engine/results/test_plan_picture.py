"""Where things stand in the picture of a plan: computed by hand for ten columns of 100."""

from dataclasses import replace

import pytest

from generation.engine.results.plan_picture import draw_plan
from tests.engine.plans import PHASES, PLAN, step

WIDTH = 1000.0


def overlaps(first, second):
    length = 6.9 * len(first.text)
    return first.y == second.y and first.x <= second.x < first.x + length


def test_phases_cover_their_steps():
    picture = draw_plan(PLAN, width=WIDTH)

    assert [(band.words, band.x, band.width, band.is_dark) for band in picture.phases] == [
        ("Initiation", 0.0, 400.0, False),
        ("Routine", 400.0, 400.0, True),
        ("Completion", 800.0, 200.0, False),
    ]


def test_name_of_the_curve_leaves_that_of_a_short_last_phase_alone():
    assert draw_plan(PLAN, width=WIDTH).is_narrow
    assert not draw_plan(PLAN, width=2 * WIDTH).is_narrow


def test_curve_goes_through_the_middle_of_every_column():
    points = [point.split(",") for point in draw_plan(PLAN, width=WIDTH).curve.split()]

    assert [float(x) for x, _ in points] == [50.0 + 100 * index for index in range(10)]
    assert [float(y) for _, y in points] == pytest.approx([150 - 12 * index for index in range(10)])


def test_errors_and_the_partner_of_a_swap_are_marked():
    boxes = draw_plan(PLAN, width=WIDTH).steps

    assert [box.number for box in boxes if box.has_error] == [3, 6]
    assert [box.number for box in boxes if box.is_partner] == [8]
    assert boxes[2].title == "Step 3: Do part 3, 0:20 to 0:25, load 0.20"


def test_strip_shows_steps_to_scale_over_time():
    boxes = draw_plan(PLAN, width=WIDTH).steps

    scale = WIDTH / 95  # from second 0 to second 95
    assert [box.strip_x for box in boxes] == pytest.approx(
        [10 * scale * index for index in range(10)]
    )
    assert {box.strip_width for box in boxes} == {5 * scale}


def test_untimed_steps_have_no_place_on_the_strip():
    untimed = tuple(step(i, start_s=None, end_s=None, duration_s=0.0) for i in range(10))

    picture = draw_plan(replace(PLAN, steps=untimed), width=WIDTH)

    assert {box.strip_x for box in picture.steps} == {None}
    assert (picture.start_words, picture.end_words) == ("", "")


def test_labels_say_what_happens_and_do_not_overlap():
    labels = draw_plan(PLAN, width=400.0).labels

    assert [(label.text, label.kind) for label in labels] == [
        ("▲ WE · Object", "mistake"),
        ("▲ T · swapped with 8", "mistake"),
        ("○ noticed, not corrected", "ignored"),
        ("↺ noticed 4 steps later", "correction"),
    ]
    assert not any(overlaps(one, other) for one in labels for other in labels if one is not other)
    assert all(label.x >= 0 and label.x + 6.9 * len(label.text) <= 400.5 for label in labels)


def test_arrows_lead_from_the_error_to_the_noticing():
    acted, ignored = draw_plan(PLAN, width=WIDTH).arrows

    assert (acted.path[:8], acted.path[-11:]) == ("M250.0,1", "650.0,154.0")
    assert (acted.is_acted, ignored.is_acted) == (True, False)
    assert acted.title == "E01 noticed 4 steps later: stop_and_fix"


def test_description_tells_the_whole_plan():
    assert draw_plan(PLAN, width=WIDTH).description == (
        "10 steps. Mistake E01 at step 3: WE · Object, severity medium. Mistake E02 at step 6: "
        "T · swapped with 8, severity medium. E01 is noticed 4 steps later, at step 7, and "
        "corrected: stop and fix. E02 is noticed at once and left as it is."
    )


def test_numbers_are_thinned_out_where_columns_are_narrow():
    steps = tuple(replace(step(i % 10), index=i, phase=PHASES[0]) for i in range(60))

    boxes = draw_plan(replace(PLAN, steps=steps), width=700.0).steps

    shown = [box.number for box in boxes if box.shown_number]
    assert shown == [3, 6, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]  # 5 stands beside 6


def test_plan_without_steps_is_an_empty_picture():
    empty = replace(PLAN, steps=(), errors=(), corrections=(), noticed_not_acted=(),
                    empty_reason="the procedure has no steps")  # fmt: skip

    picture = draw_plan(empty, width=WIDTH)

    assert (picture.steps, picture.phases, picture.curve) == ((), (), "")
    assert picture.description == "0 steps. No mistake: the procedure has no steps."
