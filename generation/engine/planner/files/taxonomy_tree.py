"""The keystep taxonomy: the tree of steps of each scenario, and the block of a step.

Form: {"taxonomy": {scenario: {key: {"id", "name", "parent_id", "unique_id"}}}}; the root of a
scenario has no parent. Several nodes may share one unique id.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.engine.corpus.formats.errors import FormatError, Problem
from generation.engine.planner.files.input_fields import FieldReader, as_mapping
from generation.engine.planner.procedure_to_plan import Block

Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScenarioTaxonomy:
    """The blocks of one scenario, by node id and by the id that nodes may share."""

    by_node_id: Mapping[int, Block]
    by_unique_id: Mapping[int, Block]


NO_TAXONOMY = ScenarioTaxonomy({}, {})


def taxonomies_from(data: object, *, file: str) -> dict[str, ScenarioTaxonomy]:
    """The taxonomy of each scenario of a parsed file; raises FormatError on any fault."""
    whole = as_mapping(data, file=file, place="", field="")
    scenarios = as_mapping(whole.get("taxonomy"), file=file, place="", field="taxonomy")
    problems: list[Problem] = []
    taxonomies = {}
    for scenario, nodes in scenarios.items():
        checked = as_mapping(nodes, file=file, place="taxonomy", field=scenario)
        taxonomies[scenario] = _taxonomy_of(checked, file, scenario, problems)
    if problems:
        raise FormatError(problems)
    return taxonomies


def _taxonomy_of(
    nodes: Mapping[str, Any], file: str, scenario: str, problems: list[Problem]
) -> ScenarioTaxonomy:
    by_id: dict[int, Node] = {}
    for key, node in nodes.items():
        place = f"taxonomy of {scenario}, node {key}"
        reader = FieldReader(node, file=file, place=place, problems=problems)
        reader.text("name")
        by_id[reader.whole_number("id")] = node
    by_node_id = {}
    for node_id, node in by_id.items():
        path: list[Node] = []  # from the root to this node
        current: int | None = node_id
        while current is not None and current in by_id and len(path) <= len(by_id):
            path.insert(0, by_id[current])
            current = by_id[current].get("parent_id")
        if current is not None:
            place = f"taxonomy of {scenario}, node {node_id}"
            FieldReader(node, file=file, place=place, problems=problems).fault(
                "parent_id", "the id of a node that leads to the root"
            )
        elif len(path) > 1:
            names = tuple(str(step["name"]) for step in path)
            by_node_id[node_id] = Block(path[1]["id"], names[1], names)
    by_unique_id = {
        node["unique_id"]: by_node_id[node_id]
        for node_id, node in by_id.items()
        if node.get("unique_id") is not None and node_id in by_node_id
    }
    return ScenarioTaxonomy(by_node_id, by_unique_id)
