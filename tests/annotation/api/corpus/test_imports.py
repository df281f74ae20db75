"""Scripts import a data set as the pages do: dry run first, whole answer, every problem named."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from annotation.models import Dataset
from tests.factories import StepFactory, TakeFactory, TraceFactory, TraceStepFactory

PROCEDURE = {
    "videos": [
        {
            "task_id": "tea",
            "video_id": video_id,
            "segments": [
                {
                    "startTime": 1.0,
                    "endTime": 2.0,
                    "instruction": 0,
                    "labels": labels,
                    "caption": "grab the wrong cup" if labels else "",
                }
            ],
        }
        for video_id, labels in (("V1", []), ("V2", [0]))
    ],
    "instructions": {"tea": ["Get a cup"]},
}
ANSWER = {
    "takes": 1,
    "steps": 1,
    "traces": 1,
    "trace_steps": 1,
    "events": 1,
    "native_labels": {"working with wrong objects": 1},
    "derived": {"missing": 0, "out_of_order": 0, "pause_and_resume": 0, "undefined_step": 0},
    "created": 2,
    "updated": 0,
    "unchanged": 0,
}


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def files(metadata):
    classes = ["working with wrong objects"]
    return [
        SimpleUploadedFile("metadata.json", json.dumps(metadata).encode()),
        SimpleUploadedFile("mistake_classes.json", json.dumps(classes).encode()),
    ]


def send(api, metadata=PROCEDURE, **more):
    body = {"name": "Tea", "format": "egooops", "files": files(metadata), **more}
    return api.post("/api/v1/datasets/import/", body, format="multipart")


def test_dry_run_says_what_would_come_in_and_writes_nothing(api):
    answer = send(api, dry_run="true").json()

    assert {name: answer[name] for name in ANSWER} == ANSWER
    assert not Dataset.objects.exists()


def test_import_writes_and_a_second_one_changes_nothing(api, owner):
    first = send(api).json()
    second = send(api).json()

    dataset = Dataset.objects.get()
    assert {name: first[name] for name in ANSWER} == ANSWER
    assert (dataset.owner, first["dataset"]) == (owner, dataset.public_id)
    assert (second["created"], second["unchanged"]) == (0, 2)


def test_a_bad_file_is_refused_with_its_problems(api):
    broken = json.loads(json.dumps(PROCEDURE))
    broken["videos"][0]["segments"][0]["startTime"] = "soon"

    answer = send(api, broken)

    assert answer.status_code == 400
    assert answer.json()["detail"] == "The import was refused; nothing was written."
    problem = answer.json()["problems"][0]
    assert (problem["field"], problem["value"]) == ("startTime", "'soon'")
    assert not Dataset.objects.exists()


def test_reference_can_be_changed_to_another_take(api, owner):
    dataset = TakeFactory(dataset__owner=owner, scenario="tea").dataset
    old, new = (TakeFactory(dataset=dataset, scenario="tea") for _ in range(2))
    steps = [StepFactory(take=take, index=0, step_id="1") for take in (old, new)]
    trace = TraceFactory(dataset=dataset, take=old)
    TraceStepFactory(trace=trace, reference_step=steps[0], step_id="1")

    answer = api.post(
        f"/api/v1/traces/{trace.public_id}/reference/", {"take": new.public_id}, format="json"
    )

    assert answer.json() == {"take": new.public_id}
    assert trace.steps.get().reference_step == steps[1]
