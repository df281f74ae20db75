"""What cannot be taken back asks once: the form, or its button, says what will be fixed."""

import re

import pytest
from django.conf import settings

TEMPLATES = settings.BASE_DIR / "templates"
FORM = re.compile(r"<form\b[^%>]*(?:\{%.*?%\}[^%>]*)*>.*?</form>", re.DOTALL)
# By their last word; `place-close` logs another browser of one's own out, which logs in again.
FINAL = re.compile(r"\{% url '(?!place-close)([a-z-]*-(?:freeze|release|retire|delete|close))'")


def final_forms() -> dict[str, str]:
    """Return forms whose act cannot be undone, by the name of their address."""
    pages = (path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html"))
    forms = (form for page in pages for form in FORM.findall(page))
    return {found[1]: form for form in forms if (found := FINAL.search(form))}


def test_forms_that_cannot_be_undone_are_found():
    assert {"item-set-freeze", "question-set-freeze", "campaign-release", "dataset-delete"} < set(
        final_forms()
    )


@pytest.mark.parametrize("name", sorted(final_forms()))
def test_what_cannot_be_undone_asks_once(name):
    assert re.search(r'data-asks="[^"]{10,}"', final_forms()[name])
