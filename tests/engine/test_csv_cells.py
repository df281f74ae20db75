import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.csv_cells import restore_cell, safe_cell

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
UNSEEN = (" ", "\u00a0", "\ufeff", "\t", "\u3000", "\u200b", "\u2060", "\v", " \u00a0\ufeff ")
BLANK = "".join({character for text in UNSEEN for character in text})
tricky_texts = st.text(alphabet="'=+-@\t\r\n＝ \u00a0\ufeff1.eEx\"," + "٣") | st.text()


@pytest.mark.parametrize("start", STARTS)
def test_safe_cell_puts_an_apostrophe_before_a_formula(start):
    assert safe_cell(start + "cmd|' /C calc'!A0") == "'" + start + "cmd|' /C calc'!A0"


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("unseen", UNSEEN)
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


@given(tricky_texts.filter(lambda text: "\0" not in text))
def test_safe_cell_survives_a_csv_file(text):
    stream = io.StringIO(newline="")
    csv.writer(stream).writerow([safe_cell(text), "end"])

    row = next(csv.reader(io.StringIO(stream.getvalue(), newline="")))

    assert [restore_cell(row[0]), row[1]] == [text, "end"]
