"""Answers from files: matched by key; a file with faults is refused as a whole."""

import json
import random
import struct

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from django.utils.module_loading import import_string

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import Job
from annotation.services.records.jobs import LEASE, lost_job_ids
from benchmarks.engine.frame_values import unpack_frames
from benchmarks.models import Answer, Assessment, Figure
from benchmarks.selectors.downloads import Download, download_of
from benchmarks.services import batches
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.uploads import AnswerUpload
from tests.benchmarks.made import (
    TASKS,
    as_csv,
    as_lines,
    baseline_values,
    figures_of,
    frozen_set,
    made_set,
    uploaded,
)

pytestmark = pytest.mark.django_db

EVERY_FIGURE = {
    "step_mistakes": {"f1", "precision", "recall", "specificity", "accuracy", "accuracy_of_all"},
    "mistake_intervals": set(),
    "speak_or_stay_silent": {"g_mean_f1", "speak_f1", "silent_f1", "accuracy"},
    "describe_mistake": {"token_f1", "character_f1"},
    "error_types": {"accuracy_of_all", "recall", "f1", "typed_recall_of_all", "specificity"},
}


@pytest.mark.parametrize("task", TASKS)
def test_a_file_of_a_baselines_answers_scores_as_the_baseline_in_any_order(sample, owner, task):
    made = frozen_set(sample, owner, task)
    baseline = made.assessments.order_by("pk").first()
    values = baseline_values(made)
    shuffled = list(values.items())
    random.Random(3).shuffle(shuffled)

    from_csv = uploaded(made, owner, as_csv(made, values))
    from_lines = uploaded(made, owner, as_lines(dict(shuffled)), "answers.jsonl")

    assert figures_of(from_csv) == figures_of(from_lines) == figures_of(baseline)
    assert from_csv.counts == baseline.counts


def problems_of(step_set, owner, text, name="answers.csv", **changes):
    before = Assessment.objects.count(), Answer.objects.count()
    with pytest.raises(FormatError) as caught:
        uploaded(step_set, owner, text, name, **changes)
    assert (Assessment.objects.count(), Answer.objects.count()) == before
    return [(fault.place, fault.field, fault.value) for fault in caught.value.problems]


def test_all_faults_are_reported_at_once_with_line_field_and_value(step_set, owner):
    [first, second, *_] = values = list(baseline_values(step_set))
    lines = ["key,answer,score", f"{first},maybe,0.5", f"{second},,0.5", "alien,mistake,1"]
    lines += [f"{values[2]},{'x'},high", f"{first},mistake,1", f"{values[3]},a,b,c"]

    found = problems_of(step_set, owner, "\n".join(lines))

    assert found == [
        ("line 2", "answer", "'maybe'"),
        ("line 3", "answer", "''"),
        ("line 4", "key", "'alien'"),
        ("line 5", "answer", "'x'"),
        ("line 6", "key", repr(first)),
        ("line 7", "cells", "4"),
    ]


def test_a_truncated_file_is_refused_unless_missing_answers_are_to_be_counted(step_set, owner):
    values = baseline_values(step_set)
    kept = dict(list(values.items())[:-5])

    [(place, _, words)] = problems_of(step_set, owner, as_csv(step_set, kept))
    counted = uploaded(step_set, owner, as_csv(step_set, kept), counts_missing=True)

    assert (place, words.split(" (")[0]) == (
        "", f"5 of {step_set.item_count} items have no answer",
    )  # fmt: skip
    assert (counted.counts["missing"], counted.counts["read"]) == (5, len(kept))


def test_a_file_cut_in_the_middle_of_a_line_is_refused(step_set, owner):
    values = baseline_values(step_set)
    lines, rows = as_lines(values), as_csv(step_set, values)

    [cut] = problems_of(step_set, owner, lines[:-20], "a.jsonl", counts_missing=True)
    assert cut[1] == "line"
    assert problems_of(step_set, owner, rows[: rows.rindex(",") - 3], counts_missing=True)


