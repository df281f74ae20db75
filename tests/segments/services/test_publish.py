"""Data sets that are made of finished segments: written whole or not at all, and rated like any."""

import json
import re
from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.engine.corpus.formats.registry import available_formats
from annotation.models import AuditEntry, Dataset, Rating, Take, Trace
from annotation.selectors.corpus.corpus import trace_of
from annotation.selectors.videos.files import path_of
from annotation.services.campaigns.campaigns import add_datasets, add_raters
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.corpus.import_plan import ImportRefusedError
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats
from segments.models import SegmentPublication
from segments.services.publish import NewDataset, publish_round
from tests.annotation.conftest import client_of
from tests.factories import (
    CampaignFactory,
    DatasetFactory,
    SegmentRoundFactory,
    TraceFactory,
    UserFactory,
    VideoFactory,
)
from tests.segments.segmented_rounds import finish, make_take, steps_of

pytestmark = pytest.mark.django_db

WRONG = "working with wrong objects"
WHOLE = steps_of(("a", 0, 4), ("b", 5, 9), ("c", 10, 16), ("d", 17, 19))


@pytest.fixture
def made():
    return SegmentRoundFactory().round


@pytest.fixture
def ada():
    return UserFactory(username="ada")


def publish(made, owner=None, name="Tea again"):
    return publish_round(round_=made, new=NewDataset(name), actor=owner)


def close(made):
    made.closed_at = timezone.now()
    made.save()


def test_a_reference_and_a_trace_become_a_data_set_with_its_provenance(made, ada, owner):
    dataset = DatasetFactory(video_folder="/videos", video_pattern="{stem}.mp4")
    take = make_take(dataset=dataset)
    trace = TraceFactory(take=take, dataset=dataset, uid="T1", video_stem="t1")
    trace.video = VideoFactory(dataset=dataset, stem="t1")
    trace.save()
    own = finish(made, take, ada, WHOLE, status="accepted", published_as="reference")
    mistaken = [
        replace(WHOLE[0], label=WRONG, text="Use tape but should use glue"),
        WHOLE[2],
        replace(WHOLE[1], start_s=16.5, end_s=18),
        Segment("u", "steps", 18, 19, "-1", text="Grasp a pen"),
        Segment("m", "steps", None, None, "d"),
    ]
    other = finish(made, take, ada, mistaken, status="accepted", trace=trace, published_as="trace")

    outcome = publish(made, owner)

    new = Dataset.objects.get(public_id=outcome.dataset_id)
    assert (new.name, new.format, new.owner) == ("Tea again", "segments", owner)
    [reference] = Take.objects.filter(dataset=new)
    told = reference.steps.order_by("index").values_list("text", "step_id", "start_s", "end_s")
    assert list(told) == [
        ("Do a", "a", 0, 4), ("Do b", "b", 5, 9), ("Do c", "c", 10, 16), ("Do d", "d", 17, 19),
    ]  # fmt: skip
    [published] = Trace.objects.filter(dataset=new)
    rows = [
        (row.mod.value, row.text, row.reference_index, row.event_id, row.start_s)
        for row in trace_of(published).steps
    ]
    assert rows == [
        ("e", "Use tape but should use glue", 0, "E01", 0),
        ("u", "Do c", 2, None, 10),
        ("d", "", 3, "E02", None),
        ("e", "Do b", 1, "E03", 16.5),
        ("u", "Grasp a pen", None, None, 18),
    ]
    assert (published.take, published.uid) == (reference, "T1")
    assert published.provenance["segmentation"] == other.public_id
    assert new.native_labels == {WRONG: 1}
    # Videos are linked as they were, and nothing of the old data set was touched.
    assert (published.video.path, reference.video.stem) == ("t1.mp4", take.video_stem)
    assert (new.video_folder, published.video.dataset, trace.video.dataset) == (
        "/videos", new, dataset,
    )  # fmt: skip
    publication = SegmentPublication.objects.get(dataset=new)
    assert (publication.scheme, publication.scheme_version, publication.guideline) == (
        "egooops", 1, made.guideline.name,
    )  # fmt: skip
    persons = {item["person"] for item in publication.segmentations}
    assert {item["segmentation"] for item in publication.segmentations} == {
        own.public_id, other.public_id,
    }  # fmt: skip
    assert len(persons) == 1
    # As a word: ids and hashes hold any three letters now and then.
    told = json.dumps([publication.segmentations, published.provenance])
    assert not re.search(r"\bada\b", told)
    assert AuditEntry.objects.filter(action="round.publish").count() == 1


