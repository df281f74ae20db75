"""Which stretches of a recording an assistant sees at a point: the last seconds, and plan updates.

Source: Plan, Watch, Recover, section 2.4. Nothing after the point is ever seen.
"""

from collections.abc import Sequence

CLIP_S = 8.0
MOST_CLIPS = 15


def select_clips(
    now_s: float,
    update_times_s: Sequence[float],
    *,
    clip_s: float = CLIP_S,
    most_clips: int = MOST_CLIPS,
) -> list[tuple[float, float]]:
    """The clips (start, end) in seconds at a point, by time, each once.

    They are the last `clip_s` seconds, and those before each of the latest plan updates that are
    earlier than now. The opening's update, at 0, has no past: its clip is what comes after it.
    Times are compared in milliseconds. Raises ValueError for a point before the recording.
    """
    now, length = round(1000 * now_s), round(1000 * clip_s)
    if now < 0:
        raise ValueError(f"now_s is {now_s}; expected a time of 0 seconds or later")
    earlier = sorted(
        {update for time_s in update_times_s if (update := round(1000 * time_s)) < now}
    )
    clips = {(max(0, now - length), now)}
    for update in earlier[max(0, len(earlier) - most_clips + 1) :]:
        clips.add((max(0, update - length), update) if update > 0 else (0, min(length, now)))
    return [(start / 1000, end / 1000) for start, end in sorted(clips)]
