"""Items that cannot stand in one set are refused before anything is stored."""

import pytest

from benchmarks.engine.task import Item
from benchmarks.services.item_draft import ItemDraft


def item(key, **more):
    return Item(key, "trace:a", {}, {"answer": "yes"}, **more)


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([item("a"), item("b"), item("a")], "the item 'a' is there twice"),
        (
            [item("a", sequence="s", position=3), item("b", sequence="s", position=3)],
            "two items have place 3 of 's'",
        ),
        ([item("a", start_s=1.0)], "the item 'a' has one of two times"),
    ],
)
def test_items_that_exclude_each_other_are_refused(items, words):
    def drafted():
        with ItemDraft() as draft:
            for one in items:
                draft.add(one)
            draft.complete()

    with pytest.raises(ValueError, match=words):
        drafted()


def test_draft_counts_what_is_asked_and_the_parts():
    parts = ["train", "", "test", "train"]
    with ItemDraft() as draft:
        for number, part in enumerate(parts):
            draft.add(item(str(number), part=part, position=number))
        draft.complete()
        assert (draft.item_count, draft.test_count, draft.parts) == (4, 2, {"train", "", "test"})
        assert [key for key, _ in draft.by_own_key()] == ["0", "1", "2", "3"]
