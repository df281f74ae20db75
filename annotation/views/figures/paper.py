"""The tables and pictures of a paper: a page of each campaign and data set, and their files."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from annotation.analytics.pictures.canvas import Picture, PictureFormat
from annotation.analytics.pictures.paper_pictures import PaperPicture
from annotation.analytics.tables.paper_tables import PaperTable
from annotation.analytics.tables.table import ShownTable, Table, lay_out
from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.launch import figures_to_show, pictures_to_show
from annotation.models import Campaign, Dataset, DrawnPicture
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.figures.drawn_pictures import drawn_file, picture_key
from annotation.selectors.figures.figures import Figures
from annotation.selectors.figures.paper import (
    Kind,
    Paper,
    PaperSubject,
    example_cases_table,
    paper_of,
    paper_subject,
)

TABLE_NAMES = {
    PaperTable.RUBRIC: "Table 2: rubric",
    PaperTable.AGGREGATES: "Table 3: aggregates",
    PaperTable.GENERATED_SCALE: "Table 4: scale of what was generated",
    PaperTable.AGREEMENT: "Table 5: agreement",
    PaperTable.SAMPLE: "Supplementary Table 2: audit sample",
    PaperTable.ALL_AGREEMENT: "Supplementary Table 3: agreement, all settings",
    PaperTable.KINDS: "Agreement, mistakes and corrections apart",
    PaperTable.EXAMPLES: "Section D.4: example cases per metric",
}
PICTURE_NAMES = {
    PaperPicture.FOREST: "Forest plot of alpha",
    PaperPicture.BEFORE_AFTER: "Before and after",
    PaperPicture.DISTRIBUTION: "Distribution of the answers",
}
BEING_DRAWN = "The picture is being drawn; try the download again in a moment."
PIXELS_PER_INCH = 96
FILES = {
    TableFormat.CSV: "CSV",
    TableFormat.LATEX: "LaTeX",
    TableFormat.MARKDOWN: "Markdown",
}


@dataclass(frozen=True, slots=True)
class Download:
    url: str
    words: str


@dataclass(frozen=True, slots=True)
class ShownPaperTable:
    key: str
    name: str
    shown: ShownTable
    downloads: tuple[Download, ...]


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture, as wide and high in pixels as it is drawn, and the table of its numbers.

    `drawn` is None where there is nothing to draw.
    """

    key: str
    name: str
    picture: Picture
    drawn: DrawnPicture | None
    width: int
    height: int
    shown: ShownTable
    url: str
    downloads: tuple[Download, ...]


@dataclass(frozen=True, slots=True)
class PaperAddress:
    """The parts of an address: `?round=2&intervals=yes&published=yes&informed=yes&incomplete=no`.

    With `incomplete=yes` files and pictures have figures of too few answers, as the page's tables.
    """

    kind: Kind
    public_id: str
    round: int | None
    shows_intervals: bool
    has_published: bool
    has_informed: bool
    has_incomplete: bool
    query: str

    @classmethod
    def read(cls, request: HttpRequest, kind: Kind, public_id: str) -> "PaperAddress":
        """Raises Http404 for a round that is no number."""
        number = request.GET.get("round", "")
        if number and not (number.isascii() and number.isdecimal() and len(number) < 6):
            raise Http404(f"round is {number[:20]!r}; expected a number")
        query = request.GET.urlencode()
        return cls(
            kind=kind,
            public_id=public_id,
            round=int(number) if number else None,
            shows_intervals=request.GET.get("intervals") == "yes",
            has_published=request.GET.get("published") == "yes",
            has_informed=request.GET.get("informed") == "yes",
            has_incomplete=request.GET.get("incomplete") == "yes",
            query=f"?{query}" if query else "",
        )

    @property
    def cases(self) -> str:
        return reverse(f"{self.kind}-paper-cases", args=[self.public_id]) + self.query

    @property
    def page(self) -> str:
        return reverse(f"{self.kind}-paper", args=[self.public_id]) + self.query

    def file(self, kind: str, key: str, suffix: str) -> str:
        name = f"{self.kind}-paper-{kind}"
        return reverse(name, args=[self.public_id, key, suffix]) + self.query

    def subject(self, request: HttpRequest) -> PaperSubject:
        user = signed_in_user(request)
        return paper_subject(user, self.kind, self.public_id, has_informed=self.has_informed)

    def figures(self, request: HttpRequest) -> tuple[PaperSubject, Figures]:
        subject = self.subject(request)
        return subject, figures_to_show(scope=subject.scope, actor=signed_in_user(request))


@researcher_required
@require_GET
def paper(request: HttpRequest, public_id: str, kind: Kind) -> HttpResponse:
    """Show every table with the paper's values and one's own, and the pictures of one's own."""
    address = PaperAddress.read(request, kind, public_id)
    subject, figures = address.figures(request)
    rounds = {number for row in figures.rows for number in row.basis.rounds}
    context = {
        "section": f"{kind}s",
        "address": address,
        "subject": subject,
        "figures": figures,
        "rounds": sorted(rounds),
        "back": reverse(f"{kind}-report", args=[public_id]),
        "are_drawn": True,
    }
    if figures.computed_at is not None:
        content = paper_of(subject, figures, round=address.round)
        context["tables"] = [
            _shown_table(
                address,
                which,
                # The page shows them always, apart from the rest.
                content.table(which, shows_intervals=address.shows_intervals, has_incomplete=True),
            )
            for which in PaperTable
            if which is not PaperTable.EXAMPLES
        ]
        pictures = _shown_pictures(request, address, subject, content)
        context |= {"pictures": pictures, "are_drawn": all_drawn(item.drawn for item in pictures)}
    return render(request, "annotation/paper_page.html", context)


