"""What each clip of an edit list is to show, and what stands beside it."""

from annotation.engine.corpus.procedure import Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import Mod
from generation.engine.prompting.clip_prompt import ClipStep, clip_steps, compile_prompt
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


def test_clips_know_their_step_the_one_shown_before_and_the_one_meant_next():
    take, trace = tea(), spoilt()
    edits = plan_edits(take=take, trace=trace, source_duration_s=16.0)

    assert list(clip_steps(edits, trace, take).values()) == [
        # Nothing was shown before the step that is left out.
        ClipStep(PieceKind.BRIDGE, "", "", "", TEXTS[1]),
        ClipStep(PieceKind.REPLACEMENT, "Put a sock in the cup", "", "", TEXTS[2]),
        ClipStep(PieceKind.CORRECTION, "Take the sock out", "", "Put a sock in the cup", TEXTS[2]),
        # The text is still the take's own, and so is its representation.
        ClipStep(PieceKind.REPLACEMENT, TEXTS[2], SEMREP, "Take the sock out", TEXTS[3]),
    ]


def test_clip_before_a_mistake_tells_nothing_of_it():
    rows = (
        TraceStep(Mod.ERROR, "Boil the milk", 0, "E1"),
        TraceStep(Mod.INSERTION, "Drop the kettle", None, "E2"),
        TraceStep(Mod.ERROR, "Put a sock in the cup", 1, "E3"),
        TraceStep(Mod.UNCHANGED, TEXTS[2], 2),
        TraceStep(Mod.UNCHANGED, TEXTS[3], 3),
    )
    trace = Trace(uid="told", name="Told", take_uid="tea", steps=rows, events=())
    edits = plan_edits(take=tea(), trace=trace, source_duration_s=16.0)

    steps = clip_steps(edits, trace, tea()).values()

    assert [step.after for step in steps] == [TEXTS[1], TEXTS[1], TEXTS[2]]
    prompts = [compile_prompt(step).text.lower() for step in steps]
    assert "kettle" not in prompts[0]
    assert "sock" not in prompts[1]
