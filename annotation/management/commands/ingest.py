"""Ingest the recordings of a data set: proxies where they are needed, pictures, waveforms."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.launch import launch_ingest
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Dataset, JobStatus, VideoIngest
from annotation.selectors.videos.ingest import ingest_item, ingest_report, ingested_videos
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos


class Command(CommandWithoutPages):
    help = (
        "Queue the recordings of a data set that are not ingested yet or have changed: ingest NAME."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="name of the data set")
        parser.add_argument(
            "--here", action="store_true", help="do the work in this process and wait for it"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        dataset = Dataset.objects.filter(name=options["name"]).first()
        if dataset is None:
            message = f"There is no data set {options['name']!r}."
            if options["json"]:
                self.stdout.write(json.dumps({"error": message}))
            raise CommandError(message)
        if options["here"]:
            queued_count = self._ingest_here(dataset)
        else:
            queued_count = launch_ingest(dataset=dataset, actor=None)
        report = ingest_report(dataset)
        items = [ingest_item(video) for video in ingested_videos(dataset)]
        if options["json"]:
            content = {
                "queued": queued_count,
                "counts": report.counts,
                "left_s": None if report.left_s is None else round(report.left_s, 1),
                "videos": [item.to_dict() for item in items],
            }
            self.stdout.write(json.dumps(content, ensure_ascii=False))
        else:
            self.stdout.write(f"{queued_count} recordings queued")
            for state, count in report.counts.items():
                self.stdout.write(f"{count} {state}")
            for item in items:
                if item.detail:
                    self.stdout.write(f"  {item.stem} ({item.state}): {item.detail}")

    def _ingest_here(self, dataset: Dataset) -> int:
        left = "what is ingested stays; run the same command again to continue"
        with shown_while(
            "Looking for recordings", self.stderr, things="recordings", left=left
        ) as work:
            queued_count = len(queue_ingest(dataset=dataset, actor=None))
            # Linking has queued most of them, and a site without workers leaves them there.
            waiting = VideoIngest.objects.filter(
                video__dataset=dataset, job__status=JobStatus.QUEUED
            )
            job_ids = list(waiting.order_by("job").values_list("job", flat=True))
            for place, job_id in enumerate(job_ids):
                work.watch(place, len(job_ids))
                ingest_videos(job_ids=[job_id])
        return queued_count
