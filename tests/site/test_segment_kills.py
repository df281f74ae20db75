from tests.site.segment_kills import kill_under_load


def test_a_kill_leaves_both_edges_of_a_cascade_or_none(tmp_path):
    load, counted, faults = kill_under_load(tmp_path, people=6, kills=2, gestures_between=60)

    assert faults == {"torn": [], "twice": [], "unlike": []}
    assert load.refused == []
    assert len(set(load.saved)) == len(load.saved)
    assert counted == {"gestures": len(load.saved), "rows": 2 * len(load.saved)}
