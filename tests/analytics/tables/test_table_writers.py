"""Tables as files; names of data sets are anybody's, so nothing in them may act as markup."""

import csv
import io
import json
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from annotation.analytics.tables.table import Best, Cell, Column, Row, RowGroup, Table
from annotation.analytics.tables.table_writers import (
    TableFormat,
    latex_text,
    markdown_text,
    table_csv,
    table_json,
    table_latex,
    table_markdown,
    write_table,
)
from annotation.engine.csv_cells import FORMULA_START, restore_cell

NASTY_NAMES = (
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "50% of R&D_set #1 for $5 {a} ~ ^ \\ \\end{tabular}",
    "\\input{/etc/passwd} \\write18{id}",
    "[x]",
    "*x",
    "| a | b |",
    "**bold** _it_ `code` <script>alert(1)</script> ![x](http://e.x/y) <b>",
    "say \"--\" ?` !` '' `` ,, <<>>",
    "Füße à la crème brûlée, Łódź, Đorđe, ąę, naïve ñ ő ṣ",
    "数据集 набор 🙂 עברית e\u0301 a\u0337",
    "two\nlines\tand\x00control\x1b",
    "https://e.x/a_b?c=d&e=f me@e.x www.e.x :smile: #12 @me",
    "−0.5 – — ‘a’ “b” … ± × ≤ ≥ ° µ α κ",
    "",
)
LATEX = shutil.which("pdflatex")


def nasty_table():
    columns = (
        Column("alpha", "α", 3, Best.HIGHEST, group="Agreement & more", notes=("50% sure",)),
        Column("rate", "Rate (%)", 0, Best.LOWEST, group="Agreement & more"),
        Column("said", "Said_what", is_long_text=True),
    )
    rows = tuple(
        Row(
            Cell(name, notes=(f"of {name}",)),
            {
                "alpha": Cell(place / 20 - 0.2, place / 20 - 0.3, place / 20),
                "rate": Cell() if place % 3 else Cell(place),
                "said": Cell(name),
            },
        )
        for place, name in enumerate(NASTY_NAMES)
    )
    groups = (RowGroup("Publ#shed", rows[:5]), RowGroup("", ()), RowGroup("Ours", rows[5:]))
    return Table("S9", "A ta_ble {of} 50%", "Data & set", columns, groups, notes=NASTY_NAMES)


def one_line(text):
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def test_csv_holds_exact_values_intervals_and_notes():
    columns = (Column("alpha", "α", 2, notes=("ordinal",)), Column("units", "Units"))
    rows = (
        Row(Cell("EgoPER"), {"alpha": Cell(0.123456789, -0.5, 0.25), "units": Cell(12)}),
        Row(Cell("mine"), {"alpha": Cell(notes=("nobody rated",))}),
    )
    table = Table("1", "T", "Name", columns, (RowGroup("Published", rows),))

    assert table_csv(table).splitlines() == [
        "group,label,alpha,alpha_low,alpha_high,units,notes",
        "Published,EgoPER,0.123456789,-0.5,0.25,12,",
        "Published,mine,,,,,α: nobody rated",
    ]


def test_csv_cells_start_no_formula_and_come_back_as_they_were():
    lines = list(csv.reader(io.StringIO(table_csv(nasty_table()))))

    names = [line[1] for line in lines[1:]]
    assert [restore_cell(name) for name in names] == list(NASTY_NAMES)
    assert not [
        cell
        for line in lines
        for cell in line
        if FORMULA_START.match(cell) and not cell.startswith("'") and not re.match(r"-\d", cell)
    ]


