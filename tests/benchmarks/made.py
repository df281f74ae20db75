"""Item sets of tests, and answers to them."""

import csv
import io
import json

from django.core.exceptions import ValidationError

from benchmarks.engine.answers.files import COLUMNS
from benchmarks.engine.features.reading import FeatureRows
from benchmarks.selectors.item_sets import task_of
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import (
    ItemSetRequest,
    start_deleting,
    start_freezing,
    start_making,
)
from benchmarks.services.uploads import AnswerUpload, upload_answers

TASKS = (
    "step_mistakes",
    "mistake_intervals",
    "speak_or_stay_silent",
    "describe_mistake",
    "error_types",
)


def made_set(dataset, owner, task="step_mistakes", **changes):
    source = {} if dataset is None else {"source": dataset.public_id}
    fields = {"name": f"Set of {task}", "task": task, **source, **changes}
    item_set, job_ids = start_making(request=ItemSetRequest(**fields), actor=owner)
    return worked_on(item_set, job_ids)


def worked_on(item_set, job_ids):
    """The set after its job; raises ValidationError where the job failed."""
    work_on_item_sets(job_ids=job_ids)
    item_set.refresh_from_db()
    if item_set.job is not None and item_set.job.error:
        raise ValidationError(item_set.job.error)
    return item_set


def frozen(item_set, owner):
    return worked_on(item_set, start_freezing(item_set=item_set, actor=owner))


def frozen_set(dataset, owner, task="step_mistakes", **changes):
    return frozen(made_set(dataset, owner, task, **changes), owner)


def deleted(item_set, owner):
    work_on_item_sets(job_ids=start_deleting(item_set=item_set, actor=owner))


def baseline_values(item_set, place=0):
    """The values of a trivial baseline, by the keys that participants know."""
    baseline = item_set.assessments.filter(kind="baseline").order_by("pk")[place]
    return dict(baseline.answers.values_list("item__key", "value"))


def as_csv(item_set, values):
    """Values as the CSV file that a participant would upload."""
    columns = COLUMNS[task_of(item_set).shape]
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    for key, value in values.items():
        rows = value.get("intervals", [value]) or [{"label": "none"}]
        if "said" in value:
            rows = value["said"] or [{"text": "none"}]
        for row in rows:
            writer.writerow({"key": key, **row})
    return file.getvalue()


def as_lines(values):
    return "".join(json.dumps({"key": key, **value}) + "\n" for key, value in values.items())


def uploaded(item_set, owner, text, file_name="answers.csv", **changes):
    fields = {"name": "Their model 2", "file_name": file_name, "content": text.encode(), **changes}
    return upload_answers(item_set=item_set, request=AnswerUpload(**fields), actor=owner)


def figures_of(assessment, group=""):
    rows = assessment.figures.filter(group=group)
    return {row.measure: (row.value, row.low, row.high) for row in rows}


def reading_of(arrays):
    """Arrays by recording, as `store_features` reads them."""
    return lambda keep: (keep(uid, FeatureRows.of(array)) for uid, array in arrays)
