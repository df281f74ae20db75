"""What a writer of a type draws is left to the generator of the take alone."""

import numpy as np

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft, correction_writers, error_writers
from generation.engine.rewriting.scene import scene_of
from generation.engine.rewriting.timeline import Timeline
from generation.engine.rewriting.wording import Wording


def draft(seed):
    scene = scene_of("", [("Wait", "")])
    return Draft(scene, Timeline(["Wait"]), Wording(scene), np.random.default_rng(seed))


def test_every_option_is_picked_about_as_often():
    picker = draft(3)

    picked = [picker.pick("abcd") for _ in range(4_000)]

    assert {option: 900 < picked.count(option) < 1_100 for option in "abcd"} == dict.fromkeys(
        "abcd", True
    )


def test_same_generator_picks_the_same():
    one, other = draft(5), draft(5)

    assert [one.pick("abcd") for _ in range(20)] == [other.pick("abcd") for _ in range(20)]


def test_every_error_type_has_a_writer():
    assert set(error_writers()) == set(ErrorType.registered())


def test_every_correction_type_has_a_writer():
    assert set(correction_writers()) == set(CorrectionType.registered())