def test_markdown_shows_bold_intervals_missing_values_and_footnotes():
    columns = (
        Column("alpha", "α", 2, Best.HIGHEST, group="Agreement"),
        Column("rate", "Rate", notes=("in %",)),
    )
    rows = (
        Row(Cell("a"), {"alpha": Cell(0.5, 0.25, 0.75), "rate": Cell(3)}),
        Row(Cell("b"), {"alpha": Cell(-0.5, -0.75, 0.0), "rate": Cell(notes=("no video",))}),
    )
    table = Table("1", "Figures", "Name", columns, (RowGroup("Ours", rows),), notes=("Note.",))

    assert table_markdown(table) == (
        "**Figures**\n"
        "\n"
        "| Name | Agreement α | Rate<sup>a</sup> |\n"
        "| :--- | ---: | ---: |\n"
        "| *Ours* |  |  |\n"
        "| a | **0.50 \\[0.25, 0.75\\]** | 3 |\n"
        "| b | −0.50 \\[−0.75, 0.00\\] | –<sup>b</sup> |\n"
        "\n"
        "Note.\n"
        "\n"
        "<sup>a</sup> in %\n"
        "\n"
        "<sup>b</sup> no video\n"
    )


def test_markdown_table_of_nasty_names_keeps_its_cells():
    page = MarkdownIt("commonmark").enable("table").render(table_markdown(nasty_table()))

    rows = re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
    # The head, two titles of groups, and the names.
    assert len(rows) == 3 + len(NASTY_NAMES)
    assert {len(re.findall(r"<t[hd]\b", row)) for row in rows} == {4}
    assert set(re.findall(r"<(\w+)", page)) <= {
        "em", "p", "strong", "sup", "table", "tbody", "td", "th", "thead", "tr"
    }  # fmt: skip


def shown_cell(text):
    page = MarkdownIt("commonmark").enable("table").render(f"| {text} |\n| --- |\n")
    found = re.fullmatch(r"<table>\n<thead>\n<tr>\n<th>(.*)</th>.*", page, re.DOTALL)
    shown = found[1]
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        shown = shown.replace(entity, sign)
    return shown


@pytest.mark.parametrize("name", NASTY_NAMES)
def test_markdown_text_reads_as_it_is(name):
    assert shown_cell(markdown_text(name)) == one_line(name)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"])))
def test_markdown_text_of_any_name_reads_as_it_is(name):
    assert shown_cell(markdown_text(f"x{name}x")) == f"x{name}x"


def test_latex_is_a_whole_table_with_rules_groups_and_footnotes():
    columns = (
        Column("alpha", "α", 2, Best.HIGHEST, group="Agreement"),
        Column("rate", "Rate", notes=("in %",)),
    )
    rows = (
        Row(Cell("EgoPER"), {"alpha": Cell(0.5, 0.25, 0.75), "rate": Cell(3)}),
        Row(Cell("My_set"), {"alpha": Cell(-0.5), "rate": Cell()}),
    )
    groups = (RowGroup("Published", rows[:1]), RowGroup("Ours", rows[1:]))

    assert table_latex(Table("S2", "Figures", "Name", columns, groups)) == (
        "% needs \\usepackage{booktabs,graphicx}\n"
        "\\begin{table*}[t]\n"
        "\\centering\\small\n"
        "\\caption{Figures}\n"
        "\\label{tab:piev-s2}\n"
        "\\setlength{\\tabcolsep}{4pt}\n"
        "\\sbox0{\\begin{tabular}{@{}lrr@{}}\n"
        "\\toprule\n"
        " & \\multicolumn{1}{c}{Agreement} & \\multicolumn{1}{c}{} \\\\\n"
        "\\cmidrule(lr){2-2}\n"
        "Name & $\\alpha$ & Rate\\textsuperscript{a} \\\\\n"
        "\\midrule\n"
        "\\multicolumn{3}{@{}l}{\\textit{Published}} \\\\\n"
        "EgoPER & \\textbf{0.50 {[}0.25, 0.75{]}} & 3 \\\\\n"
        "\\midrule\n"
        "\\multicolumn{3}{@{}l}{\\textit{Ours}} \\\\\n"
        "My\\_set & $-$0.50 & -- \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}}%\n"
        "\\ifdim\\wd0>\\textwidth\\resizebox{\\textwidth}{!}{\\usebox0}\\else\\usebox0\\fi\n"
        "\\par\\smallskip{\\footnotesize\\raggedright \\textsuperscript{a}in \\%\\par}\n"
        "\\end{table*}\n"
    )


