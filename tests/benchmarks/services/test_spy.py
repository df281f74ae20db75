"""A spy in the place of a model: it never received a picture, word or answer from after the moment.

Every frame of the recording says its number, so that what was sent can be read off the picture.
"""

import base64
import io
import json
import re
from fractions import Fraction

import av
import pytest

from annotation.backends.media import stills
from annotation.engine.corpus.procedure import Reading
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos.linking import link_videos
from benchmarks.engine.happenings import OWN_WORDS, PICTURES
from benchmarks.engine.tasks.guide.items import GOLD, OWN, PREDICTED
from benchmarks.services import pictures
from benchmarks.services.live import LiveRequest, command_live, start_live
from benchmarks.services.live_work import watch_live
from tests.benchmarks.answering_server import AnsweringServer, pictures_of, words_of
from tests.benchmarks.asked import assessed, model
from tests.benchmarks.live.test_live import Still
from tests.benchmarks.made import TASKS, frozen, made_set
from tests.benchmarks.sample_answers import PLAN, PLANNER
from tests.benchmarks.tasks.material import TAKE, TRACE
from tests.recordings import number_of, write_recording

pytestmark = pytest.mark.django_db(transaction=True)

RATE = 10
DURATION_S = 12
ANSWERS = {
    "step_mistakes": {"answer": "yes", "score": 0.7},
    "mistake_intervals": {"intervals": []},
    "speak_or_stay_silent": {"decision": "silent", "text": ""},
    "describe_mistake": {"description": "The wrong thing was added."},
    "error_types": {"answer": "Wrong action"},
    "guide": "$silent$",
}
SETTINGS = {
    "error_types": {},
    "mistake_intervals": {"shown": PICTURES},
    "guide": {"points": "every 0.5 s"},
}
# What is done, and from which second on it can be told.
TOLD = {"Add coffee": 4.0, "Tip out the coffee": 6.0, "Pour water on the rest": 10.0}


@pytest.fixture
def filmed(owner, tmp_path, media):
    """Return a data set of one trace whose recording shows the numbers of its frames."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    recipe = {"rate": Fraction(RATE), "frame_count": RATE * DURATION_S, "group": 20, "sound": None}
    write_recording(folder / "tea-a.mp4", **recipe)
    trace = TRACE.__class__(**{
        **{name: getattr(TRACE, name) for name in TRACE.__slots__}, "video_stem": "tea-a",
    })  # fmt: skip
    target = ImportTarget(name="Tea", format="native", owner=owner, is_shared=False)
    import_reading(Reading(takes=(TAKE,), traces=(trace,)), target=target, actor=owner)
    dataset = Dataset.objects.get()
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    return dataset


def frame_numbers(body):
    found = []
    for address in pictures_of(body):
        jpeg = base64.b64decode(address.partition(",")[2])
        with av.open(io.BytesIO(jpeg), format="jpeg_pipe") as container:
            found.append(number_of(next(container.decode(video=0))))
    return found


def watched(filmed, owner, settings, reply):
    """The requests of a watcher and a planner about a set, with the answers."""
    made = made_set(filmed, owner, "guide", settings=settings)
    frozen(made, owner)
    with AnsweringServer(answers=reply) as server:
        watcher = model(server, owner, supports_images=True)
        planner = model(server, owner, name="P", model_name="plans", supports_images=True)
        done = assessed(made, watcher, owner, pictures=3, roles={"planner": planner.public_id})
        bodies = [asked.body for asked in server.asked]
    return bodies, done.answers.select_related("item").order_by("item__sequence_position")


def test_watcher_and_planner_get_nothing_from_after_now(filmed, owner):
    settings = {"plan": PREDICTED, "points": "every 0.5 s"}
    plan = PLAN.format(goal=TAKE.scenario, step="Go on.")
    said = iter(f"$interrupt$ Words {number}." for number in range(1000))

    bodies, rows = watched(
        filmed, owner, settings, lambda body: plan if PLANNER in words_of(body) else next(said)
    )

    moments = [row.item.moment_s for row in rows]
    # The opening's planner comes before its watcher, all others after theirs.
    now = [0.0, *(moment for moment in moments for _ in range(1 if moment == 0 else 2))]
    assert len(bodies) == len(now)
    for number, (body, moment_s) in enumerate(zip(bodies, now, strict=True)):
        frames = frame_numbers(body)
        assert frames == sorted(frames)
        assert (max(frames) <= moment_s * RATE) if number else frames == []
        later = [words for words, from_s in TOLD.items() if from_s > moment_s]
        assert [words for words in later if words in words_of(body)] == []
        spoken = [float(words) for words in re.findall(r"At ([0-9.]+) s, you", words_of(body))]
        assert all(time_s <= moment_s for time_s in spoken)


def test_a_model_that_speaks_when_it_wants_to_is_shown_nothing_from_after_now(filmed, owner):
    made = frozen(made_set(filmed, owner, "guide_freely", settings={"plan": PREDICTED}), owner)
    plan = PLAN.format(goal=TAKE.scenario, step="Go on.")
    said = iter(f"$interrupt$ Words {number}." for number in range(1000))

    with AnsweringServer(
        answers=lambda body: plan if PLANNER in words_of(body) else next(said)
    ) as server:
        done = assessed(made, model(server, owner, supports_images=True), owner, pictures=3)
        bodies = [asked.body for asked in server.asked]

    [answer] = done.answers.all()
    assert len(answer.value["said"]) == 2 * DURATION_S + 1
    saws = [*answer.stages.values_list("saw", flat=True), answer.saw]
    assert len(saws) == len(bodies) == 2 * len(answer.value["said"])
    for number, (body, saw) in enumerate(zip(bodies, _in_order(saws), strict=True)):
        words, frames = words_of(body), frame_numbers(body)
        moment_s = max([0.0, *map(float, re.findall(r"It is ([0-9.]+) s into", words))])
        assert saw["until_s"] == moment_s
        assert len(frames) == len(saw["pictures"])
        assert (max(frames) <= moment_s * RATE) if number else frames == []
        later = [words for words, from_s in TOLD.items() if from_s > moment_s]
        assert [one for one in later if one in words] == []


def _in_order(saws):
    """What was seen, in the order of asking: the answer's own comes before its last planner."""
    *before, last_planner, own = saws
    return [*before, own, last_planner]


