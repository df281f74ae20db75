"""The recipe of an error type: one file, and it is planned, written, judged, shown and published.

`error_types/distraction.py` is the file; nothing else knows of it.
"""

import json
from dataclasses import replace

import pytest
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator

from annotation.engine.corpus.formats import native
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.taxonomy import ErrorType, event_types
from annotation.selectors.corpus.corpus import trace_of
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.planner.files.profile_files import (
    load_profile,
    profile_to_dict,
    stored_profile,
)
from generation.engine.planner.profiles import PIEV, PUBLISHED, with_error_types
from generation.engine.planner.statistics.distributions import tally_of
from generation.engine.prompting.rewrites import writer_prompt
from generation.engine.rewriting.rewrite import Rewrite, rewrite_from_dict
from generation.engine.stages import Stage
from generation.models import RunTake
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from sample.corpus import CORPUS_PATH
from tests.generation.tea import request_for

STAGES = [Stage.PLAN, Stage.CORRECT, Stage.WRITE, Stage.JUDGE, Stage.PUBLISH]


@pytest.fixture
def run_takes(distraction, tea_dataset, owner):
    """The takes of a run that was worked on with the sixth type."""
    profile = with_error_types(PIEV)
    request = request_for(tea_dataset, profile=profile, stages=STAGES)
    run = create_run(request=request, actor=owner).run
    rows = RunTake.objects.filter(run=run)
    work_on_takes(job_ids=list(rows.values_list("job_id", flat=True)))
    return list(rows.select_related("run", "take", "plan", "rewrite", "judgement"))


def plan_of(row):
    return plan_from_dict(row.take.uid, row.plan.document)


def first_distraction(run_takes):
    return next(
        (row, plan, error)
        for row in run_takes
        for plan in [plan_of(row)]
        for error in plan.errors
        if error.error_type == "DI"
    )


@pytest.mark.django_db
def test_sixth_type_is_planned_corrected_written_judged_and_published(run_takes, distraction):
    errors = [error for row in run_takes for error in plan_of(row).errors]
    corrections = [item for row in run_takes for item in plan_of(row).corrections or ()]
    assert distraction in {error.error_type for error in errors}
    assert distraction in {correction.target_type for correction in corrections}

    for row in run_takes:
        plan, judged = plan_of(row), rewrite_from_dict(row.judgement.document)
        planned = {
            error.event_id: error.spec.distraction
            for error in plan.errors
            if error.error_type == distraction
        }
        written = {r.event_id: r.text for r in judged.rows if r.error_type == "distraction"}
        assert written == planned
        assert (row.judgement.status, row.judgement.findings.filter(is_left=True).count()) == (
            "ok", 0,
        )  # fmt: skip
        stored = row.published_trace.trace.events.filter(kind="mistake")
        assert {(event.event_id, event.proposed_type) for event in stored} == {
            (error.event_id, str(error.error_type)) for error in plan.errors
        }


@pytest.mark.django_db
def test_sixth_type_is_drawn_and_told_on_pages_in_csv_and_in_the_api(run_takes, owner_client):
    row, _, error = first_distraction(run_takes)
    run, trace = row.run, row.published_trace.trace

    def seen(name, *arguments):
        response = owner_client.get(reverse(name, args=arguments))
        return b"".join(response).decode()

    page = seen("take-plan", run.public_id, row.position)
    assert '<span class="tag mistake">distraction</span>' in page
    assert "▲ DI · distracted" in page
    assert error.spec.distraction in page
    assert "distraction" in seen("take-text", run.public_id, row.position)
    assert "<b>DI</b>" in seen("trace-detail", trace.public_id)
    assert "Distraction" in seen("dataset-detail", trace.dataset.public_id)
    assert "distraction" in seen("run-plans-csv", run.public_id)
    assert '"distraction"' in seen("run-plans-json", run.public_id)
    api = json.loads(seen("api-trace", trace.public_id))
    assert "DI" in {event["proposed_type"] for event in api["events"]}
    types = {event.proposed_type for event in trace_of(trace).events}
    assert "distraction" in {item.words for item in types if item is not None}
    schema = SchemaGenerator().get_schema(request=None, public=True)
    enums = [part.get("enum", []) for part in schema["components"]["schemas"].values()]
    assert [str(label) for label in event_types()] in enums


