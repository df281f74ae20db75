"""CSV whose cells no spreadsheet program takes for a formula, and the way back.

Nothing else in PIE-V writes CSV.

A cell that starts with one of these characters, blanks before it or not, can run code when the
file is opened (OWASP, "CSV Injection"). Such text gets an apostrophe in front. Text that would
look escaped gets one more, so that `restore_cell(safe_cell(text)) == text` for every text.

Spreadsheets in half of Europe take cells apart at semicolons, others at tabs. To them the quotes
of our cells stand in the middle of one, where they mean nothing: what follows a semicolon, a tab or
a line break in a text is then a cell of its own. So it gets an apostrophe too where it starts so.
"""

import math
import re
from collections.abc import Iterable, Iterator

# What pandas, R and spreadsheets write for a cell without a value, in small letters.
MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})
# The column of row names or numbers that R and pandas put before the others.
ROW_NAMES = frozenset({"", "Unnamed: 0", "X", "...1", "rownames"})
NUMBER = re.compile(r"\+?\d{1,9}(?:\.\d{0,9})?(?:[eE][+-]?\d{1,2})?", re.ASCII)

# What spreadsheets leave out before they look for a formula: every blank, among them the no-break
# space, and characters of no width, among them the byte order mark.
UNSEEN = r"[\s\x00-\x1f\x7f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]*"
# The full-width forms are read as their ASCII twins by spreadsheets in East Asian locales.
START = rf"{UNSEEN}[=+\-@\t\r\n＝＋－＠]"
FORMULA_START = re.compile(rf"'*{START}")
ESCAPED_START = re.compile(rf"'+{START}")
# The same inside of a text, after what other programs take cells apart at. Quotes are left out too.
APART = r"[;\t\r\n]"
UNSEEN_INSIDE = rf"(?:(?!{APART})(?:{UNSEEN[:-1]}|['\"]))*"
INSIDE = rf"({UNSEEN_INSIDE}[=+\-@＝＋－＠])"
FORMULA_INSIDE = re.compile(f"({APART}){INSIDE}")
ESCAPED_INSIDE = re.compile(f"({APART})'{INSIDE}")
NEGATIVE_NUMBER = re.compile(r"-(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
NEEDS_QUOTES = re.compile(r'[",\r\n]')
KEPT_CELLS = 4096

Cell = str | int | float | None


def csv_lines(
    rows: Iterable[Iterable[Cell]], *, ending: str = "\n", quotes_text: bool = False
) -> Iterator[str]:
    """Yield a line of CSV per row of values, each cell as `safe_cell` writes it.

    `quotes_text` puts every text in quotes, which some programs need.
    """
    written = _WrittenCells(quotes_text)
    for row in rows:
        cells = [written[value] for value in row]
        # The line of a single empty cell would otherwise be that of a row without cells.
        yield (",".join(cells) or '""' * len(cells)) + ending


class _WrittenCells(dict[Cell, str]):
    """Cells as they are written; texts are kept, because names and values repeat."""

    def __init__(self, quotes_text: bool) -> None:
        super().__init__()
        self.quotes_text = quotes_text

    def __missing__(self, value: Cell) -> str:
        cell = safe_cell(value)
        # Numbers are not kept: 1.0 is written differently from 1, and yet equal to it.
        if not isinstance(value, str):
            return cell
        if len(self) == KEPT_CELLS:
            self.clear()
        # The csv module leaves a lone carriage return unquoted, and then cannot read it back.
        if self.quotes_text or NEEDS_QUOTES.search(cell):
            cell = '"' + cell.replace('"', '""') + '"'
        self[value] = cell
        return cell


def safe_cell(value: Cell) -> str:
    """`value` as the text of a cell that cannot start a formula.

    None gives an empty cell, a number its shortest exact form; a text that is a negative number
    stays as it is.

    >>> [safe_cell(item) for item in ("=1+1", "-0.5", -0.5, "-x", "'=", None, "a;=b")]
    ["'=1+1", '-0.5', '-0.5', "'-x", "''=", '', "a;'=b"]
    """
    if value is None:
        return ""
    if isinstance(value, str):
        text = FORMULA_INSIDE.sub(r"\1'\2", value)
        if FORMULA_START.match(text) and not NEGATIVE_NUMBER.fullmatch(text):
            return "'" + text
        return text
    if not math.isfinite(value):
        raise ValueError(f"cell value is {value!r}; expected a finite number")
    return repr(value)


def restore_cell(cell: str) -> str:
    """The text that `safe_cell` was given.

    >>> [restore_cell(item) for item in ("'=1+1", "-0.5", "''=", "'tis")]
    ['=1+1', '-0.5', "'=", "'tis"]
    """
    text = cell[1:] if ESCAPED_START.match(cell) else cell
    return ESCAPED_INSIDE.sub(r"\1\2", text)


def whole_number(text: str) -> int | None:
    """A whole number in whatever spelling a program writes it, None for any other text.

    >>> [whole_number(text) for text in ("2", "2.0", " 2. ", "2e0", "2.5", "two", "-2")]
    [2, 2, 2, 2, None, None, None]
    """
    if not NUMBER.fullmatch(text.strip()):
        return None
    value = float(text)
    return int(value) if value.is_integer() else None


def is_missing(text: str) -> bool:
    """Whether a cell holds no value, in whatever spelling a program writes that."""
    return text.strip().lower() in MISSING
