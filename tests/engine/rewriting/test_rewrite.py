"""The published form is read and written again without loss, and faults are named."""

import json

import pytest

from generation.engine.rewriting.rewrite import RewriteFormError, rewrite_from_dict

TEA = {
    "final_steps": ["Get a bowl", "Wash the bowl", "Put the bowl back and get a cup"],
    "meta": [
        {"old": 0, "new": 0, "mod": "e", "etype": "substitution", "eid": "E01", "cid": None},
        {"old": 1, "new": 1, "mod": "a", "etype": None, "eid": "E01", "cid": None},
        {"old": "", "new": 2, "mod": "c", "etype": "correction", "eid": None, "cid": "c0"},
        {"old": 2, "new": "", "mod": "d", "etype": "deletion", "eid": "E02", "cid": None},
    ],
    "changed_new_indices": [0, 1, 2],
}


def changed(**replacements):
    return {**TEA, **replacements}


def test_rewrite_is_written_as_it_was_read():
    assert rewrite_from_dict(TEA).to_dict() == TEA


def test_rewrite_keeps_row_and_text_together():
    row = rewrite_from_dict(TEA).rows[2]

    assert (row.text, row.correction_id, row.old_index) == (TEA["final_steps"][2], "c0", None)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "final_steps is missing"),
        (changed(meta=None), "meta is missing"),
        (changed(meta=["u"]), "meta row 0 is 'u'; expected an object"),
        (changed(meta=[{"mod": "x"}]), "meta row 0: mod is 'x'; expected one of u, e, a"),
        (changed(meta=[{"mod": "u", "new": 9}]), "meta row 0: new is 9; expected 0 to 2"),
        (changed(meta=[{"mod": "u", "new": ""}]), "meta row 0: new is '' with mod u"),
        (changed(meta=[{"mod": "d", "new": 1}]), "meta row 0: new is 1 with mod d"),
        (changed(meta=[{"mod": "u", "new": 0, "old": -1}]), "old is -1; expected 0 or more"),
        (changed(meta=TEA["meta"][:2]), r"2 texts \(2 different\); expected each of the 3"),
        (changed(meta=[TEA["meta"][0]] * 3), r"3 texts \(1 different\); expected each of the 3"),
    ],
)
def test_rewrite_names_what_does_not_fit(document, message):
    with pytest.raises(RewriteFormError, match=message):
        rewrite_from_dict(document)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "refused_count"),
    [
        ("split_50_error_instructions_openai_judged.json", 1),
        ("split_50_error_instructions_qwen_judged.json", 12),
    ],
)
def test_published_judged_rewrites_are_read_except_the_known_misfits(
    shared_data, name, refused_count
):
    takes = json.loads((shared_data / "piev" / name).read_text())["takes"]
    refused = []

    for uid, take in takes.items():
        try:
            rewrite = rewrite_from_dict(take["rewrite"])
        except RewriteFormError:
            refused.append(uid)
        else:
            assert list(rewrite.final_steps) == take["rewrite"]["final_steps"]

    assert len(refused) == refused_count
