"""Two texts word by word: every word in its place, and no more work than the product of words."""

import random

import pytest

from annotation.engine.campaigns import guideline_difference
from annotation.engine.campaigns.guideline_difference import word_parts
from annotation.engine.corpus.alignment import WordKind


def both_texts(parts):
    before = "".join(item.text for item in parts if item.kind is not WordKind.ADDED)
    after = "".join(item.text for item in parts if item.kind is not WordKind.REMOVED)
    return before, after


@pytest.mark.parametrize("seed", range(20))
def test_parts_give_both_texts_back(seed):
    rng = random.Random(seed)
    before = " ".join(rng.choice("abcdefgh") for _ in range(rng.randrange(1, 60)))
    words = before.split()
    for _ in range(rng.randrange(8)):
        words[rng.randrange(len(words))] = rng.choice(["a", "new", "x y", ""])
    after = " ".join(words)

    found = both_texts(word_parts(before, after))
    assert found in {(before, after), (f"{before} ", after), (before, f"{after} ")}


def test_what_went_stands_before_what_came():
    parts = word_parts("Is it missed, and by whom?", "Would it be missed, and by everybody?")

    assert [(item.kind.value, item.text) for item in parts] == [
        ("removed", "Is "), ("added", "Would "), ("same", "it "), ("added", "be "),
        ("same", "missed, and by "), ("removed", "whom?"), ("added", "everybody?"),
    ]  # fmt: skip
    assert [(item.kind.value, item.text) for item in word_parts("one two", "three four")] == [
        ("removed", "one two "), ("added", "three four"),
    ]  # fmt: skip


def test_a_sentence_at_the_end_is_all_that_came():
    before, after = "Judge it by itself.", "Judge it by itself. Stains are harmless."

    came, went = word_parts(before, after), word_parts(after, before)

    assert [(item.kind.value, item.text) for item in came] == [
        ("same", "Judge it by itself. "), ("added", "Stains are harmless."),
    ]  # fmt: skip
    assert [(item.kind.value, item.text) for item in went] == [
        ("same", "Judge it by itself. "), ("removed", "Stains are harmless."),
    ]  # fmt: skip


def test_a_long_text_of_few_words_is_compared_word_by_word_once(monkeypatch):
    """difflib compares such words with each other again and again: 8 s for 10,000 of them."""
    rng = random.Random(1)
    words = [rng.choice(["the", "a", "pot"]) for _ in range(10_000)]
    before = " ".join(words)
    after = " ".join(["first", *words[:5000], "middle", *words[5000:], "last"])
    compared = []
    opcodes = guideline_difference.Indel.opcodes
    monkeypatch.setattr(
        guideline_difference.Indel,
        "opcodes",
        lambda old, new: compared.append(len(old) * len(new)) or opcodes(old, new),
    )

    parts = word_parts(before, after)

    added = [item.text.strip() for item in parts if item.kind is WordKind.ADDED]
    assert added[:2] == ["first", "middle"]
    assert added[-1].endswith("last")
    assert compared == [10_000 * 10_003]


def test_texts_too_long_to_compare_are_shown_one_after_the_other(monkeypatch):
    monkeypatch.setattr(guideline_difference, "MOST_PAIRS", 3)
    parts = word_parts("one two", "one three")

    assert [item.kind.value for item in parts] == ["removed", "added"]
