import json

from generation.engine.planner.decisions import DecisionTrace
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import PIEV
from tests.engine.planner.procedures import TEA, procedure_of


def test_decisions_are_json_with_all_their_options():
    trace = DecisionTrace()
    plan = plan_take(procedure_of(*TEA), profile=PIEV, seed=2, trace=trace)

    written = json.loads(json.dumps([decision.to_dict() for decision in trace.decisions]))

    assert written[0] == {
        "stage": str(trace.decisions[0].stage),
        "what": "number of errors",
        "outcome": str(len(plan.errors)),
        "step_index": None,
        "event_id": None,
        "options": {"risk": plan.statistics.risk_score, "rate": plan.statistics.error_rate},
    }
    assert list(written[1]["options"]) == [str(step.index) for step in plan.steps]
