"""Steps proposed from features: of a real recording, by a scripted model, and in an audit."""

import json
import re
from datetime import timedelta
from fractions import Fraction
from io import StringIO
from unittest.mock import patch

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Job, JobStatus, Take
from annotation.services.videos.linking import link_videos
from benchmarks.engine.guiding.proposing import (
    IN_ORDER,
    ProposedStep,
    Stage,
    edge_errors,
    evenly,
    feature_strip,
)
from benchmarks.engine.guiding.step_prompts import read_groups, read_scores
from benchmarks.models import FeatureArray, FeatureSet, StepProposals
from benchmarks.selectors.proposals import edge_figures, is_left_out
from benchmarks.services import feature_work, proposal_work
from benchmarks.services.feature_work import cancel_features, make_features, start_features
from benchmarks.services.features import FeaturesRequest, store_features
from benchmarks.services.proposals import (
    ProposalsInUseError,
    ProposalsRequest,
    cancel_proposals,
    delete_proposals,
    resume_proposals,
    start_audit,
    start_proposals,
)
from generation.models import TextCall
from segments.models import SegmentRecording
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import model
from tests.benchmarks.made import reading_of
from tests.factories import DatasetFactory, StepFactory, TakeFactory
from tests.generation.text_endpoints import make_endpoint
from tests.recordings import write_recording

pytestmark = pytest.mark.django_db(transaction=True)
TEA = [("Boil water", 0.0, 4.0), ("Add tea", 4.0, 7.0), ("Pour water", 7.0, 12.0)]


def filmed(owner, folder, uid, steps, stem, suffix=".mp4"):
    dataset = DatasetFactory(owner=owner)
    take = TakeFactory(dataset=dataset, uid=uid, video_stem=stem, scenario="Make it")
    for index, (text, start_s, end_s) in enumerate(steps):
        StepFactory(take=take, index=index, text=text, start_s=start_s, end_s=end_s)
    if folder is not None:
        link_videos(dataset=dataset, folder=str(folder), pattern=f"{{stem}}{suffix}")
    return dataset


@pytest.fixture
def tea(owner, tmp_path, media):
    write_recording(tmp_path / "tea.mp4", rate=Fraction(10), frame_count=120, sound=None)
    return filmed(owner, tmp_path, "tea-1", TEA, "tea")


def two_films(owner, folder):
    for stem in ("tea", "more"):
        write_recording(folder / f"{stem}.mp4", rate=Fraction(10), frame_count=120, sound=None)
    dataset = filmed(owner, None, "tea-1", TEA, "tea")
    take = TakeFactory(dataset=dataset, uid="tea-2", video_stem="more", scenario="Make it")
    for index, (text, start_s, end_s) in enumerate(TEA):
        StepFactory(take=take, index=index, text=text, start_s=start_s, end_s=end_s)
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    return dataset


def looks(dataset, owner, uid="tea-1", edges=(4, 7, 12), name="Looks"):
    """Features of one row a second that change at these edges."""
    rng = np.random.default_rng(0)
    rows = np.concatenate([
        np.full((end - start, 3), 10.0 * place) + rng.normal(scale=0.1, size=(end - start, 3))
        for place, (start, end) in enumerate(zip((0, *edges), edges, strict=False))
    ]).astype(np.float32)  # fmt: skip
    request = FeaturesRequest(name)
    return store_features(
        dataset=dataset, request=request, read=reading_of([(uid, rows)]), actor=owner
    )


def proposed(features, owner, **changes):
    request = ProposalsRequest(**{"name": "First", "features": features.public_id, **changes})
    proposals, job_ids = start_proposals(request=request, actor=owner)
    proposal_work.propose_steps(job_ids=job_ids)
    return again(proposals)


def again(proposals):
    related = ("job", "dataset", "audit", "owner")
    return StepProposals.objects.select_related(*related).get(pk=proposals.pk)


def times_of(row):
    return [(step["start_s"], step["end_s"], step["place"]) for step in row.steps]


def test_without_a_model_pieces_are_given_to_the_steps_in_order(tea, owner):
    found = proposed(looks(tea, owner), owner)

    [row] = found.recordings.all()
    assert found.is_finished
    assert times_of(row) == [(0.0, 4.0, 0), (4.0, 7.0, 1), (7.0, 12.0, 2)]
    assert [*row.stages] == ["features", "tree", "cut", "steps", "truth", "errors", "even"]
    assert row.stages["errors"] == {
        "matched": 3, "steps": 3, "median_s": 0.0, "mean_s": 0.0, "inner": 2,
        "near": {"1": 1.0, "2": 1.0},
    }  # fmt: skip
    assert [one.name for one in edge_figures([row])] == ["Proposed", "Equal pieces, in order"]


