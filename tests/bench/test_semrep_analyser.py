"""The command that prints the analyser's figures."""

import json

from bench.semrep_analyser import CACHE_FILE, PLAN_FILE, main


def write_published_files(folder):
    texts = {
        "1": ("Get a cup", "GET(Agent: you, Object: cup)", "Bread"),
        "2": ("Saw a plank", "CUT(Agent: you, Object: plank)", "Soup"),
    }
    cache = {
        key: {"step_description": text, "semantic_representation": representation}
        for key, (text, representation, _) in texts.items()
    }
    takes = {
        key: {"scenario": scenario, "steps": [{"step_description_id": key}]}
        for key, (_, _, scenario) in texts.items()
    }
    (folder / CACHE_FILE).write_text(json.dumps(cache), encoding="utf-8")
    (folder / PLAN_FILE).write_text(json.dumps({"takes": takes}), encoding="utf-8")


def test_command_prints_a_row_per_half_and_the_disagreements(tmp_path, capsys):
    write_published_files(tmp_path)

    assert main([str(tmp_path), "--disagreements", "held_out"]) == 0

    assert capsys.readouterr().out == (
        "| half | texts | with Object | predicate exact | Object head exact | role precision "
        "| role recall | role F1 | role F1 with Agent |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
        "| development | 1 | 1 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |\n"
        "| held_out | 1 | 1 | 0.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |\n"
        "| all | 2 | 2 | 0.500 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |\n"
        "\n"
        "Saw a plank\n"
        "    published  CUT(Agent: you, Object: plank)\n"
        "    analyser   SAW(Agent: you, Object: plank)\n"
    )
