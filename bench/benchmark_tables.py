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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
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


PEERS = {
    "upload": "bare inserts of its rows",
    "preparation": "reading the rows alone, as they lie",
    "resamples": "drawing the answers anew with NumPy",
    "page": "page of the list of sets",
}


@dataclass(frozen=True, slots=True)
class Timed:
    """How long something took, in seconds: by the clock, and of the processor."""

    wall: float
    processor: float


def timed(function: Callable[[], object]) -> Timed:
    wall, processor = time.perf_counter(), time.process_time()
    function()
    return Timed(time.perf_counter() - wall, time.process_time() - processor)


def main() -> int:
    """Print the figures beside their peers; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the figures of a benchmark.")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--participants", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        met = in_fresh_process(
            measure, Path(folder), options.items, options.repeats, options.participants
        )
    print("  goals met" if met else "  GOALS MISSED")
    return 0 if met else 1


def measure(folder: Path, item_count: int, repeats: int, participants: int) -> bool:
    """Print each part beside its peer, in a process with a site of its own."""
    os.environ |= {"PIEV_STATE": str(folder), "DJANGO_SETTINGS_MODULE": "piev_site.settings"}
    os.environ |= {"SECRET_KEY": "bench", "LOG_LEVEL": "error", "ALLOWED_HOSTS": "testserver"}
    os.environ.pop("DATABASE_URL", None)
    import django  # noqa: PLC0415

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    site = Site(item_count)
    is_met = True

    def tell(name: str, words: str, own: Timed, peer: Timed) -> None:
        nonlocal is_met
        is_met = is_met and own.wall < GOALS[name]
        print(
            f"{words}: {own.wall:.3f} s (goal {GOALS[name]:g} s; processor {own.processor:.3f} s)\n"
            f"  {PEERS[name]}: {peer.wall:.3f} s (processor {peer.processor:.3f} s); ours takes"
            f" {own.processor / peer.processor:.2g} times the processor's time",
            flush=True,
        )

    words = f"{item_count:,} answers uploaded, checked, stored and scored"
    tell("upload", words, *site.upload(folder))
    parts = site.resampling(repeats)
    tell("preparation", f"{item_count * repeats:,} answers prepared, once", *parts[0])
    words = f"{DRAWS:,} resamples of all measures over {RECORDINGS} recordings"
    tell("resamples", words, *parts[1])
    tell("page", f"page of a table with {participants} participants", *site.page(participants))
    return is_met


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
            item_count=item_count, content_hash="0" * 64, made_at=timezone.now(),
            frozen_at=timezone.now(),
            settings={"shown": "the procedure's words", "follow_ups": "left out"},
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
                    question="Is this step a mistake?", own_payload={"step": "Pour the water"},
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

    def upload(self, folder: Path) -> tuple[Timed, Timed]:
        """Seconds of an upload, and of inserting its rows into a table without an index."""
        from benchmarks.services.uploads import AnswerUpload, upload_answers  # noqa: PLC0415

        said, scores = self.answers(1)
        rows = zip(self.keys, said, scores, strict=True)
        lines = ["key,answer,score"] + [
            f"{key},{'yes' if one else 'no'},{score}" for key, one, score in rows
        ]
        content = "\n".join(lines).encode()
        upload = AnswerUpload("First", "answers.csv", content)

        def send() -> None:
            self.first = upload_answers(item_set=self.item_set, request=upload, actor=self.owner)

        def insert() -> None:
            with sqlite3.connect(folder / "bare.sqlite3") as bare:
                bare.execute("create table answer (id integer primary key, key text, value text)")
                bare.executemany(
                    "insert into answer (key, value) values (?, ?)",
                    (
                        (key, json.dumps({"answer": "yes" if one else "no", "score": float(score)}))
                        for key, one, score in zip(self.keys, said, scores, strict=True)
                    ),
                )

        return timed(send), timed(insert)

    def resampling(self, repeats: int) -> list[tuple[Timed, Timed]]:
        """Seconds of preparing so many repeats and of resampling them, and of both peers."""
        from django.db import connection  # noqa: PLC0415

        from benchmarks.engine.scoring import score  # noqa: PLC0415
        from benchmarks.models import Assessment  # noqa: PLC0415
        from benchmarks.selectors.assessments import answers_of  # noqa: PLC0415
        from benchmarks.selectors.item_sets import task_of  # noqa: PLC0415

        with connection.cursor() as cursor:
            for repeat in range(1, repeats):
                cursor.execute(
                    "INSERT INTO benchmarks_answer (assessment_id, item_id, repeat, status, raw,"
                    " value, reason, saw, judged, state, answered_at)"
                    " SELECT assessment_id, item_id, %s,"
                    " status, raw, value, reason, saw, judged, state, answered_at"
                    " FROM benchmarks_answer"
                    " WHERE assessment_id = %s AND repeat = 0",
                    [repeat, self.first.pk],
                )
        Assessment.objects.filter(pk=self.first.pk).update(settings={"repeats": repeats})
        assessment = Assessment.objects.select_related("item_set").get(pk=self.first.pk)
        task = task_of(self.item_set)
        tallies = []

        def prepare() -> None:
            whole = answers_of(assessment)
            tallies.append(task.tally(whole.items, whole.answers))

        def read() -> None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT item_id, repeat, status, value FROM benchmarks_answer")
                cursor.fetchall()

        preparation = timed(prepare)
        return [
            (preparation, timed(read)),
            (timed(lambda: score(tallies[0], task.measures, DRAWS)), self._drawn_plainly(repeats)),
        ]

    def _drawn_plainly(self, repeats: int) -> Timed:
        """As many resamples that draw every answer of the drawn recordings, from a few of them."""
        said, _ = self.answers(1)
        said, truth = np.tile(said, repeats), np.tile(self.truth, repeats)
        owner = np.tile(self.recording, repeats)
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(RECORDINGS + 1))
        rng = np.random.default_rng(SEED)

        def draw() -> None:
            for _ in range(PEER_DRAWS):
                drawn = rng.integers(0, RECORDINGS, RECORDINGS)
                rows = np.concatenate([order[starts[one] : starts[one + 1]] for one in drawn])
                right = truth[rows] == said[rows]
                hits = (truth[rows] & said[rows]).sum()
                _ = right.mean(), hits / said[rows].sum(), hits / truth[rows].sum()

        few = timed(draw)
        return Timed(few.wall * DRAWS / PEER_DRAWS, few.processor * DRAWS / PEER_DRAWS)

    def page(self, participants: int) -> tuple[Timed, Timed]:
        """The set's page with so many participants, and the list of sets: each the middle one."""
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

        def middle(address: str) -> Timed:
            shown = [timed(lambda: _open(client, address)) for _ in range(SHOWS)]
            return sorted(shown, key=lambda one: one.wall)[SHOWS // 2]

        return middle(address), middle("/benchmarks/")


def _open(client: Any, address: str) -> None:
    assert client.get(address, headers={"host": "testserver"}).status_code == 200


if __name__ == "__main__":
    sys.exit(main())
