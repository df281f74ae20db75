"""Zero-shot questions to a model that sees pictures and misbehaves: what it got, what it counts."""

from dataclasses import replace
from fractions import Fraction

import pytest

from annotation.engine.corpus.procedure import Event, Reading
from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos.linking import link_videos
from benchmarks.engine.task import AnswerStatus
from benchmarks.engine.tasks.zero_shot_errors import ALL_ROWS, ONE, SEVEN, TIMED_ROWS
from benchmarks.selectors.tables import table_of
from generation.services.calls import asker as paid_asker
from tests.benchmarks.answering_server import AnsweringServer, coin, pictures_of, words_of
from tests.benchmarks.asked import assessed, model
from tests.benchmarks.made import figures_of, frozen_set
from tests.benchmarks.services.test_misbehaving import STATUS_OF_FATE
from tests.benchmarks.tasks.test_zero_shot_errors import GRAPH, TAKE, TRACE
from tests.recordings import write_recording

pytestmark = pytest.mark.django_db(transaction=True)
LENGTH_S = 9.0


@pytest.fixture(autouse=True)
def quick_retries():
    """Pauses between attempts take no time."""
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 0.001)
    yield
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 1.0)


@pytest.fixture
def filmed(owner, tmp_path, media):
    """Return a data set of a right recording and one with tagged errors, both with a video."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    for stem in ("r0", "r1"):
        recipe = {"rate": Fraction(2), "frame_count": int(2 * LENGTH_S), "sound": None}
        write_recording(folder / f"{stem}.mp4", **recipe)
    # As an import has it: every mistake is an event, and what was left out has no text.
    rows = tuple(
        replace(
            row,
            event_id=(row.labels and f"E{place}") or None,
            text="" if row.mod is Mod.DELETION else row.text,
        )
        for place, row in enumerate(TRACE.steps)
    )
    events = tuple(Event(row.event_id, EventKind.MISTAKE) for row in rows if row.event_id)
    take = replace(TAKE, video_stem="r0")
    trace = replace(TRACE, video_stem="r1", steps=rows, events=events)
    target = ImportTarget(name="Soup", format="native", owner=owner, is_shared=False)
    reading = Reading(takes=(take,), traces=(trace,), task_graphs=(GRAPH,))
    import_reading(reading, target=target, actor=owner)
    dataset = Dataset.objects.get()
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    return dataset


@pytest.mark.parametrize(
    ("questions", "rows", "item_count"), [(ONE, TIMED_ROWS, 7), (SEVEN, ALL_ROWS, 56)]
)
def test_every_question_gets_pictures_of_its_own_time_and_ends_in_a_stated_status(
    filmed, owner, questions, rows, item_count
):
    made = frozen_set(
        filmed, owner, "zero_shot_errors", settings={"questions": questions, "rows": rows}
    )

    def said(body):
        return f"I think so. {coin(body, 'Yes.', 'No, it was not.', 'unclear')}"

    with AnsweringServer(answers=said, bad_share=0.4) as server:
        endpoint = model(server, owner, supports_images=True)
        done = assessed(made, endpoint, owner, pictures=2, picture_side=64)
        bodies = [asked.body for asked in server.asked]
        fates = [server.fate_of(text) for text in server.seen]

    assert (done.job.error, made.item_count) == ("", item_count)
    assert {len(pictures_of(body)) for body in bodies} == {2}
    assert not any(word in words_of(body) for body in bodies for word in ("as it was", "Error"))
    answers = list(done.answers.select_related("item").order_by("pk"))
    # Asked one at a time; what is asked alike is asked once.
    fate_of = dict(zip(dict.fromkeys(one.call_id for one in answers), fates, strict=True))
    for answer in answers:
        item = answer.item
        whole = [0.0, LENGTH_S]
        assert [item.start_s, item.moment_s] == whole or rows == TIMED_ROWS
        seen = [found["time_s"] for found in answer.saw["pictures"]]
        assert seen == [item.start_s, item.moment_s]
        status = STATUS_OF_FATE.get(fate_of[answer.call_id], "read")
        # A choice of things is not answered by yes or no.
        is_choice = "something else" in item.choices
        assert answer.status == status or (is_choice and answer.status == "malformed")
    unclear = [
        one.value["answer"] == "unclear" if one.value else one.status != AnswerStatus.FAILED
        for one in answers
    ]
    found = figures_of(done)
    assert found["unclear"][0] == pytest.approx(sum(unclear) / len(answers))
    assert found["accuracy"][0] == found["accuracy_of_all"][0]
    by_category = figures_of(done, "category")
    assert bool(by_category) == (questions == SEVEN)
    table = table_of(made, group="category", group_value="timing")
    published = [row for group in table.groups if group.title == "Published" for row in group.rows]
    assert [row.cells["precision"].value for row in published] == (
        [0.066, 0.03] if questions == SEVEN else []
    )
