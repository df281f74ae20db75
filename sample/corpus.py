"""The sample corpus: everyday procedures of our own writing, with slips, videos and ratings.

`corpus.json` is in PIE-V's own format (`annotation.engine.corpus.formats.native`); `scenes.json`
says how each step is drawn. `render` makes the videos, `ratings` what three raters would have
answered, and `site` fills a site with all of it.
"""

from pathlib import Path

from annotation.engine.corpus.formats import native
from annotation.engine.corpus.procedure import Reading

CORPUS_PATH = Path(__file__).with_name("corpus.json")


def load_corpus() -> Reading:
    return native.read(CORPUS_PATH)
