from generation.backends.video.providers.adapters.sora import PROVIDER
from generation.backends.video.providers.provider import Call, Order, Size

ORDER = Order("A cup falls.", 8, Size("1280x720", 1280, 720), b"first")
FIELDS = {"model": "sora-2", "prompt": "A cup falls.", "seconds": "8", "size": "1280x720"}


def test_submission_is_a_form_with_the_first_frame_as_a_file():
    form = {**FIELDS, "input_reference": ("first.jpg", b"first", "image/jpeg")}

    assert PROVIDER.submission(ORDER, "sora-2") == Call("POST", "/videos", form=form)


def test_form_arrives_in_parts_with_and_without_a_file(stage_of, tmp_path):
    stage = stage_of("sora")
    without = stage.request(anchors=type(stage.request().anchors)(None, None))

    stage.backend().make_clip(stage.request(), tmp_path / "with.mp4")
    stage.backend().make_clip(without, tmp_path / "without.mp4")

    fields = {"model": "sora-2", "prompt": "A hand drops a cup. Same camera."}
    fields |= {"seconds": "4", "size": "1280x720"}
    bodies = [dict(asked.body) for asked in stage.server.submitted]
    assert bodies[0].pop("input_reference")[:3] == b"\xff\xd8\xff"
    assert bodies == [fields, fields]


def test_file_is_fetched_from_the_jobs_own_path_with_the_key(stage_of, tmp_path):
    stage = stage_of("sora")

    stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

    last = stage.server.asked[-1]
    assert (last.method, last.path) == ("GET", "/videos/job-17/content")
    assert last.headers["authorization"] == "Bearer key-very-secret"
