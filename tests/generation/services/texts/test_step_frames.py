"""Pictures of steps: the right moment of the right file, and none where there is none."""

from io import BytesIO

import pytest
from PIL import Image

from generation.selectors.plans.procedures import prepare_take
from generation.services.texts.step_frames import step_frames
from tests.e2e.conftest import write_clip
from tests.factories import DatasetFactory, StepFactory, TakeFactory, VideoFactory

FIRST_GREY = 40


def grey_of(jpeg):
    """Return the brightness of a picture of one colour."""
    return Image.open(BytesIO(jpeg)).convert("L").getpixel((10, 10))


@pytest.fixture
def clip(tmp_path):
    write_clip(tmp_path / "clean.mp4", 6.0, FIRST_GREY)
    return tmp_path / "clean.mp4"


@pytest.fixture
def take(db, clip):
    dataset = DatasetFactory(video_folder=str(clip.parent))
    video = VideoFactory(dataset=dataset, path=clip.name)
    take = TakeFactory(dataset=dataset, video=video)
    for index in range(3):
        StepFactory(take=take, index=index, text=f"Stir {index}", semrep="STIR(Object: tea)",
                    start_s=2.0 * index, end_s=2.0 * index + 2)  # fmt: skip
    StepFactory(
        take=take, index=3, text="Rest", semrep="REST(Agent: you)", start_s=None, end_s=None
    )
    return take


def test_frames_are_taken_in_the_middle_of_the_steps(take):
    frames = step_frames(take, prepare_take(take).procedure)

    shown = frames((2, 0, 3))

    assert [(frame.step_index, frame.time_s) for frame in shown] == [(2, 5.0), (0, 1.0)]
    assert [grey_of(frame.jpeg) for frame in shown] == pytest.approx([90, 50], abs=3)


def test_take_without_a_recording_has_no_frames(take):
    procedure = prepare_take(take).procedure
    take.video.path = "../elsewhere.mp4"

    outside = step_frames(take, procedure)
    assert outside is not None
    shown = outside((0, 1))
    take.video = None

    assert (shown, step_frames(take, procedure)) == ((), None)
