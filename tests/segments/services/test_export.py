"""Files of finished segments: written from the tables, read again, and equal to what they were."""

import csv
import io
import json
import os
import re
import signal
import zipfile
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from segments.engine.model import Segment, order_in_time
from segments.formats.exchange import SegmentFile, Settings, segment_formats
from segments.models import Segment as SegmentRow
from segments.models import SegmentSource
from segments.selectors.reading import person_code
from segments.services.export import (
    SegmentExport,
    SegmentExportError,
    export_segments,
    segmented_recordings,
)
from segments.services.proposals import ProposalRequest, import_proposals
from tests.factories import SegmentRoundFactory, UserFactory
from tests.segments.segmented_rounds import NAMES, finish, make_take, steps_of

pytestmark = pytest.mark.django_db

PIECES = [
    *steps_of(("a", 0, 4), ("b", 5.123456, 9)),
    Segment("m", "steps", None, None, "c"),
    Segment("x", "steps", 10, 11, "d", "others", "=1+1 “wrong”\nway", note="-", is_flagged=True),
]


@pytest.fixture
def made():
    made = SegmentRoundFactory().round
    made.campaign.name = "Tea"
    made.campaign.save()
    for uid in ("V2", "V1"):
        take = make_take(uid=uid)
        for name in ("ada", "ben"):
            person = UserFactory(username=f"{name} {uid}")
            finish(made, take, person, PIECES)
    finish(made, make_take(uid="V3"), UserFactory(), PIECES, status="open")
    return made


def written(made, name, **options):
    file = io.BytesIO()
    settings = options.pop("settings", Settings())
    found = export_segments(made, SegmentExport(segment_formats()[name], settings, **options), file)
    return found, file.getvalue()


def read_again(content, name, tmp_path):
    form = segment_formats()[name]
    path = tmp_path / f"again{form.suffix}"
    path.write_bytes(content)
    return form.read(path, Settings())


def test_own_format_holds_everything_and_comes_back_byte_by_byte(made, tmp_path):
    found, content = written(made, "piev")

    file = read_again(content, "piev", tmp_path)

    assert found.name == "segments-tea-round-1-piev.json"
    assert segment_formats()["piev"].write(file, Settings()).text.encode() == content
    assert file.recordings == tuple(segmented_recordings(made))
    [first, *_] = file.recordings
    assert [item.uid for item in file.recordings] == ["V1", "V1", "V2", "V2"]
    assert first.segments == tuple(sorted(PIECES, key=order_in_time))
    assert (first.scheme, first.scheme_version, first.round, first.steps["b"]) == (
        "egooops", 1, made.public_id, "Do b",
    )  # fmt: skip
    person = made.segmentations.get(person__username__startswith="ada", recording__take__uid="V1")
    codes = {item.annotator for item in file.recordings}
    assert person_code(made.campaign, person.person_id) in codes
    assert len(codes) == 4
    # As a word: codes, ids and hashes hold any three letters now and then.
    assert not re.search(rb"\bada\b", content)


def test_the_table_is_safe_for_spreadsheets_and_comes_back(made, tmp_path):
    _, content = written(made, "table")

    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    file = read_again(content, "table", tmp_path)

    assert {row["text"] for row in rows} == {"", "'=1+1 “wrong”\nway"}
    assert {row["note"] for row in rows} == {"", "'-"}
    assert [item.segments for item in file.recordings] == [
        recording.segments for recording in segmented_recordings(made)
    ]
    assert segment_formats()["table"].write(file, Settings()).text.encode() == content


@pytest.mark.parametrize("name", ["elan", "webvtt"])
def test_formats_of_one_recording_make_an_archive(made, name, tmp_path):
    found, content = written(made, name)

    archive = zipfile.ZipFile(io.BytesIO(content))
    suffix = segment_formats()[name].suffix
    codes = {item.annotator for item in segmented_recordings(made) if item.uid == "V1"}
    assert {f"v1-{code}{suffix}" for code in codes} < set(archive.namelist())
    assert found.name.endswith(f"-{name}.zip")
    assert "1 edge was moved to a whole millisecond" in archive.read("notes.txt").decode()
    [one] = [item for item in archive.namelist() if item.startswith("v1-")][:1]
    again = read_again(archive.read(one), name, tmp_path)
    assert [item.step_id for item in again.recordings[0].segments] == ["a", "b", "d", "c"]


