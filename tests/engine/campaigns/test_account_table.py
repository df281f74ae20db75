"""Tables of new accounts: what is read, and every fault with its row."""

import pytest

from annotation.engine.campaigns.account_table import AccountTableError, accounts_in_table

COLUMNS = "expected username, first_name, last_name, email."


def test_accounts_are_read_with_what_else_is_known():
    table = "\ufeffusername, email\r\nnoor, noor@example.org\r\n\r\nmika,\r\n"

    assert accounts_in_table(table.encode(), name="people.csv") == {
        "noor": {"email": "noor@example.org"},
        "mika": {"email": ""},
    }


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (b"", [f"p.csv, row 1: the columns are none; {COLUMNS}"]),
        (b"name\nnoor\n", [f"p.csv, row 1: the columns are name; {COLUMNS}"]),
        (b"username\n", ["p.csv names 0 accounts; expected 1 to 500."]),
        (b"username,email\n,x@y.org\nnoor\nnoor\nmika,a,b\n",
         ["p.csv, row 2: username is empty; expected a user name.",
          "p.csv, row 4: noor is there twice.", "p.csv, row 5: more cells than columns."]),
        (b"\xff\xfe", ["p.csv is not text in UTF-8."]),
        (b"x" * 200_001, ["p.csv is larger than 200,000 bytes."]),
    ],
)  # fmt: skip
def test_faults_name_file_and_row(content, problems):
    with pytest.raises(AccountTableError) as refused:
        accounts_in_table(content, name="p.csv")

    assert refused.value.problems == problems


@pytest.mark.parametrize("content", [b"username\n" + b"x" * 140_000, b"x" * 140_000 + b"\n"])
def test_cells_longer_than_a_reader_holds_are_named(content):
    with pytest.raises(AccountTableError, match=r"people\.csv is no CSV table: field larger"):
        accounts_in_table(content, name="people.csv")
