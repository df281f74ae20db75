"""Lets the leases of a killed worker run out at once, as if time had passed.

A short lease would be waited for, and on a busy machine those of workers that live would run out.
"""

import sqlite3
from pathlib import Path

STATEMENTS = (
    "update annotation_job set lease_until = '2020-01-01' where status = 'running'",
    "update generation_clipattempt set lease_until = '2020-01-01'",
    "update generation_textattempt set lease_until = '2020-01-01'",
)


def let_leases_run_out(database: Path) -> None:
    with sqlite3.connect(database, timeout=30) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
    connection.close()
