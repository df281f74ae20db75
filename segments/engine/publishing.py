"""Finished segments as annotated recordings, from which takes and traces are made."""

from collections.abc import Iterable, Mapping

from annotation.engine.corpus.formats.egooops import UNDEFINED_INSTRUCTION, derive_order_labels
from annotation.engine.corpus.formats.native_labels import Derived
from annotation.engine.corpus.formats.recordings import RecordedStep, Recording, performed_in_order
from annotation.engine.corpus.procedure import NativeLabel
from segments.engine.fitting import Misfit
from segments.engine.model import Segment, order_in_time
from segments.engine.scheme import UNDEFINED_STEP, Scheme


def recording_of(
    segments: Iterable[Segment],
    *,
    scheme: Scheme,
    steps: Mapping[str, str],
    uid: str,
    scenario: str,
) -> tuple[Recording, list[Misfit]]:
    """The steps of a recording with their mistakes, and everything that prevents publishing it.

    `steps` are the texts of the procedure by step id, in its order; a description that a person
    wrote replaces the text of the step. Raises ValueError where the scheme has no steps that last.
    """
    track = scheme.track_of_steps()
    present = sorted((item for item in segments if not item.is_deleted), key=order_in_time)
    faults: list[Misfit] = []
    labels = _labels_of_steps(present, track.name, faults)
    recorded = []
    for item in present:
        if item.track != track.name:
            continue
        step_id = "" if item.step_id == UNDEFINED_STEP else item.step_id
        if step_id and step_id not in steps:
            choices = ", ".join(steps) or "none"
            expected = f"a step of the procedure: {choices}"
            faults.append(Misfit(item.key, "step_id", step_id, expected))
        text = item.text or steps.get(step_id, "")
        if not text:
            expected = "a description, as it is no step of the procedure"
            faults.append(Misfit(item.key, "text", item.text, expected))
        of_step = [NativeLabel(item.label, item.text)] if item.label else []
        of_step += labels.get(item.key, [])
        if item.is_missing and not of_step:
            of_step = [NativeLabel(Derived.MISSING.value, is_derived=True)]
        recorded.append(
            RecordedStep(
                text=text,
                step_id=step_id,
                start_s=item.start_s,
                end_s=item.end_s,
                labels=tuple(of_step),
                is_missing=item.is_missing,
            )
        )
    deviations = sum(step.is_missing for step in recorded)
    if scheme.derives_order:
        recorded, deviations = _with_order(recorded, steps)
    return Recording(uid, scenario, tuple(recorded), deviations), faults


def _labels_of_steps(
    segments: Iterable[Segment], steps_track: str, faults: list[Misfit]
) -> dict[str, list[NativeLabel]]:
    """The mistakes on other tracks, by the key of the step that each belongs to."""
    own = {item.key for item in segments if item.track == steps_track}
    labels: dict[str, list[NativeLabel]] = {}
    for item in segments:
        if item.track == steps_track or not item.label:
            continue
        if item.parent_key not in own:
            expected = "the step that it belongs to"
            faults.append(Misfit(item.key, "parent_key", item.parent_key, expected))
        labels.setdefault(item.parent_key, []).append(NativeLabel(item.label, item.text))
    return labels


def _with_order(
    recorded: list[RecordedStep], steps: Mapping[str, str]
) -> tuple[list[RecordedStep], int]:
    """The steps with labels for mistakes of order, then the left-out steps; how many mistakes."""
    numbers = {step_id: number for number, step_id in enumerate(steps)}
    timed = performed_in_order(recorded)
    instructions = [numbers.get(step.step_id, UNDEFINED_INSTRUCTION) for step in timed]
    left_out, derived = derive_order_labels(instructions, len(numbers))
    ordered = []
    for step, names in zip(timed, derived, strict=True):
        added = tuple(NativeLabel(name.value, is_derived=True) for name in names)
        ordered.append(
            RecordedStep(step.text, step.step_id, step.start_s, step.end_s, step.labels + added)
        )
    missing = (NativeLabel(Derived.MISSING.value, is_derived=True),)
    ids = list(steps)
    ordered += [
        RecordedStep(steps[ids[number]], ids[number], labels=missing, is_missing=True)
        for number in left_out
    ]
    return ordered, len(left_out) + sum(map(len, derived))
