"""Who gave which value to which unit: what figures between raters start from.

Letters: N units (what is rated), M raters, V values of the declared scale in order, R answers,
P pairs of raters. A person answers a unit once: an earlier answer to it is no second rater.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
NO_ANSWER = -1


@dataclass(frozen=True)
class PairTables:
    """For every two raters who share a unit: `first` < `second`, (P,), and `tables`, (P, V, V).

    A cell counts the units to which the first gave the value of the row, the second of the column.
    """

    first: Integers
    second: Integers
    tables: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """One row per answer, (R,) each, ordered by unit and then by rater.

    `values` are places on the scale. Seven bytes hold an answer, so that a million are no burden.
    """

    units: npt.NDArray[np.int32]
    raters: npt.NDArray[np.int16]
    values: npt.NDArray[np.int8]
    unit_count: int
    rater_count: int
    value_count: int

    @classmethod
    def of(
        cls,
        units: npt.NDArray[np.integer],
        raters: npt.NDArray[np.integer],
        values: npt.NDArray[np.integer],
        *,
        shape: tuple[int, int, int],
    ) -> "Answers":
        """Answers in the order in which they were given; the last of a rater on a unit counts.

        shape: (N, M, V). Raises IndexError for a unit, rater or value outside it.
        """
        kept = latest(units, raters, rater_count=shape[1])
        rows = [np.asarray(column)[kept] for column in (units, raters, values)]
        for name, column, count in zip(("unit", "rater", "value"), rows, shape, strict=True):
            if len(column) and not 0 <= column.min() <= column.max() < count:
                raise IndexError(f"a {name} is outside 0..{count - 1}")
        return cls(
            rows[0].astype(np.int32), rows[1].astype(np.int16), rows[2].astype(np.int8), *shape
        )

    @classmethod
    def of_table(cls, table: npt.NDArray[np.integer], value_count: int) -> "Answers":
        """Answers of a table (N, M) of places on the scale, -1 where there is none."""
        units, raters = np.nonzero(table != NO_ANSWER)
        shape = (*table.shape, value_count)
        return cls.of(units, raters, table[units, raters], shape=(shape[0], shape[1], shape[2]))

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many raters gave each unit each value, (N, V)."""
        return self._counted(self.units, self.unit_count)

    @cached_property
    def rater_counts(self) -> npt.NDArray[np.int64]:
        """How often each rater gave each value, (M, V)."""
        return self._counted(self.raters, self.rater_count)

    def _counted(self, owners: npt.NDArray[np.integer], count: int) -> npt.NDArray[np.int64]:
        cells = owners.astype(np.int64) * self.value_count + self.values
        counted = np.bincount(cells, minlength=count * self.value_count)
        return counted.reshape(count, self.value_count)

    @cached_property
    def pair_tables(self) -> PairTables:
        """The answers of every two raters to the units that both answered."""
        found: list[Integers] = []
        values, raters = self.values.astype(np.int64), self.raters.astype(np.int64)
        # Rows of a unit stand together, so that its pairs are rows one apart, two apart, ...
        for apart in range(1, len(self.units)):
            is_pair = self.units[apart:] == self.units[:-apart]
            if not is_pair.any():
                break
            pair = raters[:-apart][is_pair] * self.rater_count + raters[apart:][is_pair]
            cell = values[:-apart][is_pair] * self.value_count + values[apart:][is_pair]
            found.append(pair * self.value_count**2 + cell)
        keys, counted = np.unique(
            np.concatenate(found) if found else np.empty(0, dtype=np.int64), return_counts=True
        )
        pairs, places = np.unique(keys // self.value_count**2, return_inverse=True)
        tables = np.zeros((len(pairs), self.value_count**2), dtype=np.int64)
        tables[places, keys % self.value_count**2] = counted
        return PairTables(
            first=pairs // self.rater_count,
            second=pairs % self.rater_count,
            tables=tables.reshape(-1, self.value_count, self.value_count),
        )

    def chosen(self, is_chosen: npt.NDArray[np.bool_]) -> "Answers":
        """The answers for which the flag, (R,), is set."""
        return Answers(
            self.units[is_chosen],
            self.raters[is_chosen],
            self.values[is_chosen],
            self.unit_count,
            self.rater_count,
            self.value_count,
        )

    def confusion(self, first: int, second: int) -> npt.NDArray[np.int64]:
        """The answers of two raters to their shared units, (V, V): `first` in rows."""
        pairs = self.pair_tables
        low, high = sorted((first, second))
        is_pair = (pairs.first == low) & (pairs.second == high)
        table: npt.NDArray[np.int64] = pairs.tables[is_pair].sum(axis=0)
        return table if first == low else table.T


def latest(
    units: npt.NDArray[np.integer], raters: npt.NDArray[np.integer], *, rater_count: int
) -> Integers:
    """The places of the last answer of each rater to each unit, ordered by unit and rater."""
    keys = np.asarray(units, dtype=np.int64) * rater_count + raters
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    is_last = np.ones(len(order), dtype=bool)
    is_last[:-1] = in_order[1:] != in_order[:-1]
    return order[is_last].astype(np.int64)
