"""Tables of new accounts: a user name in each row, and what else is known of the person."""

import csv
import io

NAME_COLUMN = "username"
OTHER_COLUMNS = ("first_name", "last_name", "email")
ACCOUNTS_FILE_LIMIT = 200_000
MAX_ACCOUNTS = 500


class AccountTableError(ValueError):
    """The table cannot be used; `problems` says row by row why."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def accounts_in_table(content: bytes, *, name: str) -> dict[str, dict[str, str]]:
    """The other fields of every account, by user name, in the order of the rows.

    `content` is a CSV file in UTF-8 with a header. Raises AccountTableError, naming file and row,
    for everything that is wrong with it.
    """
    if len(content) > ACCOUNTS_FILE_LIMIT:
        raise AccountTableError([f"{name} is larger than {ACCOUNTS_FILE_LIMIT:,} bytes."])
    try:
        text = content.decode("utf-8-sig")
        if "\x00" in text:
            raise ValueError("NUL")
    except ValueError as error:
        raise AccountTableError([f"{name} is not text in UTF-8."]) from error
    try:
        return _accounts(csv.DictReader(io.StringIO(text, newline=""), restkey=""), name)
    except csv.Error as error:
        # Such as a quote that is never closed, with more behind it than a cell may hold.
        raise AccountTableError([f"{name} is no CSV table: {error}."]) from error


def _accounts(rows: "csv.DictReader[str]", name: str) -> dict[str, dict[str, str]]:
    columns = [column.strip() for column in rows.fieldnames or ()]
    rows.fieldnames = columns
    known = {NAME_COLUMN, *OTHER_COLUMNS}
    if NAME_COLUMN not in columns or set(columns) - known or len(set(columns)) < len(columns):
        expected = ", ".join((NAME_COLUMN, *OTHER_COLUMNS))
        raise AccountTableError(
            [f"{name}, row 1: the columns are {', '.join(columns) or 'none'}; expected {expected}."]
        )
    accounts: dict[str, dict[str, str]] = {}
    problems = []
    for row in rows:
        place = f"{name}, row {rows.line_num}"
        cells = {column: (row[column] or "").strip() for column in columns}
        username = cells.pop(NAME_COLUMN)
        if "" in row:
            problems.append(f"{place}: more cells than columns.")
        elif not username and any(cells.values()):
            problems.append(f"{place}: username is empty; expected a user name.")
        elif username in accounts:
            problems.append(f"{place}: {username} is there twice.")
        elif username:
            accounts[username] = cells
    if not problems and not 0 < len(accounts) <= MAX_ACCOUNTS:
        problems = [f"{name} names {len(accounts):,} accounts; expected 1 to {MAX_ACCOUNTS}."]
    if problems:
        raise AccountTableError(problems)
    return accounts
