"""The repair belongs to the slip and names what it touched."""

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.rewriting.scene import scene_of
from generation.engine.rewriting.slips import slips_at
from tests.engine.rewriting.plans import correction, error
from tests.engine.rewriting.take import EGG, rows_of


@pytest.mark.parametrize("seed", range(10))
def test_slip_is_put_right(seed):
    planned = correction("E01", ErrorType.INSERTION, "undo_extra_step", 4)
    rows = rows_of([error("E01", ErrorType.INSERTION, 4)], [planned], seed=seed)
    scene = scene_of("Cooking", [(text, semrep, "Block") for text, semrep in EGG])
    repairs = {slip.text: slip.repair for slip in slips_at(scene, 4)}

    assert rows[6].text == repairs[rows[4].text]
