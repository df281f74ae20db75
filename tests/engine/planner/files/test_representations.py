import pytest

from annotation.engine.corpus.formats.errors import FormatError
from generation.engine.planner.files.representations import Representation, representations_from


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
def test_representation_is_looked_up_by_text_first_in_the_vocabulary(text, found):
    assert CACHE.find(text) == found


def test_vocabulary_leaves_out_texts_of_writers():
    assert CACHE.vocabulary_semreps() == ["GET(Object: cup)"]


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (entry("", "EAT(Object: a)"), "step_description is ''"),
        (entry("Get", None), "semantic_representation is None"),
        (entry("Get", "get(cup)"), r"semantic_representation is 'get\(cup\)'; .* upper case"),
        ("x", "'x'; expected an object"),
    ],
)
def test_faulty_entry_is_named(bad, fault):
    with pytest.raises(FormatError, match=rf"cache\.json, entry 9: {fault}"):
        representations_from({"9": bad}, file="cache.json")
