"""The pages on segments say what the pages of the site do: stages, schemes, formats, keys."""

import re

from segments.engine.scheme import available_schemes
from segments.formats.exchange import segment_formats
from segments.models import Stage
from segments.selectors.rounds import STAGE_WORDS
from tests.docs.pages import REPOSITORY, text_of

RESEARCHERS = text_of(REPOSITORY / "docs" / "segments.md")
ANNOTATORS = text_of(REPOSITORY / "docs" / "label_a_recording.md")
KEYS = REPOSITORY / "static" / "segments" / "js" / "segment_keys.js"


def first_cells(text, title):
    """Return the first cells of the table whose header begins with the title."""
    table = text[text.index(f"| {title} |") :].split("\n\n")[0]
    return [line.split("|")[1].strip() for line in table.splitlines()[2:]]


def test_every_scheme_and_format_has_a_row():
    assert {cell.strip("`") for cell in first_cells(RESEARCHERS, "scheme")} == set(
        available_schemes()
    )
    told = {
        name for cell in first_cells(RESEARCHERS, "format") for name in re.findall("`(.+?)`", cell)
    }
    assert told == set(segment_formats())


def test_every_stage_has_a_row():
    told = {cell.split(",")[0] for cell in first_cells(RESEARCHERS, "stage")}
    assert told == set(Stage.values)


def test_annotators_read_the_words_of_their_queue():
    for stage in (Stage.LABEL, Stage.AUDIT, Stage.CORRECT, Stage.REVIEW):
        assert STAGE_WORDS[stage] in re.sub(r"\s+", " ", ANNOTATORS)


def test_keys_of_the_table_are_keys_of_the_page():
    source = text_of(KEYS)
    shown = {
        key
        for keys in re.findall(r"shown: \[([^\]]+)\]", source)
        for key in re.findall(r'"([^"]+)"', keys)
    }
    shown |= {key.replace("Shift ", "Shift+") for key in shown}

    told = {key for cell in first_cells(ANNOTATORS, "key") for key in re.findall("`(.+?)`", cell)}

    assert told <= shown
    assert len(told) > 12
