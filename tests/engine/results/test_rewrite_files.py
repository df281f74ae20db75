"""Tables that commands write have the line ends of every other CSV of the product."""

from generation.engine.results.rewrite_files import write_table


def test_table_lines_end_as_everywhere(tmp_path):
    path = tmp_path / "folder" / "table.csv"

    write_table(["take", "ok"], [{"take": "tea", "ok": "yes"}], path)

    assert path.read_bytes() == b"take,ok\ntea,yes\n"
