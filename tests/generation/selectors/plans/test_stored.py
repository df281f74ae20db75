"""Plans with their decisions, re-rolls, distributions and sizes of runs."""

import pytest
from django.core.cache import cache

from annotation.models import Step, Take
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.planner.profiles import PIEV, PUBLISHED
from generation.engine.planner.statistics.distributions import PlanTally
from generation.models import RunTake, TakePlan
from generation.selectors.launching.sample import RunSample
from generation.selectors.launching.size import scenarios_of, size_of_run
from generation.selectors.plans.distributions import run_distributions
from generation.selectors.plans.stored import replan, view_of_plan
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.generation.tea import add_take, request_for


@pytest.fixture
def worked_run(tea_run):
    work_on_takes(job_ids=[take.job_id for take in tea_run.run_takes.all()])
    return tea_run


def first_take(run):
    return RunTake.objects.select_related("take", "plan", "run").get(run=run, position=0)


def test_view_holds_the_stored_plan_and_every_decision_behind_it(worked_run):
    run_take = first_take(worked_run)

    view = view_of_plan(run_take)

    assert view.plan == plan_from_dict("tea-a", run_take.plan.document)
    assert view.why_no_decisions == ""
    by_what = {item.what: item for item in view.decisions}
    assert by_what["number of errors"].outcome == str(len(view.plan.errors))
    assert [item.outcome for item in view.decisions if item.what == "steps with an error"] == [
        ", ".join(str(error.step_index) for error in view.plan.errors)
    ]


def test_view_says_why_it_has_no_decisions_when_the_take_was_changed(worked_run):
    Step.objects.filter(take__uid="tea-a", index=3).update(text="Put two bags in the cup")

    view = view_of_plan(first_take(worked_run))

    assert view.decisions == ()
    assert view.why_no_decisions == "the take was changed after it was planned"


def test_view_says_why_when_planning_answers_differently_now(worked_run):
    plan = first_take(worked_run).plan
    plan.document["simulation_log"] = "from another version"
    plan.save()

    view = view_of_plan(first_take(worked_run))

    assert view.why_no_decisions == "this version of PIE-V plans the take differently"


def test_replan_with_the_seed_of_the_run_is_the_stored_plan(worked_run):
    run_take = first_take(worked_run)

    assert replan(run_take, seed=123).plan == view_of_plan(run_take).plan


def test_replan_stores_nothing(worked_run):
    before = list(TakePlan.objects.values_list("document", flat=True))

    replan(first_take(worked_run), seed=99)

    assert list(TakePlan.objects.values_list("document", flat=True)) == before


def test_distributions_are_those_of_the_run_beside_those_of_other_seeds(worked_run):
    cache.clear()

    found = run_distributions(worked_run)

    tally = PlanTally()
    documents = TakePlan.objects.order_by("pk").values_list("document", flat=True)
    tally.add_run([plan_from_dict("", document) for document in documents])
    assert found.observed == tally.to_dict()
    assert (found.plan_count, found.sample_takes, found.sample_seeds) == (3, 3, 25)
    assert found.expected["runs"] == 25
    assert [section.title for section in found.sections][:2] == ["Mistakes per take", "Error types"]


def test_distributions_wait_for_a_first_plan(tea_run):
    assert run_distributions(tea_run) is None


@pytest.mark.parametrize("profile", [PIEV, PUBLISHED])
def test_size_counts_takes_and_steps_and_estimates_mistakes(tea_dataset, profile):
    size = size_of_run(RunSample(tea_dataset.takes.all(), profile))

    assert (size.take_count, size.step_count, size.analysed_count) == (3, 30, 30)
    assert (size.sample_count, size.faulty_count) == (3, 0)
    assert 3 / 2 <= size.error_count <= 15


def test_size_counts_sampled_takes_that_cannot_be_planned(tea_dataset):
    add_take(tea_dataset, "noise", ["!!!", "Open the door"])

    size = size_of_run(RunSample(tea_dataset.takes.all(), PIEV))

    assert (size.sample_count, size.faulty_count) == (4, 1)


def test_scenarios_are_counted(tea_dataset, owner):
    take = add_take(tea_dataset, "coffee")
    Take.objects.filter(pk=take.pk).update(scenario="Making coffee")

    assert scenarios_of(tea_dataset) == [
        ("Making coffee", 1),
        ("Making tea", 3),
    ]


def test_run_of_chosen_takes_is_sized_as_such(tea_dataset, owner):
    chosen = tea_dataset.takes.filter(uid="tea-a")
    create_run(request=request_for(tea_dataset, takes=chosen), actor=owner)

    assert size_of_run(RunSample(chosen, PIEV)).take_count == 1
