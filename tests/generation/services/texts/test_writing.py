"""Writing and repairing with scripted models: every misbehaviour has its end."""

import json
from dataclasses import replace

import pytest

from annotation.engine.taxonomy import Mod
from generation.backends.exceptions import BudgetSpentError, RateLimitedError, RejectedError
from generation.engine.judging.findings import Finding, FindingSeverity
from generation.engine.judging.judging import judge
from generation.engine.judging.model import NoAnswerError, RepairRequest, StepFrame
from generation.engine.judging.reading import Submission
from generation.engine.planner.files.plan_files import procedure_of_plan
from generation.services.texts.writing import (
    MAX_ANSWERS,
    NotWrittenError,
    repairer,
    write_by_model,
    write_freely_by_model,
)
from tests.engine.rewriting.plans import plan_of, wrong
from tests.fakes.scripted_model import ScriptedModel

STEPS = [
    ("Get a bowl from the shelf", "GET(Agent: you, Object: bowl, Origin: from(shelf))"),
    ("Pour the soup into the bowl", "POUR(Agent: you, Object: soup, Destination: into(bowl))"),
    ("Serve the soup", "SERVE(Agent: you, Object: soup)"),
]
PLAN = plan_of(STEPS, [wrong("E01", 1, Destination="entity")])
PROCEDURE = procedure_of_plan(PLAN)


def row(old, new, mod="u", etype=None, eid=None):
    return {"old": old, "new": new, "mod": mod, "etype": etype, "eid": eid, "cid": None}


TEXTS = [text for text, _ in STEPS]
WRITTEN = {
    "final_steps": [TEXTS[0], "Pour the soup into the cup", TEXTS[2]],
    "meta": [row(0, 0), row(1, 1, "e", "wrong_execution", "E01"), row(2, 2)],
}
GOOD = {"do": "answer", "parsed": WRITTEN}
# Right schema, wrong content: two rows point at the same text.
TWISTED = {
    "do": "answer",
    "parsed": {**WRITTEN, "meta": [row(0, 0), row(1, 0), row(2, 2)]},
}
FREE = {
    "do": "answer",
    "parsed": {
        "final_steps": [TEXTS[0], "Pour the soup onto the table", TEXTS[2]],
        "meta": [
            {"source": 0, "mod": "u", "error_id": None, "correction_id": None},
            {"source": 1, "mod": "we", "error_id": "E01", "correction_id": None},
            {"source": 2, "mod": "u", "error_id": None, "correction_id": None},
        ],
        "del": [],
    },
}
LOSING = {
    "do": "answer",
    "parsed": {**FREE["parsed"], "final_steps": TEXTS[:1], "meta": FREE["parsed"]["meta"][:1]},
}


def test_model_writes_the_plan():
    model = ScriptedModel([GOOD])

    made = write_by_model(PLAN, ask=model.complete)

    assert list(made.rewrite.final_steps) == WRITTEN["final_steps"]
    assert made.rewrite.rows[1].mod is Mod.ERROR
    assert (made.answered_by, made.prompt_version, made.notes) == ("scripted", "writer.v2", ())


@pytest.mark.parametrize("act", ["refuse", "empty", "truncate", "not_json", "wrong_schema"])
def test_unreadable_answer_is_asked_again_with_its_reason(act):
    model = ScriptedModel([{"do": act}, GOOD])

    made = write_by_model(PLAN, ask=model.complete)

    assert len(made.notes) == 1
    assert made.notes[0] in model.requests[1].prompt
    assert [request.repeat for request in model.requests] == [0, 1]


def test_right_schema_with_rows_that_do_not_fit_is_asked_again():
    model = ScriptedModel([TWISTED, GOOD])

    made = write_by_model(PLAN, ask=model.complete)

    assert "expected each of the 3 final_steps once" in made.notes[0]


def test_writer_gives_up_with_the_last_reason():
    model = ScriptedModel([{"do": "not_json"}])

    with pytest.raises(NotWrittenError, match=f"no readable answer in {MAX_ANSWERS}: Expecting"):
        write_by_model(PLAN, ask=model.complete)

    assert len(model.requests) == MAX_ANSWERS


