from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from annotation.engine.corpus.procedure import Reading
from sample import render as render_module
from sample.corpus import load_corpus
from sample.gestures import changes_at, pose_at
from sample.render import (
    FPS,
    KEYFRAME_INTERVAL,
    SAMPLE_RATE,
    TAIL_S,
    Film,
    films_of,
    is_current,
    pictures_of,
    render_corpus,
    render_film,
    sound_of,
)
from sample.stage import HEIGHT, WIDTH, Motion, load_scenes, opening_state, state_after

CORPUS = load_corpus()


def _short_reading() -> Reading:
    take = CORPUS.takes[0]
    return Reading(takes=(replace(take, steps=take.steps[:2]),))


def _short_film() -> Film:
    return films_of(_short_reading())[0]


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    return render_film(_short_film(), tmp_path_factory.mktemp("videos"))


def _decoded(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def test_video_is_what_a_browser_plays(video):
    with av.open(str(video)) as container:
        stream, audio = container.streams.video[0], container.streams.audio[0]
        found = (
            stream.codec_context.name,
            stream.codec_context.profile,
            stream.codec_context.pix_fmt,
            (stream.codec_context.width, stream.codec_context.height),
            stream.average_rate,
            audio.codec_context.name,
            audio.codec_context.sample_rate,
            audio.codec_context.layout.name,
        )

    assert found == (
        "h264", "High", "yuv420p", (WIDTH, HEIGHT), FPS, "aac", SAMPLE_RATE, "mono",
    )  # fmt: skip


def test_video_lasts_a_second_longer_than_its_last_step(video):
    last_end_s = _short_reading().takes[0].steps[-1].end_s
    expected_s = last_end_s + TAIL_S

    with av.open(str(video)) as container:
        audio = container.streams.audio[0]
        audio_s = float(audio.duration * audio.time_base)

    assert len(_decoded(video)) == round(expected_s * FPS)
    assert audio_s == pytest.approx(expected_s, abs=0.03)


def test_video_has_closed_groups_of_two_seconds_at_most(video):
    with av.open(str(video)) as container:
        packets = [packet for packet in container.demux(video=0) if packet.pts is not None]
    keys = [number for number, packet in enumerate(packets) if packet.is_keyframe]
    gaps = np.diff([*keys, len(packets)])

    assert keys[0] == 0
    assert max(gaps) <= KEYFRAME_INTERVAL
    for key in keys:
        # A frame that comes after a keyframe in the file and before it on the screen is an open
        # group: a seek to the keyframe could not show it.
        assert all(packet.pts > packets[key].pts for packet in packets[key + 1 :])


def test_video_can_start_before_it_is_loaded(video):
    content = video.read_bytes()

    assert content.index(b"moov") < content.index(b"mdat")


def test_video_shows_the_drawn_pictures(video):
    drawn = list(pictures_of(_short_film()))
    shown = _decoded(video)

    for number in (0, 30, len(drawn) - 1):
        difference = np.abs(drawn[number].astype(int) - shown[number].astype(int))
        assert difference.mean() < 4  # of 255: what the compression loses


def test_sound_ticks_when_a_step_begins():
    film = _short_film()
    sound = sound_of(film)
    loud = np.flatnonzero(np.abs(sound) > 0.01)

    assert len(sound) == film.frame_count * SAMPLE_RATE // FPS
    assert np.abs(sound).max() <= 0.2
    for shot in film.shots:
        start = round(shot.start_s * SAMPLE_RATE)
        assert not np.any((loud > start - 4800) & (loud < start))
        assert np.any((loud >= start) & (loud < start + 4800))


def test_render_leaves_current_videos_alone_and_renews_outdated_ones(tmp_path):
    reading = _short_reading()
    said = []

    first = render_corpus(reading, tmp_path / "videos", progress=said.append)
    made_at = first[0].stat().st_mtime_ns
    second = render_corpus(reading, tmp_path / "videos")

    assert [path.name for path in first] == [f"{reading.takes[0].video_stem}.mp4"]
    assert said == ["video 1 of 1 is ready"]
    assert second == []
    assert first[0].stat().st_mtime_ns == made_at
    changed = replace(_short_film(), shots=(replace(_short_film().shots[0], text="Fill the pot"),))
    assert is_current(_short_film(), tmp_path / "videos")
    assert not is_current(changed, tmp_path / "videos")


def test_render_replaces_a_broken_file(tmp_path, video):
    film = _short_film()
    broken = tmp_path / f"{film.stem}.mp4"
    broken.write_bytes(video.read_bytes()[:2000])

    assert not is_current(film, tmp_path)
    render_film(film, tmp_path)

    assert is_current(film, tmp_path)
    assert list(tmp_path.iterdir()) == [broken]


def test_render_leaves_nothing_behind_when_it_fails(tmp_path, monkeypatch):
    def break_off(film):
        yield from list(pictures_of(film))[:3]
        raise RuntimeError("the lamp went out")

    monkeypatch.setattr(render_module, "pictures_of", break_off)

    with pytest.raises(RuntimeError, match="lamp"):
        render_film(_short_film(), tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_video_does_not_tell_where_it_comes_from(video):
    film = _short_film()
    with av.open(str(video)) as container:
        comment = container.metadata["comment"]

    assert video.stem == film.stem
    assert comment == film.fingerprint()
    assert b"sample-coffee" not in video.read_bytes()


def test_films_differ_where_the_steps_differ():
    films = films_of(CORPUS)

    assert len(films) == len(CORPUS.takes) + len(CORPUS.traces)
    assert len({film.fingerprint() for film in films}) == len(films)


def test_trace_film_differs_from_its_take_in_the_picture_too():
    films = {film.stem: film for film in films_of(CORPUS)}
    traces = {trace.uid: films[trace.video_stem] for trace in CORPUS.traces}
    take = films[CORPUS.takes[0].video_stem]
    scene = slice(30, 300)  # between the title with the clock and the caption

    last_right = list(pictures_of(take))[-1][scene]
    last_wrong = list(pictures_of(traces["sample-coffee-b"]))[-1][scene]

    assert (np.abs(last_right.astype(int) - last_wrong.astype(int)).max(axis=2) > 40).sum() > 500


@pytest.mark.parametrize("motion", Motion)
def test_gesture_begins_and_ends_where_things_stand(motion):
    scenes = load_scenes()
    for scene in scenes.values():
        state = opening_state(scene)
        for direction in scene.directions.values():
            if direction.motion is not motion or direction.target == "off":
                continue
            home = pose_at(state, direction, 0.0)
            end = pose_at(state, direction, 1.0)
            assert home.offset == (0.0, 0.0)
            assert 0 < changes_at(direction) < 1
            if motion is Motion.CARRY:
                seat, start = state.seat_of(direction.target), state.position(direction.prop)
                assert end.offset == pytest.approx((seat[0] - start[0], seat[1] - start[1]))
            elif motion not in {Motion.INTO, Motion.DROP}:
                assert end.offset == pytest.approx((0.0, 0.0))


def test_state_after_pouring_fills_what_stands_below():
    scene = load_scenes()["Make pour-over coffee"]
    state = opening_state(scene)
    for text in (
        "Get the mug from the shelf",
        "Set the dripper on the mug",
        "Put a paper filter in the dripper",
    ):
        state = state_after(state, scene.directions[text])

    after = state_after(state, scene.directions["Pour the rest of the water in slow circles"])

    assert state.group("mug") == ["mug", "dripper", "filter"]
    assert (state.props["mug"].fill, after.props["mug"].fill) == ("", "#6b4a35")
