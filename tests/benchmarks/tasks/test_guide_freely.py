"""An assistant that speaks whenever it wants to, on a recording written by hand."""

from dataclasses import replace

import numpy as np
import pytest

from annotation.engine.corpus.formats.errors import FormatError
from benchmarks.engine.answers.files import read_answers, template_csv, template_lines
from benchmarks.engine.guiding.plan_state import CLEAN, NO_PLAN, PREDICTED
from benchmarks.engine.guiding.points import STRIDE_S
from benchmarks.engine.measures.guidance import DIMENSIONS
from benchmarks.engine.registry import tasks
from benchmarks.engine.shown import value_in_words
from benchmarks.engine.task import PLAIN, Answered, AnswerShape, AnswerStatus, Response
from benchmarks.engine.tasks.guide_freely import TASK
from tests.benchmarks.tasks.material import TEA, defaults, figures, read, sample_material

GUIDE = tasks()["guide"]
GRADED = ["content", "guidance", *DIMENSIONS, "harmful"]
LENGTH_S = 12.0


def items_of(material=TEA, **settings):
    return list(TASK.items(material, defaults(TASK) | settings, 0))


def said(*pairs):
    return {"said": [{"time_s": time_s, "text": text} for time_s, text in pairs]}


def test_an_item_is_a_recording_with_the_moments_and_words_of_the_clean_plan():
    [item] = items_of()

    assert item.truth["said"] == [
        {"time_s": 0.0, "text": "Begin with this: Boil water"},
        {"time_s": 4.0, "text": "This is not what the step asks for. Do it as planned: Add tea"},
        {"time_s": 6.0, "text": "Put this right before you go on: Add tea"},
        {"time_s": 10.0, "text": "Next: Pour water"},
    ]
    assert item.truth["onsets_s"] == [4.0, 4.0]
    assert (item.start_s, item.moment_s) == (0.0, LENGTH_S)
    assert item.payload["plan"] == ["Boil water", "Warm the pot", "Add tea", "Pour water"]
    assert "plan" not in items_of(plan=NO_PLAN)[0].payload
    assert [claim.start_s for claim in TASK.claims(item, item.truth)] == [0.0, 4.0, 6.0, 10.0]
    assert value_in_words(said()) == "nothing"


# Due at 0, 4, 6 and 10 s. Of the five words those at 1 and 7.5 s are near 0 and 6 s, 4 and 10 s
# are met, and 9.9 s is left over; "stir." was said before.
def test_figures_are_those_worked_out_by_hand():
    items = items_of()
    value = said((1.0, "Boil."), (4.0, "Stir."), (7.5, " stir. "), (9.9, "Pour."), (10.0, "Done."))

    found = figures(TASK, items, read(value))

    assert found == {
        "free_precision": 0.8, "free_recall": 1.0, "free_f1": round(8 / 9, 6),
        "free_recall_of_all": 1.0, "free_f1_of_all": round(8 / 9, 6),
        "onset_recall": 0.5, "onset_recall_of_all": 0.5,
        "repeated": 0.2, "per_minute": 25.0, "undecided": pytest.approx(np.nan, nan_ok=True),
        # Nobody has graded the four that are matched, of five that were due or said.
        "free_pqs_low": 0.0, "free_pqs_high": 0.8,
        **dict.fromkeys(
            ["free_pqs", "free_pqs_of_all", *GRADED], pytest.approx(np.nan, nan_ok=True)
        ),
    }  # fmt: skip


def graded(*grades, **more):
    return {**dict(zip(DIMENSIONS, grades, strict=True)), "reason": "", **more}


SAID = said((1.0, "Boil."), (4.0, "Stir."), (7.5, " stir. "), (9.9, "Pour."), (10.0, "Done."))


def test_a_judge_is_asked_about_each_matched_text_beside_its_own_right_words_alone():
    [item] = items_of()

    prompts = [prompt.text for prompt in TASK.judge_prompts(item, SAID)]

    right = [one["text"] for one in item.truth["said"]]
    assert TASK.is_judged
    assert len(prompts) == 4
    for words, text, own in zip(
        prompts, ["Boil.", "Stir.", " stir. ", "Pour."], right, strict=True
    ):
        assert f"<<<SAID\n{text}\nSAID>>>" in words
        assert f"<<<RIGHT\n{own}\nRIGHT>>>" in words
        assert not any(other in words for other in right if other != own)
    assert ["Add coffee" in words for words in prompts] == [False, True, False, False]
    assert ['"harmful"' in words for words in prompts] == [False, True, False, False]
    [at_once] = TASK.judge_prompts(item, said((4.0, "Stir."), (4.0001, "Go on.")))
    assert "Stir." in at_once.text
    assert list(TASK.judge_prompts(item, said())) == []
    assert TASK.graded_part(item, said((9.9, "Pour."), (10.0, "Done."))) == (
        said((10.0, "Next: Pour water")), said((9.9, "Pour.")),
    )  # fmt: skip
    assert [TASK.is_gradable(item, value) for value in (SAID, said())] == [True, False]
    assert len(TASK.judge_prompts(item, TASK.saying(item, "x"))) == 4


