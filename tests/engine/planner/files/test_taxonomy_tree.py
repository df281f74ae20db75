import pytest

from annotation.engine.corpus.formats.errors import FormatError
from generation.engine.planner.files.taxonomy_tree import taxonomies_from
from generation.engine.planner.procedure_to_plan import Block


def node(node_id, parent_id, **more):
    return {"id": node_id, "name": f"n{node_id}", "parent_id": parent_id, **more}


def read(*nodes):
    data = {"taxonomy": {"Tea": {str(number): item for number, item in enumerate(nodes)}}}
    return taxonomies_from(data, file="taxonomy.json")["Tea"]


def test_block_is_the_ancestor_below_the_root_and_a_leaf_there_its_own():
    tree = read(node(0, None), node(1, 0), node(2, 1), node(3, 2), node(4, 0))

    assert tree.by_node_id == {
        1: Block(1, "n1", ("n0", "n1")),
        2: Block(1, "n1", ("n0", "n1", "n2")),
        3: Block(1, "n1", ("n0", "n1", "n2", "n3")),
        4: Block(4, "n4", ("n0", "n4")),
    }


def test_last_node_with_a_shared_unique_id_wins():
    tree = read(node(0, None), node(1, 0, unique_id=9), node(2, 0, unique_id=9))

    assert tree.by_unique_id == {9: Block(2, "n2", ("n0", "n2"))}


@pytest.mark.parametrize("parent_id", [5, 2])
def test_parent_that_does_not_lead_to_the_root_is_refused(parent_id):
    with pytest.raises(FormatError, match=rf"node 2: parent_id is {parent_id}; expected the id"):
        read(node(0, None), node(2, parent_id))


def test_node_without_name_is_refused():
    with pytest.raises(FormatError, match="taxonomy of Tea, node 0: name is None"):
        read({"id": 0, "parent_id": None})
