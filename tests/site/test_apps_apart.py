"""A lower app knows nothing of a higher one, in code and in templates alike."""

import re

from tests.migrated import REPOSITORY

SEGMENTS = re.compile(r"segment", re.IGNORECASE)
# Their own segments: the pieces in which a proxy is encoded, and the words of data sets' files.
OTHERS = (
    "annotation/backends/media/proxy.py",
    "annotation/services/videos/ingest_work.py",
    "annotation/engine/corpus/formats/",
)
# A style of buttons that stand side by side.
STYLE = re.compile(r'class="segmented[ "]')


def test_annotation_names_segments_nowhere():
    files = [
        path
        for folder in ("annotation", "templates/annotation")
        for path in sorted((REPOSITORY / folder).rglob("*"))
        if path.suffix in {".py", ".html"} and "migrations" not in path.parts
    ]

    named = {
        f"{file}:{number}"
        for path in files
        for file in [path.relative_to(REPOSITORY).as_posix()]
        if not file.startswith(OTHERS)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if SEGMENTS.search(STYLE.sub("", line))
    }

    assert len(files) > 300
    assert named == set()
