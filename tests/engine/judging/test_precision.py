"""Precision on the published outputs, by findings that somebody read and labelled.

`labelled_findings.json` holds, for two samples drawn by seed, where each finding is and whether it
is true; the texts are in the published files. The first sample is of every code, the second of the
codes that judge meaning (roles, consequences, states of things, likeness of texts).
"""

import json
from pathlib import Path

import pytest

from bench.planted_faults.tally import check_file, identified

LABELS = json.loads((Path(__file__).parent / "labelled_findings.json").read_text())["samples"]
SOURCES = {item["source"] for sample in LABELS for item in sample["findings"]}
MIN_PRECISION = 0.9


@pytest.fixture(scope="module")
def findings_now(shared_data, published_plans):
    """Return the ids of everything that the judge finds in the published outputs today."""
    plans = {plan.take_uid: plan for plan in published_plans}
    checked = [
        take
        for source in sorted(SOURCES)
        for take in check_file(
            source, json.loads((shared_data / "piev" / source).read_text())["takes"], plans
        )
    ]
    return [name.to_dict() for name in identified(checked)]


@pytest.mark.shared_data
@pytest.mark.parametrize("sample", LABELS, ids=lambda sample: f"seed {sample['seed']}")
def test_precision_on_labelled_findings_is_kept(sample, findings_now):
    still_found = [
        item
        for item in sample["findings"]
        if {name: value for name, value in item.items() if name != "is_true"} in findings_now
    ]
    true = [item for item in still_found if item["is_true"]]

    assert len(sample["findings"]) == 60
    assert len(true) >= MIN_PRECISION * len(still_found)
    assert len(true) >= MIN_PRECISION * sum(item["is_true"] for item in sample["findings"])
