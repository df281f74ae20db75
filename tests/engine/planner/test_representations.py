import pytest

from annotation.engine.formats.errors import FormatError
from generation.engine.planner.representations import Representation, representations_from


def entry(text, semrep):
    return {"step_description": text, "semantic_representation": semrep}


CACHE = representations_from(
    {
        "qwen_ext_1": entry("Get cup", "TAKE(Object: cup)"),
        "3": entry(" Get cup ", "GET(Object: cup)"),
        "qwen_ext_2": entry("Get lid", "GET(Object: lid)"),
    },
    file="cache.json",
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Get cup", Representation("GET(Object: cup)", "3")),
        ("get  CUP", Representation("GET(Object: cup)", "3")),
        ("Get lid", Representation("GET(Object: lid)", None)),
        ("Get pan", None),
    ],
)
def test_representation_is_found_by_text_and_the_vocabulary_goes_first(text, found):
    assert CACHE.find(text) == found


def test_vocabulary_leaves_out_texts_made_up_later():
    assert CACHE.vocabulary_semreps() == ["GET(Object: cup)"]


@pytest.mark.parametrize(
    ("bad", "field"),
    [(entry("", "X(Object: a)"), "step_description"), (entry("Get", None), "semantic_rep"),
     ("x", "step_description")],
)  # fmt: skip
def test_faulty_entry_is_named(bad, field):
    with pytest.raises(FormatError, match=f"cache.json, entry 9: {field}"):
        representations_from({"9": bad}, file="cache.json")
