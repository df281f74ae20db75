"""Print what the house is like: lines, functions, arrows between rooms, what only tests reach.

    python scripts/house_figures.py --at COMMIT         # of a commit instead of this checkout
    python scripts/house_figures.py --against COMMIT    # the commit's figures, then this checkout's

A room is a module or a folder directly inside a folder; an arrow joins two rooms of which one
imports the other. Upward arrows are those that would have to go so that no circle is left.
Functions are told apart by name alone: a call reaches every function of that name.
"""

import argparse
import ast
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import grimp

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = ("annotation", "benchmarks", "generation", "piev_site", "sample", "segments")
# gunicorn finds them by name in `piev_site/web_server.py`.
HOOKS = {"on_exit"}
WORD = re.compile(r"[A-Za-z_]\w*")
# What is counted, by its label, and what of it deserves to be named.
House = tuple[dict[str, float], dict[str, list[str]]]
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Definition(NamedTuple):
    file: str
    name: str
    line: int
    lines: int
    called_by_framework: bool
    uses: frozenset[str]


def measure(root: Path) -> House:
    sources = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
        if "migrations" not in path.parts
    }
    trees = {file: ast.parse(text) for file, text in sources.items()}
    settings = (root / "piev_site/settings.py").read_text(encoding="utf-8")
    functions = [
        found for file, tree in trees.items() for found in definitions(file, tree, settings)
    ]
    lengths = sorted(function.lines for function in functions)
    files = {file: text.count("\n") for file, text in sources.items()}
    uses = {file: Counter(names(tree)) for file, tree in trees.items()}
    anywhere = sum(uses.values(), Counter())
    private = [f for f in functions if f.name.startswith("_") and not f.name.endswith("__")]
    once = sum((uses[f.file][f.name] or anywhere[f.name]) == 1 for f in private)
    arrows, upward = draw_arrows(root)
    lists = {
        "upward arrows": upward,
        "functions that only tests reach": reached_by_tests_only(root, trees, functions),
        "modules in no layer contract": modules_in_no_layer(root, files),
    }
    counts = {
        "product lines": sum(files.values()),
        "product files": len(files),
        "data files beside them, lines": lines_of(root, PACKAGES, "toml", "json", "csv"),
        "tests' lines": lines_of(root, ("tests",), "py"),
        "functions": len(functions),
        "private functions used once": once,
        "share of them, %": round(100 * once / len(functions), 1),
        "function lines: median": statistics.median(lengths),
        "function lines: nine in ten up to": lengths[len(lengths) * 9 // 10],
        "function lines: longest": lengths[-1],
        "functions over 50 lines": sum(n > 50 for n in lengths),
        "file lines: longest": max(files.values()),
        "files over 400 lines": sum(n > 400 for n in files.values()),
        "files under 30 lines": sum(0 < n < 30 for n in files.values()),
    }
    return counts | {name: len(found) for name, found in lists.items()} | arrows, lists


def lines_of(root: Path, folders: Iterable[str], *suffixes: str) -> int:
    paths = (path for f in folders for s in suffixes for path in (root / f).rglob(f"*.{s}"))
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths)


def definitions(file: str, tree: ast.AST, settings: str) -> Iterator[Definition]:
    """The functions of a file; Django calls the methods of a class that its settings name."""
    module = file.removesuffix(".py").replace("/", ".")
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, FUNCTION):
                # Frameworks call what is decorated, special, or a method of a class with a base.
                is_hook = bool(node.decorator_list) or node.name.startswith("__")
                if isinstance(parent, ast.ClassDef):
                    is_named = f"{module}.{parent.name}" in settings
                    is_hook = bool(parent.bases) or is_named or node.name.startswith("__")
                lines, uses = node.end_lineno - node.lineno + 1, frozenset(names(node))
                yield Definition(file, node.name, node.lineno, lines, is_hook, uses - {node.name})


