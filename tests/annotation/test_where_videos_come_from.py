"""What raters can learn of a file: the same of a filmed, a generated and a converted recording."""

import struct
from pathlib import Path

import av
import pytest
from django.urls import reverse

from annotation.models import Dataset, Job, VideoIngest
from annotation.selectors.videos.ingest import (
    BEING_PREPARED,
    LACKING_COPY,
    ingest_item,
    ingested_videos,
)
from annotation.services.videos.ingest import JOB_KIND, queue_lacking_copies
from annotation.services.videos.ingest_work import ingest_videos
from annotation.views.videos.videos import video_url
from tests.annotation.conftest import client_of
from tests.annotation.ingesting import ingest, linked
from tests.factories import AssignmentFactory, TraceFactory
from tests.recordings import shown_numbers, write_recording

pytestmark = pytest.mark.django_db

RECIPE = {"frame_count": 60}
CAMERA = {
    "make": "Camera-Maker", "model": "Camera-Model", "creation_time": "2026-01-12T09:30:00Z",
    "location": "+52.5200+013.4050/",
}  # fmt: skip
PROVIDER = {"title": "Provider-Title", "comment": "made by Video-Model 3", "artist": "Provider"}
# What a file would tell by its words: tags, programs, names of tracks, a manifest.
WORDS = (
    b"Camera-M", b"2026-01-12", b"52.52", b"Provider", b"Video-Model", b"Lavf", b"Lavc", b"x264",
    b"Core Media", b"c2pa", b"\xa9too", b"\xa9nam",
)  # fmt: skip
# Boxes that hold boxes, and those whose bytes are the recording's own picture, sound and length.
FULL = {"moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "udta"}
OWN = {
    "mdat",
    "stts",
    "ctts",
    "stss",
    "stsc",
    "stsz",
    "stco",
    "sgpd",
    "sbgp",
    "free",
    "elst",
    "mvhd",
}


def tagged(source: Path, out: Path, kind: str, tags: dict[str, str], **options: str) -> Path:
    """Write the packets of a recording as a camera or a provider would, with their tags."""
    with (
        av.open(str(source)) as container,
        av.open(str(out), "w", format=kind, options=options) as output,
    ):
        output.metadata.update(tags)
        copies = []
        for stream in container.streams:
            copy = output.add_stream_from_template(stream)
            copy.metadata["handler_name"] = f"Core Media {stream.type}"
            copy.metadata["language"] = "jpn"
            copies.append(copy)
        for packet in container.demux():
            if packet.dts is not None:
                packet.stream = copies[packet.stream_index]
                output.mux(packet)
    if tags is PROVIDER:
        manifest = b"\xd8\xfe\xc3\xd6c2pa manifest"
        out.write_bytes(
            out.read_bytes() + struct.pack(">I", 8 + len(manifest)) + b"uuid" + manifest
        )
    return out


def watched_by_a_rater(dataset: Dataset) -> tuple[dict[str, str], bytes]:
    """The headers and bytes that a rater of the data set's recording gets."""
    video = dataset.videos.get()
    rater = AssignmentFactory(trace=TraceFactory(dataset=dataset, video=video)).rater
    response = client_of(rater).get(video_url(video, rater))
    assert response.status_code == 200
    return dict(response.headers), b"".join(response.streaming_content)


def boxes(data: bytes, path: str = "") -> list[tuple[str, bytes]]:
    """The boxes of an MP4 file in order, without the bytes of what is the recording's own."""
    found, at = [], 0
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        assert size >= 8, (path, name)
        inside, kind = data[at + 8 : at + size], name.decode("latin-1")
        here = f"{path}/{kind}"
        if kind in FULL:
            found += [(here, b""), *boxes(inside, here)]
        elif kind == "stsd":
            # The kind of the first entry, and of a picture the name of its compressor.
            found.append((here, inside[12:16] + (inside[58:90] if b"avc1" in inside[:16] else b"")))
        elif kind in {"tkhd", "mdhd"}:
            # Without the length in the middle; 12 bytes are the times of making and changing.
            found.append((here, inside[:12] + inside[24:]))
        else:
            found.append((here, b"" if kind in OWN else inside))
        at += size
    return found


def learnt(headers: dict[str, str], body: bytes, path: Path) -> dict[str, object]:
    path.write_bytes(body)
    # The last is drawn anew for each request.
    own = {"ETag", "Content-Length", "X-Request-ID"}
    with av.open(str(path)) as container:
        tags = [dict(container.metadata), *(dict(item.metadata) for item in container.streams)]
        streams = [(item.type, item.codec_context.name) for item in container.streams]
        chapters = container.chapters()
    return {
        "headers": {name: value for name, value in headers.items() if name not in own},
        "size beyond steps": len(body) % (64 * 1024),
        "boxes": boxes(body),
        "tags": tags,
        "streams": streams,
        "chapters": chapters,
        "words": [word for word in WORDS if word in body],
    }


@pytest.fixture
def origins(tmp_path: Path) -> dict[str, Dataset]:
    """The same recording as a camera files it, as a provider sends it, and as a file to convert."""
    plain = write_recording(tmp_path / "plain.mp4", **RECIPE)
    found = {}
    for name, kind, tags, options in (
        (
            "filmed",
            "mov",
            CAMERA,
            {"movflags": "use_metadata_tags", "video_track_timescale": "600"},
        ),
        ("generated", "mp4", PROVIDER, {"movflags": "+faststart", "brand": "mp42"}),
    ):
        folder = tmp_path / name
        found[name] = linked(folder, RECIPE)
        tagged(plain, folder / "one.mp4", kind, tags, **options)
    found["converted"] = linked(tmp_path / "converted", {**RECIPE, "codec": "mpeg4"})
    return found


def test_a_rater_learns_the_same_of_filmed_generated_and_converted_files(
    origins, tmp_path: Path, media: Path
) -> None:
    for dataset in origins.values():
        ingest(dataset)

    seen = {
        name: learnt(*watched_by_a_rater(dataset), tmp_path / f"{name}-seen.mp4")
        for name, dataset in origins.items()
    }

    first = seen["filmed"]
    assert (first["words"], first["size beyond steps"], first["chapters"]) == ([], 0, [])
    assert first["tags"][0] == {
        "major_brand": "isom", "minor_version": "512", "compatible_brands": "isomiso2avc1mp41",
    }  # fmt: skip
    assert [path for path, _ in first["boxes"] if path.count("/") == 1] == [
        "/ftyp", "/moov", "/free", "/mdat", "/free",
    ]  # fmt: skip
    assert seen["generated"] == first
    assert seen["converted"] == first


def test_the_files_themselves_would_tell(origins, tmp_path: Path) -> None:
    """The words and boxes are found where they are."""
    said = {
        name: learnt({}, Path(dataset.video_folder, "one.mp4").read_bytes(), tmp_path / "seen.mp4")
        for name, dataset in origins.items()
    }

    assert set(said["filmed"]["words"]) >= {b"Camera-M", b"2026-01-12", b"x264", b"Core Media"}
    assert set(said["generated"]["words"]) >= {b"Provider", b"Video-Model", b"Lavc", b"c2pa"}
    assert said["filmed"]["boxes"] != said["generated"]["boxes"]
    assert said["filmed"]["tags"] != said["generated"]["tags"]


def test_a_copy_shows_every_frame_and_the_original_stays(origins, media: Path) -> None:
    dataset = origins["filmed"]
    original = Path(dataset.video_folder, "one.mp4")
    before = original.read_bytes()

    row = ingest(dataset)

    copy = media / row.folder / row.copy["name"]
    assert shown_numbers(copy) == shown_numbers(original) == list(range(60))
    assert original.read_bytes() == before


def test_recordings_of_an_earlier_version_get_their_copy_in_a_job(
    origins, tmp_path: Path, media: Path
) -> None:
    dataset = origins["filmed"]
    row = ingest(dataset)
    (media / row.folder / "copy.mp4").unlink()
    VideoIngest.objects.update(copy={})
    video = dataset.videos.get()
    rater = AssignmentFactory(trace=TraceFactory(dataset=dataset, video=video)).rater

    waiting = client_of(rater).get(video_url(video, rater))
    [state] = map(ingest_item, ingested_videos(dataset))
    job_ids = queue_lacking_copies()
    ingest_videos(job_ids=job_ids)

    assert (waiting.status_code, waiting.content.decode()) == (503, BEING_PREPARED)
    assert (state.is_lacking, state.detail) == (True, LACKING_COPY)
    assert len(job_ids) == 1
    after = VideoIngest.objects.get(video=video)
    assert (after.folder, after.thumbnails, after.detail) == (
        row.folder, row.thumbnails, row.detail,
    )  # fmt: skip
    _, body = watched_by_a_rater(dataset)
    assert [word for word in WORDS if word in body] == []
    assert queue_lacking_copies() == []


def test_proxies_of_an_earlier_version_are_copied_too(origins, tmp_path: Path, media: Path) -> None:
    """They had the clock of their muxer and the size that came out, unlike copies."""
    dataset = origins["converted"]
    row = ingest(dataset)
    now = learnt(*watched_by_a_rater(dataset), tmp_path / "now.mp4")
    proxy = media / row.folder / row.proxy.pop("name")
    proxy.rename(tmp_path / "made.mp4")
    tagged(tmp_path / "made.mp4", proxy, "mp4", {}, fflags="+bitexact", movflags="+faststart")
    row.save()
    before = learnt(*watched_by_a_rater(dataset), tmp_path / "before.mp4")
    [state] = map(ingest_item, ingested_videos(dataset))

    job_ids = queue_lacking_copies()
    ingest_videos(job_ids=job_ids)

    assert (len(job_ids), state.is_lacking) == (1, True)
    assert before != now
    assert learnt(*watched_by_a_rater(dataset), tmp_path / "after.mp4") == now
    after = VideoIngest.objects.get(pk=row.pk)
    assert shown_numbers(media / row.folder / after.proxy["name"]) == list(range(60))
    assert (after.proxy["width"], after.reasons) == (row.proxy["width"], row.reasons)
    assert not after.is_lacking
    assert queue_lacking_copies() == []


def test_a_page_of_a_rater_queues_what_is_not_there_yet(origins, media: Path) -> None:
    """A recording that nobody ingested: its page opens, and a job is queued once."""
    dataset = origins["generated"]
    video = dataset.videos.get()
    held = AssignmentFactory(
        trace=TraceFactory(dataset=dataset, video=video, take=dataset.takes.get())
    )
    client = client_of(held.rater)

    queue = client.get(reverse("queue")).content.decode()
    pages = [client.get(reverse("audit", args=[held.public_id])) for _ in range(2)]

    assert [page.status_code for page in pages] == [200, 200]
    [job] = Job.objects.filter(kind=JOB_KIND)
    ingest_videos(job_ids=[job.pk])
    assert client.get(video_url(video, held.rater)).status_code == 200
    assert "The recordings of 1 trace are still being prepared for you." in queue
    assert "still being prepared" not in client.get(reverse("queue")).content.decode()