@pytest.mark.django_db
def test_model_is_told_of_the_sixth_type_and_may_answer_with_it(run_takes):
    _, plan, error = first_distraction(run_takes)

    prompt = writer_prompt(plan)

    line = f"- {error.event_id}: distraction at step {error.step_index}, severity low: a row i"
    assert line in prompt.text
    etype = prompt.schema["properties"]["meta"]["items"]["properties"]["etype"]
    assert "distraction" in etype["enum"]


@pytest.mark.django_db
@pytest.mark.parametrize("harm", ["missing", "misplaced", "mistyped"])
def test_judge_finds_and_repairs_what_is_wrong_with_the_sixth_type(run_takes, harm):
    row, plan, _ = first_distraction(run_takes)
    good = rewrite_from_dict(row.judgement.document)
    place = next(p for p, r in enumerate(good.rows) if r.error_type == "distraction")
    rows = list(good.rows)
    taken = rows.pop(place)
    if harm == "misplaced":
        rows.append(taken)
    elif harm == "mistyped":
        rows.insert(place, replace(taken, error_type="insertion"))

    judged = judge(plan, Submission(Rewrite(tuple(rows))))

    code = {"missing": "EVENT_MISSING", "misplaced": "EVENT_MISPLACED"}.get(
        harm, "ERROR_TYPE_MISMATCH"
    )
    assert code in {finding.code for finding in judged.report.initial}
    mended = tuple(replace(row, repair_reason=None) for row in judged.rewrite.rows)
    assert (judged.status, mended) == ("ok", good.rows)


@pytest.mark.django_db
def test_trace_is_read_on_without_the_file_of_its_type(run_takes, request):
    trace = first_distraction(run_takes)[0].published_trace.trace
    known = dict(ErrorType._known)
    del ErrorType._known["DI"]
    request.addfinalizer(lambda: ErrorType._known.update(known))

    types = {event.proposed_type for event in trace_of(trace).events}

    assert "DI" in types


def test_file_in_our_own_form_may_name_the_sixth_type(distraction):
    document = json.loads(CORPUS_PATH.read_text(encoding="utf-8"))
    event = document["traces"][0]["events"][0]
    event["proposed_type"] = "DI"

    reading = native.from_dict(document, file="corpus.json")

    assert reading.traces[0].events[0].proposed_type is distraction
    event["proposed_type"] = "XX"
    types = ", ".join(event_types())
    with pytest.raises(FormatError, match=f"'XX'; expected one of {types}"):
        native.from_dict(document, file="corpus.json")


def test_profiles_take_the_numbers_of_the_sixth_type(distraction, tmp_path):
    profile = with_error_types(PIEV)

    assert stored_profile(profile_to_dict(profile)) == profile
    assert profile.corrections.noticing.latencies[distraction].at_once == 0.8
    assert distraction not in PUBLISHED.types.priors["phase_1"]
    path = tmp_path / "calm.toml"
    path.write_text("[types.priors.phase_1]\ndistraction = 0.5\n")
    assert load_profile(str(path)).types.priors["phase_1"][distraction] == 0.5


@pytest.mark.django_db
def test_sixth_type_has_its_place_in_the_figures_of_plans(run_takes, distraction):
    figures = tally_of([[plan_of(row) for row in run_takes]])

    assert list(figures["type_share"])[-1] == "distraction"
    assert figures["type_share"]["distraction"] > 0
    assert figures["corrections"]["per_mistake_by_type"]["distraction"] > 0