def test_json_holds_values_texts_and_what_is_best():
    columns = (Column("alpha", "α", 2, Best.HIGHEST),)
    rows = (
        Row(Cell("a"), {"alpha": Cell(0.5, 0.25, 0.75)}),
        Row(Cell("b"), {"alpha": Cell(-0.5)}, is_compared=False),
        Row(Cell("c", notes=("few",)), {"alpha": Cell(0.25)}),
    )
    groups = (RowGroup("Nothing", ()), RowGroup("Ours", rows))

    data = json.loads(table_json(Table("1", "T", "Name", columns, groups, notes=("Note.",))))

    [group] = data["groups"]
    assert (data["key"], data["notes"], group["title"]) == ("1", ["Note."], "Ours")
    assert [(row["label"], row["notes"], row["is_compared"]) for row in group["rows"]] == [
        ("a", [], True),
        ("b", [], False),
        ("c", ["few"], True),
    ]
    assert group["rows"][0]["cells"]["alpha"] == {
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "notes": [],
        "is_compared": True,
        "text": "0.50 [0.25, 0.75]",
        "is_best": True,
    }


# Every command that text of ours can come to hold; anything else came from a name.
KNOWN_COMMANDS = {
    "ae", "AE", "b", "c", "char", "d", "dots", "H", "i", "l", "L", "o", "O", "oe", "OE",
    "pievunicode", "r", "ss", "textasciicircum", "textasciitilde", "textbackslash", "textbar",
    "textgreater", "textless", "u", "v",
}  # fmt: skip
MATHS = r"\$(?:-|\\pm|\\times|\\leq|\\geq|\^\\circ|\\mu|\\alpha|\\kappa|\\omega|\\rho)\$"


@given(st.text() | st.sampled_from(NASTY_NAMES))
def test_latex_text_is_ascii_and_holds_no_command_of_the_name(name):
    text = latex_text(name)

    assert text.isascii()
    assert "\n" not in text
    left = re.sub(MATHS, "", text)
    assert set(re.findall(r"\\([A-Za-z]+)", left)) <= KNOWN_COMMANDS
    left = re.sub(r"\\[A-Za-z]+|\\.", "", left)
    assert not set(left) & set('\\$&#%_^"<>|')
    depth = 0
    for sign in left:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a--b", "a-{}-b"),
        ("?`", "?{}`"),
        ("[1]", "{[}1{]}"),
        ("Łódź", r"\L{}\'{o}d\'{z}"),
        ("数", r"\pievunicode{6570}{25968}"),
    ],
)
def test_latex_text_keeps_signs_apart(text, written):
    assert latex_text(text) == written


def compiled(folder, tables):
    """Run LaTeX over a document of these tables; return what its page reads and its log."""
    body = "\n\\clearpage\n".join(table_latex(table) for table in tables)
    document = (
        "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs,graphicx}\n"
        f"\\begin{{document}}\n{body}\n\\listoftables\n\\end{{document}}\n"
    )
    (folder / "paper.tex").write_text(document, encoding="utf-8")
    command = [LATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    # Twice: what stands in the list of tables is read back from a file.
    for _ in range(2):
        run = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
        assert run.returncode == 0, run.stdout.decode("utf-8", "replace")[-3000:]
    return folder / "paper.pdf"


needs_latex = pytest.mark.skipif(
    LATEX is None,
    reason="LaTeX is not compiled: needs apt-get install texlive-latex-recommended",
)


@needs_latex
def test_latex_of_nasty_names_compiles(tmp_path):
    assert compiled(tmp_path, [nasty_table()]).stat().st_size > 10_000


@pytest.mark.parametrize("form", TableFormat)
def test_written_table_ends_with_one_line_break(form):
    text = write_table(nasty_table(), form)

    assert text.endswith("\n")
    assert not text.endswith("\n\n")
