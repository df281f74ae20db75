"""The inside of the fault test of clips: a process that orders one clip, and may be killed over it.

`python -m tests.generation.ordering_process URL RECORDING OUT` prints what came of it.
"""

import sys
from pathlib import Path

import django

django.setup()

from annotation.backends.media.facts import read_media
from generation.backends.exceptions import ModelError
from generation.backends.video.clips.backend import ClipRequest, anchors_at
from generation.models import VideoEndpoint
from generation.services.clips.provider_clips import ProviderClips
from tests.generation.video_endpoints import make_video_endpoint


def order(url, recording_path, out):
    endpoint = VideoEndpoint.objects.first() or make_video_endpoint(url)
    recording = read_media(recording_path)
    request = ClipRequest(
        prompt="A hand drops a cup.",
        duration_s=1.0,
        recording=recording,
        anchors=anchors_at(recording, 30, 60),
    )
    try:
        ProviderClips(endpoint, adapter=endpoint.adapter()).make_clip(request, out)
    except ModelError as error:
        return type(error).__name__
    return "made"


if __name__ == "__main__":
    sys.stdout.write(order(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
