import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.csv_cells import csv_lines, restore_cell, safe_cell

ROOT = Path(__file__).parents[2]
APPS = "annotation", "segments", "texts", "generation", "benchmarks", "sample", "piev_site"
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
UNSEEN = (" ", "\u00a0", "\ufeff", "\t", "\u3000", "\u200b", "\u2060", "\v", " \u00a0\ufeff ")
BLANK = "".join({character for text in UNSEEN for character in text})
FORMULAS = tuple("=+-@＝＋－＠")
# Of a negative number with what else stands before the next semicolon.
NUMBERS = re.compile(r"-(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?(,|$)")
tricky_texts = st.text(alphabet="'=+-@\t\r\n＝ \u00a0\ufeff1.eEx\",;" + "٣") | st.text()


@pytest.mark.parametrize("start", STARTS)
def test_safe_cell_puts_an_apostrophe_before_a_formula(start):
    assert safe_cell(start + "cmd|' /C calc'!A0") == "'" + start + "cmd|' /C calc'!A0"


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("unseen", sorted({*UNSEEN} - {"\t"}))
def test_safe_cell_sees_a_formula_behind_what_nobody_sees(unseen, start):
    text = unseen + start + "1+1"

    assert safe_cell(text) == "'" + text
    assert safe_cell("'" + text) == "''" + text
    assert restore_cell(safe_cell(text)) == text


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        ("", ""),
        ("Get a bowl", "Get a bowl"),
        ("a=b", "a=b"),
        ("'tis", "'tis"),
        ("'=x", "''=x"),
        (" '=x", " '=x"),
        (" a=b", " a=b"),
        ("a;=b", "a;'=b"),
        ("a; =b", "a;' =b"),
        ("a;'=b", "a;''=b"),
        ("a;b=c", "a;b=c"),
        ('a;"=b"', 'a;\'"=b"'),
        ("a\n- b\n\n=c", "a\n'- b\n\n'=c"),
        ("a,=b", "a,=b"),
        ("\t=b", "'\t'=b"),
        (" -1", "' -1"),
        ("\u00a0", "\u00a0"),
        (3, "3"),
        (-3, "-3"),
        (-0.25, "-0.25"),
        (0.1, "0.1"),
        ("-0.25", "-0.25"),
        ("-3e-05", "-3e-05"),
        ("-", "'-"),
        ("-1+2", "'-1+2"),
        ("-٣", "'-٣"),
        ("+1", "'+1"),
    ],
)
def test_safe_cell_writes_value(value, cell):
    assert safe_cell(value) == cell


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_safe_cell_refuses_a_number_that_is_none(value):
    with pytest.raises(ValueError, match="expected a finite number"):
        safe_cell(value)


@given(tricky_texts)
def test_restore_cell_is_the_inverse_of_safe_cell(text):
    assert restore_cell(safe_cell(text)) == text


@given(tricky_texts)
def test_safe_cell_starts_a_formula_for_no_text(text):
    cell = safe_cell(text)

    assert not cell.lstrip(BLANK).startswith(STARTS) or float(cell) <= 0


@pytest.mark.parametrize("separator", ",;\t")
@given(st.lists(tricky_texts, min_size=1, max_size=3))
def test_no_cell_starts_a_formula_wherever_a_program_takes_cells_apart(separator, texts):
    written = "".join(csv_lines([texts], quotes_text="x" in texts[0]))

    rows = csv.reader(io.StringIO(written, newline=""), delimiter=separator)
    cells = [cell.lstrip(BLANK) for row in rows for cell in row]

    assert [cell for cell in cells if cell[:1] in FORMULAS and not NUMBERS.match(cell)] == []


@given(tricky_texts.filter(lambda text: "\0" not in text))
def test_safe_cell_survives_a_csv_file(text):
    written = "".join(csv_lines([[text, "end"]]))

    (row,) = csv.reader(io.StringIO(written, newline=""))

    assert [restore_cell(row[0]), row[1]] == [text, "end"]


def test_csv_lines_write_each_value_in_its_own_form():
    rows = [["a", 1, 1.0, None, True], ["a", 1.0, 1, "1", 'x,"y"'], [""], [], ["\r"]]

    assert list(csv_lines(rows)) == [
        "a,1,1.0,,True\n", 'a,1.0,1,1,"x,""y"""\n', '""\n', "\n", '"\'\r"\n',
    ]  # fmt: skip
    assert list(csv_lines([["a", 1, "=x"]], ending="\r\n", quotes_text=True)) == [
        '"a",1,"\'=x"\r\n'
    ]


def test_nothing_else_writes_csv():
    """A second writer would forget the formulas, as that of BORIS did."""
    writers = [
        str(path.relative_to(ROOT))
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if re.search(r"csv\.(?:writer|DictWriter)|from csv import|to_csv", path.read_text())
    ]

    assert writers == []
