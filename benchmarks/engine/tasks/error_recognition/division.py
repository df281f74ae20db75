"""How steps are divided to train and test on."""

from collections.abc import Sequence

from benchmarks.engine.joined_steps import FIRST, JoinedStep


def parts_by_step(steps: Sequence[JoinedStep]) -> dict[str, str]:
    """The part of each step by the "step split" of CaptainCook4D, as its code makes it.

    Errors and others, by their first row, are each cut in the order of the recording: three
    quarters train, up to 0.91 test, the rest val. The shuffle that was meant has no effect there,
    so training sees the beginning of every recording.
    """
    found = {}
    for is_error in (True, False):
        there = [step.step_id for step in steps if step.is_error(FIRST) == is_error]
        first, second = int(0.75 * len(there)), int(0.91 * len(there))
        for place, step_id in enumerate(there):
            found[step_id] = "train" if place < first else "test" if place < second else "val"
    return found