def test_the_right_history_is_that_of_earlier_points_alone(filmed, owner):
    settings = {"plan": PREDICTED, "history": GOLD, "points": "every 0.5 s"}
    plan = PLAN.format(goal=TAKE.scenario, step="Go on.")

    bodies, rows = watched(
        filmed, owner, settings, lambda body: plan if PLANNER in words_of(body) else "$silent$"
    )

    right = [row.item.truth for row in rows]
    watchers = [body for body in bodies if PLANNER not in words_of(body)]
    assert len(watchers) == len(right) == len(bodies) - 1
    for number, (body, row) in enumerate(zip(watchers, rows, strict=True)):
        before = [truth["text"] for truth in right[:number] if truth["answer"] == "interrupt"]
        said = re.findall(r"At [0-9.]+ s, you: (.*)", words_of(body))
        assert said == before
        assert max(frame_numbers(body)) <= row.item.moment_s * RATE
        pieces = row.item.stretches
        for picture in row.saw["pictures"]:
            assert any(start <= picture["time_s"] <= end for start, end, _ in pieces)


@pytest.mark.parametrize("history", [OWN, GOLD])
def test_the_live_clock_sends_nothing_from_after_now_and_decodes_each_picture_once(
    filmed, owner, monkeypatch, history
):
    settings = {"plan": PREDICTED, "history": history, "points": "every 0.5 s"}
    made = frozen(made_set(filmed, owner, "guide", settings=settings), owner)
    plan = PLAN.format(goal=TAKE.scenario, step="Go on.")
    said = iter(f"$interrupt$ Words {number}." for number in range(1000))
    decoded = []

    def still(path, time_s, longest_side):
        decoded.append(time_s)
        return stills.still(path, time_s, longest_side)

    monkeypatch.setattr(pictures, "still", still)

    with AnsweringServer(
        answers=lambda body: plan if PLANNER in words_of(body) else next(said)
    ) as server:
        watcher = model(server, owner, supports_images=True)
        item = made.items.first()
        request = LiveRequest(endpoint=watcher.public_id, stride_s=0.0, pictures=3)
        run, job_ids = start_live(
            item_set=made, recording=item.recording, request=request, actor=owner
        )
        command_live(run=run, kind="play")
        watch_live(job_ids=job_ids, wall=Still().wall)
        bodies = [asked.body for asked in server.asked]

    right = set(made.items.values_list("truth__text", flat=True)) - {""}
    assert len(bodies) == 2 * made.item_count
    for number, body in enumerate(bodies):
        words = words_of(body)
        moment_s = max([0.0, *map(float, re.findall(r"It is ([0-9.]+) s into", words))])
        frames = frame_numbers(body)
        assert (max(frames) <= moment_s * RATE) if number else frames == []
        later = [words for words, from_s in TOLD.items() if from_s > moment_s]
        assert [one for one in (*later, *right) if one in words] == []
        spoken = [float(time_s) for time_s in re.findall(r"At ([0-9.]+) s, you", words)]
        assert all(time_s <= moment_s for time_s in spoken)
    assert len(decoded) == len(set(decoded)) > made.item_count