def test_errors_of_edges_are_those_worked_out_by_hand():
    truth = [ProposedStep(0, 4, 0), ProposedStep(4, 10, 1), ProposedStep(10, 12, None)]
    own = [ProposedStep(0, 5, 0), ProposedStep(5, 7, 1), ProposedStep(7, 12, 1)]

    # Edges of step 1 are off by 0 and 1 s, of step 2 by 1 and 3 s.
    assert edge_errors(truth, own) == {
        "matched": 2, "steps": 2, "median_s": 1.0, "mean_s": 1.25, "inner": 2,
        "near": {"1": 0.5, "2": 1.0},
    }  # fmt: skip
    assert edge_errors([], own) is None
    assert evenly(12.0, 3) == [
        ProposedStep(0.0, 4.0, 0), ProposedStep(4.0, 8.0, 1), ProposedStep(8.0, 12.0, 2),
    ]  # fmt: skip
    assert feature_strip(np.array([[0.0], [1.0], [1.0], [3.0]])) == [0.0, 0.5, 0.0, 1.0]


def test_audit_gets_them_as_segments_of_a_file_and_does_not_tell_from_where(
    tea, owner, owner_client
):
    found = proposed(looks(tea, owner), owner)

    round_, report = start_audit(proposals=found, name="Tea", actor=owner)

    row = SegmentRecording.objects.get(round=round_)
    assert [one.segment_count for one in report.recordings] == [3]
    names = ("start_s", "end_s", "step_id", "text")
    assert [tuple(one[name] for name in names) for one in row.proposals] == [
        (0.0, 4.0, "1", "Boil water"), (4.0, 7.0, "2", "Add tea"), (7.0, 12.0, "3", "Pour water"),
    ]  # fmt: skip
    assert (round_.segments.stage, round_.segments.scheme) == ("audit", "partition")
    assert "proposal" not in json.dumps(row.proposals).replace("is_proposal", "")
    with pytest.raises(ProposalsInUseError, match="has an audit already"):
        start_audit(proposals=again(found), name="Tea 2", actor=owner)


def reply(body):
    """What a model with eyes would say of the recording of `TEA`, by what it is asked."""
    text = words_of(body)
    if "Pictures of one piece" in text:
        return "Use the kettle"
    if "Captions of the pieces" in text:
        count = len(re.findall(r"^\d+\. [\d.]+–", text, flags=re.M))
        cuts = [count // 3, 2 * count // 3, count]
        groups = [
            {"caption": f"Group {number}", "first": first + 1, "last": last}
            for number, first, last in zip((1, 2, 3), [0, *cuts[:2]], cuts, strict=True)
        ]
        return json.dumps({"groups": groups})
    if "array of exactly" in text:
        return "[1, 0, 3]"
    return json.dumps({"coverage": 7, "order": 8, "relevance": 9, "overall": 5.0,
                       "reasons": "fine", "issues": []})  # fmt: skip


def test_model_captions_groups_aligns_and_scores(tea, owner):
    with AnsweringServer(answers=reply) as server:
        endpoint = model(server, owner, supports_images=True)
        found = proposed(looks(tea, owner), owner, describer=endpoint.public_id)

    [row] = found.recordings.all()
    assert (found.job.status, row.fault) == (JobStatus.DONE, "")
    assert set(row.stages) >= {stage.value for stage in Stage}
    assert [step["place"] for step in row.steps] == [0, None, 2]
    assert [step["caption"] for step in row.steps] == ["Group 1", "Group 2", "Group 3"]
    starts, ends, _ = zip(*times_of(row), strict=True)
    assert (starts[0], ends[-1], starts[1:]) == (0.0, 12.0, ends[:-1])
    # Exactly 5 stays.
    assert not is_left_out(row)


def test_work_goes_on_where_a_killed_worker_stopped_and_pays_nothing_twice(tea, owner, monkeypatch):
    with AnsweringServer(answers=reply) as server:
        endpoint = model(server, owner, supports_images=True)
        features = looks(tea, owner)
        request = ProposalsRequest("First", features.public_id, describer=endpoint.public_id)
        proposals, job_ids = start_proposals(request=request, actor=owner)
        whole = proposal_work.RecordingWork._alignment
        monkeypatch.setattr(proposal_work.RecordingWork, "_alignment", lambda _: 1 / 0)
        proposal_work.propose_steps(job_ids=job_ids)
        monkeypatch.setattr(proposal_work.RecordingWork, "_alignment", whole)
        [row] = proposals.recordings.all()
        before, calls = row.stages, TextCall.objects.count()
        assert again(proposals).job.status == JobStatus.FAILED

        job_ids = resume_proposals(proposals=again(proposals), actor=owner)
        proposal_work.propose_steps(job_ids=job_ids)

    [row] = proposals.recordings.all()
    assert again(proposals).is_finished
    assert {name: row.stages[name] for name in before} == before
    assert TextCall.objects.count() == calls + 2


def test_a_reply_that_cannot_be_read_twice_is_a_fault_of_that_recording_alone(tea, owner):
    with AnsweringServer(answers=lambda body: "I would rather not.") as server:
        endpoint = model(server, owner, supports_images=True)
        found = proposed(looks(tea, owner), owner, describer=endpoint.public_id)

    [row] = found.recordings.all()
    assert found.is_finished
    assert "a reply and its repair could not be read" in row.fault
    assert row.steps == []


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([], "there is no list"),
        ([{"caption": "", "first": 1, "last": 3}], "expected words"),
        ([{"caption": "a", "first": 2, "last": 3}], "expected 1"),
        ([{"caption": "a", "first": 1, "last": 2}], "expected 3"),
    ],
)
def test_groups_that_leave_out_or_repeat_pieces_are_refused(groups, words):
    with pytest.raises(ValueError, match=words):
        read_groups(json.dumps({"groups": groups}), 3)


