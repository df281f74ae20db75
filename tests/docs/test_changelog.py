"""The changelog speaks to users and has a place for what comes next."""

import re

from tests.docs.pages import REPOSITORY, text_of


def test_changelog_begins_with_an_unreleased_section_that_says_something():
    text = text_of(REPOSITORY / "CHANGELOG.md")
    titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
    first = text.split("\n## ")[1]

    assert re.fullmatch(r"\d+\.\d+\.\d+ \(unreleased\)", titles[0])
    assert re.search(r"^- \w", first, re.MULTILINE)
