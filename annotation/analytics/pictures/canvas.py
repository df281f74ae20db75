"""Draw with Matplotlib, as SVG for pages and as PDF for papers.

The library takes 0.4 s and 50 MB to load, so that is put off until the first picture is drawn. The
same figures give the same file, byte by byte. Text stays text: it can be searched, and read out.
"""

import importlib
import io
import re
import threading
import unicodedata
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from math import ceil
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from annotation.analytics.raters.raters import Estimate
from annotation.analytics.tables.table import Cell, Table, shown_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: a text of two columns, as in most proceedings.
PAGE_WIDTH = 7.0
FONT = "DejaVu Sans"  # comes with Matplotlib
FONT_SIZE = 8.0
LABEL_CHARACTERS = 30

INK = "#1d2330"
MUTED = "#606979"
LINE = "#b9bfca"
BLUE = "#2f5bd7"
# From the first on agreement counts as tentative, from the second on as good, as on the page.
ALPHA_BANDS = (0.667, 0.8)

# Of printable characters; a name that has this of itself reads the same.
NAMED_CHARACTER = re.compile(r"\[U\+([1-9A-F][0-9A-F]{3,4}|0[1-9A-F][0-9A-F]{2})\]")
SVG = "{http://www.w3.org/2000/svg}"

# Raise it when the same figures are drawn otherwise: all pictures are then drawn anew.
DRAWN_VERSION = 1

# One picture at a time: Matplotlib is not made for threads, and each holds some memory.
_drawing = threading.Lock()


class PictureFormat(StrEnum):
    SVG = "svg"
    PDF = "pdf"

    @property
    def content_type(self) -> str:
        return {"svg": "image/svg+xml", "pdf": "application/pdf"}[self.value]


class Picture(Protocol):
    """What can be drawn: a dataclass of plain values, by which its files are kept.

    `alt` says it to those who do not see it, `table` has the numbers.
    """

    @property
    def title(self) -> str: ...

    @property
    def alt(self) -> str: ...

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""

    @property
    def is_empty(self) -> bool: ...

    def table(self) -> Table: ...

    def draw(self, figure: "Figure") -> None: ...


def draw_picture(picture: Picture, form: PictureFormat) -> bytes:
    """The picture as a file, in up to 0.7 s of processor time: the work of a job.

    Raises ValueError where there is nothing to draw.
    """
    if picture.is_empty:
        raise ValueError(f"{picture.title}: there is nothing to draw")
    with _drawing:
        return _drawn(picture, form)


def _drawn(picture: Picture, form: PictureFormat) -> bytes:
    figure = _figure_class()(figsize=picture.size, layout="constrained")
    picture.draw(figure)
    file = io.BytesIO()
    dates = {"Date": None} if form is PictureFormat.SVG else {"CreationDate": None}
    figure.savefig(file, format=form.value, metadata={"Title": picture.title, **dates})
    if form is PictureFormat.PDF:
        return file.getvalue()
    return _plain_svg(file.getvalue(), picture)


@cache
def _figure_class() -> "type[Figure]":
    library: ModuleType = importlib.import_module("matplotlib")
    library.rcParams.update(
        {
            "axes.edgecolor": LINE,
            "axes.labelcolor": INK,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlelocation": "left",
            "axes.titlesize": FONT_SIZE,
            "axes.titleweight": "bold",
            "axes.unicode_minus": True,
            "font.family": FONT,
            "font.size": FONT_SIZE,
            # Type 42 holds the font itself; many publishers refuse the default, Type 3.
            "pdf.fonttype": 42,
            "svg.fonttype": "none",
            # Else the ids in the file are drawn anew each time.
            "svg.hashsalt": "piev",
            "text.color": INK,
            # A data set may be called $x$.
            "text.parse_math": False,
            "xtick.color": MUTED,
            "ytick.color": MUTED,
            "ytick.labelcolor": INK,
        }
    )
    figure_class: type[Figure] = importlib.import_module("matplotlib.figure").Figure
    return figure_class


def _plain_svg(content: bytes, picture: Picture) -> bytes:
    """The file without style sheets, which the site's policy forbids, and with its words."""
    ET.register_namespace("", SVG.strip("{}"))
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ET.fromstring(content)  # noqa: S314 - Matplotlib wrote it just now
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{SVG}style", f"{SVG}metadata", f"{SVG}title"):
                parent.remove(child)
        for rule in filter(None, parent.attrib.pop("style", "").split(";")):
            name, value = rule.split(":", 1)
            parent.set(name.strip(), value.strip())
        if parent.tag == f"{SVG}text" and parent.text:
            parent.text = NAMED_CHARACTER.sub(lambda found: chr(int(found[1], 16)), parent.text)
    # What the style sheet said of every element.
    root.attrib |= {"stroke-linejoin": "round", "stroke-linecap": "butt", "role": "img"}
    for place, (tag, text) in enumerate((("title", picture.title), ("desc", picture.alt))):
        words = ET.Element(f"{SVG}{tag}", id=f"picture-{tag}")
        words.text = text
        root.insert(place, words)
    root.set("aria-labelledby", "picture-title picture-desc")
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def drawable(text: str, *, most: int = LABEL_CHARACTERS) -> str:
    """A name that fits into a picture, whose table has the whole of it.

    What the font does not have is named: [U+6570]. In an SVG it comes back, for whoever looks at it
    has other fonts.
    """
    return _named(_cut(" ".join(text.split()), most))


