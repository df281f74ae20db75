"""What a rater who looks behind the page can tell of an imported and a generated trace: the same.

A rater gets both in one campaign and takes apart what the browser gets: page data, addresses,
headers and files.
"""

import base64
import json
import re

import av
import pytest
from django.urls import reverse

from annotation.launch import launch_ingest
from annotation.models import Job, Trace
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from generation.services.run_work import work_on_takes
from tests.annotation.conftest import client_of
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
)
from tests.generation.filmed import FRAME_COUNT, RATE, make_run, take_of
from tests.recordings import write_recording

pytestmark = pytest.mark.django_db(transaction=True)
SIGNATURES = re.compile(rb"x264|videolan|Lavf|Lavc|libx|FFmpeg|piev|bridge", re.IGNORECASE)


@pytest.fixture
def traces(filmed_dataset, owner, tmp_path, monkeypatch):
    """Return an imported and a generated trace, both with a video that was ingested."""
    monkeypatch.setattr("celery.current_app.send_task", lambda name, args: None)
    run = make_run(filmed_dataset, owner)
    work_on_takes(job_ids=list(run.run_takes.values_list("job_id", flat=True)))
    generated = take_of(run).published_trace.trace
    # Raters are shown no placeholders; these clips stand for those of a model.
    Trace.objects.filter(pk=generated.pk).update(has_placeholders=False)
    generated.refresh_from_db()
    folder = tmp_path / "imported"
    folder.mkdir()
    # Browsers cannot jump in it, so they get a proxy.
    write_recording(folder / "slip.mp4", rate=RATE, frame_count=FRAME_COUNT, group=FRAME_COUNT)
    dataset = DatasetFactory(name="Slips of others", owner=owner)
    imported = TraceFactory(dataset=dataset, take=take_of(run).take, video_stem="slip")
    TraceStepFactory(trace=imported)
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    imported.refresh_from_db()
    launch_ingest(dataset=dataset, actor=owner)
    ingest_videos(job_ids=list(Job.objects.filter(status="queued").values_list("pk", flat=True)))
    return {"imported": imported, "generated": generated}


@pytest.fixture
def places(traces):
    """Return the assignments of one rater, by what the rater must not find out."""
    campaign, rater = CampaignFactory(), UserFactory()
    return {
        name: AssignmentFactory(campaign=campaign, rater=rater, trace=trace, position=position)
        for position, (name, trace) in enumerate(traces.items())
    }


def data_of(client, assignment):
    page = client.get(reverse("audit", args=[assignment.public_id])).content.decode()
    found = re.search(r'<script id="audit-data" type="application/json">(.*?)</script>', page)
    return page, json.loads(found[1])


def address_of(page, side):
    figure = page[page.index(f'data-side="{side}"') :]
    return re.search(r'<video src="([^"]+)"', figure)[1]


def test_headers_and_addresses_of_both_have_the_same_form(places):
    client = client_of(places["imported"].rater)
    found = {}
    for name, assignment in places.items():
        page, data = data_of(client, assignment)
        address = address_of(page, "trace")
        answer = client.get(address, headers={"Range": "bytes=0-99"})
        token = address.split("/")[2]
        sealed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        trace = assignment.trace
        secrets = [trace.video.public_id, trace.public_id, trace.dataset.public_id, trace.uid]
        assert [secret for secret in secrets if secret in page or secret.encode() in sealed] == []
        assert re.fullmatch(r'"[0-9a-f]{32}"', answer.headers["ETag"])
        found[name] = (
            len(token),
            sorted(answer.headers),
            {key: answer.headers[key] for key in ("Content-Type", "Cache-Control")},
            sorted(data),
            sorted(data["media"]["trace"]),
        )

    assert found["imported"] == found["generated"]


def test_files_of_both_have_the_same_tags_without_a_program_name(places, tmp_path):
    client = client_of(places["imported"].rater)
    tags, signed = {}, {}
    for name, assignment in places.items():
        page, _ = data_of(client, assignment)
        content = b"".join(client.get(address_of(page, "trace")).streaming_content)
        path = tmp_path / f"{name}.mp4"
        path.write_bytes(content)
        signed[name] = [item.lower() for item in SIGNATURES.findall(content)]
        with av.open(str(path)) as container:
            tags[name] = [dict(container.metadata), dict(container.streams.video[0].metadata)]

    assert tags["imported"] == tags["generated"]
    assert signed["imported"] == []
    # What was filmed is copied with what its own camera or encoder wrote into it; no more is added.
    assert set(signed["generated"]) <= {b"x264", b"videolan", b"lavc"}
    assert signed["generated"].count(b"x264") <= 2


def test_etags_of_two_raters_differ(places, traces):
    first = places["generated"]
    second = UserFactory()
    AssignmentFactory(round=first.round, rater=second, trace=traces["generated"])

    tags = []
    for assignment in first.round.assignments.filter(trace=traces["generated"]):
        client = client_of(assignment.rater)
        page, _ = data_of(client, assignment)
        tags.append(client.head(address_of(page, "trace")).headers["ETag"])

    assert len(set(tags)) == 2