def test_a_set_that_was_made_before_mistakes_were_known_is_graded_without_them():
    [item] = items_of()
    old = replace(item, truth={key: it for key, it in item.truth.items() if key != "mistakes"})

    prompts = [prompt.text for prompt in TASK.judge_prompts(old, SAID)]

    assert len(prompts) == 4
    assert not any('"harmful"' in words for words in prompts)


# Worth 1, 0, 0.5 and 0.5 of five that were due or said: 10 s was said to in vain.
@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (graded(5, 3, 3, 1), {
            "free_pqs": 0.4, "free_pqs_low": 0.4, "free_pqs_high": 0.4, "free_pqs_of_all": 0.222222,
            "content": 0.5, "guidance": 3.0, "relevance": 3.5, "specificity": 3.0,
            "actionability": 3.0, "conciseness": 2.5, "harmful": 1.0,
        }),
        (None, {
            "free_pqs": None, "free_pqs_low": 0.3, "free_pqs_high": 0.5, "free_pqs_of_all": None,
            "content": 0.5, "guidance": 3.0, "relevance": 3.0, "specificity": 3.0,
            "actionability": 3.0, "conciseness": 3.0, "harmful": 1.0,
        }),
    ],
)  # fmt: skip
def test_figures_of_grades_are_those_worked_out_by_hand_with_bounds_for_missing_ones(
    last, expected
):
    [item] = items_of()
    found = [graded(5, 5, 5, 5), graded(1, 1, 1, 1, harmful=True), graded(3, 3, 3, 3), last]
    judged = {"A": TASK.joined_judgement(item, SAID, found)}
    other = replace(item, key="other", recording="other")
    answers = [Answered(AnswerStatus.READ, SAID, judged), Answered(AnswerStatus.MALFORMED)]

    values = figures(TASK, [item, other], answers)

    assert {key: values[key] for key in expected} == {
        key: pytest.approx(np.nan if value is None else value, nan_ok=True)
        for key, value in expected.items()
    }
    assert TASK.judge_grade(judged["A"]) == expected["guidance"]
    assert TASK.joined_judgement(item, SAID, [None] * 4) is None


def test_what_one_of_two_judges_has_not_graded_has_no_grade():
    [item] = items_of()
    found = [graded(5, 5, 5, 5), graded(3, 3, 3, 3), graded(3, 3, 3, 3), graded(3, 3, 3, 3)]
    both = {
        "A": TASK.joined_judgement(item, SAID, found),
        "B": TASK.joined_judgement(item, SAID, [*found[:1], *[None] * 3]),
    }

    values = figures(TASK, [item], [Answered(AnswerStatus.READ, SAID, both)])

    assert (values["content"], values["free_pqs_low"], values["free_pqs_high"]) == (1.0, 0.2, 0.8)


@pytest.mark.parametrize("place", range(5))
def test_the_same_words_get_the_same_figures_as_in_guide_every_half_second(place):
    material = sample_material()
    points = list(GUIDE.items(material, defaults(GUIDE) | {"points": "every 0.5 s"}, 0))
    values = GUIDE.baselines(points, np.random.default_rng(1))[place].values
    spoken = {}
    for item, value in zip(points, values, strict=True):
        own = spoken.setdefault(item.recording, [])
        if value["answer"] == "interrupt":
            own.append((item.moment_s, value["text"]))
    items = items_of(material)

    there = figures(GUIDE, points, read(*values))
    here = figures(TASK, items, read(*(said(*spoken[item.recording]) for item in items)))

    own = {"per_minute", "undecided"}
    shared = [key for key in here if key not in own and "free_pqs" not in key]
    assert len(shared) == 8 + len(GRADED)
    assert {key: here[key] for key in shared} == pytest.approx(
        {key: there[key] for key in shared}, nan_ok=True
    )


