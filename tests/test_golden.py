"""Golden files: compared whole, and rewritten only when asked for."""

import json

import pytest

from tests.golden import assert_golden

COFFEE = {"take 1": ["Pour the water — slowly", "Wipe the counter"]}


def test_golden_file_holds_a_test_to_every_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv("PIEV_REWRITE_GOLDEN", raising=False)
    file = tmp_path / "coffee.json"
    file.write_text(json.dumps(COFFEE))

    assert_golden(file, COFFEE)
    with pytest.raises(AssertionError, match=r"not what coffee\.json says"):
        assert_golden(file, {"take 1": ["Pour the water — slowly"]})


def test_golden_file_that_is_missing_is_not_written_unasked(tmp_path, monkeypatch):
    monkeypatch.delenv("PIEV_REWRITE_GOLDEN", raising=False)

    with pytest.raises(AssertionError, match="PIEV_REWRITE_GOLDEN=1"):
        assert_golden(tmp_path / "coffee.json", COFFEE)

    assert list(tmp_path.iterdir()) == []


def test_golden_file_is_rewritten_on_demand_in_a_form_that_reads_line_by_line(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("PIEV_REWRITE_GOLDEN", "1")
    file = tmp_path / "golden" / "coffee.json"

    assert_golden(file, COFFEE)

    assert file.read_text(encoding="utf-8") == (
        '{\n "take 1": [\n  "Pour the water — slowly",\n  "Wipe the counter"\n ]\n}\n'
    )