@pytest.mark.parametrize("task", [*TASKS, "guide"])
def test_nothing_from_after_the_moment_is_ever_sent(filmed, owner, task):
    # The words of each row say what is done, so they may be sent from then on and not before.
    settings = SETTINGS.get(task, {"shown": OWN_WORDS})
    made = made_set(filmed, owner, task, settings=settings)
    frozen(made, owner)
    reply = ANSWERS[task] if task == "guide" else json.dumps(ANSWERS[task])
    with AnsweringServer(answers=lambda body: reply) as server:
        endpoint = model(server, owner, supports_images=True)
        done = assessed(made, endpoint, owner, pictures=5)
        bodies = [asked.body for asked in server.asked]

    rows = done.answers.select_related("item").order_by("pk")
    assert [row.status for row in rows] == ["read"] * made.item_count
    # Items that are asked alike, of two mistakes that are seen at once, are asked once.
    by_call = {row.call_id: row for row in rows}
    for body, row in zip(bodies, by_call.values(), strict=True):
        frames = frame_numbers(body)
        moment_s = row.item.moment_s
        assert frames == sorted(frames)
        assert max(frames) <= moment_s * RATE
        # The last one is the moment itself: nothing that may be seen is held back.
        assert max(frames) >= min(moment_s * RATE, RATE * DURATION_S - 1) - 1
        assert [found["time_s"] for found in row.saw["pictures"]][-1] == moment_s
        later = [words for words, from_s in TOLD.items() if from_s > moment_s]
        assert [words for words in later if words in words_of(body)] == []


def test_a_model_that_takes_no_pictures_gets_none_and_the_number_and_size_are_settings(
    filmed, owner
):
    made = made_set(filmed, owner, "describe_mistake")
    frozen(made, owner)
    with AnsweringServer(answers=lambda body: json.dumps(ANSWERS["describe_mistake"])) as server:
        blind = assessed(made, model(server, owner), owner, pictures=5)
        seeing = model(server, owner, name="Seeing", model_name="eyes", supports_images=True)
        small = assessed(made, seeing, owner, pictures=2, picture_side=96, picture_detail="high")
        bodies = [asked.body for asked in server.asked]

    counts = [len(pictures_of(body)) for body in bodies]
    assert counts == [0, 2]
    assert (blind.settings["is_text_only"], blind.settings["pictures"]) == (True, 0)
    assert (small.settings["pictures"], small.settings["picture_side"]) == (2, 96)
    sent = bodies[-1]["messages"][-1]["content"]
    [first, *_] = [part["image_url"] for part in sent if part["type"] == "image_url"]
    assert first["detail"] == "high"
    jpeg = base64.b64decode(first["url"].partition(",")[2])
    with av.open(io.BytesIO(jpeg), format="jpeg_pipe") as container:
        assert max(container.streams.video[0].width, container.streams.video[0].height) == 96


def test_a_recording_that_is_gone_fails_the_item_and_nothing_is_asked(filmed, owner, tmp_path):
    made = made_set(filmed, owner, "describe_mistake")
    frozen(made, owner)
    (tmp_path / "recordings" / "tea-a.mp4").unlink()
    with AnsweringServer(answers=lambda body: "{}") as server:
        done = assessed(made, model(server, owner, supports_images=True), owner)

    assert server.asked == []
    assert {row.status for row in done.answers.all()} == {"failed"}
    assert "is gone" in done.answers.first().reason
