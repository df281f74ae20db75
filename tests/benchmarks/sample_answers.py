"""A fake model's answers to every task, by the prompt."""

import json

from tests.benchmarks.answering_server import coin, words_of

PLANNER = "Write these six fields"
PLAN = """<|mode|>update_proactive
<|goal|>{goal}
<|steps_completed_so_far|>
<|plan|>1. (Current) {step}
<|step_complete_cues|>It is done.
<|step_incomplete_cues|>It is not done."""


def answer_of(body):
    """The text of an answer; the model called "judge" grades."""
    if body["model"] == "judge":
        return json.dumps({"score": coin(body, 1, 3, 5), "reason": "So it is."})
    if PLANNER in words_of(body):
        return plan_of(body)
    if "$interrupt$" in words_of(body):
        return coin(body, "$interrupt$ Go on.", "$silent$", "$silent$", "Let me think.")
    properties = schema_of(body)
    if "score" in properties:
        return json.dumps({"answer": coin(body, "yes", "no"), "score": coin(body, 0.2, 0.5, 0.9)})
    if "enum" in properties.get("answer", {}):
        return json.dumps({"answer": coin(body, *properties["answer"]["enum"])})
    if "intervals" in properties:
        found = {"start_s": 1.0, "end_s": coin(body, 3.0, 9.0), "label": "mistake", "score": 0.5}
        return json.dumps({"intervals": [found]})
    if "decision" in properties:
        decision = coin(body, "speak", "silent")
        text = "Stop, that is wrong." if decision == "speak" else ""
        return json.dumps({"decision": decision, "text": text})
    return json.dumps({"description": coin(body, "A step was left out.", "It was spilled.")})


def plan_of(body):
    """A plan for the goal of a prompt, or something that is none."""
    goal = words_of(body).partition("Goal: ")[2].partition("\n")[0]
    plan = PLAN.format(goal=goal, step=coin(body, "Begin.", "Go on."))
    return coin(body, plan, plan, plan.replace(goal, "Something else"), "I would go on.")


def schema_of(body):
    said = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return said.get("properties", {"text": words_of(body)})
