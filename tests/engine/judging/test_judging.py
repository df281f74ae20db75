"""The judge as a whole: rules, a scripted model that misbehaves, frames, bounds, report."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.judging.judging import JudgedStatus, judge
from generation.engine.judging.model import NoAnswerError, RepairAnswer, StepFrame
from generation.engine.judging.reading import Submission, read_rewrite
from generation.engine.judging.repair.loop import MAX_MODEL_ATTEMPTS
from generation.engine.judging.report import AttemptKind, AttemptOutcome
from generation.engine.rewriting.rewrite import Rewrite
from tests.engine.judging.takes import Rows, error, plan

TEXTS = [
    "Get milk from the fridge",
    "Pour milk into the cup with a spoon",
    "Wipe the table with a cloth",
]
ERRORS = [error("E01", 1, "WE")]
R = Rows(TEXTS)
UNCHANGED_MISTAKE = [*R.u(0), R.we(1, TEXTS[1]), *R.u(2)]
GOOD = Rewrite((*R.u(0), R.we(1, "Pour oil into the cup with a spoon"), *R.u(2)))
WITHOUT_EVENT = Rewrite(tuple(R.u(0, 1, 2)))


class ScriptedModel:
    """Gives the answers of a list in turn; an exception in it is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return RepairAnswer(answer, "repair-1")


def judged_of(rows, errors=ERRORS, corrections=(), **given):
    written = rows if isinstance(rows, Rewrite) else Rewrite(tuple(rows))
    return judge(plan(TEXTS, errors, corrections), Submission(written), **given)


def outcomes(judged):
    return [(item.kind, item.outcome) for item in judged.report.attempts]


def test_clean_rewrite_is_left_alone_and_costs_no_call():
    model = ScriptedModel()

    judged = judged_of(GOOD, ask=model)

    assert (judged.rewrite, judged.status) == (GOOD, JudgedStatus.OK)
    assert (judged.report.attempts, judged.report.changed_words, model.requests) == ((), 0, [])


def test_model_gets_the_findings_and_its_better_candidate_is_adopted():
    model = ScriptedModel(GOOD.to_dict())

    judged = judged_of(UNCHANGED_MISTAKE, ask=model)

    assert (judged.rewrite, judged.status) == (GOOD, JudgedStatus.OK)
    assert [finding.code for finding in model.requests[0].findings] == ["ERROR_WITHOUT_CHANGE"]
    assert outcomes(judged) == [(AttemptKind.MODEL, AttemptOutcome.ADOPTED)]
    assert judged.report.attempts[0].name == "repair-1"
    assert [finding.code for finding in judged.report.initial] == ["ERROR_WITHOUT_CHANGE"]
    assert judged.report.remaining == ()


def test_candidate_that_loses_the_planned_mistake_is_never_adopted():
    model = ScriptedModel(WITHOUT_EVENT.to_dict(), WITHOUT_EVENT.to_dict())

    judged = judged_of(UNCHANGED_MISTAKE, ask=model)

    assert judged.rewrite.rows == tuple(UNCHANGED_MISTAKE)
    assert judged.status is JudgedStatus.WITH_FINDINGS
    assert outcomes(judged) == [(AttemptKind.MODEL, AttemptOutcome.LOSES_PLANNED_EVENT)] * 2


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (NoAnswerError("timed out", prompt_version="repair-1"), AttemptOutcome.NO_ANSWER),
        ({}, AttemptOutcome.UNREADABLE),
        ({"final_steps": ["Get milk"], "meta": [{"mod": "?"}]}, AttemptOutcome.UNREADABLE),
        (Rewrite(tuple(UNCHANGED_MISTAKE)).to_dict(), AttemptOutcome.NOT_BETTER),
    ],
    ids=["no answer", "empty", "wrong schema", "same as before"],
)
def test_misbehaviour_is_recorded_and_the_next_attempt_made(answer, outcome):
    model = ScriptedModel(answer, GOOD.to_dict())

    judged = judged_of(UNCHANGED_MISTAKE, ask=model)

    assert judged.status is JudgedStatus.OK
    assert outcomes(judged) == [
        (AttemptKind.MODEL, outcome),
        (AttemptKind.MODEL, AttemptOutcome.ADOPTED),
    ]
    assert [request.attempt for request in model.requests] == [1, 2]


def test_other_texts_for_the_plan_are_tried_until_no_finding_is_left():
    never = iter([Rewrite(tuple(UNCHANGED_MISTAKE)), GOOD, WITHOUT_EVENT])

    judged = judged_of(UNCHANGED_MISTAKE, others=never)

    assert (judged.rewrite, judged.status) == (GOOD, JudgedStatus.OK)
    assert outcomes(judged) == [
        (AttemptKind.RULE, AttemptOutcome.NOT_BETTER),
        (AttemptKind.RULE, AttemptOutcome.ADOPTED),
    ]
    assert list(never) == [WITHOUT_EVENT]  # Nobody wrote it.


