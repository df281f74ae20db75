"""Figures of a benchmark over 400 recordings: a million answers, an upload, a table of twenty.

A site of its own on SQLite holds 100,000 yes-or-no items. Timed are the upload of an answer to each
(reading, checking, storing, scoring); the preparation of a million answers, ten repeats, from the
database; 1,000 resamples with every measure and its interval; and the page of a table with twenty
participants. Beside them: bare inserts of the same rows, draws of the answers themselves with
NumPy, and the page of the list of sets.

    python -m bench.benchmark_tables [--items 100000] [--repeats 10] [--participants 20]
"""

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.measure import in_fresh_process

RECORDINGS = 400
DRAWS = 1000
# Draws of the peer, which takes too long for all of them.
PEER_DRAWS = 5
SHOWS = 9
SEED = 20261122
GOALS = {"upload": 10.0, "preparation": 10.0, "resamples": 0.3, "page": 0.15}


def main() -> int:
    """Print the figures beside their peers; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the figures of a benchmark.")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--participants", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = in_fresh_process(
            measured, Path(folder), options.items, options.repeats, options.participants
        )
    lines = {
        "upload": f"{options.items:,} answers uploaded, checked, stored and scored",
        "preparation": f"{options.items * options.repeats:,} answers prepared, once",
        "resamples": f"{DRAWS:,} resamples of all measures over {RECORDINGS} recordings",
        "page": f"page of a table with {options.participants} participants",
    }
    peers = {
        "upload": "bare inserts of its rows",
        "preparation": "reading the rows alone, as they lie",
        "resamples": "drawing the answers anew with NumPy",
        "page": "page of the list of sets",
    }
    is_met = True
    for name, words in lines.items():
        own, peer = found[name]
        is_met = is_met and own < GOALS[name]
        print(f"{words}: {own:.3f} s (goal {GOALS[name]:g} s)")
        print(f"  {peers[name]}: {peer:.3f} s; ours takes {own / peer:.2g} times as long")
    print("  goals met" if is_met else "  GOALS MISSED")
    return 0 if is_met else 1


def measured(
    folder: Path, item_count: int, repeats: int, participants: int
) -> dict[str, tuple[float, float]]:
    """The seconds of each part and of its peer, in a process with a site of its own."""
    os.environ |= {"PIEV_STATE": str(folder), "DJANGO_SETTINGS_MODULE": "piev_site.settings"}
    os.environ |= {"SECRET_KEY": "bench", "LOG_LEVEL": "error", "ALLOWED_HOSTS": "testserver"}
    os.environ.pop("DATABASE_URL", None)
    import django  # noqa: PLC0415

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    site = Site(item_count)
    found = {"upload": site.upload(folder)}
    found |= site.resampling(repeats)
    found["page"] = site.page(participants)
    return found


class Site:
    """A frozen item set and its owner."""

    def __init__(self, item_count: int) -> None:
        from django.utils import timezone  # noqa: PLC0415

        from annotation.models import Role, User  # noqa: PLC0415
        from benchmarks.models import Item, ItemSet  # noqa: PLC0415

        rng = np.random.default_rng(SEED)
        self.owner = User.objects.create(username="owner", role=Role.RESEARCHER)
        self.item_set = ItemSet.objects.create(
            name="Steps", task="step_mistakes", task_version=1, source="made", owner=self.owner,
            item_count=item_count, content_hash="0" * 64, frozen_at=timezone.now(),
            settings={"shown": "its words", "follow_ups": "left out"},
        )  # fmt: skip
        self.truth = rng.random(item_count) < 0.3
        self.recording = rng.integers(0, RECORDINGS, item_count)
        self.keys = [f"{place:016x}" for place in range(item_count)]
        Item.objects.bulk_create(
            (
                Item(
                    item_set=self.item_set, position=place, key=self.keys[place],
                    source_key=str(place), recording=f"r{self.recording[place]}",
                    source_recording=f"trace:{self.recording[place]}",
                    question="Is this step a mistake?", payload={"step": "Pour the water"},
                    choices=["yes", "no"],
                    truth={"answer": "yes" if self.truth[place] else "no"},
                    take=f"take {self.recording[place]}",
                )
                for place in range(item_count)
            ),
            batch_size=2000,
        )  # fmt: skip

    def answers(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Whether each item is called a mistake, three times in four rightly, and how surely."""
        rng = np.random.default_rng(seed)
        said = np.where(rng.random(len(self.truth)) < 0.75, self.truth, ~self.truth)
        return said, np.round(np.where(said, 0.5, 0.0) + rng.random(len(said)) / 2, 4)

    def upload(self, folder: Path) -> tuple[float, float]:
        """Seconds of an upload, and of inserting its rows into a table without an index."""
        from benchmarks.services.uploads import AnswerUpload, upload_answers  # noqa: PLC0415

        said, scores = self.answers(1)
        rows = zip(self.keys, said, scores, strict=True)
        lines = ["key,answer,score"] + [
            f"{key},{'yes' if one else 'no'},{score}" for key, one, score in rows
        ]
        content = "\n".join(lines).encode()
        started = time.perf_counter()
        upload = AnswerUpload("First", "answers.csv", content)
        self.first = upload_answers(item_set=self.item_set, upload=upload, actor=self.owner)
        own = time.perf_counter() - started
        started = time.perf_counter()
        with sqlite3.connect(folder / "bare.sqlite3") as bare:
            bare.execute("create table answer (id integer primary key, key text, value text)")
            bare.executemany(
                "insert into answer (key, value) values (?, ?)",
                (
                    (key, json.dumps({"answer": "yes" if one else "no", "score": float(score)}))
                    for key, one, score in zip(self.keys, said, scores, strict=True)
                ),
            )
        return own, time.perf_counter() - started

    def resampling(self, repeats: int) -> dict[str, tuple[float, float]]:
        """Seconds of preparing so many repeats and of resampling them, and of both peers."""
        from django.db import connection  # noqa: PLC0415

        from benchmarks.engine.scoring import scored  # noqa: PLC0415
        from benchmarks.models import Assessment  # noqa: PLC0415
        from benchmarks.selectors.assessments import answers_of, truth_of  # noqa: PLC0415
        from benchmarks.selectors.item_sets import task_of  # noqa: PLC0415

        with connection.cursor() as cursor:
            for repeat in range(1, repeats):
                cursor.execute(
                    "INSERT INTO benchmarks_answer (assessment_id, item_id, repeat, status, raw,"
                    " value, reason, saw, judged, answered_at) SELECT assessment_id, item_id, %s,"
                    " status, raw, value, reason, saw, judged, answered_at FROM benchmarks_answer"
                    " WHERE assessment_id = %s AND repeat = 0",
                    [repeat, self.first.pk],
                )
        Assessment.objects.filter(pk=self.first.pk).update(settings={"repeats": repeats})
        assessment = Assessment.objects.select_related("item_set").get(pk=self.first.pk)
        task = task_of(self.item_set)
        started = time.perf_counter()
        whole = answers_of(assessment, truth_of(self.item_set))
        tally = task.tally(whole.items, whole.answers)
        preparation = time.perf_counter() - started
        started = time.perf_counter()
        scored(tally, DRAWS)
        resamples = time.perf_counter() - started
        started = time.perf_counter()
        with connection.cursor() as cursor:
            cursor.execute("SELECT item_id, repeat, status, value FROM benchmarks_answer")
            cursor.fetchall()
        reading = time.perf_counter() - started
        return {
            "preparation": (preparation, reading),
            "resamples": (resamples, self._drawn_plainly(repeats)),
        }

    def _drawn_plainly(self, repeats: int) -> float:
        """Seconds of as many resamples that draw every answer of the drawn recordings."""
        said, _ = self.answers(1)
        said, truth = np.tile(said, repeats), np.tile(self.truth, repeats)
        owner = np.tile(self.recording, repeats)
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(RECORDINGS + 1))
        rng = np.random.default_rng(SEED)
        started = time.perf_counter()
        for _ in range(PEER_DRAWS):
            drawn = rng.integers(0, RECORDINGS, RECORDINGS)
            rows = np.concatenate([order[starts[one] : starts[one + 1]] for one in drawn])
            right = truth[rows] == said[rows]
            hits = (truth[rows] & said[rows]).sum()
            _ = right.mean(), hits / said[rows].sum(), hits / truth[rows].sum()
        return (time.perf_counter() - started) / PEER_DRAWS * DRAWS

    def page(self, participants: int) -> tuple[float, float]:
        """Median seconds of the set's page with so many participants, and of the list of sets."""
        from django.test import Client  # noqa: PLC0415

        from benchmarks.models import Assessment, Figure  # noqa: PLC0415

        figures = list(self.first.figures.values())
        for number in range(1, participants):
            row = Assessment.objects.create(
                item_set=self.item_set, kind="file", name=f"Participant {number}",
                owner=self.owner, frozen_at=self.first.frozen_at, counts=self.first.counts,
            )  # fmt: skip
            Figure.objects.bulk_create(
                Figure(**{**values, "id": None, "assessment_id": row.pk}) for values in figures
            )
        client = Client()
        client.force_login(self.owner)
        address = f"/benchmarks/sets/{self.item_set.public_id}/"
        return tuple(median(_seconds(client, one) for _ in range(SHOWS)) for one in
                     (address, "/benchmarks/"))  # fmt: skip


def _seconds(client: Any, address: str) -> float:
    started = time.perf_counter()
    assert client.get(address, headers={"host": "testserver"}).status_code == 200
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
