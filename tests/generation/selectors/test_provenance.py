import pytest

from annotation.page_links import provenance_in_words

MADE = {
    "run": "abc",
    "profile": "piev",
    "seed": "7",
    "writer": "rules",
    "judge": "none",
    "status": "ok",
    "clips": "manual, bridge",
}


def test_provenance_in_words_say_that_the_rules_judged():
    assert provenance_in_words(MADE) == [
        "profile piev",
        "seed 7",
        "written by the rules",
        "judged by the rules",
        "no finding left",
        "clips: by hand, placeholder",
    ]


def test_provenance_in_words_name_the_models_that_were_asked():
    asked = {
        "writer": "Big",
        "answered_by": "big-1-0301",
        "prompt_version": "writer.v2",
        "judge": "Small",
        "status": "judged_with_findings",
        "clips": "kling v2",
    }

    assert provenance_in_words({"run": "abc", **asked}) == [
        "written by Big",
        "answered by big-1-0301",
        "prompt writer.v2",
        "judged by the rules, repaired with Small",
        "findings left",
        "clips: kling v2",
    ]


@pytest.mark.parametrize(
    ("imported", "told"),
    [
        ({}, []),
        (
            {"file": "judged", "model_choice": "best", "status": "ok"},
            ["file: judged", "model choice: best", "status: ok"],
        ),
    ],
)
def test_provenance_in_words_leave_imported_facts_as_they_came(imported, told):
    assert provenance_in_words(imported) == told