def test_other_texts_are_not_asked_for_where_nothing_is_found():
    others = iter([WITHOUT_EVENT])

    assert judged_of(GOOD, others=others).status is JudgedStatus.OK
    assert list(others) == [WITHOUT_EVENT]


def test_loop_stops_at_its_bound():
    model = ScriptedModel(*[NoAnswerError("refused")] * 5)

    judged = judged_of(UNCHANGED_MISTAKE, ask=model)

    assert judged.status is JudgedStatus.WITH_FINDINGS
    assert len(model.requests) == MAX_MODEL_ATTEMPTS
    assert [attempt.detail for attempt in judged.report.attempts] == ["refused", "refused"]


def test_programming_errors_are_let_through():
    with pytest.raises(TypeError, match="missing 1 required"):
        judged_of(UNCHANGED_MISTAKE, ask=ScriptedModel(TypeError("missing 1 required argument")))


def test_frames_of_the_steps_concerned_are_shown_once_text_has_failed():
    asked = []

    def frames(steps):
        asked.append(steps)
        return tuple(StepFrame(step, 1.5, b"jpeg") for step in steps)

    model = ScriptedModel(NoAnswerError("no"), NoAnswerError("no"), GOOD.to_dict())

    judged = judged_of(UNCHANGED_MISTAKE, ask=model, frames=frames)

    assert asked == [(1,)]
    assert [len(request.frames) for request in model.requests] == [0, 0, 1]
    assert outcomes(judged)[-1] == (AttemptKind.MODEL_WITH_FRAMES, AttemptOutcome.ADOPTED)


def test_take_without_frames_has_no_attempt_with_frames():
    model = ScriptedModel(NoAnswerError("no"), NoAnswerError("no"))

    judged_of(UNCHANGED_MISTAKE, ask=model, frames=lambda steps: ())

    assert len(model.requests) == 2


def test_rules_mend_the_form_of_a_candidate():
    sloppy = Rewrite((*R.u(0), R.we(1, "Pour oil into the cup with a spoon"),
                      R.a(2, "Wipe the floor")))  # fmt: skip
    sloppy = sloppy.with_row(2, R.u(2)[0]).to_dict()
    sloppy["final_steps"][0] = "Get some milk"

    judged = judged_of(UNCHANGED_MISTAKE, ask=ScriptedModel(sloppy))

    assert (judged.rewrite, judged.status) == (GOOD, JudgedStatus.OK)
    assert outcomes(judged) == [
        (AttemptKind.RULE, AttemptOutcome.ADOPTED),
        (AttemptKind.MODEL, AttemptOutcome.ADOPTED),
    ]


def test_best_attempt_is_kept_not_the_last():
    worse = Rewrite((*R.u(0), R.we(1, ""), *R.u(2)))
    better = Rewrite((*R.u(0), R.we(1, "Pour oil into the cup with a ladle"), *R.u(2)))
    model = ScriptedModel(better.to_dict(), worse.to_dict())

    judged = judged_of(UNCHANGED_MISTAKE, ask=model)

    assert judged.rewrite == better
    assert [finding.code for finding in judged.report.remaining] == ["OTHER_ROLE_MUTATED"]


def test_report_is_written_as_plain_json_values():
    judged = judged_of([*R.u(0), R.we(1, "Pour oil into the cup with a spoon"), *R.u(2, 2)])

    written = judged.report.to_dict()

    assert written["attempts"] == [
        {
            "number": 1, "kind": "rule", "name": "restore_step", "outcome": "adopted",
            "hard_before": 1, "soft_before": 0, "hard_after": 0, "soft_after": 0,
            "detail": "SOURCE_REPEATED at 3: original step 2 has a row already, at 2",
        }
    ]  # fmt: skip
    assert written["remaining"] == []
    assert [finding["code"] for finding in written["found"]] == ["SOURCE_REPEATED"]
    assert [row.mod for row in judged.rewrite.rows] == [Mod.UNCHANGED, Mod.ERROR, Mod.UNCHANGED]


def test_document_that_fits_in_part_is_judged_and_the_report_says_so():
    document = GOOD.to_dict()
    document["final_steps"].append("Sing")

    judged = judge(plan(TEXTS, ERRORS), read_rewrite(document))

    assert (judged.rewrite, judged.status) == (GOOD, JudgedStatus.OK)
    assert [finding.code for finding in judged.report.initial] == ["UNREADABLE"]
    assert judged.report.remaining == ()


def test_candidate_that_fits_in_part_is_not_lost():
    document = GOOD.to_dict()
    document["final_steps"].append("Sing")

    judged = judged_of(UNCHANGED_MISTAKE, ask=ScriptedModel(document))

    assert judged.rewrite == GOOD
    assert "read in part" in judged.report.attempts[0].detail