def names(tree: ast.AST, *, into_functions: bool = True) -> Iterator[str]:
    """What is called or passed on: names, attributes, and words of strings without a blank."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from WORD.findall(node.value) if " " not in node.value else ()
        if into_functions or not isinstance(node, FUNCTION):
            yield from names(node, into_functions=into_functions)
        else:
            yield from (name for part in node.decorator_list for name in names(ast.Expr(part)))


def reached_by_tests_only(
    root: Path, trees: dict[str, ast.Module], functions: list[Definition]
) -> list[str]:
    """Functions that no module, page, bench, script or framework comes to."""
    uses = defaultdict(set)
    for function in functions:
        uses[function.name] |= function.uses
    waiting = {function.name for function in functions if function.called_by_framework} | HOOKS
    waiting.update(name for tree in trees.values() for name in names(tree, into_functions=False))
    outside = [*(root / "templates").rglob("*.html"), *(root / "bench").rglob("*.py")]
    for path in [*outside, *(root / "scripts").rglob("*.py"), root / "pyproject.toml"]:
        waiting.update(WORD.findall(path.read_text(encoding="utf-8")))
    reached: set[str] = set()
    while waiting:
        reached |= waiting
        waiting = set().union(*(uses[name] for name in waiting)) - reached
    return [f"{f.file}:{f.line} {f.name}" for f in functions if f.name not in reached]


def modules_in_no_layer(root: Path, files: dict[str, int]) -> list[str]:
    """Modules that hold code and stand in no layer of a contract about the inside of a package."""
    tools = tomllib.loads((root / "pyproject.toml").read_text())["tool"]
    layers = [
        f"{container}.{name}".replace(".", "/")
        for contract in tools["importlinter"]["contracts"]
        for container in contract.get("containers", ())
        for name in WORD.findall(" ".join(contract["layers"]))
    ]
    return [
        module
        for module in (file.removesuffix(".py") for file, lines in files.items() if lines)
        if not any(f"{module}/".startswith(f"{layer}/") for layer in layers)
        and not module.startswith("piev_site/")  # the wiring, above both apps
    ]


def draw_arrows(root: Path) -> tuple[dict[str, float], list[str]]:
    """Rooms and arrows of services and selectors; upward arrows of all folders."""
    sys.path.insert(0, str(root))
    # An older commit has fewer; one that is not here may be installed from elsewhere.
    here = [package for package in PACKAGES if (root / package).is_dir()]
    graph = grimp.build_graph(*here, cache_dir=None)
    sys.path.remove(str(root))
    counts: dict[str, float] = {}
    upward: list[str] = []
    for folder in sorted(graph.modules):
        rooms = graph.find_children(folder)
        depth = folder.count(".") + 2
        to_go = {
            " -> ".join(".".join(module.split(".")[:depth]) for module in arrow)
            for arrow in (graph.nominate_cycle_breakers(folder) if rooms else ())
        }
        upward += sorted(to_go)
        if rooms and re.match(r"\w+\.(services|selectors)\b", folder):
            counts[f"{folder}: rooms"] = len(rooms)
            counts[f"{folder}: arrows"] = sum(
                graph.direct_import_exists(importer=above, imported=below, as_packages=True)
                for above in rooms
                for below in rooms - {above}
            )
            counts[f"{folder}: upward arrows"] = len(to_go)
    return counts, upward


def measure_commit(commit: str) -> House:
    worktree = ["git", "-C", str(REPOSITORY), "worktree"]
    with tempfile.TemporaryDirectory(prefix="piev-house-") as folder:
        place = str(Path(folder) / "tree")
        subprocess.run([*worktree, "add", "--quiet", "--detach", place, commit], check=True)
        try:
            return measure(Path(place))
        finally:
            subprocess.run([*worktree, "remove", "--force", place], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at", metavar="COMMIT", help="a commit instead of this checkout")
    parser.add_argument("--against", metavar="COMMIT", help="print this commit's figures first")
    options = parser.parse_args()
    houses = [measure_commit(options.against)] if options.against else []
    houses.append(measure_commit(options.at) if options.at else measure(REPOSITORY))
    for label in dict.fromkeys(label for counts, _ in houses for label in counts):
        print(f"{label:<50}", *(f"{counts.get(label, '-'):>9}" for counts, _ in houses))
    for title, found in houses[-1][1].items():
        print(f"\n{title}:", *(found or ["none"]), sep="\n  ")


if __name__ == "__main__":
    main()
