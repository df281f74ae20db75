"""The inside of the fault test of ingestion: a process that ingests a recording and dies of it.

`python -m tests.annotation.ingesting_process FOLDER FRAME` makes a data set with a recording that
browsers cannot play, and kills itself when so many frames of its proxy are made.
"""

import os
import signal
import sys
from fractions import Fraction
from pathlib import Path

import django

django.setup()

from annotation.services.videos import ingest_work
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.linking import link_videos
from tests.factories import DatasetFactory, StepFactory, TakeFactory
from tests.recordings import write_recording

RATE, FRAME_COUNT = Fraction(10), 450


def main(folder: Path, last_frame: int) -> None:
    folder.mkdir()
    write_recording(
        folder / "one.mp4", codec="mpeg4", rate=RATE, frame_count=FRAME_COUNT, sound=None
    )
    dataset = DatasetFactory(name="Tea")
    StepFactory(take=TakeFactory(dataset=dataset, video_stem="one"))
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    progress_reporter = ingest_work.progress_reporter

    def dying_reporter(claim, is_lost):
        report = progress_reporter(claim, is_lost)

        def report_or_die(done_count, total_count):
            if done_count == last_frame:
                os.kill(os.getpid(), signal.SIGKILL)
            report(done_count, total_count)

        return report_or_die

    ingest_work.progress_reporter = dying_reporter
    ingest_work.ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
