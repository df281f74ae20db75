"""Videos whose every frame says its number, and the scripts that read them from the audit page.

Tests use this too, so nothing here sets up a site.
"""

from pathlib import Path

import av
import numpy as np

BIT_COUNT = 12
WHITE, BLACK = 210, 40
TONE_HZ = 440
SAMPLE_RATE = 48_000
AUDIO_FRAME = 1024
# Of videos that are only there to play.
NOISE_RATE, NOISE_SIZE = 25, (640, 360)
PART_S, HOUR_S = 60, 3600

# Reads the number that a video element shows, as its pixels are.
READ_NUMBER = """(video) => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const context = canvas.getContext("2d");
  context.drawImage(video, 0, 0);
  let number = 0;
  for (let bit = 0; bit < BIT_COUNT; bit += 1) {
    const x = Math.round((canvas.width * (bit + 0.5)) / BIT_COUNT);
    const [red] = context.getImageData(x, Math.round(canvas.height / 2), 1, 1).data;
    if (red > 125) number += 2 ** bit;
  }
  return number;
}""".replace("BIT_COUNT", str(BIT_COUNT))

# Samples [ms since the start, drift in ms or null where one side waits], every 50 ms.
SAMPLE = """async ([seconds, stalled, stallMs]) => {
  const { Timeline } = await import("/static/annotation/js/sections.js");
  const { sections } = JSON.parse(document.querySelector("#audit-data").textContent);
  const timeline = new Timeline(sections);
  const [reference, trace] = document.querySelectorAll("video");
  const samples = [];
  const start = performance.now();
  let isStalled = false;
  while (performance.now() - start < 1000 * seconds) {
    const elapsed = performance.now() - start;
    if (stalled && !isStalled && elapsed > 1000) {
      isStalled = true;
      // The element stands still, whatever rate the page sets meanwhile.
      const video = stalled === "trace" ? trace : reference;
      video.playbackRate = 0;
      const still = { configurable: true, get: () => 1, set: () => {} };
      Object.defineProperty(video, "playbackRate", still);
      setTimeout(() => { delete video.playbackRate; video.playbackRate = 1; }, stallMs);
    }
    const place = timeline.at(timeline.from("trace", trace.currentTime));
    const isBoth = !place.reference.isWaiting && !place.trace.isWaiting;
    samples.push([elapsed, isBoth ? 1000 * (reference.currentTime - place.reference.time) : null]);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return samples;
}"""
# Goes to a moment of a video and waits until its picture is shown: a busy browser ends the seek
# before. The picture that is there at first is not told of, so another one is shown before it.
SHOW = """async (video, atS, rate) => {
  const limitMs = 30_000;
  const until = async (holds) => {
    const endsAt = performance.now() + limitMs;
    while (!holds()) {
      if (performance.now() > endsAt) throw new Error(`no picture of second ${atS} was shown`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  if (video.shownS === undefined) {
    video.shownS = null;
    const note = (_, { mediaTime }) => {
      video.shownS = mediaTime;
      video.requestVideoFrameCallback(note);
    };
    video.requestVideoFrameCallback(note);
    video.currentTime = atS < 1 ? atS + 1 : atS - 1;
    await until(() => video.shownS !== null);
  }
  video.currentTime = atS;
  // The page takes the seek over and moves to the middle of the frame.
  const isInMiddle = () => Math.abs(((video.currentTime * rate) % 1) - 0.5) < 0.01;
  const isShown = () => Math.abs((video.currentTime - video.shownS) * rate - 0.5) < 0.1;
  await until(() => !video.seeking && isInMiddle() && isShown());
}"""
SEEK = f"""async ([side, second]) => {{
  const video = document.querySelector(`[data-side=${{side}}] video`);
  await ({SHOW})(video, second, 30);
  return [video.currentTime, ({READ_NUMBER})(video)];
}}"""


