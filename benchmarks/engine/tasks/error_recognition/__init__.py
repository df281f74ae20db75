"""Was this step of the procedure done wrongly? Supervised error recognition of CaptainCook4D.

There is one item per recording and step: the pieces of an interrupted step are joined. A step that
the procedure does not have would show itself by having no words, so it is not asked about. Items of
the parts train and val come with their truth, so that a model can be trained on them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.engine.claims import Claim
from benchmarks.engine.division import PARTS
from benchmarks.engine.happenings import references_of
from benchmarks.engine.joined_steps import (
    ANY,
    FIRST,
    LAST,
    JoinedStep,
    graph_on_steps,
    joined_steps,
)
from benchmarks.engine.material import Material, written_of
from benchmarks.engine.prompts import goal_and_procedure
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.published.splits import (
    ERROR_RECOGNITION,
    SPLIT_BY_TITLE,
    PublishedSplit,
    published_split,
)
from benchmarks.engine.task import (
    PLAIN,
    Baseline,
    Earlier,
    Item,
    Prompt,
    PublishedRow,
    Sample,
    Setting,
    Turn,
    Value,
)
from benchmarks.engine.yes_no import NO, SCHEMA, YES, YesNoTask, answer_value

ALL_TEST, BY_STEP, BY_RECORDING = "everything is test", "by step", "by recording"
# What the published rows are over, and the warnings for all of them and for the early ones.
PUBLISHED_FOR = (ERROR_RECOGNITION, "recordings")
ITEMS = {
    BY_STEP: "798 or 799 items, 249 errors, of a cut in time",
    BY_RECORDING: "671 items, 241 errors",
}
TUNED = "threshold and scale of the score were chosen on the test set"
EARLY = "; the accuracy of “nothing is an error” is within 3 points of every such row"
WHOLE, FIRST_HALF = "the whole step", "its first half"
VERSION = "error_recognition.v1"
JOINED = (
    "An item is a step of a recording with all its pieces, not a row of the annotations; steps that"
    " were never done are not among the items, so a missing step is no error that can be found."
)
CUT_IN_TIME = (
    "The division by step is not random: the shuffle of the released code has no effect, so it is"
    " a cut in time. Every recording is seen in training up to three quarters of its steps."
)
OWN_DIVISION = (
    "These test recordings are those of no published division, so no published row stands beside"
    " them.",
)
SYSTEM = (
    "You watch people follow written procedures. You tell whether one step was done wrongly: left"
    " half done, done at the wrong place in the order, with the wrong thing, amount, tool, time or"
    " heat, or in the wrong way."
)


class ErrorRecognition(YesNoTask):
    """One yes or no per recording and step, with divisions to train and test on."""

    name = "error_recognition"
    title = "Was this step done wrongly?"
    version = 2
    changes = {
        2: "Steps that the procedure does not have are left out, for their own words described the"
        " mistake; both of two steps that changed places are mistakes; recordings without mistakes"
        " have the procedure of the others, no longer their own steps in their own order."
    }
    description = (
        "For every step of the procedure that a recording shows, its pieces joined: was it done"
        " wrongly? With parts to train and to test on."
    )
    ends = ("surely right", "surely wrong")
    settings = (
        Setting(
            "label_rule",
            "Which piece of a step says whether it is an error",
            LAST,
            (LAST, ANY, FIRST),
        ),
        Setting(
            "division", "Division", ALL_TEST, (ALL_TEST, BY_STEP, BY_RECORDING, *SPLIT_BY_TITLE)
        ),
        Setting(
            "recordings",
            "Recordings of each part, as JSON: {“train”: [ids], “val”, “test”}",
            "",
            is_long=True,
        ),
        Setting("shown", "What is seen", WHOLE, (WHOLE, FIRST_HALF)),
    )
    learns = (NO, YES)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        part_of = _part_by_recording(settings, material)
        graphs, references = material.graphs, references_of(material)
        step_of_text: dict[str, dict[str, str]] = {}
        for recording in material.recordings:
            ids_by_text = step_of_text.setdefault(recording.take.scenario, {})
            ids_by_text.update((step.text, step.step_id) for step in recording.take.steps)
        for recording in material.timed():
            uid, scenario = recording.uid, recording.take.scenario
            if part_of and uid not in part_of:
                continue
            reference = references[recording.key]
            steps = joined_steps(recording, reference)
            parts = parts_by_step(steps) if settings["division"] == BY_STEP else {}
            shared = {
                **written_of(reference),
                "graph": graph_on_steps(graphs.get(scenario), step_of_text[scenario]),
                # The name that published features and predictions use.
                "recording_id": uid,
            }
            for place, step in enumerate(steps):
                if not step.text:
                    continue
                is_error = step.is_error(settings["label_rule"])
                category = {"category": step.tags[-1]} if is_error and step.tags else {}
                yield Item(
                    key=f"{recording.key}#{step.step_id}",
                    **material.origin(recording, category),
                    payload={
                        **shared,
                        "step": step.text,
                        "step_id": step.step_id,
                        "place": place,
                        "pieces": [[piece.start_s, piece.end_s] for piece in step.pieces],
                    },
                    question=f"Was this step done wrongly? “{step.text}”",
                    truth={"answer": YES if is_error else NO},
                    choices=(YES, NO),
                    start_s=step.pieces[0].start_s,
                    moment_s=_seen_until(step, settings["shown"]),
                    part=part_of.get(uid) or parts.get(step.step_id, ""),
                    take=uid,
                )

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        part_of = _part_by_recording(settings, material)
        references = references_of(material)
        count = sum(
            not step.text
            for recording in material.timed()
            if not part_of or recording.uid in part_of
            for step in joined_steps(recording, references[recording.key])
        )
        return {"steps that the procedure does not have": count} if count else {}

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        payload = item.payload
        pieces = ", ".join(f"{start:.0f} to {end:.0f} s" for start, end in payload["pieces"])
        text = (
            f"{goal_and_procedure(payload)}\n\nThe step: {payload['step']}\n"
            f"It is done at {pieces} of the recording.\n\nWas it done wrongly? Answer with a JSON"
            f' object: "answer" is "{YES}" or "{NO}", "score" says from 0 to 1 how sure you are'
            " that it was done wrongly."
        )
        note = "Pictures of this step, in the order of time:"
        return Prompt(VERSION, SYSTEM, text, SCHEMA, max_tokens=200, picture_note=note)

    def claims(self, item: Item, value: Value) -> Sequence[Claim]:
        """The answer, at every piece of the step."""
        return [
            self.claim(start_s, end_s, value["answer"], value.get("score"))
            for start_s, end_s in item.payload["pieces"]
        ]

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        # scikit-learn takes a second to load, and only a freeze needs it.
        from benchmarks.engine.tasks.error_recognition.trained import trained_baselines  # noqa: PLC0415

        constant = (
            Baseline("Everything is an error", [answer_value(YES)] * len(items)),
            Baseline("Nothing is an error", [answer_value(NO)] * len(items)),
        )
        return (*constant, *trained_baselines(items, int(rng.integers(2**31))))

    def samples(self, item: Item, settings: Mapping[str, Any]) -> Sequence[Sample]:
        payload, is_early = item.payload, settings["shown"] == FIRST_HALF
        pieces = tuple((start_s, end_s) for start_s, end_s in payload["pieces"])
        label = str(item.truth["answer"])
        return (Sample(payload["recording_id"], pieces, label, is_early, payload["step"]),)

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        split = _split_of(settings)
        # Figures by recording were published for one division only.
        is_theirs = split is not None and (split.family, split.name) == PUBLISHED_FOR
        kind = BY_RECORDING if settings["division"] in SPLIT_BY_TITLE else settings["division"]
        if kind == ALL_TEST or (kind == BY_RECORDING and not is_theirs):
            return ()
        is_early = settings["shown"] == FIRST_HALF
        warning = f"{ITEMS[kind]}; {TUNED}{EARLY if is_early else ''}"
        return published_rows(__file__, warning, f"early {kind}" if is_early else kind)

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        if settings["division"] == BY_STEP:
            return (JOINED, CUT_IN_TIME)
        if settings["division"] not in SPLIT_BY_TITLE and not _recordings_by_part(settings):
            return (JOINED,)
        split = _split_of(settings)
        return (JOINED, *(OWN_DIVISION if split is None else split.warnings))


def parts_by_step(steps: Sequence[JoinedStep]) -> dict[str, str]:
    """The part of each step in CaptainCook4D's "step split", as the released code makes it.

    Errors (by their first row) and other steps are each cut in the order of the recording: three
    quarters are train, up to 0.91 test, the rest val. The intended shuffle has no effect in that
    code, so training sees the beginning of every recording.
    """
    parts = {}
    for is_error in (True, False):
        step_ids = [step.step_id for step in steps if step.is_error(FIRST) == is_error]
        first, second = int(0.75 * len(step_ids)), int(0.91 * len(step_ids))
        for place, step_id in enumerate(step_ids):
            parts[step_id] = "train" if place < first else "test" if place < second else "val"
    return parts


def _seen_until(step: JoinedStep, shown: str) -> float:
    """The end of the last piece, or the moment when half of the time of all pieces is over."""
    if shown == WHOLE:
        return step.pieces[-1].end_s
    left_s = sum(piece.end_s - piece.start_s for piece in step.pieces) / 2
    for piece in step.pieces:
        length_s = piece.end_s - piece.start_s
        if left_s <= length_s:
            return piece.start_s + left_s
        left_s -= length_s
    return step.pieces[-1].end_s


def _recordings_by_part(settings: Mapping[str, Any]) -> dict[str, list[str]]:
    """The recordings of each part, empty for any other division.

    Raises ValueError naming what is wrong in the setting.
    """
    if settings["division"] != BY_RECORDING:
        if settings["recordings"]:
            raise ValueError(f"recordings of parts are given; expected the division {BY_RECORDING}")
        return {}
    try:
        parts = json.loads(settings["recordings"] or "{}")
    except ValueError as error:
        raise ValueError(f"the recordings of the parts are not JSON: {error}") from error
    if not isinstance(parts, dict) or not set(parts) <= set(PARTS) or not parts.get("test"):
        raise ValueError("the recordings of the parts need an object of train, val and test")
    return {
        part: [str(uid) for uid in (uids if isinstance(uids, list) else [uids])]
        for part, uids in parts.items()
    }


def _split_of(settings: Mapping[str, Any]) -> PublishedSplit | None:
    """The published division that was chosen by its name or by its recordings, None for another."""
    if named := SPLIT_BY_TITLE.get(settings["division"]):
        return named
    return published_split(_recordings_by_part(settings).get("test", ()))


def _part_by_recording(settings: Mapping[str, Any], material: Material) -> dict[str, str]:
    """The part of each recording that has one; raises ValueError for unknown recordings."""
    parts = _recordings_by_part(settings)
    if named := SPLIT_BY_TITLE.get(settings["division"]):
        uids_of_data = (recording.uid for recording in material.recordings)
        parts = named.recordings(material.name, uids_of_data)
    known_uids = {recording.uid for recording in material.recordings}
    part_of: dict[str, str] = {}
    for part, uids in parts.items():
        for uid in uids:
            if uid not in known_uids:
                raise ValueError(f"{part} names recording {uid!r}, which {material.name} lacks")
            if part_of.setdefault(uid, part) != part:
                raise ValueError(f"recording {uid!r} is in {part_of[uid]} and in {part}")
    return part_of


TASK = ErrorRecognition()
