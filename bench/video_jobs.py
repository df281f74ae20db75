"""The video jobs whose memory is measured, each as a function of the folder with the recordings."""

from collections.abc import Callable
from pathlib import Path

import av
from av.video.frame import PictureType

from annotation.backends.media.facts import read_media
from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.picture_form import picture_form
from annotation.backends.media.pictures import PictureSource, draw_pictures, draw_tiles
from annotation.backends.media.probe import probe_video
from annotation.backends.media.proxy import make_proxy, plan_proxy, remove_segments
from annotation.backends.media.sound import read_sound
from annotation.backends.media.stills import whole_still
from bench.splice_recording import FORM, clip, mux_sound, noise, recording
from generation.backends.video.checking.expected import Thoroughness
from generation.backends.video.clips.backend import ClipRequest, anchors_at
from generation.backends.video.clips.bridge import BridgeBackend
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.sound.packets import encoded_sound
from generation.backends.video.splicing.splice import SpliceOptions, SplicePath, splice

# Of what is encoded anew as a whole, this much: the memory does not depend on its length.
SAMPLE_S = 8
RECORDING, CLIP, STORED, SAMPLE, FOREIGN = (
    "recording.mp4",
    "clip.mp4",
    "stored.mp4",
    "sample.mp4",
    "foreign.mkv",
)
FOREIGN_CODEC, FOREIGN_OPTIONS = "libx265", {"preset": "ultrafast", "x265-params": "log-level=none"}


def make_recordings(folder: Path, minutes: int) -> Path:
    """The recording; what the jobs need is made where it is not there yet."""
    made, path = recording(folder, minutes), folder / RECORDING
    if not path.exists():
        path.hardlink_to(made)
    clip(folder)
    media = read_media(path)
    if not (folder / STORED).exists():
        conform_clip(folder / CLIP, media, folder / STORED)
    if not (folder / SAMPLE).exists():
        splice(path, [Edit(SAMPLE_S, media.duration_s)], folder / SAMPLE)
    if not (folder / FOREIGN).exists():
        encode_foreign(folder / SAMPLE, folder / FOREIGN)
    return path


def encode_foreign(source: Path, path: Path) -> None:
    """Write a recording that browsers do not play and whose packets no splice copies."""
    draft = path.with_suffix(".part")
    with av.open(str(source)) as container, av.open(str(draft), "w", format="matroska") as output:
        stream = container.streams.video[0]
        pictures = output.add_stream(FOREIGN_CODEC, rate=stream.average_rate)
        pictures.width, pictures.height, pictures.pix_fmt = stream.width, stream.height, "yuv420p"
        pictures.options = dict(FOREIGN_OPTIONS)
        sound = output.add_stream("aac", rate=FORM.sample_rate)
        sound.codec_context.layout = FORM.layout
        sound.codec_context.open()
        heard = encoded_sound(noise(SAMPLE_S), FORM, 0)
        for index, frame in enumerate(container.decode(stream)):
            frame.pict_type = PictureType.NONE
            output.mux(pictures.encode(frame))
            for position, data in heard:
                mux_sound(output, sound, position, data)
                if position * stream.average_rate > index * FORM.sample_rate:
                    break
        output.mux(pictures.encode(None))
    draft.rename(path)


def probe(folder: Path) -> None:
    """Probe the recording and read the index of its frames."""
    probe_video(folder / RECORDING)
    read_frame_index(folder / RECORDING)


def ingest(folder: Path) -> None:
    """Make a proxy of what browsers do not play, its pictures and its waveform."""
    source, proxy = folder / FOREIGN, folder / "proxy.mp4"
    index = read_frame_index(source)
    remove_segments(folder)
    make_proxy(plan_proxy(source, index, picture_form(source)), folder, proxy, lambda count: None)
    remove_segments(folder)
    pictures = PictureSource(proxy, read_frame_index(proxy), picture_form(proxy), index)
    draw_pictures(pictures, [(1.0, 3.0), (4.0, 7.0)], folder, lambda count: None)
    draw_tiles(pictures, folder, lambda count: None)
    read_sound(source, index)


def boundary_frame(folder: Path) -> None:
    """Show a frame of the recording in full size."""
    whole_still(folder / RECORDING, read_media(folder / RECORDING).duration_s / 2)


def placeholder(folder: Path) -> None:
    """Draw a placeholder of four seconds between two frames of the recording."""
    media = read_media(folder / RECORDING)
    anchors = anchors_at(media, media.frame_count // 3, media.frame_count // 2)
    asked = ClipRequest("", 4.0, media, anchors, caption="Pour the water into the pot")
    BridgeBackend().make_clip(asked, folder / "placeholder.mp4")


def conform(folder: Path) -> None:
    """Store a foreign clip in the form of the recording."""
    conform_clip(folder / CLIP, read_media(folder / RECORDING), folder / "conformed.mp4")


def splice_stored(folder: Path) -> None:
    """Replace eight seconds by the packets of a stored clip."""
    _splice(folder, ClipSource(folder / STORED))


def splice_foreign(folder: Path) -> None:
    """Replace them by a clip that is encoded anew."""
    _splice(folder, ClipSource(folder / CLIP))


def splice_moved(folder: Path) -> None:
    """Replace them by another part of the recording itself."""
    end_s = read_media(folder / RECORDING).duration_s
    _splice(folder, ClipSource(folder / RECORDING, end_s - 10.0, end_s - 2.0))


def _splice(folder: Path, source: ClipSource) -> None:
    start_s = read_media(folder / RECORDING).duration_s / 5
    edits = [Edit(start_s, start_s + 8.3, (source,))]
    done = splice(folder / RECORDING, edits, folder / "spliced.mp4")
    _require(done.path, SplicePath.PACKETS)


def splice_often(folder: Path) -> None:
    """Make ten edits in one pass."""
    step_s = read_media(folder / RECORDING).duration_s / 11
    source = ClipSource(folder / STORED)
    cuts = [(step_s * number, step_s * number + 3.3) for number in range(1, 11)]
    edits = [Edit(start_s, end_s, (source,)) for start_s, end_s in cuts]
    _require(splice(folder / RECORDING, edits, folder / "spliced.mp4").path, SplicePath.PACKETS)


def splice_reencoded(folder: Path) -> None:
    """Splice what cannot be copied: all is encoded anew, and decoded to verify it."""
    edits = [Edit(2.0, 4.0, (ClipSource(folder / CLIP),))]
    _require(splice(folder / FOREIGN, edits, folder / "anew.mp4").path, SplicePath.REENCODED)


def verify_all(folder: Path) -> None:
    """Splice and decode every frame beside its original."""
    options = SpliceOptions(thoroughness=Thoroughness.FULL)
    edits = [Edit(2.0, 4.0, (ClipSource(folder / STORED),))]
    done = splice(folder / SAMPLE, edits, folder / "checked.mp4", options)
    _require(done.path, SplicePath.PACKETS)


def _require(path: SplicePath, wanted: SplicePath) -> None:
    if path is not wanted:
        raise RuntimeError(f"the splice took the path {path}; expected {wanted}")


JOBS: dict[str, Callable[[Path], None]] = {
    "probe, index of all frames": probe,
    "ingest: proxy, pictures, waveform": ingest,
    "frame beside a clip": boundary_frame,
    "placeholder of 4 s": placeholder,
    "conforming a clip": conform,
    "splice, conformed clip": splice_stored,
    "splice, foreign clip": splice_foreign,
    "splice, part of the recording moved": splice_moved,
    "ten edits in one pass": splice_often,
    "splice by encoding all anew": splice_reencoded,
    "splice, every frame verified": verify_all,
}
