"""How often each predicate names each role: read from the published tables or counted anew.

The published share of a role is its mentions divided by all role mentions of the predicate, Agent
included, so a share rarely passes 0.38 (reference, section 1.5).
"""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from generation.engine.semrep.exceptions import RoleResourceError
from generation.engine.semrep.roles import ROLE_IMPACT, Impact
from generation.engine.semrep.tree import SemRep, Term, parts_of

PRIOR_COLUMNS = ("predicate", "role", "count", "predicate_total", "share_in_predicate")
IMPACT_COLUMNS = ("role", "count", "impact")
# The published shares are rounded to six places.
SHARE_DECIMALS = 6
SHARE_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class RolePriors:
    """Counts of role mentions by predicate.

    `counts[predicate][role]` is how often clauses of the predicate name the role.
    """

    counts: dict[str, dict[str, int]]

    def total(self, predicate: str) -> int:
        """Return how many roles the clauses of a predicate name, 0 for an unknown predicate."""
        return sum(self.counts.get(predicate, {}).values())

    def share(self, predicate: str, role: str, *, default: float) -> float:
        """Return the share of the predicate's role mentions that are `role`.

        `default` stands for a pair that the corpus does not have.

        >>> RolePriors({"GET": {"Agent": 2, "Object": 2}}).share("GET", "Object", default=0.05)
        0.5
        """
        count = self.counts.get(predicate, {}).get(role)
        return default if count is None else count / self.total(predicate)

    def to_rows(self) -> list[dict[str, str]]:
        """Return the rows of the table that `read_role_priors` reads, by falling count."""
        rows = []
        for predicate in sorted(self.counts, key=lambda name: (-self.total(name), name)):
            roles = self.counts[predicate]
            for role in sorted(roles, key=lambda name: (-roles[name], name)):
                share = f"{roles[role] / self.total(predicate):.{SHARE_DECIMALS}f}"
                values = (predicate, role, roles[role], self.total(predicate), share)
                rows.append(dict(zip(PRIOR_COLUMNS, map(str, values), strict=True)))
        return rows


def estimate_role_priors(trees: Iterable[SemRep]) -> RolePriors:
    """Return the priors of a corpus, counted as the published table counts them.

    Every mention of a role counts for the nearest predicate around it: in
    `GET(Object: cup(Location: on(shelf)))` both Object and Location count for GET. Predicates that
    name no role, as WHILE does, do not occur in the result.
    """
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for term in tree.terms():
            if term.is_clause:
                counts.setdefault(term.word, Counter()).update(_own_roles(term))
    return RolePriors({predicate: dict(found) for predicate, found in counts.items() if found})


def _own_roles(term: Term) -> Iterator[str]:
    """Yield the roles inside a term down to, and not into, the clauses that it takes."""
    for argument in term.arguments:
        if argument.role is not None:
            yield argument.role
        for inner in parts_of(argument.value):
            if not inner.is_clause:
                yield from _own_roles(inner)


def unknown_roles(tree: SemRep, known: Iterable[str] = ROLE_IMPACT) -> tuple[str, ...]:
    """Return the roles of a representation that are not among the known ones, in order."""
    allowed = set(known)
    named = (argument.role for argument in tree.all_arguments() if argument.role is not None)
    return tuple(dict.fromkeys(role for role in named if role not in allowed))


def read_role_priors(path: Path) -> RolePriors:
    """Return the priors of a table with the columns `PRIOR_COLUMNS`.

    Raises `RoleResourceError` naming file, row and field where a column is missing, a count is no
    whole number above 0, a pair occurs twice, or a total or share contradicts the counts.
    """
    counts: dict[str, dict[str, int]] = {}
    rows = list(_read_rows(path, PRIOR_COLUMNS))
    for line, row in rows:
        roles = counts.setdefault(_text(path, line, row, "predicate"), {})
        role = _text(path, line, row, "role")
        if role in roles:
            raise _error(path, line, "role", role, "each role once per predicate")
        roles[role] = _count(path, line, row, "count")
    priors = RolePriors(counts)
    for line, row in rows:
        _check_against_counts(path, line, row, priors)
    return priors


def read_role_impact(path: Path) -> dict[str, Impact]:
    """Return the impact of each role in a table with the columns `IMPACT_COLUMNS`.

    Raises `RoleResourceError` naming file, row and field.
    """
    impacts: dict[str, Impact] = {}
    for line, row in _read_rows(path, IMPACT_COLUMNS):
        role = _text(path, line, row, "role")
        if role in impacts:
            raise _error(path, line, "role", role, "each role once")
        _count(path, line, row, "count")
        try:
            impacts[role] = Impact(row["impact"])
        except ValueError:
            expected = ", ".join(Impact)
            raise _error(path, line, "impact", row["impact"], f"one of {expected}") from None
    return impacts


def _read_rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8-sig", newline="") as handle:
        reader = csv.DictReader(handle)
        found = tuple(reader.fieldnames or ())
        missing = [column for column in columns if column not in found]
        if missing:
            raise RoleResourceError(
                f"{path.name}, row 1: columns are {list(found)}; missing {missing}"
            )
        is_empty = True
        for row in reader:
            is_empty = False
            for column in columns:
                if row[column] is None:
                    raise _error(path, reader.line_num, column, None, "a value")
            yield reader.line_num, row
    if is_empty:
        raise RoleResourceError(f"{path.name}: has a header and no row")


def _check_against_counts(path: Path, line: int, row: dict[str, str], priors: RolePriors) -> None:
    predicate, role = row["predicate"].strip(), row["role"].strip()
    total = _count(path, line, row, "predicate_total")
    if total != priors.total(predicate):
        expected = f"{priors.total(predicate)}, the sum of the counts of {predicate}"
        raise _error(path, line, "predicate_total", total, expected)
    expected_share = priors.share(predicate, role, default=0.0)
    if abs(_share(path, line, row) - expected_share) > SHARE_TOLERANCE:
        expected = f"{expected_share:.6f}, count / predicate_total"
        raise _error(path, line, "share_in_predicate", row["share_in_predicate"], expected)


def _text(path: Path, line: int, row: dict[str, str], field: str) -> str:
    value = row[field].strip()
    if not value:
        raise _error(path, line, field, row[field], "a name")
    return value


def _count(path: Path, line: int, row: dict[str, str], field: str) -> int:
    try:
        count = int(row[field])
    except ValueError:
        count = 0
    if count < 1:
        raise _error(path, line, field, row[field], "a whole number above 0")
    return count


def _share(path: Path, line: int, row: dict[str, str]) -> float:
    try:
        share = float(row["share_in_predicate"])
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise _error(path, line, "share_in_predicate", row["share_in_predicate"], "above 0, to 1")
    return share


def _error(path: Path, line: int, field: str, value: object, expected: str) -> RoleResourceError:
    return RoleResourceError(f"{path.name}, row {line}: {field} is {value!r}; expected {expected}")