def _shown_table(address: PaperAddress, key: PaperTable, table: Table) -> ShownPaperTable:
    links = (
        Download(address.file("table", key.value, form.suffix), words)
        for form, words in FILES.items()
    )
    return ShownPaperTable(key.value, TABLE_NAMES[key], lay_out(table), tuple(links))


@researcher_required
@require_GET
def paper_cases(request: HttpRequest, public_id: str, kind: Kind) -> HttpResponse:
    """Show example cases per metric, on a page of their own: they are of no figures."""
    address = PaperAddress.read(request, kind, public_id)
    subject = address.subject(request)
    table = example_cases_table(subject, round=address.round)
    context = {
        "section": f"{kind}s",
        "address": address,
        "subject": subject,
        "item": _shown_table(address, PaperTable.EXAMPLES, table),
        "back": reverse(f"{kind}-report", args=[public_id]),
    }
    return render(request, "annotation/paper_cases.html", context)


def _shown_pictures(
    request: HttpRequest, address: PaperAddress, subject: PaperSubject, content: Paper
) -> list[ShownPicture]:
    pictures = {
        key: content.picture(
            key, has_published=address.has_published, has_incomplete=address.has_incomplete
        )
        for key in PaperPicture
    }
    keys = [key for key, picture in pictures.items() if not picture.is_empty]
    rows = pictures_to_show(
        pictures=[pictures[key] for key in keys],
        owner=subject.owner,
        actor=signed_in_user(request),
    )
    drawn = dict(zip(keys, rows, strict=True))
    shown = []
    for key, picture in pictures.items():
        links = [
            Download(address.file("picture", key.value, form.value), form.value.upper())
            for form in PictureFormat
        ]
        width, height = (round(PIXELS_PER_INCH * length) for length in picture.size)
        shown.append(
            ShownPicture(
                key=key.value,
                name=PICTURE_NAMES[key],
                picture=picture,
                drawn=drawn.get(key),
                width=width,
                height=height,
                shown=lay_out(picture.table()),
                url=links[0].url,
                downloads=tuple(links),
            )
        )
    return shown


def all_drawn(pictures: Iterable[DrawnPicture | None]) -> bool:
    """Whether nothing is left to draw: what a page waits for."""
    return all(item is None or item.computed_at is not None for item in pictures)


@researcher_required
@require_GET
def paper_table_file(
    request: HttpRequest, public_id: str, kind: Kind, key: str, suffix: str
) -> HttpResponseBase:
    """Send one table as a file; before there are figures, back to the page."""
    form = next((form for form in FILES if form.suffix == suffix), None)
    if key not in set(PaperTable) or form is None:
        raise Http404(f"there is no table {key}.{suffix}")
    address = PaperAddress.read(request, kind, public_id)
    if key == PaperTable.EXAMPLES:
        subject = address.subject(request)
        table = example_cases_table(subject, round=address.round)
    else:
        subject, figures = address.figures(request)
        if figures.computed_at is None:
            messages.warning(
                request,
                "The figures are being computed; try the download again when the page shows them.",
            )
            return redirect(address.page)
        table = paper_of(subject, figures, round=address.round).table(
            PaperTable(key),
            shows_intervals=address.shows_intervals,
            has_incomplete=address.has_incomplete,
        )
    response = HttpResponse(
        write_table(table, form), content_type=f"{form.media_type}; charset=utf-8"
    )
    name = f"table-{key}-{slugify(subject.name) or public_id}.{suffix}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@researcher_required
@require_GET
def paper_picture_file(
    request: HttpRequest, public_id: str, kind: Kind, key: str, suffix: str
) -> HttpResponseBase:
    """Send one picture; before it is drawn, back to the page."""
    if key not in set(PaperPicture) or suffix not in set(PictureFormat):
        raise Http404(f"there is no picture {key}.{suffix}")
    address = PaperAddress.read(request, kind, public_id)
    subject, figures = address.figures(request)
    picture = paper_of(subject, figures, round=address.round).picture(
        PaperPicture(key),
        has_published=address.has_published,
        has_incomplete=address.has_incomplete,
    )
    if picture.is_empty:
        raise Http404("there is nothing to draw yet")
    file = PictureFile(f"{key}-{slugify(subject.name) or public_id}", PictureFormat(suffix))
    return picture_response(request, picture, file, owner=subject.owner, back=address.page)


@dataclass(frozen=True, slots=True)
class PictureFile:
    name: str
    form: PictureFormat


def picture_response(
    request: HttpRequest,
    picture: Picture,
    file: PictureFile,
    *,
    owner: Campaign | Dataset,
    back: str,
) -> HttpResponseBase:
    """The picture as a file, or `back` to a page while it is being drawn.

    A browser that has it from before is told that it is the same.
    """
    etag = quote_etag(f"{picture_key(picture, owner)}-{file.form}")
    response = get_conditional_response(request, etag=etag)
    if response is None:
        [row] = pictures_to_show(
            pictures=[picture], owner=owner, actor=signed_in_user(request), form=file.form
        )
        if row.computed_at is None:
            messages.warning(request, row.error or BEING_DRAWN)
            return redirect(back)
        response = HttpResponse(drawn_file(row, file.form), content_type=file.form.content_type)
        # An SVG is shown on the page; a PDF is for a paper.
        kind = "inline" if file.form is PictureFormat.SVG else "attachment"
        response["Content-Disposition"] = f'{kind}; filename="{file.name}.{file.form}"'
    response["Cache-Control"] = "private, no-cache"
    response["ETag"] = etag
    return response
