"""The site that `bench.segments` loads: people with open segmentations, one of them of an hour.

    python -m bench.segments_site prepare CLIENTS    rows, then addresses and cookies as JSON
    python -m bench.segments_site record             the SQL of one gesture as JSON
    python -m bench.segments_site record-page        the SQL of opening the hour as JSON
    python -m bench.segments_site count              how many gestures and rows the log has
    python -m bench.segments_site check              what is torn, twice or unlike its log

It runs in a process of its own, because settings are read from the environment at the start.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from bench.saves_site import SENTINEL_SEQUENCE, login_headers, statements_of
from segments.models import SEGMENTS

# isort: split
# The line above has set up Django.
from django.conf import settings
from django.core.management import call_command
from django.db.models import Count
from django.test import Client
from django.utils import timezone

from annotation.models import (
    Campaign,
    CampaignRater,
    Dataset,
    GuidelineVersion,
    Round,
    RoundRater,
    Step,
    Take,
    User,
    Video,
)
from bench.saving import LEFT, RIGHT, cascade
from segments.models import Segmentation, SegmentEvent, SegmentRecording, SegmentRound
from segments.selectors.history import state_at
from segments.selectors.saving import stored_segments
from segments.services.saving import SentGesture, save_gestures
from segments.services.segmentations import SITE, begin

HOUR_S = 3600.0
HOUR_SEGMENTS = 2000
ORDINARY_SEGMENTS = 20
STEPS = 12


def prepare(client_count: int) -> dict[str, object]:
    """Make the tables, a person with a segmentation per client, and one with an hour."""
    call_command("migrate", verbosity=0)
    if not (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
        call_command("collectstatic", interactive=False, verbosity=0)
    if User.objects.exists():
        sys.exit("this database has accounts in it; name an empty one with DATABASE_URL")
    dataset = Dataset.objects.create(name="Bench", format="template")
    campaign = Campaign.objects.create(name="Bench", kind=SEGMENTS)
    text = {"scheme": "partition", "scheme_version": 1, "text": "Look."}
    guideline = GuidelineVersion.objects.create(
        campaign=campaign, kind=SEGMENTS, number=1, name="1", text=text
    )
    made = Round.objects.create(
        campaign=campaign,
        number=1,
        kind=SEGMENTS,
        guideline=guideline,
        opened_at=timezone.now(),
    )
    SegmentRound.objects.create(round=made, scheme="partition", scheme_version=1)
    people = [_person(made, dataset, n, ORDINARY_SEGMENTS) for n in range(client_count)]
    hour = _person(made, dataset, client_count, HOUR_SEGMENTS)
    return {"people": people, "hour": hour | {"path": f"/segments/{hour['id']}/"}}


def _person(made: Round, dataset: Dataset, number: int, segment_count: int) -> dict[str, str]:
    video = Video.objects.create(
        dataset=dataset,
        stem=f"take{number}",
        path=f"take{number}.mp4",
        size_bytes=1,
        container="mp4",
        video_codec="h264",
        width=640,
        height=360,
        frame_rate=25.0,
        duration_s=HOUR_S,
    )
    name = f"take{number}"
    take = Take.objects.create(dataset=dataset, uid=name, name=name, scenario="bench", video=video)
    Step.objects.bulk_create(
        Step(take=take, index=index, step_id=str(index), text=f"Do number {index}")
        for index in range(STEPS)
    )
    length_s = HOUR_S / segment_count
    proposals = [
        {
            "key": f"k{place}",
            "track": "steps",
            "start_s": round(place * length_s, 6),
            "end_s": round((place + 1) * length_s, 6),
            "step_id": str(place % STEPS),
        }
        for place in range(segment_count)
    ]
    recording = SegmentRecording.objects.create(round=made, take=take, proposals=proposals)
    user = User.objects.create_user(f"person{number}")
    CampaignRater.objects.create(campaign=made.campaign, rater=user)
    RoundRater.objects.create(round=made, rater=user)
    own = Segmentation.objects.create(round=made, recording=recording, person=user, position=0)
    begin(public_id=own.public_id, actor=user)
    return {
        "id": own.public_id,
        "path": f"/api/v1/segmentations/{own.public_id}/gestures/",
        "headers": login_headers(user),
    }


def record() -> list[tuple[str, list[object]]]:
    """The SQL of a gesture that moves an edge of two segments."""
    own = Segmentation.objects.select_related("person").order_by("pk")[0]
    # The number of the gesture is another one each time, as its sequence is.
    Segmentation.objects.filter(pk=own.pk).update(head=SENTINEL_SEQUENCE - 1)
    sent = SentGesture(SENTINEL_SEQUENCE, datetime(2026, 1, 1, tzinfo=UTC), cascade(1))
    return statements_of(
        lambda: save_gestures(
            public_id=own.public_id, client_id="floor", gestures=[sent], actor=own.person
        )
    )


def record_page() -> list[tuple[str, list[object]]]:
    """The SQL of opening the recording of an hour a second time."""
    own = Segmentation.objects.select_related("person").order_by("-pk")[0]
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(own.person)
    address = f"/segments/{own.public_id}/"
    client.get(address, secure=True)

    def open_page() -> None:
        page = client.get(address, secure=True)
        assert page.status_code == 200, page.status_code

    return statements_of(open_page)


def count() -> dict[str, int]:
    made = SegmentEvent.objects.exclude(client_id=SITE)
    gestures = made.values("segmentation", "client_id", "client_sequence").distinct()
    return {"gestures": gestures.count(), "rows": made.count()}


def check() -> dict[str, list[object]]:
    """What should not be: gestures of one row, two heads of one number, a state unlike its log."""
    made = SegmentEvent.objects.exclude(client_id=SITE).order_by()
    gestures = made.values("segmentation", "client_id", "client_sequence").annotate(
        rows=Count("pk"), heads=Count("head", distinct=True)
    )
    unlike = []
    for own in Segmentation.objects.all():
        replayed = state_at(own, own.head).segments
        if dict(replayed) != stored_segments(own.pk) or not _edges_touch(replayed):
            unlike.append(own.public_id)
    return {
        "torn": list(gestures.exclude(rows=2).values_list("client_sequence", flat=True)),
        "twice": list(gestures.exclude(heads=1).values_list("client_sequence", flat=True)),
        "unlike": unlike,
    }


def _edges_touch(segments) -> bool:  # type: ignore[no-untyped-def]
    return segments[LEFT].end_s == segments[RIGHT].start_s


def main() -> None:
    match sys.argv[1:]:
        case ["prepare", clients]:
            answer: object = prepare(int(clients))
        case ["record"]:
            answer = record()
        case ["record-page"]:
            answer = record_page()
        case ["count"]:
            answer = count()
        case ["check"]:
            answer = check()
        case other:
            sys.exit(f"{other} is not a command; see the top of this file")
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
