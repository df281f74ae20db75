import pytest

from generation.backends.video.providers.adapters.veo import PROVIDER
from generation.backends.video.providers.exceptions import RefusedError
from generation.backends.video.providers.provider import Call, Order, Size


def test_submission_holds_both_frames_and_the_parameters():
    order = Order("A cup falls.", 8, Size("16:9", 1280, 720), b"first", b"last")

    assert PROVIDER.submission(order, "veo-3.1") == Call(
        "POST",
        "/models/veo-3.1:predictLongRunning",
        {
            "instances": [
                {
                    "prompt": "A cup falls.",
                    "image": {"bytesBase64Encoded": "Zmlyc3Q=", "mimeType": "image/jpeg"},
                    "lastFrame": {"bytesBase64Encoded": "bGFzdA==", "mimeType": "image/jpeg"},
                }
            ],
            "parameters": {"aspectRatio": "16:9", "durationSeconds": 8, "resolution": "720p"},
        },
    )


def test_filtered_clip_is_refused_with_the_filters_reason(stage_of, tmp_path):
    stage = stage_of("veo")
    stage.server.polls = [{"do": "refused"}]

    with pytest.raises(RefusedError, match="veo refused the clip: FILTERED Not shown"):
        stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")
