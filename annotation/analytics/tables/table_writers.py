r"""Tables as files: CSV and JSON for computing, LaTeX and Markdown for papers and pages.

CSV and JSON hold exact values under the keys of the columns; no cell of CSV can start a formula.
LaTeX and Markdown hold what `lay_out` shows, with all text escaped: names of data sets are
anybody's. The LaTeX is plain ASCII and compiles with every engine; it needs
`\usepackage{booktabs,graphicx}`.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum

from annotation.analytics.tables.table import Cell, ShownCell, ShownTable, Table, Value, lay_out
from annotation.engine.csv_cells import csv_lines


class TableFormat(StrEnum):
    """How a table can be written; `suffix` ends the name of its file."""

    CSV = "csv"
    LATEX = "latex"
    MARKDOWN = "markdown"
    JSON = "json"

    @property
    def suffix(self) -> str:
        return {TableFormat.LATEX: "tex", TableFormat.MARKDOWN: "md"}.get(self, self.value)

    @property
    def media_type(self) -> str:
        return {
            TableFormat.CSV: "text/csv",
            TableFormat.LATEX: "application/x-tex",
            TableFormat.MARKDOWN: "text/markdown",
            TableFormat.JSON: "application/json",
        }[self]


def write_table(table: Table, form: TableFormat) -> str:
    """The whole file, which ends with a line break."""
    writers = {
        TableFormat.CSV: table_csv,
        TableFormat.LATEX: table_latex,
        TableFormat.MARKDOWN: table_markdown,
        TableFormat.JSON: table_json,
    }
    return writers[form](table)


def table_csv(table: Table) -> str:
    """A header and one line per row; `notes` holds the footnotes of a row's cells in words."""
    head = ["group", "label"]
    for column in table.columns:
        head.append(column.key)
        if table.has_intervals(column):
            head += [f"{column.key}_low", f"{column.key}_high"]
    lines: list[list[Value]] = [[*head, "notes"]]
    for group in table.groups:
        for row in group.rows:
            line: list[Value] = [group.title, row.label.value]
            notes = list(row.label.notes)
            for column in table.columns:
                cell = row.cells.get(column.key, Cell())
                line.append(cell.value)
                line += [cell.low, cell.high] if table.has_intervals(column) else []
                notes += [f"{column.title}: {note}" for note in cell.notes]
            lines.append([*line, " ".join(notes)])
    return "".join(csv_lines(lines))


def table_json(table: Table) -> str:
    """The whole table with exact values; each cell also as it reads, and whether it is the best."""
    shown = lay_out(table)
    groups = (group for group in table.groups if group.rows)
    data = {
        "key": table.key,
        "title": table.title,
        "label_title": table.label_title,
        "columns": [asdict(column) for column in table.columns],
        "groups": [
            {
                "title": group.title,
                "rows": [
                    {
                        "label": row.label.value,
                        "notes": row.label.notes,
                        "is_compared": row.is_compared,
                        "cells": {
                            column.key: {
                                **asdict(row.cells.get(column.key, Cell())),
                                "text": cell.text,
                                "is_best": cell.is_best,
                            }
                            for column, cell in zip(table.columns, printed.cells, strict=True)
                        },
                    }
                    for row, printed in zip(group.rows, shown_group.rows, strict=True)
                ],
            }
            for group, shown_group in zip(groups, shown.groups, strict=True)
        ],
        "notes": table.notes,
    }
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


# Markdown.

# What GitHub's Markdown could take for markup, and what makes links of addresses.
MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$#@!]|:(?=/)")


def markdown_text(text: str) -> str:
    r"""Text that reads as it is in one cell of a Markdown table.

    >>> print(markdown_text("a|b *c*\n<d>"))
    a\|b \*c\* \<d\>
    """
    return MARKDOWN_SPECIAL.sub(r"\\\g<0>", _one_line(text))


def table_markdown(table: Table) -> str:
    """A pipe table under its caption, with the footnotes after it."""
    shown = lay_out(table)
    groups = ["", *(f"{markdown_text(column.group)} ".lstrip() for column in table.columns)]
    lines = [
        f"**{markdown_text(table.title)}**",
        "",
        _markdown_line(
            group + _markdown_cell(head) for group, head in zip(groups, shown.heads, strict=True)
        ),
        _markdown_line("---:" if head.is_number else ":---" for head in shown.heads),
    ]
    for group in shown.groups:
        if group.title:
            blanks = [""] * len(table.columns)
            lines.append(_markdown_line([f"*{markdown_text(group.title)}*", *blanks]))
        for row in group.rows:
            lines.append(_markdown_line(map(_markdown_cell, (row.label, *row.cells))))
    for mark, text in shown.footnotes:
        sign = f"<sup>{mark}</sup> " if mark else ""
        lines += ["", sign + markdown_text(text)]
    return "\n".join(lines) + "\n"


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: ShownCell) -> str:
    text = markdown_text(cell.text)
    if cell.is_best:
        text = f"**{text}**"
    return text + (f"<sup>{','.join(cell.marks)}</sup>" if cell.marks else "")


