"""The recipe of a correction kind: one file, and it is drawn, written, judged, shown and published.

`correction_kinds/ask_somebody.py` is the file; nothing else knows of it.
"""

import pytest
from django.urls import reverse

from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.files.profile_files import profile_from_dict
from generation.engine.prompting.rewrites import writer_prompt
from generation.engine.rewriting.rewrite import rewrite_from_dict
from generation.engine.stages import Stage
from generation.models import RunTake
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.generation.tea import request_for

STAGES = [Stage.PLAN, Stage.CORRECT, Stage.WRITE, Stage.JUDGE, Stage.PUBLISH]
# Every step goes wrong in a role, and every mistake is noticed at once and acted upon.
SURELY = {
    "name": "surely",
    "types": {"priors": {f"phase_{n}": {"wrong_execution": 1000} for n in (1, 2, 3)}},
    "corrections": {
        part: {"base": {"wrong_execution": {f"phase_{n}": 1 for n in (1, 2, 3)}}}
        for part in ("detection", "action")
    },
}


@pytest.fixture
def asked(asking, tea_dataset, owner):
    """The takes with such a correction, and their plans."""
    request = request_for(tea_dataset, profile=profile_from_dict(SURELY), stages=STAGES)
    run = create_run(request=request, actor=owner).run
    rows = RunTake.objects.filter(run=run)
    work_on_takes(job_ids=list(rows.values_list("job_id", flat=True)))
    plans = [
        (row, plan_from_dict(row.take.uid, row.plan.document))
        for row in rows.select_related("run", "take", "plan", "judgement")
    ]
    return [
        (row, plan, item)
        for row, plan in plans
        for item in plan.corrections or ()
        if item.correction_type == asking
    ]


@pytest.mark.django_db
def test_eighth_kind_is_drawn_written_judged_and_published(asked):
    assert asked
    for row, plan, correction in asked:
        judged = rewrite_from_dict(row.judgement.document)
        text = next(r.text for r in judged.rows if r.correction_id == correction.correction_id)
        assert "ask how it goes and " in text.lower()
        assert row.judgement.status == "ok"
        assert plan_to_dict(plan) == row.plan.document
        event = row.published_trace.trace.events.get(event_id=correction.correction_id)
        assert (event.kind, event.target.event_id) == ("correction", correction.target_event_id)


@pytest.mark.django_db
def test_eighth_kind_is_shown_and_told(asked, owner_client):
    row, plan, correction = asked[0]
    step = f"Step {correction.redo_step_index + 1:02d}"

    page = b"".join(
        owner_client.get(reverse("take-plan", args=[row.run.public_id, row.position]))
    ).decode()

    assert "ask somebody" in page
    assert f"ask_somebody -&gt; ask about {step}" in page
    assert "ask somebody how it goes, and do the step again" in writer_prompt(plan).text
    csv = b"".join(owner_client.get(reverse("run-plans-csv", args=[row.run.public_id]))).decode()
    assert "ask_somebody" in csv