@pytest.mark.parametrize(
    ("act", "error"), [("reject", RejectedError), ("rate_limit", RateLimitedError)]
)
def test_fault_that_no_wording_repairs_is_accepted(act, error):
    model = ScriptedModel([{"do": act}])

    with pytest.raises(error):
        write_by_model(PLAN, ask=model.complete)

    assert len(model.requests) == 1


def test_free_writing_is_checked_and_asked_again():
    model = ScriptedModel([LOSING, FREE])

    made = write_freely_by_model(PROCEDURE, ask=model.complete)

    assert made.document["meta"][1] == [1, "we", "E01", None]
    assert made.notes[0].startswith("- ")
    assert made.notes[0] in model.requests[1].prompt


def test_answer_with_the_fewest_breaches_is_kept_with_them():
    unedited = {"do": "answer", "parsed": {**FREE["parsed"], "final_steps": TEXTS}}
    model = ScriptedModel([LOSING, unedited, LOSING])

    made = write_freely_by_model(PROCEDURE, ask=model.complete)

    assert made.document["final_steps"] == TEXTS
    assert [issue.code for issue in made.issues] == ["no_change"]
    assert len(made.notes) == len(model.requests) == MAX_ANSWERS


def test_answer_of_another_shape_is_read_in_part():
    odd = {**FREE["parsed"], "comment": "Enjoy!", "meta": FREE["parsed"]["meta"][:2]}
    model = ScriptedModel([{"do": "answer", "text": json.dumps(odd)}])

    made = write_freely_by_model(PROCEDURE, ask=model.complete)

    assert made.document["meta"] == [[0, "u", None, None], [1, "we", "E01", None]]
    assert [issue.code for issue in made.issues] == ["form"]
    assert "'comment' was unexpected" in made.notes[0]


@pytest.mark.parametrize(
    "act",
    [
        {"do": "refuse"},
        {"do": "not_json"},
        {"do": "truncate"},
        {"do": "answer", "text": "[]"},
        {"do": "answer", "text": '{"final_steps": [], "meta": [], "del": []}'},
        {"do": "answer", "text": '{"final_steps": "none", "meta": null}'},
    ],
)
def test_free_writing_fails_only_where_nothing_can_be_read(act):
    model = ScriptedModel([act])

    with pytest.raises(NotWrittenError, match="no readable answer in 3"):
        write_freely_by_model(PROCEDURE, ask=model.complete)

    assert len(model.requests) == MAX_ANSWERS


def request(**changes):
    fields = {
        "plan": PLAN,
        "rewrite": write_by_model(PLAN, ask=ScriptedModel([GOOD]).complete).rewrite,
        "findings": (Finding("X", FindingSeverity.SOFT, 1, "the cup was never fetched"),),
        "attempt": 2,
    }
    return RepairRequest(**{**fields, **changes})


def test_repair_shows_findings_and_frames_and_hands_the_answer_on():
    model = ScriptedModel([GOOD])
    frames = (StepFrame(1, 12.5, b"jpeg"),)

    answer = repairer(model.complete)(request(frames=frames))

    (asked,) = model.requests
    assert (answer.document, answer.prompt_version) == (WRITTEN, "repair.v1")
    assert "the cup was never fetched" in asked.prompt
    assert [image.caption for image in asked.images] == ["Original step 1, at 12.5 s"]
    assert asked.repeat == 2


@pytest.mark.parametrize("act", ["timeout", "server_error", "reject", "refuse", "not_json"])
def test_failed_repair_is_a_reason_and_not_the_end(act):
    with pytest.raises(NoAnswerError) as caught:
        repairer(ScriptedModel([{"do": act}]).complete)(request())

    assert caught.value.prompt_version == "repair.v1"


def test_spent_budget_stops_the_repair():
    def ask(_request):
        raise BudgetSpentError("the budget is $1.00")

    with pytest.raises(BudgetSpentError):
        repairer(ask)(request())


def test_judge_heals_a_lost_mistake_with_the_model():
    clean = request().rewrite
    lost = replace(
        clean, rows=(clean.rows[0], replace(clean.rows[1], text=TEXTS[1]), clean.rows[2])
    )

    judged = judge(PLAN, Submission(lost), ask=repairer(ScriptedModel([GOOD]).complete))

    assert judged.rewrite.rows[1].text != TEXTS[1]
