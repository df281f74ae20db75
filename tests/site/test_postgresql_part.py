"""What `make test` runs on PostgreSQL reaches every module that asks it in ways of its own."""

import ast
import re

from tests.conftest import REPOSITORY

# Locks, commits, SQL, what is counted or looked up inside the database, and what it refuses.
OF_THE_DATABASE = re.compile(
    r"select_for_update|on_commit|RawSQL|\.cursor\(|\bF\(|Subquery|OuterRef|Exists\(|Trunc"
    r"|IntegrityError|bulk_update|update_or_create|_conflicts=|\.vendor|nulls_last"
)
# Their parts are found in a folder, and nobody imports them by name.
REGISTRIES = {"generation.services.stages"}
APPS = ("annotation", "benchmarks", "generation")


def name_of(path):
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path):
    nodes = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
    ]
    return {node.module for node in nodes} | {
        f"{node.module}.{alias.name}" for node in nodes for alias in node.names
    }


def chosen_tests():
    makefile = (REPOSITORY / "Makefile").read_text()
    [words] = re.findall(r"^POSTGRESQL_TESTS := ((?:.*\\\n)*.*)", makefile, re.MULTILINE)
    places = [REPOSITORY / word for word in words.replace("\\\n", " ").split()]
    return {
        path
        for place in places
        for path in ([place] if place.is_file() else place.rglob("*.py"))
        if "pytest.mark.media" not in path.read_text(encoding="utf-8")
    }


def test_every_module_that_needs_the_database_is_reached_on_postgresql():
    modules = {
        name_of(path): path
        for app in APPS
        for path in (REPOSITORY / app).rglob("*.py")
        if "migrations" not in path.parts
    }
    tests = chosen_tests()
    waiting = set().union(*map(imports_of, tests)) & set(modules)
    # Tests of pages and commands reach them by their address or name.
    folders = {name_of(path.parent).removeprefix("tests.") for path in tests}
    entrances = tuple(name for name in folders if name.endswith((".views", ".management")))
    waiting |= {name for name in modules if name.startswith(entrances)}
    reached = set()
    while waiting:
        reached |= waiting
        found = set().union(*(imports_of(modules[name]) for name in waiting))
        found |= {name for name in modules if name.startswith(tuple(REGISTRIES & found))}
        waiting = found & set(modules) - reached

    needed = {
        name
        for name, path in modules.items()
        if OF_THE_DATABASE.search(path.read_text(encoding="utf-8"))
        and name.split(".")[1] not in {"engine", "backends"}
    }
    assert len(needed) > 30
    assert sorted(needed - reached) == []
