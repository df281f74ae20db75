"""The nine files of EgoErrorVQA, in invented rows of their shapes, and the traps in them."""

import json

import pytest

from annotation.engine.corpus.formats.egoerrorvqa import (
    ANSWER,
    PROSE,
    PUBLISHED_RATE,
    procedure_steps,
    read,
    read_pairs,
    tent_seconds,
)
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.integrity import find_faults
from annotation.engine.taxonomy import Mod
from tests.engine.corpus.formats.egoerrorvqa_folder import (
    PROCEDURES,
    assembly,
    cook,
    oops,
    tent,
    write_folder,
)


def traces_of(reading):
    return {trace.uid: trace for trace in reading.traces}


def warnings_of(folder, **rows):
    return [str(one.message) for one in read(write_folder(folder, **rows)).warnings]


def test_each_recording_is_a_trace_and_each_procedure_a_written_take(tmp_path):
    reading = read(write_folder(tmp_path, count=12))

    assert find_faults(reading) == ()
    assert sum(len(trace.steps) for trace in reading.traces) == 48
    assert {take.scenario: procedure_steps(take) for take in reading.takes} == {
        task: [prose] for task, prose in PROCEDURES.items()
    }
    assert all(take.steps[0].step_id == PROSE for take in reading.takes)
    assert reading.derived["question pairs"] == 96
    assert {"captaincook4d:9_0", "egooops:S1700000", "epic_tent:2", "assembly101:nusar-0"} <= set(
        traces_of(reading)
    )


def test_a_folder_without_json_inside_is_read_too(tmp_path):
    assert read(write_folder(tmp_path) / "json") == read(tmp_path)


def test_what_was_done_stands_beside_the_words_of_the_step(tmp_path):
    reading = read(write_folder(tmp_path))
    [trace] = [trace for trace in reading.traces if trace.uid == "captaincook4d:9_0"]
    take = next(take for take in reading.takes if take.uid == trace.take_uid)

    row = trace.steps[1]

    assert (row.text, take.steps[row.reference_index].text) == ("Stir fast", "Stir-Stir pot 1")
    assert [one.name for one in row.labels] == ["Order Error", ANSWER + "Wrong order"]


def test_untimed_rows_are_named_and_an_untimed_missing_step_was_left_out(tmp_path):
    rows = [cook(0), cook(1, "Missing Step"), cook(2, start_time=-1, end_time=-1)]

    reading = read(write_folder(tmp_path, captaincook4d=rows))

    [trace] = [trace for trace in reading.traces if trace.uid == "captaincook4d:9_0"]
    assert [(row.mod, row.start_s) for row in trace.steps] == [
        (Mod.UNCHANGED, 10.5), (Mod.DELETION, None), (Mod.UNCHANGED, None),
    ]  # fmt: skip
    untimed = [one for one in reading.warnings if "no time (-1)" in one.message]
    assert [one.where for one in untimed] == [
        "captaincook4d_answer.json [1]", "captaincook4d_answer.json [2]",
    ]  # fmt: skip
    assert reading.derived["untimed rows"] == 2


def test_error_without_a_text_has_that_of_its_instruction_where_a_row_says_it(tmp_path):
    rows = [oops(0), oops(3, True), oops(4, True, instruction=-1)]

    reading = read(write_folder(tmp_path, egooops=rows))

    [trace] = [trace for trace in reading.traces if trace.uid.startswith("egooops")]
    assert [row.reference_index for row in trace.steps] == [1, 1, None]
    assert [one.message for one in reading.warnings if "without a step text" in one.message] == [
        "an error without a step text: that of instruction 0",
        "an error without a step text: none",
    ]


def test_times_of_epic_tent_are_those_of_its_time_codes(tmp_path):
    rows = [
        tent(1), tent(2, str_GoPro_ts="-1:-1:-1:-1"),
        tent(3, str_GoPro_ts="00:03:03:02", end_GoPro_ts="00:03:03:20", start_time=183.9,
             end_time=183.4),
        tent(4, end_GoPro_ts="00:04:04:59", end_time=245.967),
    ]  # fmt: skip

    reading = read(write_folder(tmp_path, epic_tent=rows))

    trace = traces_of(reading)["epic_tent:2"]
    assert trace.steps[0].start_s == 62.501
    assert trace.steps[-1].start_s is None
    messages = [one.message for one in reading.warnings]
    assert "time codes -1:-1:-1:-1 to 00:02:05:00 are no times: untimed" in messages
    assert "starts at 183.9 s, after its end at 183.4 s" in messages
    assert "published 0.98 s after its time code" in messages
    assert [tent_seconds("-1:-1:-1:-1", rate) for rate in (PUBLISHED_RATE, 59.94)] == [
        -3661.033, None,
    ]  # fmt: skip


