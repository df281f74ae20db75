from annotation.engine.corpus.formats.pairing import RecordedReferences, Reference
from annotation.engine.corpus.procedure import Step, Take


def _take(uid, *step_ids, scenario="tea", order_deviations=0):
    steps = tuple(Step(text=step_id, step_id=step_id) for step_id in step_ids)
    return Take(uid, uid, scenario, steps, uid, order_deviations)


def test_find_prefers_fewest_deviations_then_smallest_uid():
    takes = [_take("c", order_deviations=1), _take("b"), _take("a"), _take("0", scenario="soup")]

    found = RecordedReferences(takes).find("tea", frozenset())

    assert found == Reference(
        takes[2],
        "This recording has the fewest order deviations (0) of the 3 mistake-free recordings of "
        "tea.",
    )


def test_find_passes_over_a_take_without_the_step_that_is_left_out():
    takes = [_take("a", "0"), _take("b", "0", "1", order_deviations=2)]

    found = RecordedReferences(takes).find("tea", {"1"})

    assert found == Reference(
        takes[1],
        "This recording has the fewest order deviations (2) of the mistake-free recordings of tea "
        "that have every step which this trace leaves out.",
    )


def test_find_returns_none_without_a_recording():
    assert RecordedReferences([_take("a")]).find("soup", frozenset()) is None


def test_written_says_why_no_recording_is_the_reference():
    recorded = RecordedReferences([_take("a", "0")])

    soup = recorded.written_procedure("soup", {"0": "Boil water"})
    tea = recorded.written_procedure("tea", {})

    assert soup == Reference(
        Take("soup:written", "soup, written procedure", "soup", (Step("Boil water", "0"),)),
        "soup has no mistake-free recording: this is the written procedure.",
    )
    assert tea.reason == (
        "No mistake-free recording of tea has every step that this one leaves out: this is the "
        "written procedure."
    )