def picture(number: int, size: tuple[int, int], background: np.ndarray) -> np.ndarray:
    """A picture, (H, W, 3) uint8, that moves and has the number as a row of bits across."""
    width, height = size
    shown = np.roll(background, 4 * number, axis=1)
    for bit in range(BIT_COUNT):
        left, right = (round(width * (bit + shift) / BIT_COUNT) for shift in (0, 1))
        shown[height // 3 : 2 * height // 3, left:right] = WHITE if number >> bit & 1 else BLACK
    return shown


def background_of(size: tuple[int, int], seed: int) -> np.ndarray:
    """Coarse noise, (H, W, 3) uint8, so that there is something to decode."""
    width, height = size
    rng = np.random.default_rng(seed)
    coarse = rng.integers(60, 190, (height // 8 + 1, width // 8 + 1, 3), dtype=np.uint8)
    return coarse.repeat(8, axis=0).repeat(8, axis=1)[:height, :width].copy()


def write_numbered(
    path: Path,
    *,
    seconds: float,
    size: tuple[int, int] = (1280, 720),
    rate: int = 30,
    seed: int = 0,
) -> Path:
    """Write H.264 with a tone in AAC: closed groups of 2 s, so that seeks are what they are."""
    background = background_of(size, seed)
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.options = {"preset": "ultrafast", "g": str(2 * rate), "bf": "2"}
        sound = container.add_stream("aac", rate=SAMPLE_RATE)
        for number in range(round(seconds * rate)):
            shown = picture(number, size, background)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="rgb24")))
        container.mux(stream.encode())
        for first in range(0, round(seconds * SAMPLE_RATE), AUDIO_FRAME):
            times = np.arange(first, first + AUDIO_FRAME) / SAMPLE_RATE
            wave = (0.1 * np.sin(2 * np.pi * TONE_HZ * times)).astype(np.float32)
            frame = av.AudioFrame.from_ndarray(
                np.tile(wave, (2, 1)), format="fltp", layout="stereo"
            )
            frame.sample_rate = SAMPLE_RATE
            frame.pts = first
            container.mux(sound.encode(frame))
        container.mux(sound.encode())
    return path


def decoded_numbers(path: Path) -> list[tuple[float, int]]:
    """(second, number) of every frame as FFmpeg decodes it, in the order of showing."""
    found = []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            grey = frame.reformat(format="gray").to_ndarray()
            row = grey[grey.shape[0] // 2]
            places = [round(grey.shape[1] * (bit + 0.5) / BIT_COUNT) for bit in range(BIT_COUNT)]
            number = sum(1 << bit for bit, x in enumerate(places) if row[x] > (WHITE + BLACK) / 2)
            found.append((float(frame.time), number))
    return found


def number_at(frames: list[tuple[float, int]], second: float) -> int:
    """The number of the last frame that begins at or before a second."""
    return max((item for item in frames if item[0] <= second), default=frames[0])[1]


def write_hour(path: Path) -> None:
    """Write an hour: one minute, encoded once, sixty times over."""
    part = path.with_name("part.mp4")
    write_clip(part, PART_S)
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        with av.open(str(part)) as source:
            stream = container.add_stream_from_template(source.streams.video[0])
        for turn in range(HOUR_S // PART_S):
            with av.open(str(part)) as source:
                for packet in source.demux(video=0):
                    if packet.dts is None:
                        continue
                    shift = round(turn * PART_S / packet.time_base)
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    packet.stream = stream
                    container.mux(packet)
    part.unlink()


def write_clip(path: Path, seconds: int) -> None:
    rng = np.random.default_rng(3)
    ground = rng.integers(60, 190, (NOISE_SIZE[1] // 8, NOISE_SIZE[0] // 8, 3), dtype=np.uint8)
    ground = np.kron(ground, np.ones((8, 8, 1), dtype=np.uint8))
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=NOISE_RATE)
        stream.width, stream.height = NOISE_SIZE
        stream.pix_fmt = "yuv420p"
        stream.options = {"preset": "ultrafast", "g": str(NOISE_RATE), "bf": "0"}
        for index in range(seconds * NOISE_RATE):
            picture = np.roll(ground, 3 * index, axis=1)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
