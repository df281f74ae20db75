"""In which order packets are written, which decides how many of them wait in memory."""

from dataclasses import replace
from pathlib import Path

import av
import pytest

from annotation.backends.media.aac import AAC_PACKET_SAMPLES
from annotation.backends.media.facts import read_media
from generation.backends.video.edits import ClipSource, Edit, frame_edits
from generation.backends.video.sound.copying import CopiedSound
from generation.backends.video.splicing import packets
from generation.backends.video.splicing.packet_plan import plan_packets
from tests.recordings import CLIP, write_recording

RATE, SAMPLE_RATE = 30, 48_000


@pytest.mark.parametrize("cut_s", [(0.0, 1.0), (2.0, 2.2), (5.0, 6.0)])
def test_sound_is_written_before_the_pictures_beside_it(cut_s, tmp_path: Path, monkeypatch) -> None:
    media = read_media(write_recording(tmp_path / "recording.mp4", frame_count=180))
    clip = write_recording(tmp_path / "clip.mp4", replace(CLIP, frame_count=96))
    edits = frame_edits(media, [Edit(*cut_s, (ClipSource(clip),))])
    plan = plan_packets(media, edits)
    lags_s, heard = [], []
    put_picture, put_sound = packets._Writer._put_picture, CopiedSound._put

    def put_and_look(writer: packets._Writer, frame: packets.EncodedFrame) -> None:
        heard_until_s = len(heard) * AAC_PACKET_SAMPLES / SAMPLE_RATE
        lags_s.append(writer.shown_count / RATE - heard_until_s)
        put_picture(writer, frame)

    def put_and_count(sound: CopiedSound, packet: av.Packet, position: int) -> None:
        heard.append(packet)
        put_sound(sound, packet, position)

    monkeypatch.setattr(packets._Writer, "_put_picture", put_and_look)
    monkeypatch.setattr(CopiedSound, "_put", put_and_count)
    packets.write_packets(plan, tmp_path / "out.mp4")

    # The clip of four seconds, and what stands between it and the key frames.
    assert len(lags_s) >= 4 * RATE
    assert max(lags_s) < 0.5
