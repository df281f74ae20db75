"""What each clip of an edit list is to show, and what stands beside it."""

from annotation.engine.corpus.procedure import Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import Mod
from generation.engine.prompting.clip_prompt import ClipStep, clip_steps
from generation.engine.splicing.edit_list import PieceKind
from generation.engine.splicing.planning import plan_edits

TEXTS = ("Boil the water", "Put a tea bag in the cup", "Pour the water", "Drink the tea")
SEMREP = "POUR(Agent: you, Object: water)"


def tea() -> Take:
    steps = tuple(
        Step(
            text=text,
            start_s=4.0 * index,
            end_s=4.0 * index + 4,
            semrep=SEMREP if index == 2 else "",
        )
        for index, text in enumerate(TEXTS)
    )
    return Take(uid="tea", name="Tea", scenario="Making tea", steps=steps)


def spoilt() -> Trace:
    rows = (
        TraceStep(Mod.DELETION, "", 0, "E1"),
        TraceStep(Mod.ERROR, "Put a sock in the cup", 1, "E2"),
        TraceStep(Mod.CORRECTION, "Take the sock out", None, "C1"),
        TraceStep(Mod.ERROR, TEXTS[2], 2, "E3"),
        TraceStep(Mod.UNCHANGED, TEXTS[3], 3),
    )
    return Trace(uid="spoilt", name="Spoilt", take_uid="tea", steps=rows, events=())


def test_clips_know_their_step_and_the_shown_steps_beside_it():
    take, trace = tea(), spoilt()
    edits = plan_edits(take=take, trace=trace, source_duration_s=16.0)

    assert list(clip_steps(edits, trace, take).values()) == [
        # Nothing was shown before the step that is left out.
        ClipStep(PieceKind.BRIDGE, "", "", "", "Put a sock in the cup"),
        ClipStep(PieceKind.REPLACEMENT, "Put a sock in the cup", "", "", "Take the sock out"),
        ClipStep(PieceKind.CORRECTION, "Take the sock out", "", "Put a sock in the cup", TEXTS[2]),
        # The text is still the take's own, and so is its representation.
        ClipStep(PieceKind.REPLACEMENT, TEXTS[2], SEMREP, "Take the sock out", TEXTS[3]),
    ]
