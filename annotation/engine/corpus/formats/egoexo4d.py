"""Reader of Ego-Exo4D keystep annotations: takes without mistakes, and the step taxonomy.

The documentation of keystep.md says list and shows a mapping; files in use have a list of takes, a
mapping from take uid to take, or one bare take. All three are read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.folders import files_under
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json
from annotation.engine.corpus.procedure import Reading, Step, Take, WarningList

TITLE = "Ego-Exo4D keystep"
DESCRIPTION = (
    "A keystep annotation file, or a folder of such files and the taxonomy. Every take with "
    "segments becomes a take; the paths of the taxonomy are followed where it comes along."
)
IS_VERIFIED = True

# Node ids count from 0 within a scenario, and 0 is the root (parent_id null).
TaxonomyNodes = Mapping[str, tuple[str, str]]
Taxonomy = Mapping[str, TaxonomyNodes]


@dataclass(frozen=True, slots=True)
class Source:
    """One parsed file: its takes by the uid under which they stand ("" in a list)."""

    path: Path
    root: Entry
    takes: tuple[tuple[str, Entry], ...]


def _read_source(path: Path) -> Source:
    root = read_json(path)
    takes: tuple[tuple[str, Entry], ...] = ()
    if root.has("segments"):
        takes = (("", root),)
    elif root.has("annotations"):
        annotations = root.child("annotations")
        if isinstance(annotations.value, dict):
            takes = tuple((uid, entry.as_object()) for uid, entry in annotations.items())
        else:
            takes = tuple(("", entry.as_object()) for entry in annotations.elements())
    root.faults.raise_if_any()
    return Source(path=path, root=root, takes=takes)


def _read_taxonomy(sources: list[Source]) -> Taxonomy:
    """The nodes of each scenario: (name, parent id) by node id; "" is the parent of a root."""
    taxonomy: dict[str, dict[str, tuple[str, str]]] = {}
    for root in (source.root for source in sources if source.root.has("taxonomy")):
        for scenario, scenario_entry in root.child("taxonomy").items():
            nodes = taxonomy[scenario] = {}
            for node_id, item in scenario_entry.items():
                node = item.as_object()
                is_root = node.has("parent_id") and node.raw("parent_id") is None
                nodes[node_id] = node.text("name"), "" if is_root else node.identifier("parent_id")
        root.faults.raise_if_any()
    return taxonomy


def path_to_node(nodes: TaxonomyNodes, node_id: str) -> tuple[str, ...]:
    """The names from the root to the node.

    The node is found by its own id within the scenario, as several nodes share a unique id.
    The path is empty for an unknown node, a missing parent or a cycle.
    """
    names: list[str] = []
    seen: set[str] = set()
    while node_id:
        if node_id not in nodes or node_id in seen:
            return ()
        seen.add(node_id)
        name, node_id = nodes[node_id]
        names.append(name)
    return tuple(reversed(names))


def _read_take(key: str, entry: Entry, taxonomy: Taxonomy, warnings: WarningList) -> Take:
    uid = entry.text("take_uid") if entry.has("take_uid") or not key else key
    if key and uid != key:
        entry.fault("take_uid", uid, f"{key}, the key under which the take stands")
    name, scenario = entry.text("take_name"), entry.text("scenario")
    nodes = taxonomy.get(scenario, {})
    steps = []
    for item in entry.objects("segments"):
        start_s, end_s = item.times("start_time", "end_time")
        step_id = item.identifier("step_id")
        steps.append(
            Step(
                text=item.text("step_description"),
                step_id=step_id,
                start_s=start_s,
                end_s=end_s,
                is_essential=item.boolean("is_essential") if item.has("is_essential") else None,
                taxonomy_path=path_to_node(nodes, step_id),
            )
        )
    # Equal starts keep the order of the file.
    in_order = sorted(steps, key=lambda step: step.start_s or 0.0)
    if in_order != steps:
        warnings.add(f"take {uid}", "segments were not in time order and have been sorted")
    unknown = sorted({step.step_id for step in steps if not step.taxonomy_path})
    if nodes and unknown:
        warnings.add(f"take {uid}", f"the taxonomy has no path to step_id {', '.join(unknown)}")
    return Take(uid=uid, name=name, scenario=scenario, steps=tuple(in_order), video_stem=name)


def read(path: Path) -> Reading:
    warnings = WarningList()
    sources = [_read_source(file) for file in files_under(path, ".json")]
    for source in sources:
        if not source.takes and not source.root.has("taxonomy"):
            warnings.add(source.path.name, "left out: neither takes nor a taxonomy")
    if not any(source.takes for source in sources):
        expected = '"annotations" with takes, or one take with "segments"'
        raise fault_of_file(path.name, "no takes", expected)
    taxonomy = _read_taxonomy(sources)
    if not taxonomy:
        warnings.add(path.name, "no taxonomy: steps have no path")
    takes, places = [], []
    for source in sources:
        found = [_read_take(key, entry, taxonomy, warnings) for key, entry in source.takes]
        source.root.faults.raise_if_any()
        for take in found:
            if take.steps:
                takes.append(take)
                places.append((take.uid, source.path.name))
            else:
                warnings.add(f"take {take.uid}", "left out: it has no segments")
    faults = Faults(path.name)
    note_repeats(places, faults, "take_uid")
    faults.raise_if_any()
    steps = [step for take in takes for step in take.steps]
    return Reading(
        takes=tuple(takes),
        derived={
            "segments": len(steps),
            "essential_segments": sum(step.is_essential is True for step in steps),
            "segments_with_taxonomy_path": sum(bool(step.taxonomy_path) for step in steps),
        },
        warnings=warnings.as_tuple(),
    )