def test_what_is_published_is_what_the_exported_file_would_import(made, ada, tmp_path):
    """The reader of EgoOops and publishing make the same traces of the same segments."""
    take = make_take(steps=("0", "1", "2"), uid="V1")
    other = make_take(steps=("0", "1", "2"), uid="V2")
    names = {"0": "Do 0", "1": "Do 1", "2": "Do 2"}
    reference = steps_of(("0", 0, 4), ("1", 5, 9), ("2", 10, 16))
    mistaken = [
        replace(reference[1], start_s=0.5, end_s=2.0),
        replace(reference[0], start_s=3, label=WRONG, text="use tape but should use glue"),
        Segment("u", "steps", 9, 10, "-1", text="grasp a pen"),
        Segment("w", "steps", 12, 13, "1", "others", "drop it"),
    ]
    finish(made, take, ada, reference, status="accepted")
    finish(made, other, ada, mistaken, status="accepted", published_as="trace")
    file = SegmentFile(
        tuple(
            SegmentedRecording(uid, tuple(segments), "Tea", steps=names)
            for uid, segments in (("V1", reference), ("V2", mistaken))
        )
    )
    path = tmp_path / "metadata.json"
    path.write_text(segment_formats()["egooops"].write(file, Settings()).text)
    [expected] = available_formats()["egooops"].read(path).traces

    dataset_id = publish(made).dataset_id

    found = trace_of(Trace.objects.get(dataset__public_id=dataset_id))
    assert (found.steps, found.events) == (expected.steps, expected.events)


def test_a_trace_of_a_written_procedure_brings_the_procedure_along(made, ada):
    take = make_take()
    finish(made, take, ada, WHOLE, status="accepted", published_as="trace")

    dataset_id = publish(made).dataset_id

    reference = Take.objects.get(dataset__public_id=dataset_id)
    assert (reference.video_stem, reference.video) == ("", None)
    assert list(reference.steps.values_list("start_s", flat=True)) == [None] * 4
    assert Trace.objects.get(dataset__public_id=dataset_id).video_stem == take.video_stem


def test_mistakes_of_their_own_track_are_labels_of_their_steps(ada):
    made = SegmentRoundFactory(scheme="captaincook4d").round
    take = make_take()
    pieces = [
        Segment("s", "steps", 0, 4, "a", text="Do a twice"),
        Segment("t", "steps", None, None, "b"),
        Segment("m", "mistakes", None, None, "", "Timing Error", "too long", "s"),
        Segment("n", "mistakes", None, None, "", "Missing Step", "", "t"),
    ]
    finish(made, take, ada, pieces, status="accepted", published_as="trace")

    trace = trace_of(Trace.objects.get(dataset__public_id=publish(made).dataset_id))

    assert [(row.mod.value, row.text) for row in trace.steps] == [("e", "Do a twice"), ("d", "")]
    assert [event.proposed_type for event in trace.events] == ["WE", "D"]


def refused(made, **options):
    before = Dataset.objects.count()
    with pytest.raises(ImportRefusedError) as caught:
        publish(made, **options)
    assert (Dataset.objects.count(), SegmentPublication.objects.count()) == (before, 0)
    return str(caught.value)


def test_labels_that_the_scheme_does_not_map_stop_publishing_by_name(made, ada):
    pieces = [
        replace(WHOLE[0], label="too slow"),
        replace(WHOLE[1], label=WRONG),
        replace(WHOLE[2], label="too loud"),
    ]
    finish(made, make_take(), ada, pieces, status="accepted", published_as="trace")

    message = refused(made)

    assert "maps no event to 'too slow', 'too loud'" in message
    assert WRONG not in message


def test_only_accepted_work_or_that_of_a_closed_round_is_published(made, ada):
    take = make_take()
    finish(made, take, ada, WHOLE)
    finish(made, make_take(), ada, WHOLE, status="returned")

    assert refused(made) == (
        "Nothing is accepted yet: accept work in a review, or close the round."
    )

    close(made)
    assert publish(made).takes.created == (take.uid,)


def test_two_versions_of_a_recording_are_refused_unless_one_is_accepted(made, ada):
    take = make_take(uid="V1")
    finish(made, take, ada, WHOLE)
    own = finish(made, take, UserFactory(), WHOLE)
    close(made)

    assert "V1 has 2 people's versions: let somebody decide between them" in refused(made)

    own.status = "accepted"
    own.save()
    assert publish(made).takes.created == ("V1",)
    assert SegmentPublication.objects.get().segmentations[0]["segmentation"] == own.public_id