def test_scores_beyond_their_scale_are_refused():
    with pytest.raises(ValueError, match="overall is 11"):
        read_scores('{"coverage": 1, "order": 1, "relevance": 1, "overall": 11}')


def computed(tea, owner, **changes):
    """Proposals whose job has to compute the features first."""
    made = {"name": "First", "dataset": tea.public_id, "extractor": "colour-and-motion"}
    return start_proposals(request=ProposalsRequest(**{**made, **changes}), actor=owner)


def test_features_that_are_not_there_are_computed_first_as_the_command_makes_them(tea, owner):
    own, job_ids = start_features(
        dataset=tea, name="Own", extractor="colour-and-motion", actor=owner
    )
    make_features(job_ids=job_ids)
    array = own.arrays.get()
    FeatureSet.objects.all().delete()

    proposals, job_ids = computed(tea, owner)
    proposal_work.propose_steps(job_ids=job_ids)

    made = FeatureSet.objects.get()
    assert made.is_finished
    assert (made.name, made.owner) == ("Colour and motion for First", owner)
    assert [(one.recording, one.content_hash) for one in made.arrays.all()] == [
        (array.recording, array.content_hash)
    ]
    [row] = proposals.recordings.all()
    assert again(proposals).is_finished
    assert row.stages["features"]["rows"] == array.rows
    assert len(row.steps) == 3
    # What is there is not computed again.
    second, _ = computed(tea, owner, name="Second")
    assert second.features == made


def test_computing_features_goes_on_where_a_killed_worker_stopped(owner, tmp_path, media):
    dataset = two_films(owner, tmp_path)
    proposals, job_ids = computed(dataset, owner)
    stored = feature_work.stored_array

    def killed(feature_set, uid, rows):
        if feature_set.arrays.exists():
            raise KeyboardInterrupt
        return stored(feature_set, uid, rows)

    with patch.object(feature_work, "stored_array", killed), pytest.raises(KeyboardInterrupt):
        proposal_work.propose_steps(job_ids=job_ids)
    [first] = FeatureArray.objects.all()
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    proposal_work.propose_steps(job_ids=job_ids)

    assert again(proposals).is_finished
    assert FeatureArray.objects.get(recording=first.recording).pk == first.pk
    assert FeatureArray.objects.count() == 2
    assert [len(row.steps) for row in proposals.recordings.all()] == [3, 3]


def test_proposals_deleted_meanwhile_do_not_go_on(tea, owner):
    proposals, _ = computed(tea, owner)
    cancel_proposals(proposals=proposals, actor=owner)
    delete_proposals(proposals=again(proposals), actor=owner)

    with pytest.raises(ProposalsInUseError, match="has been deleted"):
        resume_proposals(proposals=proposals, actor=owner, budget_usd=2.0)


def test_only_the_recordings_that_are_wanted_are_computed(owner, tmp_path, media):
    dataset = two_films(owner, tmp_path)

    proposals, job_ids = computed(dataset, owner, recordings="tea-2")
    proposal_work.propose_steps(job_ids=job_ids)

    assert [one.recording for one in FeatureArray.objects.all()] == ["tea-2"]
    assert [row.uid for row in proposals.recordings.all()] == ["tea-2"]
    assert "1 of its recordings alone" in again(proposals).features.notes[0]