@pytest.mark.parametrize("name", ["elan", "webvtt"])
def test_an_archive_with_notes_is_taken_back_as_proposals(made, name, tmp_path):
    person = next(item.annotator for item in segmented_recordings(made) if item.uid == "V1")
    _, content = written(made, name, person=person)
    zipfile.ZipFile(io.BytesIO(content)).extractall(tmp_path)
    again = SegmentRoundFactory(source=SegmentSource.FILE).round
    row = again.recordings.create(take=made.recordings.get(take__uid="V1").take)

    import_proposals(
        round_=again, paths=[tmp_path], request=ProposalRequest(name, "people"), actor=None
    )

    assert (tmp_path / "notes.txt").exists()
    row.refresh_from_db()
    assert [(item["start_s"], item["step_id"]) for item in row.proposals] == [
        (0.0, "a"), (5.123, "b"), (10.0, "d"), (None, "c"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", sorted(segment_formats()))
def test_every_format_writes_a_round_or_says_why_not(made, name):
    person = next(segmented_recordings(made)).annotator
    if name == "assembly101":
        SegmentRow.objects.update(step_id="attach,roof,cabin")

    found, content = written(made, name, person=person, settings=Settings(rate=25))

    assert content
    assert found.content_type


def test_formats_without_people_refuse_several_and_take_one(made):
    with pytest.raises(SegmentExportError, match=r"EgoOops metadata holds each recording once, an"):
        written(made, "egooops")

    person = next(segmented_recordings(made)).annotator
    _, content = written(made, "egooops", person=person)
    [video] = json.loads(content)["videos"]
    assert [item["instruction"] for item in video["segments"]] == [0, 1, 3]


def test_a_format_of_frames_asks_for_the_rate(made):
    with pytest.raises(SegmentExportError, match="the rate of V1 is unknown; expected frames per"):
        written(made, "label_studio")

    assert written(made, "label_studio", settings=Settings(rate=25))[1]


def test_what_somebody_deleted_stays_in_the_own_format_only(made, tmp_path):
    SegmentRow.objects.filter(key="k0").update(is_deleted=True)

    [first, *_] = read_again(written(made, "piev")[1], "piev", tmp_path).recordings
    rows = list(csv.DictReader(io.StringIO(written(made, "table")[1].decode(), newline="")))

    assert [item.key for item in first.segments if item.is_deleted] == ["k0"]
    assert "k0" not in {row["key"] for row in rows}


def test_commands_write_files_and_refuse_with_words(made, tmp_path, capsys):
    out = tmp_path / "segments.json"
    call_command("export_segments", campaign="Tea", round=1, out=out)

    assert out.read_bytes() == written(made, "piev")[1]
    with pytest.raises(CommandError, match="holds each recording once"):
        call_command("export_segments", campaign="Tea", format="egooops", out=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    with pytest.raises(CommandError, match="There is no campaign 'Soup'"):
        call_command("export_segments", campaign="Soup", out=tmp_path / "a")


def test_export_that_is_stopped_leaves_no_file(made, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "segments.management.commands.export_segments.publish",
        lambda draft, out: os.kill(os.getpid(), signal.SIGTERM),
    )

    with pytest.raises(CommandError, match="stopped by SIGTERM: no file was left"):
        call_command("export_segments", campaign="Tea", round=1, out=tmp_path / "a")

    assert list(tmp_path.iterdir()) == []


def test_page_and_api_send_the_same_file(made, owner, owner_client):
    made.campaign.owner = owner
    made.campaign.save()
    keys = [made.campaign.public_id, made.number]

    for address, name in (
        (reverse("segment-round-file", args=keys), "format"),
        (reverse("api-segment-round-file", args=keys), "form"),
    ):
        sent = owner_client.get(address, {name: "piev"})
        refused = owner_client.get(address, {name: "egooops"})

        assert b"".join(sent.streaming_content) == written(made, "piev")[1]
        assert sent["Content-Disposition"] == (
            'attachment; filename="segments-tea-round-1-piev.json"'
        )
        assert refused.status_code in (400, 409)
        assert "holds each recording once" in refused.content.decode()
        assert owner_client.get(address, {name: "nothing"}).status_code == 400


def test_what_a_file_does_not_keep_is_said_before_the_download(made, owner, owner_client):
    made.campaign.owner = owner
    made.campaign.save()
    keys = [made.campaign.public_id, made.number]
    person = next(segmented_recordings(made)).annotator
    asked = {"format": "captaincook4d", "person": person}

    told = owner_client.get(reverse("segment-round-file", args=keys), asked)
    taken = owner_client.get(reverse("segment-round-file", args=keys), {**asked, "taken": "1"})
    answer = owner_client.get(
        reverse("api-segment-round-file", args=keys), {"form": "captaincook4d", "person": person}
    )

    words = "labels that are no tags, written as Other with the label before the words: 1"
    assert told.status_code == 200
    assert words in told.content.decode()
    content = json.loads(b"".join(taken.streaming_content))
    assert content[0]["piev_notes"] == [words]
    assert json.loads(answer["X-Notes"]) == [words]
    assert json.loads(b"".join(answer.streaming_content)) == content


def test_notes_on_many_files_leave_the_header_short_and_are_counted(made, owner, owner_client):
    made.campaign.owner = owner
    made.campaign.save()
    for place in range(40):
        take = make_take(uid=f"{place}-{'recording' * 20}")
        finish(made, take, UserFactory(), PIECES)
    SegmentRow.objects.update(step_id="attach,roof,cabin")
    address = reverse("api-segment-round-file", args=[made.campaign.public_id, made.number])

    answer = owner_client.get(address, {"form": "assembly101"})

    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        notes = archive.read("notes.txt").decode().splitlines()
    # Many proxies refuse a line of 8 kB, some one of 4.
    assert len(answer["X-Notes"]) < 4000
    *shown, more = json.loads(answer["X-Notes"])
    assert shown == notes[: len(shown)]
    assert more == f"and {len(notes) - len(shown)} more"


def test_a_person_whom_nobody_knows_is_refused(made, owner, owner_client, tmp_path):
    made.campaign.owner = owner
    made.campaign.save()
    keys = [made.campaign.public_id, made.number]
    asked = {"person": "p-nobody"}

    answer = owner_client.get(
        reverse("api-segment-round-file", args=keys), {"form": "piev", **asked}
    )
    page = owner_client.get(reverse("segment-round-file", args=keys), {"format": "piev", **asked})

    assert (answer.status_code, page.status_code) == (400, 400)
    assert "person is 'p-nobody'; expected the code of somebody" in answer.content.decode()
    with pytest.raises(CommandError, match="person is 'p-nobody'"):
        call_command("export_segments", campaign="Tea", person="p-nobody", out=tmp_path / "a")


def test_documents_for_elan_name_the_video(made):
    _, content = written(made, "elan")

    archive = zipfile.ZipFile(io.BytesIO(content))
    name = next(item for item in archive.namelist() if item.startswith("v1-"))
    stem = made.recordings.get(take__uid="V1").take.video.path
    assert f'RELATIVE_MEDIA_URL="./{stem}"' in archive.read(name).decode()


def published(shared_data, name):
    """Return the published file of a data set, and what its format reads there."""
    paths = {
        "egooops": "egooops/meta/metadata.json",
        "captaincook4d": "captaincook4d/annotation_json/error_annotations.json",
    }
    path = shared_data / paths[name]
    return path, segment_formats()[name].read(path, Settings())


@pytest.mark.parametrize("name", ["egooops", "captaincook4d"])
def test_published_files_become_proposals_and_are_written_back_equal(name, shared_data, tmp_path):
    path, original = published(shared_data, name)
    made = SegmentRoundFactory(scheme=name, source=SegmentSource.FILE, overlap=1).round
    takes = {
        recording.uid: make_take(
            uid=recording.uid, scenario=recording.scenario, steps=(), name=recording.uid
        )
        for recording in original.recordings
    }
    texts = {}
    for recording in original.recordings:
        texts.setdefault(recording.scenario, {}).update(recording.steps)
    for recording in original.recordings:
        take = takes[recording.uid]
        take.steps.bulk_create(
            take.steps.model(take=take, index=index, step_id=step_id, text=text)
            for index, (step_id, text) in enumerate(texts[recording.scenario].items())
        )
        made.recordings.create(take=take)

    report = import_proposals(
        round_=made, paths=[path], request=ProposalRequest(name, "the data set itself"), actor=None
    )
    person = UserFactory()
    for row in made.recordings.select_related("take"):
        pieces = [Segment(**values) for values in row.proposals]
        # A person takes every proposal over and changes nothing.
        finish(made, row.take, person, [replace(item, is_proposal=False) for item in pieces])
    out = tmp_path / "out.json"
    call_command(
        "export_segments", campaign=made.campaign.name, format=name, original=path, out=out
    )

    assert len(report.recordings) == len(original.recordings)
    assert SegmentRow.objects.count() == sum(len(item.segments) for item in original.recordings)
    assert json.loads(out.read_text()) == json.loads(path.read_text())
    assert set(NAMES) >= {"key", "revision"}


def test_a_changed_edge_is_the_only_change_in_a_file_that_is_written_back(shared_data, tmp_path):
    path, original = published(shared_data, "egooops")
    recording = original.recordings[0]
    made = SegmentRoundFactory(overlap=1).round
    take = make_take(uid=recording.uid, scenario=recording.scenario, steps=tuple(recording.steps))
    moved = [replace(recording.segments[0], end_s=recording.segments[0].end_s + 0.5)]
    renamed = [
        replace(item, key=f"r{place}")
        for place, item in enumerate([*moved, *recording.segments[1:]])
    ]
    finish(made, take, UserFactory(), renamed)

    _, content = written(made, "egooops", original=original)

    expected = json.loads(path.read_text())
    expected["videos"][0]["segments"][0]["endTime"] += 0.5
    assert json.loads(content) == expected
    assert isinstance(original, SegmentFile)
