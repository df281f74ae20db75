"""The inside of `bench.segment_agreement` and `bench.segment_export`: rounds of segments.

    python -m bench.segment_results_site prepare RECORDINGS SEGMENTS | figures NUMBER
        | export NUMBER FORMAT FILE | bare NUMBER FILE

Prints one JSON value. It runs in a process of its own, because settings are read from the
environment at the start.
"""

import csv
import json
import sys
import time
from pathlib import Path

import django

django.setup()

import numpy as np
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotation.models import (
    Campaign,
    Dataset,
    GuidelineVersion,
    Round,
    Step,
    Take,
    User,
    Video,
)
from bench.measure import peak_memory_bytes
from segments.formats.exchange import segment_formats
from segments.models import (
    SEGMENTS,
    Segment,
    Segmentation,
    SegmentationStatus,
    SegmentRecording,
    SegmentRound,
)
from segments.selectors.figures import round_figures
from segments.services.export import SegmentExport, export_segments

SCENARIOS, PEOPLE, STEPS = 20, 2, 25
DURATION_S, NOISE_S = 900.0, 0.4
SEED = 20261122
BATCH_ROWS = 2000
MEGABYTE = 1e6
BARE_SQL = """
SELECT t.uid, u.username, s.track, s.key, s.start_s, s.end_s, s.step_id, s.label, s.text,
  s.parent_key, s.note, s.revision
FROM annotation_segment s
JOIN annotation_segmentation g ON g.id = s.segmentation_id
JOIN annotation_segmentrecording r ON r.id = g.recording_id
JOIN annotation_take t ON t.id = r.take_id
JOIN annotation_user u ON u.id = g.person_id
WHERE g.round_id = %s AND NOT s.is_deleted
ORDER BY t.uid, u.username, s.start_s
"""


def prepare(recordings: int, segments: int) -> int:
    """A finished round of two people on each recording; the number of the round."""
    call_command("migrate", verbosity=0)
    rng = np.random.default_rng(SEED)
    dataset, _ = Dataset.objects.get_or_create(name="Bench", format="egooops")
    campaign, _ = Campaign.objects.get_or_create(name="Bench", kind=SEGMENTS)
    number = campaign.rounds.count() + 1
    guideline = GuidelineVersion.objects.create(
        campaign=campaign, kind=SEGMENTS, number=number, name=str(number),
        text={"scheme": "egooops", "scheme_version": 1, "text": ""}, frozen_at=timezone.now(),
    )  # fmt: skip
    made = Round.objects.create(
        campaign=campaign, number=number, kind=SEGMENTS, guideline=guideline,
        opened_at=timezone.now(),
    )  # fmt: skip
    SegmentRound.objects.create(round=made, scheme="egooops", scheme_version=1)
    people = [User.objects.get_or_create(username=f"person{place}")[0] for place in range(PEOPLE)]
    names = [f"{number}-{place:05}" for place in range(recordings)]
    Video.objects.bulk_create(
        Video(
            dataset=dataset, stem=name, path=f"{name}.mp4", size_bytes=1, container="mp4",
            video_codec="h264", width=640, height=360, frame_rate=30, duration_s=DURATION_S,
        )
        for name in names
    )  # fmt: skip
    videos = {video.stem: video for video in Video.objects.filter(stem__in=names)}
    Take.objects.bulk_create(
        Take(
            dataset=dataset, uid=name, name=name, scenario=f"task {place % SCENARIOS}",
            video=videos[name], video_stem=name,
        )
        for place, name in enumerate(names)
    )  # fmt: skip
    takes = list(Take.objects.filter(uid__in=names).order_by("uid"))
    Step.objects.bulk_create(
        (
            Step(take=take, index=index, step_id=str(index), text=f"Do step {index}")
            for take in takes
            for index in range(STEPS)
        ),
        batch_size=BATCH_ROWS,
    )
    SegmentRecording.objects.bulk_create(SegmentRecording(round=made, take=take) for take in takes)
    rows = list(SegmentRecording.objects.filter(round=made).order_by("take__uid"))
    Segmentation.objects.bulk_create(
        Segmentation(
            round=made, recording=row, person=person, position=place, head=segments,
            status=SegmentationStatus.SUBMITTED, started_at=timezone.now(),
            submitted_at=timezone.now(),
        )
        for place, row in enumerate(rows)
        for person in people
    )  # fmt: skip
    edges: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = {}
    made_rows: list[Segment] = []
    for own in Segmentation.objects.filter(round=made).order_by("recording", "person"):
        if own.recording_id not in edges:
            edges[own.recording_id] = np.sort(rng.uniform(0, DURATION_S, 2 * segments))
        noisy = edges[own.recording_id] + rng.normal(0, NOISE_S, 2 * segments)
        times = np.sort(noisy.clip(0, DURATION_S)).round(6).reshape(-1, 2)
        made_rows += [
            Segment(
                segmentation=own, key=f"k{place}", track="steps", start_s=start_s, end_s=end_s,
                step_id=str(place % STEPS if rng.random() > 0.05 else rng.integers(STEPS)),
                label="others" if rng.random() < 0.1 else "", revision=1, guideline=guideline,
                text=f"hold cup {own.recording_id} from below {place}",
            )
            for place, (start_s, end_s) in enumerate(times.tolist())
        ]  # fmt: skip
        if len(made_rows) >= BATCH_ROWS:
            Segment.objects.bulk_create(made_rows, batch_size=BATCH_ROWS)
            made_rows.clear()
    Segment.objects.bulk_create(made_rows, batch_size=BATCH_ROWS)
    return number


def _round(number: str) -> Round:
    rounds = Round.objects.select_related("segments", "guideline", "campaign")
    return rounds.get(campaign__name="Bench", number=number)


def figures(number: str) -> dict[str, float]:
    """The seconds of all figures of a round, read from the tables."""
    made = _round(number)
    before = peak_memory_bytes()
    started, worked = time.perf_counter(), time.process_time()
    found = round_figures(made)
    seconds, work_s = time.perf_counter() - started, time.process_time() - worked
    added = (peak_memory_bytes() - before) / MEGABYTE
    compared = found.compared
    return {"seconds": seconds, "work_s": work_s, "megabytes": added, "compared": compared}


def export(number: str, form: str, path: str) -> dict[str, float]:
    made = _round(number)
    wanted = SegmentExport(segment_formats()[form])
    before = peak_memory_bytes()
    started, worked = time.perf_counter(), time.process_time()
    with Path(path).open("wb") as file:
        export_segments(made, wanted, file)
    seconds, work_s = time.perf_counter() - started, time.process_time() - worked
    added = (peak_memory_bytes() - before) / MEGABYTE
    return {"seconds": seconds, "work_s": work_s, "megabytes": added}


def bare(number: str, path: str) -> dict[str, float]:
    """One ordered query, written with the csv module."""
    made = _round(number)
    started = time.perf_counter()
    with connection.cursor() as cursor, Path(path).open("w", newline="") as file:
        cursor.execute(BARE_SQL, [made.pk])
        csv.writer(file).writerows(cursor)
    return {"seconds": time.perf_counter() - started}


if __name__ == "__main__":
    action, *arguments = sys.argv[1:]
    if action == "prepare":
        print(json.dumps(prepare(*map(int, arguments))))
    else:
        actions = {"figures": figures, "export": export, "bare": bare}
        print(json.dumps(actions[action](*arguments)))
