"""Small readings for tests: tea is made in three steps, and one recording goes wrong."""

from dataclasses import replace

from annotation.engine.corpus.procedure import (
    Event,
    NativeLabel,
    Reading,
    ReadingWarning,
    Step,
    Take,
    TaskGraph,
    Trace,
    TraceStep,
)
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel

STEP_TEXTS = ("Boil water", "Put a tea bag into the cup", "Pour the water into the cup")


def make_take(uid: str = "good", texts: tuple[str, ...] = STEP_TEXTS) -> Take:
    """Return a take of two-second steps, numbered from 1."""
    steps = tuple(
        Step(text=text, step_id=str(index + 1), start_s=2.0 * index, end_s=2.0 * index + 2)
        for index, text in enumerate(texts)
    )
    return Take(uid=uid, name=uid, scenario="Tea", steps=steps, video_stem=uid)


def make_trace(uid: str = "bad", take_uid: str = "good") -> Trace:
    """Return a trace that puts salt into the cup, forgets the tea bag, and repairs that."""
    return Trace(
        uid=uid,
        name=uid,
        take_uid=take_uid,
        steps=(
            TraceStep(Mod.UNCHANGED, "Boil water", 0, step_id="1", start_s=0.0, end_s=2.0),
            TraceStep(
                Mod.INSERTION,
                "Put salt into the cup",
                event_id="e1",
                start_s=2.0,
                end_s=3.0,
                labels=(NativeLabel("Other", note="salt"),),
            ),
            TraceStep(Mod.DELETION, "", 1, event_id="e2", step_id="2"),
            TraceStep(Mod.CORRECTION, "Take a new cup", event_id="c1", start_s=3.0, end_s=5.0),
            TraceStep(Mod.CASCADE, "Pour the water into the new cup", 2, "e1", "3", 5.0, 7.0),
        ),
        events=(
            Event("e1", EventKind.MISTAKE, TaxonomyLabel.INSERTION),
            Event("e2", EventKind.MISTAKE, TaxonomyLabel.DELETION),
            Event("c1", EventKind.CORRECTION, TaxonomyLabel.CORRECTION, target_event_id="e1"),
        ),
        video_stem=uid,
        reference_reason="The only mistake-free recording of Tea.",
        provenance={"source": "test"},
    )


def make_reading(**changes: object) -> Reading:
    """Return one take, one trace, one graph and one warning, with fields replaced at will."""
    reading = Reading(
        takes=(make_take(),),
        traces=(make_trace(),),
        task_graphs=(TaskGraph("Tea", (("1", "Boil water"), ("2", "Pour")), (("1", "2"),)),),
        native_labels={"Other": 1},
        derived={"missing": 1},
        warnings=(ReadingWarning("recording bad", "was cut at the end"),),
    )
    return replace(reading, **changes)
