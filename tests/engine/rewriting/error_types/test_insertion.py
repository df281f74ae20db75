"""A slip with the things at hand comes before the step, unlike its neighbours."""

import pytest

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.english.words import kin, mentions
from generation.engine.rewriting.freeform.freeform import jaccard
from generation.engine.rewriting.scene import scene_of
from tests.engine.rewriting.plans import error
from tests.engine.rewriting.take import EGG, rows_of

THINGS = {kin(head) for step in scene_of("", EGG).steps for head in step.heads}


@pytest.mark.parametrize("seed", range(20))
def test_slip_fits_its_place(seed):
    rows = rows_of([error("E01", ErrorType.INSERTION, 4)], seed=seed)
    slip = rows[4]

    assert (slip.mod, slip.old_index, slip.error_type) == (Mod.INSERTION, None, "insertion")
    assert max(jaccard(slip.text, EGG[index][0]) for index in (3, 4)) < 0.85
    assert [row.old_index for row in rows] == [0, 1, 2, 3, None, 4, 5]


def test_slip_has_to_do_with_the_things_at_hand():
    planned = [error("E01", ErrorType.INSERTION, 4)]
    texts = [rows_of(planned, seed=seed)[4].text for seed in range(60)]

    assert [text for text in texts if not any(mentions(text, thing) for thing in THINGS)] == []


def test_slip_takes_the_style_of_the_step():
    rows = rows_of([error("E01", ErrorType.INSERTION, 0)], steps=["stir the tea in the cup."])

    assert rows[0].text[0].islower()
    assert rows[0].text.endswith(".")


def test_slips_of_one_take_differ():
    events = [error(f"E0{index}", ErrorType.INSERTION, index) for index in range(1, 6)]

    texts = [row.text for row in rows_of(events) if row.mod is Mod.INSERTION]

    assert len(set(texts)) == 5