def test_features_that_were_cancelled_stop_the_proposals_until_they_go_on(tea, owner, owner_client):
    proposals, job_ids = computed(tea, owner)
    page = reverse("proposals", args=[proposals.public_id])
    Job.objects.filter(pk=proposals.features.job_id).update(done_count=3, total_count=12)
    assert "Features first, seconds of video: 3 of 12" in owner_client.get(page).content.decode()
    cancel_features(feature_set=proposals.features, actor=owner)

    proposal_work.propose_steps(job_ids=job_ids)

    stopped = again(proposals).job
    assert stopped.status == JobStatus.FAILED
    assert "were not computed: that was cancelled" in stopped.error
    job_ids = resume_proposals(proposals=again(proposals), actor=owner)
    proposal_work.propose_steps(job_ids=job_ids)
    assert again(proposals).is_finished


def test_cancelling_proposals_stops_their_features_too(tea, owner):
    proposals, _ = computed(tea, owner)

    cancel_proposals(proposals=proposals, actor=owner)

    assert {job.status for job in Job.objects.all()} == {JobStatus.CANCELLED}


def test_what_has_no_video_or_no_extractor_is_refused_by_field(tea, owner):
    for changes, field in (
        ({"extractor": "crystal-ball"}, "extractor"),
        ({"dataset": "nothing"}, "dataset"),
        ({"recordings": "nobody"}, "recordings"),
        ({"features": "both"}, "features"),
        ({"extractor": ""}, "features"),
    ):
        with pytest.raises(ValidationError) as raised:
            computed(tea, owner, **changes)
        assert field in raised.value.message_dict
    Take.objects.update(video=None)
    with pytest.raises(ValidationError, match="No linked video"):
        computed(tea, owner)
    assert not FeatureSet.objects.exists()


def test_page_and_command_have_features_computed_first(tea, owner, owner_client):
    made = {"name": "First", "features": f"colour-and-motion/{tea.public_id}"}

    answer = owner_client.post(reverse("proposals-new"), made)
    words = StringIO()
    call_command(
        "propose_steps", tea.name, extractor="colour-and-motion", name="Second", stdout=words
    )

    first, second = StepProposals.objects.order_by("pk")
    assert answer.status_code == 302
    assert first.features_name == "Colour and motion for First"
    assert second.is_finished
    assert "Second: 1 recordings" in words.getvalue()


def test_request_is_refused_by_field(tea, owner):
    features = looks(tea, owner)
    blind = make_endpoint(owner=owner, name="Blind").public_id

    for changes, field in (
        ({"features": "nothing"}, "features"),
        ({"recordings": "nobody"}, "recordings"),
        ({"describer": "nobody"}, "describer"),
        ({"describer": blind}, "describer"),
        ({"budget_usd": -1.0}, "budget_usd"),
    ):
        request = ProposalsRequest(**{"name": "x", "features": features.public_id, **changes})
        with pytest.raises(ValidationError) as raised:
            start_proposals(request=request, actor=owner)
        assert field in raised.value.message_dict


def test_pages_show_the_stages_to_their_owner_alone(tea, owner, owner_client, outsider_client):
    found = proposed(looks(tea, owner), owner)

    page = owner_client.get(reverse("proposals", args=[found.public_id])).content.decode()
    recording = reverse("proposed-recording", args=[found.public_id, 1])
    shown = owner_client.get(recording).content.decode()

    assert IN_ORDER in page
    assert "Steps of the data set" in shown
    assert "Boil water" in shown
    for name in ("proposals", "proposals-progress"):
        assert outsider_client.get(reverse(name, args=[found.public_id])).status_code == 404
    assert outsider_client.get(recording).status_code == 404
    assert owner_client.get(recording.replace("/1/", "/2/")).status_code == 404
    answer = owner_client.post(
        reverse("proposals-audit", args=[found.public_id]), {"name": "Look at tea"}
    )
    assert answer.status_code == 302
    delete_proposals(proposals=again(found), actor=owner)
    assert not StepProposals.objects.exists()


@pytest.mark.shared_data
def test_steps_of_the_real_clip_with_their_errors(owner, shared_data, media):
    folder = shared_data.parent / "video"
    if not folder.is_dir():
        pytest.skip(f"no recordings at {folder}")
    published = json.loads((folder / "gnome-display-dual-monitors.steps.json").read_text())
    steps = [(one["text"], one["begin"], one["end"]) for one in published["steps"]]
    dataset = filmed(owner, folder, "gnome", steps, "gnome-display-dual-monitors", ".webm")
    features, job_ids = start_features(
        dataset=dataset, name="Colours", extractor="colour-and-motion", actor=owner
    )
    make_features(job_ids=job_ids)

    found = proposed(features, owner)

    [row] = found.recordings.all()
    assert len(row.steps) == len(steps) == 7
    assert row.stages["errors"]["matched"] == 7
    assert row.stages["even"]["matched"] == 7
