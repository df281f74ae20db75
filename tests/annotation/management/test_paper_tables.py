"""`agreement --tables`: the published tables, with rows of one's own below."""

import io

import pytest
from django.core.management import CommandError, call_command

from annotation.analytics.tables.paper_tables import PaperTable
from tests.annotation.two_rounds import make_two_rounds
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def run(*arguments):
    output = io.StringIO()
    call_command("agreement", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def campaign():
    return make_two_rounds(UserFactory())


def test_published_tables_need_no_data():
    text = run("--tables", "3,s3", "--format", "csv")

    tables = text.split("\n\n")
    assert [table.splitlines()[1] for table in tables] == [
        '"Published, recorded",EgoPER,51,2.67,1.88,26,4.41,14,3.22,3.42,',
        '"Published, recorded",EgoPER,0.912,0.541,0.368,0.728,0.728,0.628,0.579,0.759,0.574,0.662,',
    ]


def test_rows_of_ours_stand_below_the_published_ones(campaign):
    text = run("--campaign", "Audit", "--tables", "5,S2", "--format", "markdown")

    agreement, _ = text.split("**Audit sample", 1)
    assert agreement.index("| EgoPER |") < agreement.index("| Tea (round 1)")
    sample = next(line for line in text.splitlines() if "| Tea (round 2) | 6 |" in line)
    assert sample.split("|")[2:5] == [" 6 ", " 30 ", " 12 "]


def test_one_round_and_every_table_at_once(campaign):
    keys = ",".join(PaperTable)

    text = run("--dataset", "Tea", "--round", "2", "--tables", keys, "--format", "latex")

    assert text.count("\\begin{table*}") == len(PaperTable)
    assert text.count("\nTea\\textsuperscript{") == 3
    assert "round 1" not in text


def test_intervals_are_printed_on_demand():
    make_two_rounds(UserFactory(), times=5)
    arguments = ("--dataset", "Tea", "--round", "2", "--tables", "5")

    assert "\\[" not in run(*arguments)
    assert "\\[" in run(*arguments, "--intervals")


def test_unknown_table_is_refused_with_those_that_there_are():
    with pytest.raises(CommandError, match="there is no table '7'; expected 2,3,4,5,S2,S3"):
        run("--tables", "3,7")