def drawable_names(names: Sequence[str], *, most: int = LABEL_CHARACTERS) -> list[str]:
    """Names side by side in a picture, each as `drawable` has it.

    Different names that would be cut alike keep their first letters and what they differ in.

    >>> drawable_names(["Mistakes made by rules, round 1", "Mistakes made by rules, round 2"])
    ['Mistakes made by ru…s, round 1', 'Mistakes made by ru…s, round 2']
    """
    lines = [" ".join(name.split()) for name in names]
    shown = {line: _cut(line, most) for line in lines}
    alike: dict[str, list[str]] = defaultdict(list)
    for line, cut in shown.items():
        alike[cut].append(line)
    for group in alike.values():
        if len(group) > 1:
            shown |= _told_apart(group, most, taken=set(shown.values()))
    return [_named(shown[line]) for line in lines]


def _told_apart(lines: Sequence[str], most: int, taken: set[str]) -> dict[str, str]:
    """Different lines cut to different texts: at their ends, else where they differ, else numbered.

    `taken` are texts that others have.
    """
    signs = enumerate(zip(*lines, strict=False))
    first = next((place for place, at in signs if len(set(at)) > 1), min(map(len, lines)))
    half = most // 3
    ways = (
        lambda line: f"{line[: most - 1 - half]}…{line[-half:]}",
        # From just before where they begin to differ.
        lambda line: f"{line[:half]}…{_cut(line[max(half, first - 3) :], most - half - 1)}",
    )
    for way in ways:
        cut = {line: way(line) for line in lines}
        if len(set(cut.values())) == len(lines) and not taken & set(cut.values()):
            return cut
    return {
        line: f"{line[: most - 2 - len(str(place))]}… {place}"
        for place, line in enumerate(lines, start=1)
    }


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else line[: most - 1] + "…"


def _named(line: str) -> str:
    known = _font_characters()
    return "".join(
        sign if ord(sign) in known else f"[U+{ord(sign):04X}]"
        # Matplotlib writes no PDF with a byte order mark in it, and the others show nothing.
        for sign in line if unicodedata.category(sign) != "Cf"
    )  # fmt: skip


@cache
def _font_characters() -> frozenset[int]:
    fonts: ModuleType = importlib.import_module("matplotlib.font_manager")
    return frozenset(fonts.get_font(fonts.findfont(FONT)).get_charmap())


def name_rows(axes: "Axes", labels: list[str]) -> None:
    """Put one name per row beside the axes, the first at the top."""
    axes.set_yticks(range(len(labels)), drawable_names(labels))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def panels_of(figure: "Figure", count: int, *, per_row: int) -> "list[Axes]":
    """So many panels of one size on the same scales; what is left of the last row stays empty."""
    columns = min(per_row, count)
    panels = figure.subplots(
        ceil(count / columns), columns, sharex=True, sharey=True, squeeze=False
    ).ravel()
    for axes in panels[count:]:
        axes.set_visible(False)
    return list(panels[:count])


def draw_alpha_bands(axes: "Axes") -> None:
    axes.axvline(0, color=LINE, linewidth=0.8)
    for band in ALPHA_BANDS:
        axes.axvline(band, color=LINE, linewidth=0.8, linestyle=":")


def count_beside(axes: "Axes", row: int, count: int | None) -> None:
    """Write n right of a row, a dash where there is none."""
    axes.annotate(
        "–" if count is None else f"{count:,}", (1.02, row), xycoords=("axes fraction", "data"),
        va="center", color=MUTED, fontsize=FONT_SIZE - 1.5,
    )  # fmt: skip


def estimate_cell(estimate: Estimate) -> Cell:
    """The cell of a table, which says why there is no value or no interval."""
    notes = (f"{estimate.reason}.",) if estimate.reason else ()
    return Cell(estimate.value, estimate.low, estimate.high, notes)


def interval_text(estimate: Estimate, decimals: int) -> str:
    """The interval behind a value, nothing where there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{shown_value(estimate.low, decimals)}, {shown_value(estimate.high, decimals)}]"


def mark_estimates(axes: "Axes", estimates: list[Estimate | None]) -> None:
    """Mark one estimate per row with its interval; an undefined one is named, None left out."""
    for row, estimate in enumerate(estimates):
        if estimate is None:
            continue
        if estimate.value is None:
            axes.annotate(
                "undefined", (0.02, row), xycoords=("axes fraction", "data"), va="center",
                color=MUTED, fontsize=FONT_SIZE - 1.5, style="italic",
            )  # fmt: skip
            continue
        if estimate.low is not None and estimate.high is not None:
            axes.hlines(row, estimate.low, estimate.high, color=BLUE, linewidth=1.6)
        is_whole = estimate.low is not None
        axes.plot(
            estimate.value, row, "o", markersize=4.5, color=BLUE,
            markerfacecolor=BLUE if is_whole else "white",
        )  # fmt: skip