@pytest.mark.parametrize(
    ("text", "field"),
    [("", "header"), ("name,answer\n", "header"), ("key,answer,answer\n", "header")],
)
def test_table_with_other_columns_is_refused(step_set, owner, text, field):
    assert [found[1] for found in problems_of(step_set, owner, text)] == [field]


def test_binary_file_is_refused(step_set, owner):
    with pytest.raises(FormatError, match="expected UTF-8"):
        uploaded(step_set, owner, "", content=b"key,answer\n\xff\xfe")


@pytest.mark.parametrize(
    ("task", "answer", "field"),
    [
        ("step_mistakes", '"answer": "yes", "score": 1%s' % ("0" * 400), "score"),
        ("describe_mistake", r'"text": "tea\u0000 spilt"', "text"),
        # Once stored, half a character would be on the pages of every participant.
        ("describe_mistake", r'"text": "tea \ud83d spilt"', "text"),
        ("describe_mistake", r'"tea \ud83d": "spilt"', "line"),
        ("anomaly", '"values": [1%s]' % ("0" * 400), "values"),
    ],
)
def test_values_that_cannot_be_stored_are_refused(sample, owner, task, answer, field):
    made = frozen_set(sample, owner, task)
    text = f'{{"key": "{made.test_items.first().key}", {answer}}}'

    [found] = problems_of(made, owner, text, "a.jsonl", counts_missing=True)

    assert found[:2] == ("line 1", field)


def test_an_interval_without_end_ends_with_the_recording(sample, owner):
    made = frozen_set(sample, owner, "anomaly")
    item = made.test_items.first()
    answer = {"intervals": [{"start_s": 0, "end_s": 1e308, "number": 1}]}

    done = uploaded(made, owner, as_lines({item.key: answer}), "a.jsonl", counts_missing=True)

    value = done.answers.get().value
    assert unpack_frames(value).tolist() == [1] * item.payload["frame_count"]


def test_a_file_beyond_the_limit_and_an_archive_of_millions_are_refused_unread(settings):
    settings.UPLOAD_LIMIT_MB = 1
    large = SimpleUploadedFile("a.csv", b"k" * ((1 << 20) + 1))
    # The end record of an archive: it states how long the list of its files is.
    listed = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 60_000, 60_000, 3_000_000, 0, 0)

    with pytest.raises(FormatError, match="expected at most 1 MB"):
        AnswerUpload.of(file=large, name="Large")
    with pytest.raises(FormatError, match="far more files"):
        AnswerUpload.of(file=SimpleUploadedFile("a.npz", listed), name="Many")


def test_nothing_is_answered_before_the_freeze(sample, owner):
    made = made_set(sample, owner)

    with pytest.raises(ValidationError, match="not frozen"):
        uploaded(made, owner, "key,answer\n")


def test_an_interval_twice_backwards_or_without_a_label_is_refused(sample, owner):
    made = frozen_set(sample, owner, "mistake_intervals")
    key = made.items.first().key
    rows = ["1,2,mistake,0.5", "1,2,mistake,0.6", "5,4,mistake,", "1,2,,"]

    found = []
    for row in rows[2:]:
        text = f"key,start_s,end_s,label,score\n{key},{row}\n"
        found += problems_of(made, owner, text, counts_missing=True)
    text = f"key,start_s,end_s,label,score\n{key},{rows[0]}\n{key},{rows[1]}\n"
    found += problems_of(made, owner, text, counts_missing=True)

    assert [field for _, field, _ in found] == ["end_s", "label", "start_s"]


def test_a_fault_of_an_interval_stands_at_its_own_line(sample, owner):
    made = frozen_set(sample, owner, "mistake_intervals")
    key = made.items.first().key
    csv = f"key,start_s,end_s,label,score\n{key},1,2,mistake,0.5\n{key},5,4,mistake,\n"
    good = {"start_s": 1, "end_s": 2, "label": "mistake"}
    line = json.dumps({"key": key, "intervals": [good, {**good, "score": "high"}]})

    assert problems_of(made, owner, csv) == [("line 3", "end_s", "'4'")]
    found = problems_of(made, owner, line, "a.jsonl")
    assert found == [("line 1, interval 2", "start_s", "1")]


