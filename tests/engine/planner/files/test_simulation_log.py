from dataclasses import replace

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.files.simulation_log import simulation_log
from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from tests.engine.corrections.plans import error_at, plan_with
from tests.engine.planner.procedures import TEA, procedure_of


def correction(event_id, error_type, kind, detect, **more):
    return PlannedCorrection("id", event_id, error_type, detect, 0, kind, **more)


def test_simulation_log_shows_errors_swaps_and_corrections_in_place():
    plan = plan_with(
        procedure_of(*TEA[:5]),
        error_at(0, ErrorType.DELETION),
        error_at(1, ErrorType.TRANSPOSITION, number=2, partner=3),
    )
    corrections = (
        correction(
            "E01",
            ErrorType.DELETION,
            CorrectionType.REACQUIRE_MISSING_OBJECT,
            0,
            insert_before_step_index=1,
            missing_object="kettle",
        ),
        correction(
            "E02",
            ErrorType.TRANSPOSITION,
            CorrectionType.RESTORE_ORDER,
            3,
            restore_order_pair=(1, 3),
        ),
    )
    texts = [step.text for step in plan.steps]

    lines = simulation_log(replace(plan, corrections=corrections))

    assert lines == (
        f"[Step 01 / 5] (phase_1) ERROR: '{texts[0]}' -> deletion",
        "[Corr 01 after Step 01] (phase_1) CORRECTION for E01 deletion: "
        "reacquire_missing_object_before_use -> reacquire kettle before Step 02",
        f"[Step 02 / 5] ({plan.steps[1].phase}) ERROR: '{texts[1]}' -> transposition(2->4)",
        f"[Step 03 / 5] ({plan.steps[2].phase}) OK: '{texts[2]}'",
        f"[Step 04 / 5] ({plan.steps[3].phase}) ERROR: '{texts[3]}' -> transposition(2->4)",
        f"[Corr 02 after Step 04] ({plan.steps[3].phase}) CORRECTION for E02 transposition: "
        "restore_order -> restore order of Steps 02 and 04",
        f"[Step 05 / 5] ({plan.steps[4].phase}) OK: '{texts[4]}'",
    )