def watch(item, answer, settings=None):
    """The requests of a conversation, and how it ended; `answer` gets the role and the second."""
    talk, requests = TASK.converse(item, {}, {"plan": CLEAN, **(settings or {})}), []
    try:
        request = next(talk)
        while True:
            requests.append(request)
            request = talk.send(answer(request.role, request.until_s))
    except StopIteration as end:
        return requests, end.value


def test_a_model_is_asked_every_half_second_and_its_interrupts_are_the_answer():
    [item] = items_of()

    def answer(role, now_s):
        if now_s in (4.0, 6.5):
            return Response(f"$interrupt$ At {now_s:g}.")
        return Response("Let me think.") if now_s == 3.0 else Response("$silent$")

    requests, done = watch(item, answer)

    assert [request.until_s for request in requests] == [STRIDE_S * n for n in range(25)]
    assert len(requests) == TASK.request_count(item)
    assert all(piece.end_s <= one.until_s for one in requests for piece in one.stretches)
    assert done.value == {
        **said((4.0, "At 4."), (6.5, "At 6.5.")), "asked_count": 25, "undecided_count": 1,
    }  # fmt: skip
    assert done.reason.startswith("1 of 25 moments without a decision, at 3 s: ")
    assert "At 4.0 s, you: At 4." in requests[-1].prompt.text
    assert TASK.prompt(item, (), PLAIN).text == requests[0].prompt.text


def test_a_planner_is_asked_at_the_opening_and_after_interrupts_and_counted():
    [item] = items_of(plan=PREDICTED)

    def answer(role, now_s):
        if role:
            return Response("I would go on.")
        return Response("$interrupt$ Go on." if now_s == 4.0 else "$silent$")

    requests, done = watch(item, answer, {"plan": PREDICTED})

    assert [one.until_s for one in requests if one.role] == [0.0, 4.0]
    assert done.value["planner"] == {"no plan in the answer": 2}
    [_, table] = TASK.details([item], read(done.value), {})
    assert table.key == "planner"


def test_a_model_that_is_gone_has_no_answer_and_one_that_never_decides_neither():
    [item] = items_of()

    requests, gone = watch(
        item,
        lambda role, now_s: (
            Response(None, "timed out", has_failed=True) if now_s == 2.0 else Response("$silent$")
        ),
    )
    _, mute = watch(item, lambda role, now_s: Response("Hm."))

    assert (gone.value, gone.reason, len(requests)) == (None, "timed out", 5)
    assert mute.value is None
    assert mute.reason.startswith("25 of 25 moments without a decision")


def test_windows_have_misses_lags_and_proassists_edges():
    items = items_of()
    # 8.5 s before 10 s, and 4 s after 6 s: in by the edge for Ego4D.
    [table] = TASK.details(items, read(said((1.5, "Pour."), (10.0, "Done."))), {})

    rows = {str(row.label.value): row.cells for row in table.groups[0].rows}
    ours, *theirs = rows.values()
    assert (ours["missing"].value, ours["redundant"].value, ours["lag"].value) == (2, 0, 0.75)
    assert len(theirs) == 6
    with_edge, without = (
        TASK.details(items, read(said((time_s, "Pour."))), {})[0].groups[0].rows[1].cells
        for time_s in (14.0, 14.001)
    )
    assert (with_edge["redundant"].value, without["redundant"].value) == (0, 1)


FILE = "key,time_s,text\ntea-a,4,Stop.\ntea-a,0.5,Boil water\n"


def test_files_have_a_row_for_each_moment_and_come_back_by_time():
    items = {"k1": items_of()[0]}
    lines = '{"key": "k1", "said": [{"time_s": 4, "text": "Stop."}, {"time_s": "0.5", "text": "Boil water"}]}'  # noqa: E501

    by_row = read_answers(TASK, items, "a.csv", FILE.encode()).values
    by_line = read_answers(TASK, items, "a.jsonl", lines.encode()).values
    nothing = read_answers(TASK, items, "a.csv", b"key,time_s,text\nk1,,none\n").values

    assert by_row == by_line == {"k1": said((0.5, "Boil water"), (4.0, "Stop."))}
    assert nothing == {"k1": said()}
    assert template_csv(AnswerShape.SPEECH, ["k1"]) == "key,time_s,text\nk1,,\n"
    assert template_lines(AnswerShape.SPEECH, ["k1"]) == '{"key": "k1", "said": null}\n'
    assert figures(TASK, list(items.values()), read(TASK.worst(items["k1"])))["free_recall"] == 0


