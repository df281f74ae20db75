import json

import pytest

from annotation.engine.corpus.formats import reading
from annotation.engine.corpus.formats.csv_tables import read_csv_rows, read_csv_table
from annotation.engine.corpus.formats.errors import MAX_PROBLEMS, Faults, FormatError
from annotation.engine.corpus.formats.folders import find_file
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json


def _problem_of(caught):
    assert len(caught.value.problems) == 1
    return str(caught.value)


def test_read_json_names_line_and_column_of_a_truncated_file(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text('{"takes":\n  {"a": ')

    with pytest.raises(FormatError) as caught:
        read_json(path)

    assert _problem_of(caught) == "plan.json, line 2 column 9: ''; expected JSON (Expecting value)"


@pytest.mark.parametrize("depth", range(880, 1000, 7))
def test_any_depth_of_nesting_is_refused_with_a_message(tmp_path, depth):
    """What the parser still takes, Python may be unable to show."""
    path = tmp_path / "plan.json"
    path.write_text("[" * depth + "]" * depth)

    with pytest.raises(FormatError):
        read_json(path).as_object().faults.raise_if_any()


def test_read_json_names_the_byte_of_another_encoding(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes('{"name": "café"}'.encode("latin-1"))

    with pytest.raises(FormatError) as caught:
        read_json(path)

    assert _problem_of(caught) == "plan.json, byte 13: b'\\xe9\"}'; expected text in UTF-8"


def test_read_json_accepts_a_byte_order_mark(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text('{"a": 1}', encoding="utf-8-sig")

    assert read_json(path).value == {"a": 1}


def test_read_json_refuses_a_repeated_key(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text('{"takes": {"u-1": {}, "u-1": {}}}')

    with pytest.raises(FormatError, match=r"'u-1'; expected each key of an object once"):
        read_json(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[" * 100_000, "JSON of a usual depth"),
        ('{"a": ' + "1" * 5000 + "}", "numbers of a usual length"),
        ("", r"JSON \(Expecting value\)"),
    ],
)
def test_read_json_refuses_what_the_parser_cannot_hold(tmp_path, content, expected):
    path = tmp_path / "plan.json"
    path.write_text(content)

    with pytest.raises(FormatError, match=expected):
        read_json(path)


def test_read_json_refuses_a_huge_file_by_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 10)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(["long enough"]))

    with pytest.raises(FormatError, match=r"plan.json, size: 15; expected at most 10 bytes"):
        read_json(path)


def test_read_json_refuses_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match=r"No such file.*expected a file that can be read"):
        read_json(tmp_path / "plan.json")


def test_read_csv_rows_keeps_line_numbers_over_blank_lines(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('a,b\r\n\r\n"two\nlines",c\r\n')

    assert read_csv_rows(path) == [(1, ["a", "b"]), (4, ["two\nlines", "c"])]


@pytest.mark.parametrize(("content", "place"), [('a,"b\n', "line 1"), ("a\nb\x00,c\n", "line 2")])
def test_read_csv_rows_refuses_broken_rows(tmp_path, content, place):
    path = tmp_path / "rows.csv"
    path.write_text(content)

    with pytest.raises(FormatError, match=f"rows.csv, {place}: "):
        read_csv_rows(path)


def test_read_csv_table_names_line_and_column_of_every_fault(tmp_path):
    path = tmp_path / "steps.csv"
    path.write_text("step,start_s\nPour,1.5\nStir\nWait,soon\nDrink,-1\n")
    faults = Faults(path.name)

    header, rows = read_csv_table(path, faults)
    read = [(row.cells["step"], row.seconds("start_s")) for row in rows]

    assert (header, read) == (["step", "start_s"], [("Pour", 1.5), ("Wait", 0.0), ("Drink", 0.0)])
    with pytest.raises(FormatError) as caught:
        faults.raise_if_any()
    assert str(caught.value).splitlines() == [
        "steps.csv, line 3: 1; expected 2 cells",
        "steps.csv, line 4: start_s is 'soon'; expected seconds with a point, 0 or more",
        "steps.csv, line 5: start_s is '-1'; expected seconds with a point, 0 or more",
    ]


def test_entry_notes_every_fault_before_it_refuses():
    faults = Faults("plan.json")
    entry = Entry({"name": " ", "index": True, "start": "0"}, "takes.u-1", faults)

    values = (entry.text("name"), entry.integer("index"), entry.number("start"), entry.text("uid"))
    with pytest.raises(FormatError) as caught:
        faults.raise_if_any()

    assert values == ("", 0, 0.0, "")
    assert str(caught.value).splitlines() == [
        "plan.json, takes.u-1: name is ' '; expected text that is not empty",
        "plan.json, takes.u-1: index is True; expected a whole number",
        "plan.json, takes.u-1: start is '0'; expected a finite number",
        "plan.json, takes.u-1: uid is None; expected this field to be present",
    ]


def test_entry_stops_at_the_bound_of_problems():
    entry = Entry({"takes": [1] * (MAX_PROBLEMS + 50)}, "", Faults("plan.json"))

    with pytest.raises(FormatError) as caught:
        entry.objects("takes")

    assert len(caught.value.problems) == MAX_PROBLEMS
    assert str(caught.value).endswith(f"and {MAX_PROBLEMS - 20} more")


def test_find_file_searches_a_folder(tmp_path):
    (tmp_path / "meta").mkdir()
    wanted = tmp_path / "meta" / "metadata.json"
    wanted.write_text("{}")

    assert find_file(tmp_path, "metadata.json") == wanted
    assert find_file(wanted, "metadata.json") == wanted


def test_find_file_refuses_none_and_two(tmp_path):
    with pytest.raises(FormatError, match=r"No metadata.json in these files\."):
        find_file(tmp_path, "metadata.json")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "metadata.json").write_text("{}")
    with pytest.raises(FormatError, match=r"a/metadata.json.*b/metadata.json"):
        find_file(tmp_path, "metadata.json")


def test_note_repeats_names_both_places():
    faults = Faults("plan.json")

    note_repeats([("u-1", "takes[0]"), ("u-2", "takes[1]"), ("u-1", "takes[2]")], faults, "uid")

    with pytest.raises(FormatError) as caught:
        faults.raise_if_any()
    assert _problem_of(caught) == (
        "plan.json, takes[2]: uid is 'u-1'; expected each uid once (first at takes[0])"
    )
