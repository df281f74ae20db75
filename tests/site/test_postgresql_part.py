"""What `make test` runs on PostgreSQL reaches every module that asks it in ways of its own.

`tests/on_postgresql.txt` names the files of tests: those with threads that wait for each other, and
beside them the cheapest that run every lock, commit hook, statement of SQL and refusal.
"""

import ast
import re
from functools import cache

from tests.conftest import REPOSITORY

# Locks, commits, SQL, what is counted or looked up inside the database, and what it refuses.
OF_THE_DATABASE = re.compile(
    r"select_for_update|on_commit|RawSQL|\.cursor\(|\bF\(|Subquery|OuterRef|Exists\(|Trunc"
    r"|IntegrityError|bulk_update|update_or_create|_conflicts=|\.vendor|nulls_last"
)
# Their parts are found in a folder, and nobody imports them by name.
REGISTRIES = {"generation.services.stages"}
LIST = REPOSITORY / "tests" / "on_postgresql.txt"
APPS = ("annotation", "benchmarks", "generation", "segments", "texts")


def name_of(path):
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    name_of(path): path
    for app in APPS
    for path in (REPOSITORY / app).rglob("*.py")
    if "migrations" not in path.parts
}


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path):
    nodes = [
        node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ImportFrom) and node.module
    ]
    return {node.module for node in nodes} | {
        f"{node.module}.{alias.name}" for node in nodes for alias in node.names
    }


def entrances_of(test):
    """What a test reaches by an address or a word: its namesake, and the commands that it calls."""
    _, app, *folders, name = test.relative_to(REPOSITORY).with_suffix("").parts
    words = {node.value for node in ast.walk(tree_of(test)) if isinstance(node, ast.Constant)}
    names = {f"{app}.management.commands.{word}" for word in words}
    if folders:
        names.add(".".join([app, *folders, name.removeprefix("test_")]))
    return names & set(MODULES)


def reached_by(tests):
    waiting = set().union(*map(imports_of, tests), *map(entrances_of, tests)) & set(MODULES)
    reached = set()
    while waiting:
        reached |= waiting
        found = set().union(*(imports_of(MODULES[name]) for name in waiting))
        if registries := tuple(REGISTRIES & found):
            found |= {name for name in MODULES if name.startswith(registries)}
        waiting = found & set(MODULES) - reached
    return reached


def test_tests_on_postgresql_reach_every_module_that_needs_it_and_each_reaches_one():
    tests = [REPOSITORY / line for line in LIST.read_text().split()]
    needed = {
        name
        for name, path in MODULES.items()
        if OF_THE_DATABASE.search(path.read_text(encoding="utf-8"))
        and name.split(".")[1] not in {"engine", "backends"}
    }
    # Pages are reached by addresses, which are not looked into.
    by_imports = [test for test in tests if not {"views", "api"} & set(test.parts)]

    assert len(needed) > 30
    assert sorted(needed - reached_by(tests)) == []
    assert [test for test in by_imports if not reached_by([test]) & needed] == []