def test_same_clip_with_two_answers_is_named(tmp_path):
    reading = read(write_folder(tmp_path, epic_tent=[tent(1), tent(1, "0"), tent(2)]))

    [warning] = [one for one in reading.warnings if "same clip" in one.message]
    assert warning.where == "epic_tent_answer_sec.json [0], epic_tent_answer_sec.json [1]"
    assert warning.message.endswith("stand as Wrong action and as correct")
    assert reading.derived["contradictory clips"] == 1


def test_rows_of_one_video_that_start_together_are_named_one_by_one(tmp_path):
    rows = [tent(1), tent(1, action_annotation="place peg"), tent(2)]

    reading = read(write_folder(tmp_path, epic_tent=rows))

    [warning] = [one for one in reading.warnings if "start at" in one.message]
    assert warning.where == "epic_tent_answer_sec.json [0], epic_tent_answer_sec.json [1]"
    assert warning.message == "2 rows of one video start at 62.501 s"


def test_question_pairs_are_read_with_the_words_of_their_step(tmp_path):
    rows = [oops(0), oops(3, True), oops(4, True, instruction=-1)]
    folder = write_folder(tmp_path, egooops=rows)

    paired = [row for row in read_pairs(folder) if row.source == "egooops"]

    assert [row.words for row in paired] == ["Pour drop 0", "Pour drop 0", ""]
    assert paired[1].pairs == (("Did I stir?", "Yes, I did."),) * 2
    assert [[label.name for label in row.labels] for row in paired] == [[], ["others"], ["others"]]
    assert {row.trace_uid for row in read_pairs(folder)} == set(traces_of(read(folder)))


def test_rows_that_only_the_one_or_the_other_kind_of_files_has_are_counted(tmp_path):
    folder = write_folder(tmp_path, egooops=[oops(0), oops(1)])
    asked = [oops(2, qa_pairs=[{"question": "Did I?", "answer": "Yes."}])]
    (folder / "json/egooops_qa_pair.json").write_text(json.dumps(asked))

    derived = read(folder).derived

    assert derived["rows of egooops without question pairs"] == 2
    assert derived["rows with question pairs of egooops alone"] == 1
    assert derived["rows of assembly101 without question pairs"] == 0


def test_remark_in_another_spelling_is_named(tmp_path):
    rows = [assembly(0, "worng order"), assembly(1)]

    assert "remark 'worng order' read as 'wrong order'" in warnings_of(tmp_path, assembly101=rows)


@pytest.mark.parametrize(
    ("source", "changed", "words"),
    [
        (cook, {"close_end_answer": "correct"}, "is 'correct'; expected a list of correct"),
        (cook, {"close_end_answer": []}, "close_end_answer is []; expected a list of correct"),
        (cook, {"close_end_answer": ["Wrong order", "Omission"]}, "expected answers in order"),
        (oops, {"close_end_answer": "Wrong"}, "answer is 'Wrong'; expected one of correct, Wrong"),
        (oops, {"is_error": 1}, "is_error is 1; expected true or false"),
        (oops, {"close_end_answer": "Others"}, "is_error is False; expected true exactly where"),
        (assembly, {"task_id": "boat"}, "task_id is 'boat'; expected a procedure of procedure"),
        (assembly, {"start_time": 300.0}, "end_time is 294.133; expected a time not before"),
        (assembly, {"start_time": "soon"}, "start_time is 'soon'; expected a finite number"),
        (tent, {"action_annotation": None}, "action_annotation is None; expected text"),
        (tent, {"end_GoPro_ts": "00:00:01:00"}, "is '00:00:01:00'; expected a time code not"),
    ],
)
def test_anything_wrong_refuses_the_files_with_file_row_field_value_and_expectation(
    tmp_path, source, changed, words
):
    name = {cook: "captaincook4d", tent: "epic_tent", assembly: "assembly101", oops: "egooops"}
    folder = write_folder(tmp_path, **{name[source]: [source(0) | changed]})

    with pytest.raises(FormatError) as refused:
        read(folder)

    [message] = [str(one) for one in refused.value.problems if words in str(one)]
    assert ".json, [0]" in message


def test_pairs_are_checked(tmp_path):
    folder = write_folder(tmp_path)
    (folder / "json/egooops_qa_pair.json").write_text(
        json.dumps([oops(0, qa_pairs=[{"answer": ""}])])
    )

    with pytest.raises(FormatError, match=r"egooops_qa_pair.json, \[0\].qa_pairs\[0\]: question"):
        read(folder)


def test_folder_without_one_of_the_files_is_refused(tmp_path):
    folder = write_folder(tmp_path)
    (folder / "json/epic_tent_qa_pair.json").unlink()

    with pytest.raises(FormatError, match=r"No epic_tent_qa_pair\.json in these files"):
        read(folder)
