"""Was this step done, and done right? Zero-shot questions of CaptainCook4D (Tables 7 and 8).

A row of the annotations is asked about once (V1) or once for each category of error (V2). A step
is an error where any of its answers says so. In the breakdown by category, each question is
compared with the label of its own category.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Best
from annotation.engine.corpus.procedure import Step, Take, TaskGraph, TraceStep
from benchmarks.engine.claims import Claim
from benchmarks.engine.material import Material, Recording, is_mistake, tags_of
from benchmarks.engine.measures.counts import YES_NO_MEASURES, YesNo, cluster_names, summed
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.prompts import TEXT, one_of, strict_object
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.reading import read_choice
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerStatus,
    Baseline,
    Curve,
    Earlier,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Reading,
    Setting,
    Tally,
    Turn,
)
from benchmarks.engine.tasks.zero_shot_errors.questions import (
    NOT_APPLICABLE,
    TAG_OF,
    UNCLEAR,
    Question,
    StepContext,
    category_questions,
    performed_question,
    things_of,
)
from benchmarks.engine.yes_no import YesNoTask, answer_value

ONE, SEVEN = "one per step (V1)", "seven per step, by category (V2)"
ALL_ROWS, TIMED_ROWS = "all rows, of the whole recording", "timed rows, of their own part"
ERROR, NO_ERROR = "error", "no error"
# Left out of figures: without an answer, nobody said that there is no error.
UNANSWERED = (AnswerStatus.FAILED, AnswerStatus.MISSING)
OWN_WORDS = (
    "other questions, which a text model wrote; the published scripts join labels to questions by"
    " position and pool precision, recall and F1 by a formula that leaves out steps with a 0"
)
ALL = "over all 5,700 rows, of which 34.5% are errors, with the steps that were left out"
OTHER_ROWS = "; here only timed rows are asked about"
VERSION = "zero_shot_errors.v1"
SYSTEM = (
    "You watch a person follow a written procedure and answer one question about one of its steps."
    " People make mistakes: steps are left out, done in the wrong order, or done wrongly. Answer by"
    " what you see."
)


class ZeroShotErrors(YesNoTask):
    """Questions about the steps of a procedure; several together may decide about one step."""

    name = "zero_shot_errors"
    title = "Was this step done, and done right?"
    version = 2
    changes = {
        2: "Both of two steps that changed places are mistakes, and steps that merely follow from"
        " a mistake are none; written procedures, which nobody recorded, are not asked about."
    }
    description = (
        "For every step of the procedure, also those that were left out: one question, or one for"
        " each category of error; a step is an error where any answer says so."
    )
    ends = ("surely no error", "surely an error")
    measures = (
        *YES_NO_MEASURES,
        Measure(
            "unclear", "Unclear", best=Best.LOWEST,
            note="Share of answers that say so or cannot be read; they count as no error.",
        ),
        Measure("not_applicable", "Not applicable", best=None, note="Share of answers."),
    )  # fmt: skip
    settings = (
        Setting("questions", "Questions", ONE, (ONE, SEVEN)),
        Setting("rows", "Steps that are asked about", ALL_ROWS, (ALL_ROWS, TIMED_ROWS)),
        Setting("only", "Only these recordings: ids, separated by blanks", ""),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        graphs = material.graphs
        chosen = material.only(settings["only"])
        by_seven = settings["questions"] == SEVEN
        tagged = {
            tag
            for recording in material.recordings if recording.trace is not None
            for row in recording.trace.steps for tag in tags_of(row)
        }  # fmt: skip
        if by_seven and not tagged & set(TAG_OF.values()):
            raise ValueError(
                f"{material.name} has no recording with errors tagged {', '.join(TAG_OF.values())};"
                f" expected some of them, or the questions {ONE}"
            )
        things: dict[str, list[str]] = {}
        for place, recording in enumerate(chosen):
            if not recording.is_recorded:
                continue
            scenario = recording.take.scenario
            if by_seven and scenario not in things:
                things[scenario] = things_of(step.text for step in recording.take.steps)
            rng = np.random.default_rng([seed, place])
            for number, (row, text) in enumerate(_rows_to_ask(recording, settings["rows"])):
                before = _steps_right_before(text, recording.take, graphs.get(scenario))
                step = StepContext(text, before, tuple(things.get(scenario, ())))
                questions = (
                    category_questions(step, rng) if by_seven else [performed_question(step)]
                )
                for question in questions:
                    yield _item(material, recording, number, row, question, settings)

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        choices = ", ".join(f'"{choice}"' for choice in item.choices)
        text = (
            f"Goal: {item.payload['goal']}\n\n{item.question}\n\nAnswer with a JSON object:"
            f' "answer" is one of {choices}; "reason" says in a few words what you saw. “{UNCLEAR}”'
            " is for what cannot be seen."
        )
        is_whole = item.payload["shown"] == ALL_ROWS
        seen = "the whole recording" if is_whole else "this part of the recording"
        note = f"Pictures of {seen}, in the order of time:"
        schema = strict_object(answer=one_of(item.choices), reason=TEXT)
        return Prompt(VERSION, SYSTEM, text, schema, max_tokens=200, picture_note=note)

    def read(self, item: Item, text: str) -> Reading:
        return read_choice(text, item.choices)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        decided, first_items = _decided(items, answers)
        tally = decided.tally(names, places[first_items])
        texts = [None if answer.value is None else answer.value["answer"] for answer in answers]
        shares = [
            [
                text == UNCLEAR or (text is None and answer.status not in UNANSWERED),
                text == NOT_APPLICABLE,
                answer.status not in UNANSWERED,
            ]
            for text, answer in zip(texts, answers, strict=True)
        ]
        counts = summed(np.array(shares, dtype=np.float64), places, len(names))
        return Tally(
            names,
            np.hstack([tally.sums, counts]),
            {
                **tally.figures,
                "unclear": lambda sums: ratio(sums[:, -3], sums[:, -1]),
                "not_applicable": lambda sums: ratio(sums[:, -2], sums[:, -1]),
            },
        )

    def curve(self, items: Sequence[Item], answers: Sequence[Answered]) -> Curve | None:
        return _decided(items, answers)[0].curve()

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        errors = [item.truth["says_error"][0] for item in items]
        right = [
            next(answer for answer in item.choices if answer not in item.truth["says_error"])
            for item in items
        ]
        share = sum(item.truth["answer"] == ERROR for item in items) / len(items)
        drawn = rng.random(len(items)) < share
        return tuple(
            Baseline(name, [answer_value(answer) for answer in values])
            for name, values in (
                ("Everything is an error", errors),
                ("Nothing is an error", right),
                (
                    f"At random, an error in {share:.0%} of the answers",
                    np.where(drawn, errors, right).tolist(),
                ),
            )
        )

    def is_right(self, item: Item, value: Mapping[str, Any]) -> bool | None:
        says_error = value.get("answer") in item.truth["says_error"]
        return says_error == (item.truth["answer"] == ERROR) if value.get("answer") else None

    def claims(self, item: Item, value: Mapping[str, Any]) -> Sequence[Claim]:
        """An answer that says error, at the step's own time: the item's time may be everything."""
        is_error = value["answer"] in (ERROR, *item.truth["says_error"])
        if not is_error or not item.truth["at"]:
            return []
        start_s, end_s = item.truth["at"]
        return [Claim(start_s, end_s, item.payload["category"], "mistake", value.get("score"))]

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        other = "" if settings["rows"] == ALL_ROWS else OTHER_ROWS
        kind = "seven" if settings["questions"] == SEVEN else "one"
        return published_rows(__file__, f"{ALL}{other}; {OWN_WORDS}", kind)

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        if settings["rows"] == TIMED_ROWS:
            return (
                "Only timed rows are asked about, so hardly a missing step is among them, and what"
                " was done before a step is not in its pictures.",
            )
        return (
            "Every row of the annotations is asked about, steps that were left out among them;"
            " supervised error recognition leaves these out, so its figures are of other items.",
        )


def _decided(items: Sequence[Item], answers: Sequence[Answered]) -> tuple[YesNo, list[int]]:
    """Each step's truth, decision and score, and the place of its first item.

    A step is an error where any of its answers says so, and undecided where none does but one is
    missing. An answer that cannot be read says no error. Each repeat is decided by itself.
    """
    is_alone = len({item.payload["category"] for item in items}) == 1
    times: Counter[str] = Counter()
    members: dict[tuple[str, int, int], list[int]] = {}
    for place, item in enumerate(items):
        times[item.key] += 1
        step = (item.recording, item.payload["place"], times[item.key])
        members.setdefault(step, []).append(place)
    columns = []
    for places in members.values():
        truth = items[places[0]].truth["answer" if is_alone else "step"] == ERROR
        values = [answers[place].value for place in places]
        says = [
            value is not None and value["answer"] in items[place].truth["says_error"]
            for place, value in zip(places, values, strict=True)
        ]
        is_open = any(answers[place].status in UNANSWERED for place in places)
        decision = 1.0 if any(says) else np.nan if is_open else 0.0
        scores = [value.get("score") for value in values if value is not None]
        known = [score for score in scores if score is not None]
        columns.append((truth, decision, max(known) if len(known) == len(places) else np.nan))
    whole = np.array(columns, dtype=np.float64).reshape(-1, 3)
    return YesNo(*whole.T), [places[0] for places in members.values()]


def _rows_to_ask(recording: Recording, rows: str) -> list[tuple[Step | TraceStep, str]]:
    return [
        (row, words)
        for row in recording.rows
        if (words := recording.words_of(row)) and (rows == ALL_ROWS or row.start_s is not None)
    ]


def _steps_right_before(text: str, take: Take, graph: TaskGraph | None) -> tuple[str, ...]:
    """The texts of the steps with an edge to this one in the task graph."""
    if graph is None:
        return ()
    texts = dict(graph.nodes)
    befores = [texts.get(before, "") for before, after in graph.edges if texts.get(after) == text]
    procedure = {step.text for step in take.steps} - {text}
    return tuple(step for step in dict.fromkeys(befores) if step in procedure)


def _item(
    material: Material,
    recording: Recording,
    number: int,
    row: Step | TraceStep,
    question: Question,
    settings: Mapping[str, Any],
) -> Item:
    is_whole = settings["rows"] == ALL_ROWS
    tags = tags_of(row)
    step = ERROR if is_mistake(row) else NO_ERROR
    own_answer = ERROR if TAG_OF.get(question.category) in tags else NO_ERROR
    end_s = recording.duration_s or recording.last_s
    groups = {"tag": tags[0]} if tags else {}
    if question.category in TAG_OF:
        groups = {"category": question.category}
    return Item(
        key=f"{recording.key}#{number}#{question.category}",
        **material.origin(recording, groups),
        payload={
            "recording_id": recording.uid,
            "goal": recording.take.scenario,
            "place": number,
            "category": question.category,
            "shown": settings["rows"],
        },
        question=question.text,
        truth={
            "answer": own_answer if question.category in TAG_OF else step,
            "step": step,
            "says_error": list(question.says_error),
            "at": None if row.start_s is None else [row.start_s, row.end_s],
        },
        choices=question.choices,
        start_s=(0.0 if end_s else None) if is_whole else row.start_s,
        moment_s=end_s if is_whole else row.end_s,
        take=recording.uid,
    )


TASK = ZeroShotErrors()
