from annotation.engine.taxonomy import Mod
from generation.engine.judging.findings import Finding, FindingSeverity
from generation.engine.judging.model import RepairRequest, StepFrame
from generation.engine.prompting.rewrites import repair_prompt
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from tests.engine.rewriting.plans import plan_of, wrong

PLAN = plan_of(["Get a bowl", "Add salt"], [wrong("E01", 0, Object="entity")])
ROWS = (
    RewriteRow(Mod.ERROR, "Get a pot", 0, "wrong_execution", "E01"),
    RewriteRow(Mod.DELETION, None, 1, "deletion", "E02"),
    RewriteRow(Mod.CORRECTION, "Get the bowl", None, "correction", "E01", "c-1"),
)
FINDINGS = (
    Finding("ROLE_NOT_MUTATED", FindingSeverity.HARD, 0, "Object is still the bowl", "E01"),
    Finding("SOURCE_MISSING", FindingSeverity.SOFT, None, "step 1 is nowhere"),
)


def request(**changes):
    fields = {
        "plan": PLAN,
        "rewrite": Rewrite(ROWS),
        "findings": FINDINGS,
        "attempt": 1,
    }
    return RepairRequest(**{**fields, **changes})


def test_prompt_holds_every_row_and_every_finding():
    text = repair_prompt(request()).text

    for line in (
        "  0 e    0 E01  Get a pot",
        "  1 d    1 E02  (left out)",
        "  2 c    - E01 c-1 Get the bowl",
        "- row 0 [E01]: Object is still the bowl (hard, ROLE_NOT_MUTATED)",
        "- the whole: step 1 is nowhere (soft, SOURCE_MISSING)",
    ):
        assert line in text.splitlines()
    assert "pictures" not in text


def test_prompt_with_frames_says_which_steps_they_show():
    frames = (StepFrame(0, 1.5, b"jpeg"), StepFrame(1, 3.0, b"jpeg"))

    assert "without any mistake: 0, 1." in repair_prompt(request(frames=frames)).text
