"""Freeform texts through the commands, as they were written and judged by what they claim."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from generation.backends.retrying import RetryPolicy
from generation.models import TextCall
from generation.services.texts import command_budget
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.generation.text_endpoints import make_endpoint

QUICK = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=0.05)
STEPS = ["Get a cup", "Add water to the cup", "Add sugar to the cup", "Stir the tea with a spoon"]


@pytest.fixture
def source(tmp_path):
    """Return a split file of one take."""
    segments = [
        {
            "start_time": float(index), "end_time": index + 1.0, "step_id": index,
            "step_unique_id": index, "step_name": text, "step_description": text,
            "is_essential": True,
        }
        for index, text in enumerate(STEPS)
    ]  # fmt: skip
    take = {"take_uid": "u-1", "take_name": "tea", "scenario": "Making Tea", "segments": segments}
    path = tmp_path / "split.json"
    path.write_text(json.dumps({"annotations": [take]}))
    return path


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(
        command_budget,
        "TextAsker",
        lambda endpoint, payer, _, **told: TextAsker(endpoint, payer, QUICK, **told),
    )
    with OpenAiServer() as running:
        yield running


def run(*arguments):
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def row(source, mod="u", error_id=None, correction_id=None):
    return {"source": source, "mod": mod, "error_id": error_id, "correction_id": correction_id}


def answer(document):
    return {"do": "answer", "text": json.dumps(document)}


FREE = {
    "final_steps": [*STEPS[:3], "Throw the spoon away"],
    "meta": [row(0), row(1), row(2), row(3, "we", "E01")],
    "del": [],
}


def repaired(text):
    rows = [{"old": i, "new": i, "mod": "u", "etype": None, "eid": None, "cid": None}
            for i in range(3)]  # fmt: skip
    last = {"old": 3, "new": 3, "mod": "e", "etype": "wrong_execution", "eid": "E01", "cid": None}
    return answer({"final_steps": [*STEPS[:3], text], "meta": [*rows, last]})


@pytest.mark.django_db(transaction=True)
def test_freeform_text_without_a_judge_stays_as_written(source, tmp_path, server):
    make_endpoint(server.url)
    server.acts = [answer(FREE)]

    said = run("freeform", source, "--model", "Local", "--out", tmp_path / "f.json", "--json")

    assert json.loads(said) == {"takes": 1, "ok": 1, "invalid": 0}
    assert "judged" not in json.loads((tmp_path / "f.json").read_text())["takes"]["u-1"]


@pytest.mark.django_db(transaction=True)
def test_judge_by_rules_tells_what_is_wrong_and_keeps_the_text_as_written(source, tmp_path, server):
    make_endpoint(server.url)
    server.acts = [answer(FREE)]
    out, report = tmp_path / "f.json", tmp_path / "f.csv"

    said = run(
        "freeform", source, "--model", "Local", "--judge", "rules", "--out", out,
        "--report", report, "--json",
    )  # fmt: skip

    counts = json.loads(said)["judged"]
    take = json.loads(out.read_text())["takes"]["u-1"]
    assert counts["codes"] == counts["before"]["codes"] == {"PREDICATE_CHANGED": 1}
    assert counts["not_applied"] == ["OTHER_ROLE_MUTATED", "ROLE_NOT_MUTATED"]
    assert take["rewrite"]["final_steps"] == FREE["final_steps"]
    assert take["judged"]["status"] == "judged_with_findings"
    assert [item["event_id"] for item in take["judged"]["claims"]["errors"]] == ["E01"]
    assert [line["code"] for line in csv.DictReader(report.read_text().splitlines())] == [
        "PREDICATE_CHANGED"
    ]


@pytest.mark.django_db(transaction=True)
def test_text_that_breaks_the_contract_is_kept_apart_judged_and_diagnosed(source, tmp_path, server):
    make_endpoint(server.url)
    server.acts = [
        answer({**FREE, "final_steps": FREE["final_steps"][1:], "meta": FREE["meta"][1:]})
    ]
    out, table = tmp_path / "f.json", tmp_path / "d.csv"

    said = run("freeform", source, "--model", "Local", "--judge", "rules", "--out", out, "--json")
    run("diagnose", out, "--out", table)

    counts, take = json.loads(said), json.loads(out.read_text())["takes"]["u-1"]
    assert (counts["takes"], counts["ok"], counts["invalid"]) == (1, 0, 1)
    assert counts["judged"]["before"]["codes"]["SOURCE_MISSING"] == 1
    assert (take["status"], take["error"]) == (
        "invalid_schema", "vanished: source step 0 has no row and no deletion",
    )  # fmt: skip
    assert "rewrite" not in take
    assert take["parsed_output"]["final_steps"] == FREE["final_steps"][1:]
    assert take["judged"]["rewrite"]["final_steps"][0] == STEPS[0]
    (line,) = csv.DictReader(table.read_text().splitlines())
    assert (line["schema_ok"], line["schema_msg"]) == ("0", take["error"])
    assert (line["n_final_steps"], line["mods_u"]) == ("3", "2")


@pytest.mark.django_db(transaction=True)
def test_judge_by_model_repairs_through_recorded_calls(source, tmp_path, server):
    make_endpoint(server.url)
    mended = "Stir the tea with a fork"
    server.acts = [answer(FREE), repaired(mended)]
    arguments = ["freeform", source, "--model", "Local", "--judge", "Local", "--json"]

    first = run(*arguments, "--out", tmp_path / "a.json")
    again = run(*arguments, "--out", tmp_path / "b.json")

    judged = json.loads((tmp_path / "a.json").read_text())["takes"]["u-1"]["judged"]
    assert (judged["status"], judged["rewrite"]["final_steps"][3]) == ("ok", mended)
    assert json.loads(first)["judged"] == json.loads(again)["judged"]
    assert (len(server.asked), TextCall.objects.count()) == (2, 2)


@pytest.mark.django_db(transaction=True)
def test_freeform_file_is_judged_by_its_source_steps(source, tmp_path, server):
    make_endpoint(server.url)
    server.acts = [answer(FREE)]
    run("freeform", source, "--model", "Local", "--out", tmp_path / "f.json")

    said = run("judge", source, tmp_path / "f.json", "--out", tmp_path / "j.json")

    lines = said.splitlines()
    assert lines[0].endswith("1 takes, 0 ok; findings left: 1 hard, 0 soft")
    assert lines[1:] == [
        "before repair: 0 ok; 1 hard, 0 soft",
        "not applied without a plan: OTHER_ROLE_MUTATED, ROLE_NOT_MUTATED",
        "      1 of     1  PREDICATE_CHANGED",
    ]


@pytest.mark.django_db
def test_unknown_judge_is_refused_before_anything_is_asked(source, tmp_path):
    make_endpoint()

    with pytest.raises(CommandError, match="there is no text model 'Nobody'; known: rules, Local"):
        run("freeform", source, "--model", "Local", "--judge", "Nobody", "--out", tmp_path / "f")


@pytest.mark.shared_data
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "ok", "hard", "soft", "before"),
    [("openai", 46, 4, 0, (39, 12, 3)), ("qwen", 33, 68, 2, (25, 246, 3))],
)
def test_published_freeform_outputs_are_judged(shared_data, tmp_path, name, ok, hard, soft, before):
    folder = shared_data / "piev"
    written = folder / f"split_50_llm_freeform_errors_{name}.json"

    counts = json.loads(
        run("judge", folder / "split_50_rebuilt.json", written, "--out", tmp_path / "j", "--json")
    )

    assert (counts["takes"], counts["ok"], counts["hard"], counts["soft"]) == (50, ok, hard, soft)
    assert tuple(counts["before"][key] for key in ("ok", "hard", "soft")) == before
