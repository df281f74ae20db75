"""The prompt of a clip for a video model: action, objects, camera and continuity.

It is compiled by rules from the step that the clip shows, or around action and objects that a text
model wrote. A person may edit it before it is sent, which is marked.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from annotation.engine.corpus.procedure import Take, Trace
from generation.engine.english.analyser import read_tree
from generation.engine.english.instructions import gerund_of
from generation.engine.english.surface import as_words, comma_list, definite, upper_first
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import CLIP_SCHEMA
from generation.engine.prompting.visible_action import thing_alone, visible_action
from generation.engine.semrep import features
from generation.engine.splicing.edit_list import EditList, PieceKind

# Video models respect only a few objects of a longer list.
MOST_OBJECTS = 6
MOST_CHARACTERS = 900
_AFTER_BUT = re.compile(r",?\s+but\b.*", re.DOTALL)


class View(StrEnum):
    """The kind of camera that filmed the recording."""

    EGOCENTRIC = "egocentric"
    FIXED = "fixed"


_CAMERA = {
    View.EGOCENTRIC: (
        "The camera sits on the person's head and looks down at the working hands; it moves as a"
        " calm head does and never leaves the person's eyes."
    ),
    View.FIXED: (
        "The camera stands still where it stood in the frames given and shows the person and the"
        " working hands at the same distance throughout."
    ),
}
_OUTCOME = {
    PieceKind.REPLACEMENT: "What comes of it is plain to see and stays in the picture to the end.",
    PieceKind.INSERTION: "What comes of it is plain to see and stays in the picture to the end.",
    PieceKind.CORRECTION: "What was wrong before is visibly put right by the end.",
    PieceKind.BRIDGE: "Nothing is picked up, put down or changed on the way.",
}


@dataclass(frozen=True, slots=True)
class ClipStep:
    """What a clip shows: the step, the kind of clip, the step shown before, and what is next.

    `after` is the next step of the reference that the new video comes to, as it should be done: a
    clip that prepares for a mistake to come would tell it.

    `semrep` is the representation of exactly this text, empty if there is none. A bridge shows no
    step.
    """

    kind: PieceKind
    text: str = ""
    semrep: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class ClipPrompt:
    """The parts of a prompt, the text that is sent, and notes for the person who reviews it."""

    action: str
    objects: tuple[str, ...]
    camera: str
    continuity: str
    text: str
    notes: tuple[str, ...] = ()
    is_edited: bool = False

    def edited(self, text: str) -> "ClipPrompt":
        """The prompt with a person's text; raises ValueError if it is empty."""
        cleaned = " ".join(text.split())
        if not cleaned:
            raise ValueError("the prompt is empty; expected what the clip is to show")
        return self if cleaned == self.text else replace(self, text=cleaned, is_edited=True)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class ClipAnswerError(ValueError):
    """The answer has no action; the prompt compiled by rules can be used instead."""


def clip_steps(edits: EditList, trace: Trace, reference: Take) -> dict[str, ClipStep]:
    """The step of every clip by its id, between what the new video shows and what is meant."""
    rows = trace.steps
    shown = {}
    for piece in edits.clips:
        text = semrep = before = after = ""
        if piece.row_index is not None:
            row = rows[piece.row_index]
            earlier = reversed(rows[: piece.row_index])
            before = next((it.text for it in earlier if it.text), "")
            later = rows[piece.row_index + 1 :]
            after = next(
                (
                    reference.steps[it.reference_index].text
                    for it in later
                    if it.text and it.reference_index is not None
                ),
                "",
            )
            text = "" if piece.kind is PieceKind.BRIDGE else row.text
            own = None if row.reference_index is None else reference.steps[row.reference_index]
            # The take's representation only fits if the text was not rewritten.
            if text and own is not None and own.text == text:
                semrep = own.semrep
        shown[piece.clip_id] = ClipStep(piece.kind, text, semrep, before, after)
    return shown


def style_lock(scenario: str = "") -> str:
    """The sentences that keep place, picture and hands the same, sent with every prompt of a take.

    They have the role of PIE-V's style lock (listing 5), in words that fit any recording.
    """
    place = f"The recording shows: {scenario.strip().rstrip('.')}. " if scenario.strip() else ""
    return (
        f"{place}One unbroken shot in the same room and light, through the same lens with the same"
        " picture edge, with the same hands, sleeves, tools and materials as in the frames given."
        " Nothing appears or vanishes by itself, nothing is replaced, no writing is laid over."
    )