def test_score_out_of_range_has_its_own_message(step_set, owner):
    [key, *_] = baseline_values(step_set)
    with pytest.raises(FormatError, match=r"^answers.csv, line 2: score is 2; expected 0 \("):
        uploaded(step_set, owner, f"key,answer,score\n{key},yes,2\n")


def test_texts_of_json_lines_keep_every_character_that_can_be_stored(sample, owner):
    made = frozen_set(sample, owner, "describe_mistake")
    values = baseline_values(made)
    [first, second, *_] = values
    values[first] = {"text": "One line\u2028and \x85 another"}
    lines = "".join(
        json.dumps({"key": key, **value}, ensure_ascii=False) + "\r\n"
        for key, value in values.items()
    )

    stored = uploaded(made, owner, lines, "a.jsonl").answers.get(item__key=first).value
    assert stored == values[first]
    for escaped in ("\\u0000", "\\ud800"):
        text = f'{{"key": "{second}", "text": "a{escaped}b"}}\n'
        [(place, field, _)] = problems_of(made, owner, text, "a.jsonl")
        assert (place, field) == ("line 1", "text")


def test_name_that_is_twice_in_an_object_is_refused(step_set, owner):
    [key, *_] = baseline_values(step_set)
    text = f'{{"key": "{key}", "answer": "yes", "answer": "no"}}\n'

    [(place, field, _)] = problems_of(step_set, owner, text, "a.jsonl", counts_missing=True)

    assert (place, field) == ("line 1", "line")


@pytest.mark.parametrize(("text", "name"), [("key,answer,score\n", "a.csv"), ("", "a.jsonl")])
def test_a_file_without_any_answer_makes_no_participant(step_set, owner, text, name):
    [(_, _, words)] = problems_of(step_set, owner, text, name, counts_missing=True)

    assert words.startswith(f"{step_set.item_count} of {step_set.item_count} items")


def template_of(item_set):
    return "".join(download_of(item_set, Download.TEMPLATE_CSV))


def test_an_untouched_template_of_intervals_is_missing_and_no_answer(sample, owner):
    made = frozen_set(sample, owner, "mistake_intervals")
    rows = template_of(made).splitlines()

    [(_, _, words)] = problems_of(made, owner, "\n".join(rows))
    assert words.startswith(f"{made.item_count} of {made.item_count} items have no answer")
    assert problems_of(made, owner, "\n".join(rows), counts_missing=True)
    key = rows[1].split(",")[0]
    rows[1] = f"{key},,,None,"
    done = uploaded(made, owner, "\n".join(rows), counts_missing=True)
    assert (done.counts["read"], done.counts["missing"]) == (1, made.item_count - 1)
    assert done.answers.get().value == {"intervals": []}


def test_none_is_said_alone_and_without_a_time(sample, owner):
    made = frozen_set(sample, owner, "mistake_intervals")
    [key, *_] = made.test_items.values_list("key", flat=True)
    header = "key,start_s,end_s,label,score"
    for rows in (f"{key},1,2,none,", f"{key},1,2,mistake,\n{key},,,none,"):
        assert problems_of(made, owner, f"{header}\n{rows}", counts_missing=True)


