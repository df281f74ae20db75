"""What the frames of a recording say that were numbered when they were made."""

from pathlib import Path

import av

from tests.recordings import number_of


def numbers_of(path: Path) -> list[int]:
    with av.open(str(path)) as container:
        return [number_of(frame) for frame in container.decode(video=0)]
