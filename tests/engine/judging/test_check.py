"""The checks as a set: found by their files, documented, silent on what nobody changed."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.engine.modules import modules_of
from annotation.engine.taxonomy import Mod
from generation.engine.judging import checks
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import Check, all_checks, find_all
from generation.engine.judging.repair.repair import all_repairs, repairs_of
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from tests.engine.judging.takes import Rows, case, error

CODES = sorted(all_checks())
REPOSITORY = Path(__file__).resolve().parents[3]
TESTS = Path(__file__).parent / "checks"


def test_checks_are_known_by_the_names_of_their_functions_and_tables():
    modules = modules_of(checks.__name__).values()
    named = {name.upper() for module in modules for name, item in vars(module).items()
             if isinstance(item, Check)}  # fmt: skip
    tables = [check.code for module in modules for check in getattr(module, "CHECKS", ())]

    assert set(all_checks()) == named | set(tables)
    assert len(all_checks()) == len(named) + len(tables)
    assert all_checks().keys() == {check.code for check in all_checks().values()}


@pytest.mark.parametrize("code", CODES)
def test_check_says_its_condition_in_a_sentence(code):
    condition = all_checks()[code].condition

    assert condition.endswith(".")
    assert condition.count(".") == 1


def test_every_file_of_checks_has_a_test_file_of_its_name():
    files = {path.stem for path in Path(checks.__path__[0]).glob("*.py")} - {"__init__"}

    assert [name for name in sorted(files) if not (TESTS / f"test_{name}.py").is_file()] == []


def test_every_check_has_a_case_in_the_test_file_of_its_module():
    untried = [
        code
        for name, module in modules_of(checks.__name__).items()
        for code in [item.code for item in (*vars(module).values(), *getattr(module, "CHECKS", ()))
                     if isinstance(item, Check)]
        if f'"{code}"' not in (TESTS / f"test_{name}.py").read_text()
    ]  # fmt: skip

    assert untried == []


def test_findings_come_in_the_order_of_the_rows():
    texts = ["Get a cup", "Wash the cup", "Dry the cup"]
    rows = [Rows(texts).e(2, texts[2]), *Rows(texts).u(1)]

    positions = [finding.position for finding in find_all(case(texts, rows))]

    assert positions == sorted(positions, key=lambda p: -1 if p is None else p)
    assert positions[0] is None


@pytest.mark.shared_data
def test_original_of_every_published_take_has_no_finding(published_plans):
    for plan in published_plans:
        bare = replace(plan, errors=(), corrections=())
        rows = tuple(RewriteRow(Mod.UNCHANGED, step.text, step.index) for step in plan.steps)

        assert find_all(Case(JudgedTake(bare), Rewrite(rows))) == ()


def test_planned_deletion_and_swap_are_not_blamed_on_the_writer():
    texts = ["Open the jar", "Get a tea bag from the jar", "Close the jar", "Close the box"]
    rows = Rows(texts)
    errors = [error("E01", 0, "D"), error("E02", 2, "T", target_index=3)]

    checked = case(texts, [rows.d(0), *rows.u(1), rows.mt(3, "E02"), rows.ms(2, "E02")], errors)

    assert find_all(checked) == ()


def test_every_repair_names_codes_that_exist_and_is_tried():
    known, folder = set(all_checks()), TESTS.parent / "repair" / "kinds"
    tried = "".join(path.read_text() for path in folder.glob("test_*.py"))

    for repair in all_repairs():
        assert repair.codes <= known, repair.name
        assert f'("{repair.name}", ' in tried


def test_documentation_has_every_code_with_its_condition_and_what_repairs_it():
    page = (REPOSITORY / "docs" / "judge.md").read_text()
    # Code, severity, condition, example, and what repairs it.
    row = re.compile(r"^\| `([A-Z_]+)` \| (\w+) \| (.+) \| .+ \| (.+) \|$", re.MULTILINE)

    told = {code: parts for code, *parts in row.findall(page)}

    assert told == {
        code: [
            check.severity,
            check.condition,
            ", ".join(f"`{item.name}`" for item in repairs_of(code)) or "the model",
        ]
        for code, check in all_checks().items()
    }