def test_what_does_not_fit_is_named_all_at_once(made, ada):
    wrong = [
        replace(WHOLE[0], label=WRONG),
        Segment("x", "steps", 5, 6, "zz"),
        Segment("u", "steps", 7, 8, "-1"),
    ]
    finish(made, make_take(uid="V1"), ada, wrong, status="accepted")

    message = refused(made)

    assert (
        "recording V1, segment x: step_id is 'zz'; expected a step of the procedure: a, b, c, d"
        in message
    )
    assert "recording V1, segment u: text is ''; expected a description" in message
    assert f"label is '{WRONG}'; expected none, as it is a reference" in message


def test_a_scheme_of_moments_has_nothing_to_publish(ada):
    made = SegmentRoundFactory(scheme="onset").round
    point = Segment("o", "onsets", 3, 3, "a")
    finish(made, make_take(), ada, [point], status="accepted")

    assert "scheme onset has no track of steps that last" in refused(made)


def test_nothing_is_added_to_a_data_set_that_exists(made, ada, owner):
    finish(made, make_take(), ada, WHOLE, status="accepted")
    publish(made, owner)
    count = Take.objects.count()

    with pytest.raises(ImportRefusedError, match="a name that no data set has"):
        publish(made, owner)

    assert Take.objects.count() == count
    assert publish(made, owner, name="Tea, once more").takes.created


def test_a_data_set_that_breaks_halfway_leaves_nothing(made, ada, monkeypatch):
    finish(made, make_take(), ada, WHOLE, status="accepted")

    def power_cut(*args, **kwargs):
        raise OSError("power cut")

    monkeypatch.setattr("segments.services.publish.record_round", power_cut)
    with pytest.raises(OSError, match="power cut"):
        publish(made)

    assert not Dataset.objects.filter(name="Tea again").exists()
    assert not SegmentPublication.objects.exists()


def test_a_published_data_set_is_deleted_without_the_files_of_its_source(made, ada, media):
    made_here = DatasetFactory(video_folder="runs/1")
    take = make_take(dataset=made_here)
    path = media / "runs" / "1" / take.video.path
    path.parent.mkdir(parents=True)
    path.write_bytes(b"video")
    finish(made, take, ada, WHOLE, status="accepted")
    dataset = Dataset.objects.get(public_id=publish(made).dataset_id)
    assert path_of(Take.objects.get(dataset=dataset).video) == path

    delete_dataset(dataset=dataset, actor=None)

    assert path.read_bytes() == b"video"
    assert not SegmentPublication.objects.exists()
    assert made.recordings.get().take == take


def test_recordings_of_two_data_sets_with_one_name_stay_apart(made, ada):
    first = make_take(dataset=DatasetFactory(name="One"), uid="V1")
    second = make_take(dataset=DatasetFactory(name="Two"), uid="V1")
    for take in (first, second):
        finish(made, take, ada, WHOLE, status="accepted")

    assert sorted(publish(made).takes.created) == ["V1 (One)", "V1 (Two)"]


def test_what_is_published_opens_in_the_audit_page_and_is_rated(made, ada, owner):
    take = make_take()
    finish(made, take, ada, WHOLE, status="accepted")
    other = make_take(uid="V2")
    mistaken = [replace(WHOLE[0], label=WRONG, text="use tape but should use glue"), *WHOLE[1:]]
    finish(made, other, ada, mistaken, status="accepted", published_as="trace")
    dataset = Dataset.objects.get(public_id=publish(made, owner).dataset_id)
    campaign = CampaignFactory(owner=owner, overlap=1)
    rater = UserFactory()
    add_datasets(campaign=campaign, datasets=[dataset], actor=owner)
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    [assignment] = rater.assignments.all()
    client = client_of(rater)

    page = client.get(reverse("audit", args=[assignment.public_id]))
    answer = client.post(
        reverse("api-assignment-changes", args=[assignment.public_id]),
        {
            "client_id": "tab",
            "changes": [
                {
                    "sequence": 1, "event": 0, "metric": "confusability", "value": "3",
                    "base_revision": 0, "rated_at": "2026-01-01T00:00:00Z",
                }
            ],
        },
        content_type="application/json",
    )  # fmt: skip

    assert page.status_code == 200
    assert "use tape but should use glue" in page.content.decode()
    # Where it comes from is told to no rater.
    assert "Tea again" not in page.content.decode()
    assert (answer.status_code, answer.json()["saved"]) == (200, [1])
    assert Rating.objects.get().value == "3"