# LaTeX.

LATEX_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # After the end of a row, [ and * would be arguments of it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # In German documents " begins a command.
    '"': r"\char34{}",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "°": r"$^\circ$",
    "µ": r"$\mu$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "ω": r"$\omega$",
    "ρ": r"$\rho$",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
# Accents that every font encoding of LaTeX can set, by their combining character.
LATEX_ACCENTS = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\=",
    "\u0306": r"\u", "\u0307": r"\.", "\u0308": r"\"", "\u030a": r"\r", "\u030b": r"\H",
    "\u030c": r"\v", "\u0323": r"\d", "\u0327": r"\c", "\u0331": r"\b",
}  # fmt: skip
# Of two of these in a row LaTeX makes one other sign: -- is a dash, ?` an upside-down question.
LATEX_LIGATURES = set("-`',?!")
# What pdflatex cannot set is named there, and set by XeLaTeX and LuaLaTeX if their font has it.
LATEX_UNICODE = (
    r"\providecommand{\pievunicode}[2]{\ifdefined\Umathchar\symbol{#2}\else{[}U+#1{]}\fi}"
)


def latex_text(text: str) -> str:
    r"""Text that reads as it is in a cell, a caption or a footnote, in ASCII.

    >>> print(latex_text("50% of R&D_é"))
    50\% of R\&D\_\'{e}
    """
    line = unicodedata.normalize("NFC", _one_line(text))
    written = []
    for place, sign in enumerate(line):
        if sign in LATEX_SIGNS:
            written.append(LATEX_SIGNS[sign])
        elif sign in LATEX_LIGATURES and line[place + 1 : place + 2] in LATEX_LIGATURES:
            written.append(f"{sign}{{}}")
        elif sign.isascii():
            written.append(sign)
        else:
            parts = unicodedata.normalize("NFD", sign)
            if len(parts) == 2 and parts[0].isascii() and parts[1] in LATEX_ACCENTS:
                written.append(f"{LATEX_ACCENTS[parts[1]]}{{{parts[0]}}}")
            else:
                written.append(rf"\pievunicode{{{ord(sign):04X}}}{{{ord(sign)}}}")
    return "".join(written)


def table_latex(table: Table) -> str:
    """A `table` with caption, label, rules and footnotes."""
    shown = lay_out(table)
    letters = "".join(
        r"p{0.5\linewidth}" if column.is_long_text else "r" if table.is_number(column) else "l"
        for column in table.columns
    )
    lines = [
        r"\begin{table*}[t]",
        r"\centering\small",
        rf"\caption{{{latex_text(table.title)}}}",
        rf"\label{{tab:piev-{table.key.lower()}}}",
        r"\setlength{\tabcolsep}{4pt}",
        # What is wider than the page is made smaller.
        rf"\sbox0{{\begin{{tabular}}{{@{{}}l{letters}@{{}}}}",
        r"\toprule",
        *_latex_head(shown),
    ]
    for group in shown.groups:
        lines.append(r"\midrule")
        if group.title:
            title = latex_text(group.title)
            lines.append(rf"\multicolumn{{{len(shown.heads)}}}{{@{{}}l}}{{\textit{{{title}}}}} \\")
        for row in group.rows:
            lines.append(_latex_line(map(_latex_cell, (row.label, *row.cells))))
    lines += [
        r"\bottomrule",
        r"\end{tabular}}%",
        r"\ifdim\wd0>\textwidth\resizebox{\textwidth}{!}{\usebox0}\else\usebox0\fi",
    ]
    for mark, text in shown.footnotes:
        sign = rf"\textsuperscript{{{mark}}}" if mark else ""
        lines.append(rf"\par\smallskip{{\footnotesize\raggedright {sign}{latex_text(text)}\par}}")
    lines.append(r"\end{table*}")
    body = "\n".join(lines) + "\n"
    needs = "% needs \\usepackage{booktabs,graphicx}\n"
    return needs + (f"{LATEX_UNICODE}\n" if r"\pievunicode" in body else "") + body


def _latex_head(table: ShownTable) -> list[str]:
    lines = []
    if table.spans:
        cells, rules, place = [""], [], 2
        for title, width in table.spans:
            cells.append(rf"\multicolumn{{{width}}}{{c}}{{{latex_text(title)}}}")
            if title:
                rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
            place += width
        lines += [_latex_line(cells), "".join(rules)]
    return [*lines, _latex_line(map(_latex_cell, table.heads))]


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: ShownCell) -> str:
    text = latex_text(cell.text)
    if cell.is_best:
        text = rf"\textbf{{{text}}}"
    return text + (rf"\textsuperscript{{{','.join(cell.marks)}}}" if cell.marks else "")


def _one_line(text: str) -> str:
    """Without line breaks and control characters, which no cell can hold."""
    spaced = " ".join(text.split())
    return "".join(sign for sign in spaced if unicodedata.category(sign) not in ("Cc", "Cs"))
