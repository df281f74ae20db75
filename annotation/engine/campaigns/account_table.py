"""Tables of new accounts: a user name in each row, and what else is known of the person."""

from collections.abc import Iterator

from annotation.engine.corpus.formats.csv_tables import BrokenTableError, csv_rows

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
        return _accounts(csv_rows(text), name)
    except BrokenTableError as error:
        # Such as a quote that is never closed.
        raise AccountTableError([f"{name} is no CSV table: {error}."]) from error


def _accounts(rows: Iterator[tuple[int, list[str]]], name: str) -> dict[str, dict[str, str]]:
    columns = [column.strip() for column in next(rows, (1, []))[1]]
    known = {NAME_COLUMN, *OTHER_COLUMNS}
    if NAME_COLUMN not in columns or set(columns) - known or len(set(columns)) < len(columns):
        expected = ", ".join((NAME_COLUMN, *OTHER_COLUMNS))
        raise AccountTableError(
            [f"{name}, row 1: the columns are {', '.join(columns) or 'none'}; expected {expected}."]
        )
    accounts: dict[str, dict[str, str]] = {}
    problems = []
    for line, row in rows:
        place = f"{name}, row {line}"
        padded = [*map(str.strip, row), *[""] * (len(columns) - len(row))]
        cells = dict(zip(columns, padded, strict=False))
        username = cells.pop(NAME_COLUMN)
        if len(row) > len(columns):
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
