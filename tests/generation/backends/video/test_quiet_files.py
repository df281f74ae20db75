"""What a spliced file, a conformed clip and a proxy say of how they were made: nothing."""

import re
from fractions import Fraction
from pathlib import Path

import av
import pytest

from annotation.backends.media.facts import read_media
from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.picture_form import picture_form
from annotation.backends.media.proxy import make_proxy, plan_proxy
from annotation.backends.media.quiet_files import unsigned
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.splicing.splice import SplicePath, splice
from tests.recordings import CLIP, write_recording

# What `strings` shows of the makers of files.
SIGNATURES = re.compile(rb"x264|videolan|Lavf|Lavc|libx|FFmpeg", re.IGNORECASE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return files of every way in which PIE-V makes them, from recordings that are signed."""
    folder = tmp_path_factory.mktemp("made")
    recording = write_recording(folder / "recording.mp4")
    clip = write_recording(folder / "clip.mp4", CLIP)
    conformed = conform_clip(clip, read_media(recording), folder / "conformed.mp4").path
    # The first frames are replaced: what the recording itself says of its encoder stands there.
    first = Edit(0.0, 1.0, (ClipSource(conformed),))
    middle = Edit(2.0, 3.0, (ClipSource(clip),))
    packets = splice(recording, [first, middle], folder / "packets.mp4")
    wide = write_recording(folder / "wide.mp4", rate=Fraction(25))
    index, form = read_frame_index(wide), picture_form(wide)
    plan = plan_proxy(wide, index, form)
    (folder / "work").mkdir()
    make_proxy(plan, folder / "work", folder / "proxy.mp4", lambda count: None)
    assert packets.path is SplicePath.PACKETS
    return {
        "recording": recording,
        "conformed": conformed,
        "packets": folder / "packets.mp4",
        "proxy": folder / "proxy.mp4",
    }


def tags_of(path: Path) -> list[dict[str, str]]:
    """Return the tags of a file and of its tracks, as ffprobe shows them."""
    with av.open(str(path)) as container:
        return [dict(container.metadata), *(dict(item.metadata) for item in container.streams)]


def test_recording_of_the_test_is_signed_in_container_pictures_and_sound(made):
    found = {item.lower() for item in SIGNATURES.findall(made["recording"].read_bytes())}

    assert {b"x264", b"lavf", b"lavc"} <= found


@pytest.mark.parametrize("name", ["conformed", "proxy"])
def test_made_file_holds_no_signature(made, name):
    assert SIGNATURES.findall(made[name].read_bytes()) == []


def test_spliced_file_holds_no_signature_but_what_the_recording_has_in_copied_packets(made):
    content = made["packets"].read_bytes()

    # The sound of this recording is signed in its first packet, which is copied as it is.
    assert {item.lower() for item in SIGNATURES.findall(content)} <= {b"lavc"}
    assert content.count(b"Lavc") <= made["recording"].read_bytes().count(b"Lavc")


def test_spliced_file_and_proxy_have_the_same_tags(made):
    assert tags_of(made["packets"]) == tags_of(made["proxy"])
    assert not any("encoder" in tags for tags in tags_of(made["packets"]))


def test_unsigned_leaves_all_but_user_data():
    start = b"\x00\x00\x01"
    picture, sets = start + b"\x65\x88\x84", start + b"\x67\x42" + start + b"\x68\xce"
    recovery_point = start + b"\x06\x06\x01\xc4\x80"
    note = start + b"\x06\x05\x14" + b"x264 - core 165 made" + b"\x80"

    assert unsigned(sets + note + picture) == sets + picture
    assert unsigned(sets + recovery_point + note + note) == sets + recovery_point
    assert unsigned(picture) == picture


def test_file_without_signatures_decodes_as_before(made):
    with av.open(str(made["proxy"])) as container:
        assert sum(1 for _ in container.decode(video=0)) > 0
