"""Segments as tables."""

from segments.engine.model import Segment, as_table, without_defaults


def test_a_page_gets_no_columns_in_which_every_segment_has_the_default():
    segments = [Segment("a", "steps", 0.0, 1.0), Segment("b", "steps", 1.0, 2.0, note="look")]

    table = without_defaults(as_table(segments))

    assert table == {
        "columns": ["key", "track", "start_s", "end_s", "note"],
        "rows": [("a", "steps", 0.0, 1.0, ""), ("b", "steps", 1.0, 2.0, "look")],
    }
    assert without_defaults(as_table([])) == {"columns": [], "rows": []}
