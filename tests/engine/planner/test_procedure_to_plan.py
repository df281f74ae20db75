import pytest

from annotation.engine.corpus.procedure import Step, Take
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import Block, procedure_from_take
from generation.engine.planner.profiles import PIEV


def take_of(*steps: Step) -> Take:
    return Take(uid="t", name="n", scenario="s", steps=steps)


def test_procedure_from_take_finds_blocks_and_counts_what_is_missing():
    take = take_of(
        Step("Get cup", "7", 0.0, 2.0, True, "GET(Agent: you, Object: cup)", ("s", "b", "leaf")),
        Step("Wait", "8", 1.5, 4.0, False, "", ("s",)),
        Step("Pour", "9"),
    )

    procedure = procedure_from_take(take)

    assert procedure.steps[0].block == Block("b", "b", ("s", "b", "leaf"))
    assert [step.is_essential for step in procedure.steps] == [True, False, True]
    assert [(item.where, item.message) for item in procedure.warnings] == [
        ("take t", "is_essential of 1 step: not stated, taken for essential (step 2)"),
        (
            "take t",
            "semantic_representation of 2 steps: none, so complexity is unknown (steps 1, 2)",
        ),
        ("take t", "start_time, end_time of 1 step: none, so duration is unknown (step 2)"),
        ("take t", "taxonomy block of 2 steps: none, so steps swap only when close (steps 1, 2)"),
        ("take t", "start_time of 1 step: before the end of the step before (step 1)"),
    ]


def test_procedure_from_take_accepts_representations_from_elsewhere():
    procedure = procedure_from_take(take_of(Step("Wait")), semreps=["WAIT(Agent: you)"])

    assert procedure.steps[0].semrep == "WAIT(Agent: you)"


def test_procedure_from_take_refuses_too_few_representations():
    with pytest.raises(ValueError, match="take t: 0 semreps for 1 steps"):
        procedure_from_take(take_of(Step("Wait")), semreps=[])


@pytest.mark.parametrize(("count", "what"), [(0, "no step"), (1, "a single step")])
def test_procedure_of_no_or_one_step_has_a_warning(count, what):
    procedure = procedure_from_take(take_of(*[Step("Wait", semrep="WAIT(Agent: you)")] * count))

    assert procedure.warnings[-1].message == f"the procedure has {what}"


def test_written_procedure_without_times_can_be_planned():
    steps = [Step(f"Wash {what}", semrep=f"WASH(Agent: you, Object: {what})") for what in "abcdef"]

    plan = plan_take(procedure_from_take(take_of(*steps)), profile=PIEV, seed=1)

    assert plan.errors
    assert {step.duration_s for step in plan.steps} == {0.0}
    assert plan.warnings[1].message.startswith("start_time, end_time of 6 steps: none")