def compile_prompt(
    step: ClipStep, *, view: View = View.EGOCENTRIC, most_characters: int = MOST_CHARACTERS
) -> ClipPrompt:
    """The prompt of a clip, by rules; its notes say what the rules could not make visible.

    If the text is longer than `most_characters`, continuity is left out, then the objects, and a
    note says so.
    """
    if step.kind is PieceKind.BRIDGE or not step.text.strip():
        action = "Hands and things go over calmly from how the first frame shows them to the last"
        return assembled(step, action, (), view=view, most_characters=most_characters)
    seen = visible_action(step.text)
    # Only things in visible clauses: those that were merely intended are not shown.
    things: dict[str, None] = {}
    shown = " ".join(seen.clauses).lower()
    for clause in seen.clauses:
        is_whole = clause.lower() == step.text.strip().rstrip(".").lower()
        # The part after "but" says how it goes wrong, and the analyser would read "but" as a thing.
        tree = read_tree(step.semrep if is_whole else "", _AFTER_BUT.sub("", clause))
        if tree is None:
            continue
        for heads in features(tree).entity_heads_by_role.values():
            things.update((thing_alone(as_words(head)), None) for head in heads)
    named = [thing for thing in things if thing and thing.partition(" ")[0].lower() in shown]
    who = "The hands stop for a moment. Then they" if seen.is_interrupted else "The hands"
    action = "; then ".join(seen.clauses or (step.text.strip(),))
    return assembled(
        step,
        f"{who} do this, plainly and in full: {action}",
        tuple(named[:MOST_OBJECTS]),
        view=view,
        notes=seen.problems,
        most_characters=most_characters,
    )


def assembled(
    step: ClipStep,
    action: str,
    objects: tuple[str, ...],
    *,
    view: View,
    notes: tuple[str, ...] = (),
    most_characters: int = MOST_CHARACTERS,
) -> ClipPrompt:
    """The whole prompt for an action and the things that it needs."""
    parts = []
    if before := visible_action(step.before).clauses:
        parts.append(f"it follows at once on {_as_event(before[-1])}")
    if after := visible_action(step.after).clauses:
        parts.append(f"it leaves everything ready for {_as_event(after[0])}")
    camera, continuity = _CAMERA[view], upper_first(" and ".join(parts))
    outcome = _OUTCOME.get(step.kind, "")
    seen = comma_list([definite(thing) for thing in objects]) if objects else ""
    seen = seen and f"In sight from start to end: {seen}"
    text = _paragraph(action, outcome, seen, camera, continuity)
    shortened = []
    if len(text) > most_characters:
        text = _paragraph(action, outcome, seen, camera)
        shortened.append("the steps before and after were left out: the text is too long")
    if len(text) > most_characters:
        text = _paragraph(action, outcome, camera)
        shortened.append("the list of things was left out: the text is too long")
    return ClipPrompt(action, objects, camera, continuity, text, (*notes, *shortened))


def _as_event(clause: str) -> str:
    """A clause as a gerund, without the part after "but": "pouring milk into a cup"."""
    return gerund_of(_AFTER_BUT.sub("", clause))


def _paragraph(*sentences: str) -> str:
    return " ".join(f"{sentence.rstrip('.')}." for sentence in sentences if sentence)


def clip_prompt_request(step: ClipStep, *, scenario: str = "") -> Prompt:
    return render(
        "clip.v2",
        CLIP_SCHEMA,
        scenario=scenario or "unknown",
        kind=str(step.kind),
        step=step.text,
        before=step.before or "nothing",
        after=step.after or "nothing",
        most_objects=str(MOST_OBJECTS),
    )


def read_clip_prompt(
    step: ClipStep,
    answer: Mapping[str, Any],
    *,
    view: View = View.EGOCENTRIC,
    most_characters: int = MOST_CHARACTERS,
) -> ClipPrompt:
    """The prompt with a model's action and objects; camera and continuity are ours.

    Raises ClipAnswerError if the action is empty.
    """
    action = " ".join(answer["action"].split())
    if not action:
        raise ClipAnswerError("the action is empty; expected what is seen in the clip")
    named = [" ".join(thing.split()) for thing in answer["objects"]]
    objects = tuple(dict.fromkeys(thing for thing in named if thing))[:MOST_OBJECTS]
    return assembled(step, action, objects, view=view, most_characters=most_characters)
