"""What the tests of the kinds that happen by chance share."""

from generation.engine.corrections.situation import Noticing
from tests.engine.planner.procedures import procedure_of

# Six steps without load, the last a little more complex.
PROCEDURE = procedure_of(
    *("SHAKE(Agent: you, Object: jar)" for _ in range(5)),
    "SHAKE(Agent: you, Object: jar, Location: over(sink))",
)
NOTICING = Noticing(step_index=4, latency_steps=1)


def facts_of(correction):
    """Return the published form of a correction without its sentence."""
    facts = correction.to_dict()
    assert facts.pop("intent")
    return facts
