"""The commands that write, judge, write freely and diagnose: files in, files out, reasons told."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Step
from generation.backends.retrying import RetryPolicy
from generation.engine.judging.findings import REPORT_COLUMNS
from generation.engine.planner.files.plan_files import (
    PlanningInput,
    plans_from,
    plans_to_dict,
    write_json,
)
from generation.engine.planner.files.representations import NO_REPRESENTATIONS
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.planner.randomness import generator_for
from generation.engine.results.plan_runs import correct_file, plan_input
from generation.engine.rewriting.freeform.diagnostics import COLUMNS
from generation.engine.rewriting.writer import write_rewrite
from generation.services.run_work import work_on_takes
from generation.services.texts import command_budget, file_writing
from generation.services.texts.asker import TextAsker
from sample.corpus import load_corpus
from tests.fakes.openai_server import OpenAiServer
from tests.generation.text_endpoints import make_endpoint

SEED = 5
QUICK = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=0.05)


@pytest.fixture
def plan_path(tmp_path):
    procedures = tuple(procedure_from_take(take) for take in load_corpus().takes[:4])
    found = PlanningInput(procedures, NO_REPRESENTATIONS)
    plan_file = correct_file(plan_input(found, profile=PIEV, seed=SEED), profile=None, seed=SEED)
    path = tmp_path / "plan.json"
    write_json(plans_to_dict(plan_file), path)
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
    out, err = StringIO(), StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def plans_of(path):
    return plans_from(json.loads(path.read_text()), file=path.name).plans


def takes_of(path):
    return json.loads(path.read_text())["takes"]


@pytest.mark.django_db
def test_write_by_rules_is_the_writers_text_with_the_seed_of_the_plan(plan_path, tmp_path):
    out = tmp_path / "new" / "folder" / "written.json"

    said, _ = run("write", plan_path, "--model", "rules", "--out", out, "--json")

    assert json.loads(said) == {"takes": 4, "ok": 4}
    expected = {
        plan.take_uid: write_rewrite(
            plan, rng=generator_for(SEED, plan.take_uid, "write")
        ).rewrite.to_dict()
        for plan in plans_of(plan_path)
    }
    assert {uid: take["rewrite"] for uid, take in takes_of(out).items()} == expected
    meta = json.loads(out.read_text())["meta"]
    assert (meta["model"], meta["seed"], meta["plan"]) == ("rules", SEED, "plan.json")


@pytest.mark.django_db
def test_write_of_a_data_set_plans_it_first(tea_dataset, tmp_path):
    run("write", "Tea", "--seed", 123, "--out", tmp_path / "tea.json")

    assert sorted(takes_of(tmp_path / "tea.json")) == ["tea-a", "tea-b", "tea-c"]


@pytest.mark.django_db
def test_write_of_a_data_set_needs_a_seed(tea_dataset, tmp_path):
    with pytest.raises(CommandError, match="Tea is a data set, so --seed is needed to plan it"):
        run("write", "Tea", "--out", tmp_path / "tea.json")


@pytest.mark.django_db
def test_files_are_overwritten_only_with_force(plan_path, tmp_path):
    out = tmp_path / "written.json"
    out.write_text("precious")

    with pytest.raises(CommandError, match=r"written\.json exists; add --force to overwrite"):
        run("write", plan_path, "--out", out)
    before = out.read_text()
    run("write", plan_path, "--out", out, "--force")

    assert before == "precious"
    assert len(takes_of(out)) == 4


@pytest.mark.django_db
def test_unknown_model_is_refused_with_the_known_ones(plan_path, tmp_path):
    make_endpoint()

    with pytest.raises(CommandError, match="no text model 'gpt'; known: rules, Local"):
        run("write", plan_path, "--model", "gpt", "--out", tmp_path / "out.json")


@pytest.mark.django_db
def test_file_that_is_no_plan_is_refused_by_name(tmp_path):
    (tmp_path / "odd.json").write_text('{"takes": 3}')

    with pytest.raises(CommandError, match=r"odd\.json: takes is 3; expected an object"):
        run("write", tmp_path / "odd.json", "--out", tmp_path / "out.json")


@pytest.mark.django_db
def test_judge_says_what_is_left_of_a_faulty_text(plan_path, tmp_path):
    written, judged, report = (tmp_path / name for name in ("w.json", "j.json", "r.csv"))
    run("write", plan_path, "--out", written)
    data = json.loads(written.read_text())
    uid, take = next(
        (uid, take)
        for uid, take in data["takes"].items()
        if any(row["mod"] == "e" for row in take["rewrite"]["meta"])
    )
    row = next(row for row in take["rewrite"]["meta"] if row["mod"] == "e")
    take["rewrite"]["final_steps"][row["new"]] = "the the the"
    written.write_text(json.dumps(data))

    said, _ = run(
        "judge", plan_path, written, "--model", "none", "--out", judged, "--report", report,
        "--json",
    )  # fmt: skip

    rows = list(csv.DictReader(report.read_text().splitlines()))
    counts = json.loads(said)
    assert tuple(rows[0]) == REPORT_COLUMNS
    assert {row["take_uid"] for row in rows} == {uid}
    assert "TEXT_MALFORMED" in {row["code"] for row in rows}
    assert (counts["takes"], counts["ok"]) == (4, 3)
    assert counts["hard"] + counts["soft"] == len(rows) == sum(counts["codes"].values())
    assert takes_of(judged)[uid]["status"] == "judged_with_findings"


@pytest.mark.django_db
def test_judge_leaves_the_rules_texts_as_they_are(plan_path, tmp_path):
    written, judged = tmp_path / "w.json", tmp_path / "j.json"
    run("write", plan_path, "--out", written)

    said, _ = run("judge", plan_path, written, "--out", judged, "--json")

    assert json.loads(said) == {"takes": 4, "ok": 4, "hard": 0, "soft": 0, "codes": {}}
    texts = {uid: take["rewrite"]["final_steps"] for uid, take in takes_of(judged).items()}
    assert texts == {uid: take["rewrite"]["final_steps"] for uid, take in takes_of(written).items()}


@pytest.mark.django_db
def test_judge_names_takes_that_the_plan_does_not_have(plan_path, tmp_path):
    (tmp_path / "w.json").write_text('{"takes": {"stranger": {"rewrite": {}}}}')

    with pytest.raises(CommandError, match="take is 'stranger'; expected a take of the plan"):
        run("judge", plan_path, tmp_path / "w.json", "--out", tmp_path / "j.json")


@pytest.mark.django_db
def test_interrupted_write_goes_on_where_it_stopped(plan_path, tmp_path, monkeypatch):
    out, written_uids = tmp_path / "w.json", []
    real = file_writing.write_rewrite

    def breaks_at_the_third(plan, *, rng):
        if len(written_uids) == 2:
            raise KeyboardInterrupt
        written_uids.append(plan.take_uid)
        return real(plan, rng=rng)

    monkeypatch.setattr(file_writing, "write_rewrite", breaks_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        run("write", plan_path, "--out", out)
    monkeypatch.setattr(file_writing, "write_rewrite", real)
    kept = (tmp_path / "w.json.partial.jsonl").read_text().splitlines()

    said, warned = run("write", plan_path, "--out", out)

    assert [json.loads(line)["uid"] for line in kept[1:]] == written_uids
    assert "2 takes were finished before." in warned
    assert said.endswith("4 takes, 4 written\n")
    assert not (tmp_path / "w.json.partial.jsonl").exists()


@pytest.mark.django_db
def test_partial_takes_of_another_seed_are_not_continued(plan_path, tmp_path):
    out = tmp_path / "w.json"
    partial_path = tmp_path / "w.json.partial.jsonl"
    uid = next(iter(takes_of(plan_path)))
    lines = [{"header": "of another seed"}, {"uid": uid, "entry": {"status": "ok"}}]
    partial_path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    run("write", plan_path, "--out", out)

    assert "rewrite" in takes_of(out)[uid]


@pytest.mark.django_db(transaction=True)
def test_take_that_the_model_fails_keeps_its_reason_and_the_others_go_on(
    plan_path, tmp_path, server
):
    make_endpoint(server.url, concurrency=1)
    good = write_rewrite(plans_of(plan_path)[0], rng=generator_for(1, "x", "write")).rewrite
    keys = ("old", "new", "mod", "etype", "eid", "cid")
    rows = [
        {key: None if row[key] == "" else row[key] for key in keys}
        for row in good.to_dict()["meta"]
    ]
    answer = {"final_steps": list(good.final_steps), "meta": rows}
    server.acts = [{"do": "answer", "text": json.dumps(answer)}, {"do": "reject"}]

    said, warned = run(
        "write", plan_path, "--model", "Local", "--out", tmp_path / "w.json", "--json"
    )

    takes = list(takes_of(tmp_path / "w.json").values())
    assert json.loads(said) == {"takes": 4, "ok": 1}
    assert takes[0]["rewrite"]["final_steps"] == answer["final_steps"]
    assert [take["status"] for take in takes] == ["ok", *["parse_failed"] * 3]
    assert all(take["error"].startswith("RejectedError: ") for take in takes[1:])
    assert warned.count("was not written: RejectedError") == 3


@pytest.mark.django_db(transaction=True)
def test_model_that_fails_every_take_is_an_error_and_the_reasons_are_kept(
    plan_path, tmp_path, server
):
    make_endpoint(server.url)
    server.acts = [{"do": "reject"}]

    with pytest.raises(CommandError, match="no take was written"):
        run("write", plan_path, "--model", "Local", "--out", tmp_path / "w.json")

    assert {take["status"] for take in takes_of(tmp_path / "w.json").values()} == {"parse_failed"}


@pytest.mark.django_db(transaction=True)
def test_freeform_output_can_be_diagnosed_by_itself(plan_path, tmp_path, server):
    make_endpoint(server.url, concurrency=1)
    steps = [step.text for step in plans_of(plan_path)[0].steps]
    rows = [
        {"source": index, "mod": "u", "error_id": None, "correction_id": None}
        for index in range(1, len(steps))
    ]
    answer = {
        "final_steps": steps[1:], "meta": rows, "del": [{"source": 0, "error_id": "E01"}],
    }  # fmt: skip
    server.acts = [{"do": "answer", "text": json.dumps(answer)}, {"do": "refuse"}]
    out, table = tmp_path / "free.json", tmp_path / "deep" / "diagnosis.csv"

    said, _ = run("freeform", plan_path, "--model", "Local", "--out", out, "--json")
    told, _ = run("diagnose", out, "--out", table, "--json")

    lines = list(csv.DictReader(table.read_text().splitlines()))
    assert json.loads(said) == {"takes": 4, "ok": 1, "invalid": 0}
    assert tuple(lines[0]) == COLUMNS
    first = lines[0]
    assert (first["status"], first["schema_ok"], first["n_del"]) == ("ok", "1", "1")
    assert int(first["mods_u"]) == len(steps) - 1
    assert [line["schema_ok"] for line in lines[1:]] == ["0"] * 3
    assert json.loads(told)["ok"] == 1


@pytest.mark.django_db
def test_freeform_by_rules_is_refused(plan_path, tmp_path):
    with pytest.raises(CommandError, match="no text model 'rules'; known: none is set up"):
        run("freeform", plan_path, "--model", "rules", "--out", tmp_path / "free.json")


@pytest.mark.django_db
def test_diagnose_asks_for_the_source_steps_that_it_lacks(tmp_path, plan_path):
    (tmp_path / "free.json").write_text('{"takes": {"sample-x": {"status": "ok"}}}')

    with pytest.raises(CommandError, match="the first is sample-x; name a file that has them"):
        run("diagnose", tmp_path / "free.json", "--out", tmp_path / "d.csv")
    with pytest.raises(CommandError, match="--input lacks the source steps of 1 takes"):
        run("diagnose", tmp_path / "free.json", "--out", tmp_path / "d.csv", "--input", plan_path)


@pytest.mark.shared_data
@pytest.mark.django_db
def test_rules_write_the_published_plans_without_a_finding(shared_data, tmp_path):
    plan = shared_data / "piev" / "split_50_error_plan_with_corrections.json"

    run("write", plan, "--out", tmp_path / "w.json")
    said, _ = run("judge", plan, tmp_path / "w.json", "--out", tmp_path / "j.json", "--json")

    assert json.loads(said) == {"takes": 50, "ok": 50, "hard": 0, "soft": 0, "codes": {}}


@pytest.mark.django_db(transaction=True)
def test_command_stops_at_its_budget_and_goes_on_with_a_larger_one(plan_path, tmp_path, server):
    make_endpoint(server.url, concurrency=1)
    server.acts = [rewrite_answer(plan) for plan in plans_of(plan_path)]
    out = tmp_path / "w.json"
    arguments = ["write", plan_path, "--model", "Local", "--out", out, "--json"]

    with pytest.raises(CommandError, match=r"0 of 4 takes are finished; run the same command with"):
        run(*arguments, "--budget", "0.01")
    assert (server.asked, out.exists()) == ([], False)
    said, _ = run(*arguments, "--budget", "5")

    assert json.loads(said) == {"takes": 4, "ok": 4}
    assert len(server.asked) == 4


def rewrite_answer(plan):
    document = write_rewrite(plan, rng=generator_for(SEED, plan.take_uid, "write"))
    whole = document.rewrite.to_dict()
    rows = [{**row, "old": None if row["old"] == "" else row["old"],
             "new": None if row["new"] == "" else row["new"]} for row in whole["meta"]]  # fmt: skip
    return {
        "do": "answer",
        "text": json.dumps({"final_steps": whole["final_steps"], "meta": rows}),
    }


@pytest.mark.parametrize("budget", ["0", "-1", "nan", "inf", "five"])
def test_budget_without_an_amount_is_refused(plan_path, tmp_path, budget):
    with pytest.raises(CommandError, match="is not an amount of dollars above 0"):
        run("write", plan_path, "--out", tmp_path / "w.json", "--budget", budget)


@pytest.mark.django_db
def test_texts_of_a_data_set_are_judged_by_the_plans_they_were_written_to(tea_dataset, tmp_path):
    run("write", "Tea", "--seed", 123, "--out", tmp_path / "w.json")
    # Another seed would plan other mistakes; a changed step would too.
    Step.objects.filter(take__uid="tea-a", index=5).update(text="Stir the tea with a fork")

    said, _ = run(
        "judge", "Tea", tmp_path / "w.json", "--seed", 7, "--out", tmp_path / "j.json", "--json"
    )

    assert json.loads(said) == {"takes": 3, "ok": 3, "hard": 0, "soft": 0, "codes": {}}


@pytest.mark.django_db
def test_texts_are_judged_by_the_plans_of_a_run(full_run, tea_dataset, tmp_path):
    work_on_takes(job_ids=[take.job_id for take in full_run.run_takes.all()])
    takes = {
        item.take.uid: {"take_name": item.take.name, "status": "ok",
                        "rewrite": item.rewrite.document}
        for item in full_run.run_takes.select_related("take", "rewrite")
    }  # fmt: skip
    written = tmp_path / "w.json"
    written.write_text(json.dumps({"takes": takes}))

    said, _ = run(
        "judge", "Tea", written, "--run", full_run.public_id, "--out", tmp_path / "j.json", "--json"
    )

    assert json.loads(said)["ok"] == 3
    with pytest.raises(CommandError, match="Tea has no run 'nothing'"):
        run("judge", "Tea", written, "--run", "nothing", "--out", tmp_path / "k.json")
