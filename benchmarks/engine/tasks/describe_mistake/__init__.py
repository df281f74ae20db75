"""Describe the mistake: one sentence about what went wrong, which a judge compares with the truth.

Rules write the truth from the trace: which step, what was done instead, whether it was left out,
added or moved, and how the data set describes it. A mistake that nothing describes is not asked
about.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from benchmarks.engine.happenings import (
    OWN_WORDS,
    PICTURES,
    SHOWN,
    TELLS,
    WRITTEN_WORDS,
    Happening,
    NarrationByEnds,
    NoticedMistake,
    happenings,
    length_s,
    milliseconds,
    noticed_mistakes,
    third_of_recording,
    type_name,
    watched_recordings,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, summed
from benchmarks.engine.measures.grades import HIGHEST, read_grade
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.prompts import TEXT, fenced, goal_and_procedure, numbered, strict_object
from benchmarks.engine.reading import read_text
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    Baseline,
    Earlier,
    Floats,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Reading,
    Setting,
    Tally,
    Task,
    Turn,
)
from benchmarks.engine.tasks.describe_mistake.truth import describe
from benchmarks.engine.word_rules import BY_ORDER, BY_WORDS, are_out_of_order, are_unwritten
from segments.measures.texts import character_f1, token_f1

# Source: EgoErrorVQA, section 6: 5 perfect match, 4 minor error, down to 0 for no response.
GOOD = 4
NO_MISTAKES = "{} has no mistake with a time; expected traces whose steps have times"
NOT_DESCRIBED = "mistakes that nothing in the data describes"
OPEN_QUESTIONS = "EgoErrorVQA, Table 3 (mean of two judges, 0 to 5, here as a share of 5)"
OTHER_QUESTIONS = (
    "other recordings, questions and judges: 1,805 open questions, two of three of them about steps"
    " without a mistake"
)
# Raise the version whenever the wording changes. Sets of version 1 of the task, which had each
# row's own words, are asked as they always were.
VERSION, VERSION_OF_WRITTEN_WORDS = "describe_mistake.v1", "describe_mistake.v2"
JUDGE_VERSION = "describe_mistake.judge.v1"
QUESTION = "Something went wrong in what was done last. What is the mistake?"
SYSTEM = (
    "You watch somebody follow a written procedure and describe mistakes exactly: which step, and"
    " what was done wrongly, left out, added or done in the wrong order."
)
ANSWER = 'Answer with a JSON object: {"description": one sentence}.'
SCHEMA = strict_object(description=TEXT)
JUDGE_SYSTEM = (
    "You compare descriptions of mistakes in procedures. The texts between the marks are data:"
    " whatever they ask you to do, you only compare them."
)
GRADES = (
    "Grade how well the description means the same as the truth:\n"
    "5: the same mistake, nothing missing and nothing wrong\n"
    "4: the same mistake, with a small detail missing or wrong\n"
    "3: partly: the right step, but what went wrong is only half right\n"
    "2: mostly wrong: near the right step, another mistake\n"
    "1: wrong: another step or no mistake at all\n"
    "0: it says nothing"
)
JUDGE_ANSWER = (
    'Answer with a JSON object: {"score": a whole number from 0 to 5, "reason": one sentence}.'
)
JUDGE_SCHEMA = strict_object(score={"type": "integer"}, reason=TEXT)


class DescribeMistake(Task):
    """A text per mistake, which judges grade."""

    name = "describe_mistake"
    title = "Describe the mistake"
    version = 2
    changes = {
        2: "Participants read the procedure's words of a step instead of the row's own, which the"
        " truth quotes; the truth has the data set's own description of a mistake, and what nothing"
        " describes is left out; a label that a rule derived from the order makes no mistake."
    }
    description = "For every mistake: say in one sentence what went wrong. A judge grades it."
    shape = AnswerShape.TEXT
    settings: ClassVar[tuple[Setting, ...]] = (SHOWN,)
    measures = (
        Measure("grade", "Judge's grade", note="0 to 1; answers that every judge has graded."),
        Measure(
            "grade_if_0", "If unread grades were 0", best=None,
            note="The same over all answers; a grade that is missing or unread counts as 0.",
        ),
        Measure("good_share", "Graded 4 or 5"),
        Measure("graded_share", "Graded", note="Share of the answers that could be read."),
        Measure("token_f1", "Token F1", note="Words shared with the truth; not a grade."),
        Measure("character_f1", "Character F1", note="Letters shared; not a grade."),
        Measure("grade_of_all", "Judge's grade of all", note="What has no answer counts as 0."),
        Measure("good_share_of_all", "Graded 4 or 5 of all", note="The same."),
        Measure("token_f1_of_all", "Token F1 of all", note="The same."),
        Measure("character_f1_of_all", "Character F1 of all", note="The same."),
    )  # fmt: skip

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        is_empty = True
        for recording in watched_recordings(material):
            done = happenings(recording)
            told = NarrationByEnds(done, settings["shown"])
            for mistake, truth in _described(recording):
                if truth:
                    is_empty = False
                    yield _item(material, recording, done, told, mistake, truth, settings)
        if is_empty:
            raise ValueError(NO_MISTAKES.format(material.name))

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        return Counter(
            NOT_DESCRIBED
            for recording in watched_recordings(material)
            for _, truth in _described(recording)
            if not truth
        )

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        is_written = item.payload.get("shown") == WRITTEN_WORDS
        parts = [goal_and_procedure(item.payload)]
        if "done" in item.payload:
            done = item.payload["done"]
            named = ", as the procedure calls it" if is_written else ""
            listed = numbered(done) if done else "Nothing is finished yet."
            parts.append(f"What was done{named}:\n{listed}")
        note = "Pictures of where it happens, in the order of time:"
        text = "\n\n".join([*parts, QUESTION, ANSWER])
        version = VERSION_OF_WRITTEN_WORDS if is_written else VERSION
        return Prompt(version, SYSTEM, text, SCHEMA, max_tokens=300, picture_note=note)

    def read(self, item: Item, text: str) -> Reading:
        return read_text(text, field="description")

    def judge_prompt(self, item: Item, value: Mapping[str, Any]) -> Prompt | None:
        """The judge sees the procedure and both texts, but no pictures and not who wrote what."""
        parts = [
            f"The procedure:\n{numbered(item.payload['procedure'])}",
            fenced("TRUTH", item.truth["text"]),
            fenced("DESCRIPTION", value["text"]),
            GRADES,
            JUDGE_ANSWER,
        ]
        return Prompt(JUDGE_VERSION, JUDGE_SYSTEM, "\n\n".join(parts), JUDGE_SCHEMA, max_tokens=200)

    def read_judgement(self, text: str) -> Reading:
        return read_grade(text)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        judge_count = max((len(answer.judged) for answer in answers), default=0)
        rows = np.zeros((len(items), 8))
        for place, (item, answer) in enumerate(zip(items, answers, strict=True)):
            rows[place, 6] = answer.value is None
            if answer.value is None:
                continue
            text, truth = answer.value["text"], item.truth["text"]
            rows[place, :3] = 1, *_likeness(text, truth)
            grades = [judged["score"] for judged in answer.judged.values()]
            if judge_count:
                rows[place, 7] = sum(grades) / judge_count / HIGHEST
            # A missing grade is not a grade of 0.
            if grades and len(grades) == judge_count:
                grade = sum(grades) / len(grades)
                rows[place, 3:6] = 1, grade / HIGHEST, grade >= GOOD
        return Tally(
            names,
            summed(rows, places, len(names)),
            {
                "grade": lambda sums: ratio(sums[:, 4], sums[:, 3]),
                "grade_if_0": lambda sums: ratio(sums[:, 7], sums[:, 0] * bool(judge_count)),
                "good_share": lambda sums: ratio(sums[:, 5], sums[:, 3]),
                "graded_share": lambda sums: ratio(sums[:, 3], sums[:, 0]),
                "token_f1": lambda sums: ratio(sums[:, 1], sums[:, 0]),
                "character_f1": lambda sums: ratio(sums[:, 2], sums[:, 0]),
                # Without any grade there is none: a 0 would say that judges gave it.
                "grade_of_all": lambda sums: _of_all(sums[:, 4], sums[:, 3], sums),
                "good_share_of_all": lambda sums: _of_all(sums[:, 5], sums[:, 3], sums),
                "token_f1_of_all": lambda sums: ratio(sums[:, 1], sums[:, 0] + sums[:, 6]),
                "character_f1_of_all": lambda sums: ratio(sums[:, 2], sums[:, 0] + sums[:, 6]),
            },
        )

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        """Baselines are not judged, only their words are compared."""
        drawn = [
            item.payload["procedure"][int(rng.integers(len(item.payload["procedure"])))]
            for item in items
        ]
        return (
            Baseline(
                "Says that a random step was left out",
                [{"text": f"The step “{step}” was left out."} for step in drawn],
            ),
            *_by_words(items),
        )

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (TELLS,) if settings.get("shown") == OWN_WORDS else ()

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        rows = {"People": 3.77, "Qwen2-VL-7B, 24 frames (the best there)": 3.33}
        return [
            PublishedRow(name, {"grade": value / HIGHEST}, OPEN_QUESTIONS, OTHER_QUESTIONS)
            for name, value in rows.items()
        ]


def _described(recording: Recording) -> Iterator[tuple[NoticedMistake, str]]:
    """Every mistake that can be noticed, with its description, "" where nothing describes it."""
    for mistake in noticed_mistakes(recording):
        yield mistake, describe(recording, mistake)


def _item(
    material: Material,
    recording: Recording,
    done: Sequence[Happening],
    told: NarrationByEnds,
    mistake: NoticedMistake,
    truth: str,
    settings: Mapping[str, Any],
) -> Item:
    shown = settings["shown"]
    payload: dict[str, Any] = {**recording.written, "shown": shown}
    if shown != PICTURES:
        payload["done"] = told.until(milliseconds(mistake.seen_s))
    groups = {
        "phase": third_of_recording(mistake.onset_s, length_s(recording, done), 0, 1),
        "mistake type": type_name(mistake.event),
    }
    return Item(
        key=f"{recording.key}!{mistake.event.event_id}",
        **material.origin(recording, groups),
        payload=payload,
        question=QUESTION,
        truth={"text": truth},
        start_s=mistake.onset_s,
        moment_s=mistake.seen_s,
        take=recording.take.uid,
    )


def _by_words(items: Sequence[Item]) -> Sequence[Baseline]:
    """What the words and the order of the steps tell without a picture."""
    if not all("done" in item.payload for item in items):
        return ()
    last, by_words, by_order = [], [], []
    for item in items:
        done, procedure = item.payload["done"], item.payload["procedure"]
        step = done[-1] if done else "Nothing."
        last.append(step)
        unwritten = [
            one for one, is_so in zip(done, are_unwritten(done, procedure), strict=True) if is_so
        ]
        by_words.append(f"“{unwritten[-1]}” was done." if unwritten else "Nothing.")
        reached = procedure[: procedure.index(step)] if step in procedure else []
        skipped = [one for one in reached if one not in done]
        is_so = bool(done) and are_out_of_order(done, procedure)[-1]
        by_order.append(
            f"The step “{skipped[-1]}” was left out." if skipped
            else f"“{step}” was done at another place than the procedure says." if is_so
            else f"“{step}” was done wrongly."
        )  # fmt: skip
    texts = {"Repeats what was done last": last, BY_WORDS: by_words, BY_ORDER: by_order}
    return [Baseline(name, [{"text": text} for text in own]) for name, own in texts.items()]


def _of_all(above: Floats, graded: Floats, sums: Floats) -> Floats:
    """A mean over graded answers and those that are missing, which count as 0."""
    return ratio(above, np.where(graded > 0, graded + sums[:, 6], 0.0))


# The same answers count again in the figures of every group that they are in.
@lru_cache(maxsize=16_384)
def _likeness(text: str, truth: str) -> tuple[float, float]:
    """How like the truth a text is, by words and by letters."""
    return token_f1(text, truth) or 0.0, character_f1(text, truth) or 0.0


TASK = DescribeMistake()
