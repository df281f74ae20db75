from generation.backends.video.providers.adapters.openai_videos import PROVIDER
from generation.backends.video.providers.provider import Offer, Order, ProviderRequest, Size
from tests.generation.backends.video.providers.conftest import fitted

ORDER = Order("A cup falls.", 8, Size("1280x720", 1280, 720), b"first")
FIELDS = {"model": "film", "prompt": "A cup falls.", "seconds": "8", "size": "1280x720"}


def test_submission_is_a_form_with_the_first_frame_as_a_file():
    form = {**FIELDS, "input_reference": ("first.jpg", b"first", "image/jpeg")}

    assert PROVIDER.submission(ORDER, "film") == ProviderRequest("POST", "/videos", form=form)


def test_form_arrives_in_parts_with_and_without_a_file(stage_of, tmp_path):
    stage = stage_of("openai_videos")
    without = stage.request(anchors=type(stage.request().anchors)(None, None))

    stage.backend().make_clip(stage.request(), tmp_path / "with.mp4")
    stage.backend().make_clip(without, tmp_path / "without.mp4")

    fields = {"model": "film", "prompt": "A hand drops a cup. Same camera."}
    fields |= {"seconds": "2", "size": "1280x720"}
    bodies = [dict(asked.body) for asked in stage.server.submitted]
    assert bodies[0].pop("input_reference")[:3] == b"\xff\xd8\xff"
    assert bodies == [fields, fields]


def test_last_frame_arrives_where_the_server_takes_one(stage_of, tmp_path):
    stage = stage_of("openai_videos")
    backend = stage.backend()
    backend.adapter = PROVIDER.fitted("film", stage.server.url, Offer((2,), (), takes_last=True))

    backend.make_clip(stage.request(duration_s=2.0), tmp_path / "clip.mp4")

    [asked] = stage.server.submitted
    assert set(asked.body) == {"model", "prompt", "seconds", "size", "image_reference"}


def test_file_is_fetched_from_the_jobs_own_path_with_the_key(stage_of, tmp_path):
    stage = stage_of("openai_videos")

    stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

    last = stage.server.asked[-1]
    assert (last.method, last.path) == ("GET", "/videos/job-17/content")
    assert last.headers["authorization"] == "Bearer key-very-secret"


def test_server_without_a_key_is_sent_none(stage_of, tmp_path):
    stage = stage_of("openai_videos")
    stage.server.wants_key = False

    stage.backend(api_key="", secret_key="").make_clip(stage.request(), tmp_path / "clip.mp4")

    assert not any("authorization" in asked.headers for asked in stage.server.asked)


def test_id_with_signs_of_equality_is_one():
    job_id = "video_bGl0ZWxsbTpjdXN0b21fbGxtX3Byb3ZpZGVyOm9wZW5haQ=="

    assert PROVIDER.job_id({"id": job_id}) == job_id
    assert PROVIDER.query(job_id) == ProviderRequest("GET", f"/videos/{job_id}")


def test_lengths_and_sizes_are_those_of_the_settings_or_the_forms_own():
    own = PROVIDER.fitted("film", "http://there", Offer((5, 10), ("832x480",)))
    usual = PROVIDER.fitted("film", "http://there", Offer())

    assert (own.limits.clips.offered_s, own.limits.sizes) == (
        (5.0, 10.0),
        (Size("832x480", 832, 480),),
    )
    assert usual.limits.clips.offered_s == (4.0, 8.0, 12.0)
    assert fitted("openai_videos").limits.takes_last is False
