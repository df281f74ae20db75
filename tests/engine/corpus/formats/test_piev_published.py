"""The published plans and rewrites of PIE-V: what is in them is what is read."""

import itertools
from collections import Counter

import pytest

from annotation.engine.corpus.formats import piev
from annotation.engine.taxonomy import TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_storable

PUBLISHED = "split_50_{}.json"
WRITTEN = PUBLISHED.format("error_instructions_openai")
GPT_JUDGED = PUBLISHED.format("error_instructions_openai_judged")
QWEN_JUDGED = PUBLISHED.format("error_instructions_qwen_judged")
GPT_FREEFORM = PUBLISHED.format("llm_freeform_errors_openai")
QWEN_FREEFORM = PUBLISHED.format("llm_freeform_errors_qwen")


def _left_out(reading):
    return [item for item in reading.warnings if "left out: meta" in item.message]


@pytest.mark.shared_data
def test_published_plan_has_fifty_takes_and_its_events(shared_data):
    reading = piev.read(shared_data / "piev" / PUBLISHED.format("error_plan_with_corrections"))

    assert len(reading.takes) == 50
    assert sum(len(take.steps) for take in reading.takes) == 1259
    assert sum(step.is_essential for take in reading.takes for step in take.steps) == 984
    assert reading.derived == {"errors": 102, "corrections": 27}
    assert reading.native_labels == {
        "insertion": 28,
        "wrong_execution": 27,
        "substitution": 24,
        "deletion": 14,
        "transposition": 9,
        "correction": 27,
    }
    assert (reading.traces, reading.warnings) == ((), ())


@pytest.mark.shared_data
def test_published_overlaps_and_unbalanced_representations_are_kept(shared_data):
    takes = piev.read(shared_data / "piev" / PUBLISHED.format("error_plan")).takes
    texts = {step.semrep for take in takes for step in take.steps}

    overlap_count = sum(
        after.start_s < before.end_s
        for take in takes
        for before, after in itertools.pairwise(take.steps)
    )
    assert overlap_count == 16
    assert sum(text.count("(") != text.count(")") for text in texts) == 34


@pytest.mark.shared_data
def test_published_plan_without_corrections_has_the_same_takes(shared_data):
    folder = shared_data / "piev"

    plain = piev.read(folder / PUBLISHED.format("error_plan"))
    corrected = piev.read(folder / PUBLISHED.format("error_plan_with_corrections"))

    assert plain.takes == corrected.takes
    assert plain.derived == {"errors": 102, "corrections": 0}


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "trace_count", "disagreeing_count"),
    [
        (WRITTEN, 45, 5),
        (GPT_JUDGED, 49, 1),
        (QWEN_JUDGED, 38, 12),
        (GPT_FREEFORM, 50, 0),
        (QWEN_FREEFORM, 35, 0),
    ],
)
def test_published_takes_that_disagree_are_reported_one_by_one(
    shared_data, name, trace_count, disagreeing_count
):
    reading = piev.read(shared_data / "piev" / name)

    left_out = _left_out(reading)
    assert len(reading.traces) == trace_count
    assert len(left_out) == len({item.where for item in left_out}) == disagreeing_count
    assert all("final_steps has" in item.message for item in left_out)
    assert_storable(reading)


@pytest.mark.shared_data
def test_published_freeform_takes_without_rewrite_are_reported(shared_data):
    reading = piev.read(shared_data / "piev" / QWEN_FREEFORM)

    messages = [item.message for item in reading.warnings if "no rewrite" in item.message]
    assert len(messages) == 15
    assert messages[0] == (
        "left out: status invalid_schema, no rewrite: meta[2] mod='we' but text is IDENTICAL to "
        "original step 2"
    )


@pytest.mark.shared_data
def test_published_judge_repairs_and_unknown_causes_are_kept_apart(shared_data):
    reading = piev.read(shared_data / "piev" / GPT_JUDGED)

    repairs = [
        event
        for trace in reading.traces
        for event in trace.events
        if event.event_id.startswith("repair-")
    ]
    unknown = [item for item in reading.warnings if "E_UNKNOWN" in item.message]
    assert len(repairs) == 7
    assert {event.proposed_type for event in repairs} == {TaxonomyLabel.INSERTION}
    assert len(unknown) == 6


@pytest.mark.shared_data
def test_published_folder_is_read_with_every_output(shared_data):
    reading = piev.read(shared_data / "piev")

    stems = Counter(trace.provenance["file"] for trace in reading.traces)
    assert stems == {
        WRITTEN[:-5]: 45,
        GPT_JUDGED[:-5]: 49,
        QWEN_JUDGED[:-5]: 38,
        GPT_FREEFORM[:-5]: 50,
        QWEN_FREEFORM[:-5]: 35,
    }
    trace = reading.traces[0]
    assert trace.uid == f"{trace.take_uid}:{trace.provenance['file']}"
    assert reading.derived == {"errors": 102, "corrections": 27}