ROW = "k1,4,Stop.\n"
END = "a second from 0 to 12, the recording's end"


@pytest.mark.parametrize(
    ("name", "text", "place", "field", "value", "expected"),
    [
        ("a.csv", "key,time_s,text\nk1,4,\n", "line 2", "text", "", "a text that is not empty"),
        ("a.csv", "key,time_s,text\n" + ROW + "k1,x,Go.\n", "line 3", "time_s", "x",
         "a finite number"),
        ("a.csv", "key,time_s,text\n" + ROW + "k1,nan,Go.\n", "line 3", "time_s", "nan",
         "a finite number"),
        ("a.csv", "key,time_s,text\n" + ROW + "k1,12.1,Go.\n", "line 3", "time_s", "12.1", END),
        ("a.csv", "key,time_s,text\nk1,-1,Go.\n", "line 2", "time_s", "-1", END),
        ("a.csv", "key,time_s,text\n" + ROW + "k1,4.0,Go.\n", "line 3", "time_s", "4.0",
         "each moment once"),
        ("a.csv", "key,time_s,text\n" + ROW + "k1,,none\n", "line 3", "time_s", "",
         "a finite number"),
        ("a.csv", "key,time_s,text\nk2,4,Go.\n", "line 2", "key", "k2",
         "the key of an item of this set"),
        ("a.csv", "key,time_s,text\nk1,4\n", "line 2", "cells", 2, "3 cells as in the header"),
        ("a.csv", "key,seconds,words\nk1,4,Go.\n", "line 1", "header", "key,seconds,words",
         "the columns key, time_s, text"),
        ("a.csv", "key,time_s,text\nk1,,\n", "", "", "1 of 1 items have no answer (k1)",
         "an answer to every item, or the choice to count them as wrong"),
        ("a.jsonl", '{"key": "k1", "said": [{"time_s": 4, "text": "Go."}, {"time_s": 5}]}',
         "line 1, moment 2", "text", None, "a text of at most 20000 characters"),
        ("a.jsonl", '{"key": "k1", "said": [{"time_s": true, "text": "Go."}]}',
         "line 1, moment 1", "time_s", True, "a finite number"),
        ("a.jsonl", '{"key": "k1", "said": [[4, "Go."]]}', "line 1, moment 1", "said",
         [4, "Go."], "an object of time_s, text"),
        ("a.jsonl", '{"key": "k1", "said": [{"time_s": 4, "text": "Go.", "who": "me"}]}',
         "line 1, moment 1", "said", {"time_s": 4, "text": "Go.", "who": "me"},
         "an object of time_s, text"),
        ("a.jsonl", '{"key": "k1", "said": "Go."}', "line 1", "said", "Go.",
         "a list of at most 10000 entries"),
        ("a.jsonl", '{"key": "k1", "text": "Go."}', "line 1", "text", "Go.",
         "only the fields said"),
        ("a.npz", "", "", "name", "a.npz",
         "CSV or JSON lines; arrays are for tasks that ask about frames"),
    ],
)  # fmt: skip
def test_a_file_with_anything_wrong_is_refused_with_its_place(
    name, text, place, field, value, expected
):
    items = {"k1": items_of()[0]}

    with pytest.raises(FormatError) as refused:
        read_answers(TASK, items, name, text.encode())

    [problem] = refused.value.problems
    found = (problem.file, problem.place, problem.field, problem.expected)
    assert found == (name, place, field, expected)
    assert str(value)[:40] in str(problem.value)


def test_without_a_video_the_end_of_a_recording_is_not_known():
    recording = replace(TEA.recordings[0], duration_s=None)
    items = {"k1": items_of(replace(TEA, recordings=(recording,)))[0]}

    late = read_answers(TASK, items, "a.csv", b"key,time_s,text\nk1,99,Done.\n").values

    assert late == {"k1": said((99.0, "Done."))}


def test_recordings_without_times_are_named_and_counted():
    untimed = replace(
        TEA.recordings[0],
        key="trace:tea-b",
        trace=replace(
            TEA.recordings[0].trace,
            steps=tuple(
                replace(row, start_s=None, end_s=None) for row in TEA.recordings[0].trace.steps
            ),
        ),
    )
    both = replace(TEA, recordings=(*TEA.recordings, untimed))

    assert TASK.left_out(both, defaults(TASK)) == {
        "recordings without a time for each of their steps": 1
    }
    with pytest.raises(ValueError, match="no recording of Tea has times for all its steps"):
        items_of(replace(TEA, recordings=(untimed,)))
