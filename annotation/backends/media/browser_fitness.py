"""Why browsers cannot play a recording as it is."""

from collections.abc import Iterator

from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.picture_form import PictureForm
from annotation.backends.media.probe import VideoProbe, browser_warnings

# What Chromium, Firefox and Safari all play in the containers that the probe lets pass.
BROWSER_SOUNDS = frozenset({"", "aac", "mp3", "mp3float", "opus", "libopus", "vorbis", "flac"})
# Decoders in browsers end at 4K (H.264 level 5.2 takes 4096 x 2304).
LONGEST_SIDE = 4096
# A jump has to decode everything from the key frame on. x264 sets one every 250 frames unless told
# otherwise, which is 10.4 s at 24 frames per second.
LONGEST_GROUP_S = 12.0
# Seconds of steps count from the first frame, but a player's clock from the start of the file; the
# player is sent to the middle of a frame's time.
LATEST_START_FRAMES = 0.5


def unfit_reasons(probe: VideoProbe, index: FrameIndex, form: PictureForm) -> Iterator[str]:
    """Yield what keeps browsers from playing and seeking the recording well."""
    yield from browser_warnings(probe.container, probe.video_codec, probe.pixel_format)
    if probe.audio_codec not in BROWSER_SOUNDS:
        yield f"browsers cannot play sound in {probe.audio_codec}"
    if index.is_rate_variable:
        yield "its frame rate varies"
    if form.is_interlaced:
        yield "it is interlaced"
    if max(form.width, form.height) > LONGEST_SIDE:
        yield f"its pictures of {form.width} x {form.height} are larger than browsers decode"
    if index.key_frame_distance_s > LONGEST_GROUP_S:
        yield f"its key frames lie up to {index.key_frame_distance_s:.0f} s apart"
    if abs(probe.start_s) * index.grid_rate > LATEST_START_FRAMES:
        yield f"its first frame comes at {probe.start_s:.2f} s"
