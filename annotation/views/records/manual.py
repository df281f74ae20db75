"""The pages of `docs/` that tell people with a link how to work, in the site's own look."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# Each page by its address: its file and its name in the contents.
PAGES = {
    "rating": ("annotators.md", "How to rate, and read texts"),
    "labelling": ("label_a_recording.md", "How to label a recording"),
}
PICTURES = "pictures/"


@dataclass(frozen=True, slots=True)
class ManualPage:
    """A page, and its headings with their anchors."""

    title: str
    body: SafeString
    headings: tuple[tuple[str, str], ...]


@login_required
@require_safe
def manual(request: HttpRequest, name: str = "rating") -> HttpResponse:
    if name not in PAGES:
        raise Http404
    context = {
        "section": "help",
        "page": manual_page(name),
        "name": name,
        "pages": [(key, title) for key, (_, title) in PAGES.items()],
    }
    return render(request, "annotation/manual_page.html", context)


@cache
def manual_page(name: str) -> ManualPage:
    """Read once: a new version of the site brings new pages."""
    text = (settings.DOCS_DIR / PAGES[name][0]).read_text("utf-8")
    # No markup of the text's own: whatever stands in it is shown as words.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    [title, *headings] = _with_anchors(tokens)
    for token in tokens:
        for inner in token.children or ():
            if inner.type == "image":
                source = str(inner.attrs["src"]).removeprefix(PICTURES)
                inner.attrs |= {"src": static(f"docs/{source}"), "loading": "lazy"}
    body = markdown.renderer.render(tokens, markdown.options, {})
    # A table that is wider than a phone scrolls by itself.
    body = body.replace("<table>", '<div class="scroll" tabindex="0"><table class="table">')
    body = body.replace("</table>", "</table></div>")
    # The text is a file of this code base, rendered without markup of its own.
    return ManualPage(title[1], mark_safe(body), tuple(headings))  # noqa: S308


def _with_anchors(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    """Anchor and words of the headings of the first two levels, which get their anchors."""
    headings = []
    for opening, inner in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag in ("h1", "h2"):
            opening.attrs["id"] = slugify(inner.content)
            headings.append((slugify(inner.content), inner.content))
    return headings