@pytest.mark.parametrize("task", TASKS)
def test_missing_answers_that_are_counted_are_wrong_in_every_figure(sample, owner, task):
    made = frozen_set(sample, owner, task)
    items = {item.key: item for item in made.test_items}
    truths = {
        key: {"intervals": [], "text": "", "score": 1.0} | item.truth for key, item in items.items()
    }
    shape = {"mistake_intervals": ("intervals",), "describe_mistake": ("text",)}
    fields = shape.get(task, ("answer",))
    right = {key: {name: truth[name] for name in fields} for key, truth in truths.items()}
    if task == "mistake_intervals":
        for value in right.values():
            value["intervals"] = [{**row, "score": 0.5} for row in value["intervals"]]
    sequence = next(iter(items.values())).sequence
    some = [key for key, item in items.items() if item.sequence == sequence][: len(items) // 4]
    few = {key: right[key] for key in (some if sequence else list(right)[: len(right) // 4])}

    whole = figures_of(uploaded(made, owner, as_lines(right), "all.jsonl"))
    counted = figures_of(uploaded(made, owner, as_lines(few), "few.jsonl", counts_missing=True))

    lower = {
        name for name, (value, _, _) in counted.items()
        if value is not None and whole[name][0] is not None and value < whole[name][0]
    }  # fmt: skip
    assert lower >= EVERY_FIGURE[task]


class KilledError(BaseException):
    """As if the process ended here."""


STEPS = {
    "first batch": ("benchmarks.services.figures.insert_rows", 1),
    "later batch": ("benchmarks.services.figures.insert_rows", 4),
    "figures": ("benchmarks.services.uploads.store_figures", 1),
    "log": ("benchmarks.services.uploads.record_assessment", 1),
}


def stopped_at(step, monkeypatch):
    """Let an upload stop at a step."""
    address, number = STEPS[step]
    whole, calls = import_string(address), []

    def stopping(*arguments):
        calls.append(arguments)
        if len(calls) == number:
            raise KilledError
        return whole(*arguments)

    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(address, stopping)


def everything():
    return [table.objects.count() for table in (Assessment, Answer, Figure, Job)]


@pytest.mark.parametrize("step", STEPS)
def test_an_upload_that_is_stopped_leaves_nothing(step_set, owner, monkeypatch, step):
    before, text = everything(), as_csv(step_set, baseline_values(step_set))
    with monkeypatch.context() as patched:
        stopped_at(step, patched)
        with pytest.raises(KilledError):
            uploaded(step_set, owner, text)
    assert everything() == before

    assert uploaded(step_set, owner, text).frozen_at is not None
    assert Job.objects.count() == before[-1]


@pytest.mark.parametrize("step", STEPS)
def test_a_worker_takes_away_what_a_killed_process_stored(
    step_set, owner, owner_client, monkeypatch, step
):
    before, text = everything(), as_csv(step_set, baseline_values(step_set))
    with monkeypatch.context() as patched:
        stopped_at(step, patched)
        # A process that is killed cleans up nothing.
        patched.setattr("benchmarks.services.uploads.take_away_upload", lambda *_: None)
        with pytest.raises(KilledError):
            uploaded(step_set, owner, text)
    row = Assessment.objects.get(kind="file")
    api = f"/api/v1/assessments/{row.public_id}/"
    assert (row.frozen_at, owner_client.get(api).json()["state"]) == (None, "running")
    # Nobody takes a living upload for a dead one, and nobody can leave it as it is.
    owner_client.post(f"{api}cancel/")
    assert lost_job_ids() == []
    assert lost_job_ids(now=timezone.now() + 2 * LEASE) == [row.job_id]
    Job.objects.filter(pk=row.job_id).update(lease_until=timezone.now() - LEASE)
    work_on_assessments(job_ids=lost_job_ids())

    assert everything() == before


def test_an_upload_is_stored_in_batches_and_leaves_nothing_where_one_fails(
    step_set, owner, monkeypatch
):
    stored = []
    insert = batches.insert_rows

    def insert_some(claim, sql, rows):
        stored.append(len(rows))
        if len(stored) == 3:
            raise OSError("no space left on the device")
        insert(claim, sql, rows)

    monkeypatch.setattr(batches, "ROWS_AT_ONCE", 2)
    monkeypatch.setattr("benchmarks.services.figures.insert_rows", insert_some)
    before = Assessment.objects.count(), Answer.objects.count()
    text = as_csv(step_set, baseline_values(step_set))
    with pytest.raises(OSError, match="no space"):
        uploaded(step_set, owner, text)
    assert (Assessment.objects.count(), Answer.objects.count()) == before

    uploaded(step_set, owner, text)

    assert set(stored) <= {1, 2}
    assert len(stored) > 10
