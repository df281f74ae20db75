from generation.engine.planner.meaning import meaning_reader
from generation.engine.planner.profile import EntityRule, Reading

WORDS = meaning_reader(Reading())
HEADS = meaning_reader(Reading(entities=EntityRule.HEADS))


def test_words_of_role_values_lose_digits_and_stop_words():
    meaning = WORDS("ADD(Agent: you, Object: step2_mix, Destination: to(pan(of(Steel))))")

    assert meaning.object_entities == {"step", "_mix"}
    assert meaning.reuse_entities == {"step", "_mix", "pan", "steel"}


def test_heads_of_joined_clauses_belong_to_the_step():
    text = "OPEN(Agent: you, Object: jar); POUR(Agent: you, Object: oil, Destination: into(pan))"

    words, heads = WORDS(text), HEADS(text)

    assert words.object_value == "jar); POUR"
    assert (heads.object_value, heads.head_entities) == ("jar", {"jar"})
    assert heads.reuse_entities == {"jar", "oil", "pan"}


def test_step_without_representation_has_an_empty_meaning():
    for read in (WORDS, HEADS):
        meaning = read("")
        assert (meaning.predicate, dict(meaning.role_to_value)) == ("", {})
        assert (meaning.complexity, meaning.object_value) == (0.0, None)
