"""The drawn videos of the sample corpus, kept between runs: drawing them takes half a minute."""

import shutil
from pathlib import Path

from sample.corpus import load_corpus
from sample.render import render_corpus
from tests import migrated

KEPT_IN = migrated.KEPT_IN / "sample-videos"


def give_sample_videos(media_folder: Path) -> None:
    """Put them where a sample site would draw them; what is outdated is drawn anew first."""
    with migrated.alone("drawing"):
        render_corpus(load_corpus(), KEPT_IN)
    shutil.copytree(KEPT_IN, media_folder / "sample", dirs_exist_ok=True)
