"""The annotators' page says what the audit page does: its keys, states and questions."""

import re

from annotation.engine.rubric.rubric import current_rubric
from tests.docs.pages import REPOSITORY, text_of

PAGE = REPOSITORY / "docs" / "annotators.md"
SCRIPTS = REPOSITORY / "static" / "annotation" / "js"
BINDING = re.compile(r"shown: \[([^\]]+)\], text: (?:\"([^\"]+)\"|`([^`]+)`)")
KEY_ROW = re.compile(r"^\| ((?:`[^`]+` ?)+) \| ([^|]+) \|$", re.MULTILINE)
QUESTION_ROW = re.compile(r"^\| \*\*([^*]+)\*\* \|", re.MULTILINE)
STATE_WORDS = re.compile(r"\[State\.\w+\]: \([^)]*\) => (?:\"([^\"]+)\"|`([^`]+)`)")


def test_keys_table_is_the_list_of_the_page():
    source = text_of(SCRIPTS / "key_bindings.js")
    skip_s = re.search(r"const SKIP_S = (\d+);", source).group(1)
    bindings = [
        (re.findall(r"\"([^\"]+)\"", shown), (plain or template).replace("${SKIP_S}", skip_s))
        for shown, plain, template in BINDING.findall(source)
    ]

    rows = [
        (re.findall(r"`([^`]+)`", keys), words) for keys, words in KEY_ROW.findall(text_of(PAGE))
    ]

    assert rows == bindings
    assert len(rows) == source.count("shown: [")


def test_every_state_of_saving_is_explained_in_its_own_words():
    source = text_of(SCRIPTS / "saving.js")
    states = [
        (plain or template).replace("${changes(count)}", "3 changes")
        for plain, template in STATE_WORDS.findall(source)
    ]

    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", text_of(PAGE), re.MULTILINE)

    assert [row for row in rows if row in states] == states
    assert len(states) == source.count("[State.", source.index("const WORDS"), source.index("};"))


def test_questions_stand_in_the_order_of_the_card():
    titles = [definition.title for definition in current_rubric().metrics]

    assert QUESTION_ROW.findall(text_of(PAGE)) == titles
