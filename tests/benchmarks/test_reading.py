import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.engine.reading import as_number, json_object, read_choice, read_text

# Answers as models of several families write them, with what each must be read as: null where it
# is unsure. Written for this test.
ANSWERS = [
    json.loads(line)
    for line in Path(__file__).with_name("answers_of_models.jsonl").read_text().splitlines()
]
CHOICES = {
    "yes_no": ("yes", "no"),
    "seven": ("yes", "no", "not applicable", "unclear"),
    "letters": ("A", "B", "C", "D"),
    "classes": ("correct", "mistake", "correction"),
    "decision": ("speak", "silent"),
    "scale": ("1", "2", "3", "4", "5"),
    "things": ("the knife", "the big pot", "something else"),
}
CLASSES = ("correct", "Wrong action", "Correct wrong action", "Omission")


def test_table_of_answers_has_at_least_200_of_many_habits():
    assert len({(row["choices"], row["text"]) for row in ANSWERS}) == len(ANSWERS) >= 200
    assert len({row["habit"] for row in ANSWERS}) >= 10
    read = Counter(row["read"] is None for row in ANSWERS)
    assert min(read.values()) >= 100


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: f"{row['choices']}: {row['text'][:40]}")
def test_an_answer_is_read_as_what_it_states_or_not_at_all(row):
    field = "decision" if row["choices"] == "decision" else "answer"
    reading = read_choice(row["text"], CHOICES[row["choices"]], field=field)

    assert (reading.value or {}).get("answer") == row["read"]
    assert (reading.value is None) == bool(reading.reason)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", "yes"),
        (" **Yes**.\n", "yes"),
        ('{"answer": "No"}', "no"),
        ('{"answer": true}', "yes"),
        ('<think>It may be yes.</think>\n{"answer": "no"}', "no"),
        ("The answer is yes, because the pot is cold.", "yes"),
        ('```json\n{"answer": "yes"}\n```', "yes"),
    ],
)
def test_answers_are_read_in_any_formatting(text, answer):
    assert read_choice(text, ("yes", "no")).value == {"answer": answer, "score": None}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ('{"answer": "perhaps"}', "answer is 'perhaps'; expected one of yes, no"),
        ('{"other": "yes"}', "answer is 'null'; expected one of yes, no"),
        ("Either yes or no.", "names 2 of the choices: yes, no"),
        ("Hard to say.", "says none of the choices clearly: 'Hard to say.'"),
        ('{"answer": "yes", "score": "high"}', "score is 'high'; expected a number"),
        ('{"answer": "yes", "score": NaN}', "score is 'NaN'; expected a number"),
    ],
)
def test_unreadable_answers_name_the_reason(text, reason):
    assert read_choice(text, ("yes", "no"), score="score").reason == reason


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Wrong-action", "Wrong action"),
        ("It is a correct wrong action.", "Correct wrong action"),
        ("This step is incorrect", None),
        ("The step is not correct", None),
        ("Either Wrong action or Omission", None),
    ],
)
def test_longest_name_counts_and_negations_do_not(text, answer):
    value = read_choice(text, CLASSES).value

    assert (value or {}).get("answer") == answer


def test_object_is_read_after_words_but_not_before_them():
    assert json_object('Sure: {"a": 1}') == {"a": 1}
    assert json_object('{"a": 1} and so on') is None
    assert json_object("[1, 2]") is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>" * 200_000, None),
        ("</think>" + "<think>" * 200_000 + "yes", None),
        ("</think>" * 200_000 + "yes", "yes"),
        ("the answer is " * 100_000 + "yes", "yes"),
        ("yes, " * 300_000, "yes"),
        ("it is a " * 200_000, None),
        ("(" * 1_000_000, None),
        ("yes " * 300_000, "yes"),
        ("```" + "a" * 1_400_000, None),
        ("{" * 1_400_000, None),
        ('{"answer": 1} ' * 100_000, None),
    ],
)
def test_malicious_long_answer_is_read_quickly(text, answer):
    value = read_choice(text, ("yes", "no")).value

    assert (value or {}).get("answer") == answer


def test_a_number_beyond_all_floats_is_none():
    assert as_number(10**400) is None
    assert as_number(-(10**400)) is None
    text = '{"answer": "yes", "score": 1%s}' % ("0" * 400)
    assert "expected a number" in read_choice(text, ("yes", "no"), score="score").reason


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ('{"description": " It is cold. "}', {"text": "It is cold."}, ""),
        ("It is cold.", {"text": "It is cold."}, ""),
        ('{"description": ', None, "broken JSON: '{\"description\":'"),
        ('{"description": ""}', None, "description is ''; expected a text"),
        ("", None, "empty"),
    ],
)
def test_free_text(text, value, reason):
    reading = read_text(text, field="description")

    assert (reading.value, reading.reason) == (value, reason)
