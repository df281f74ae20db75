"""`export_ratings` and `import_ratings`: the same bytes there and back, and every refusal."""

import csv
import io
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.engine.ratings.changes import Answer
from annotation.engine.ratings.columns import COLUMNS
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    Assignment,
    AuditEntry,
    Campaign,
    Dataset,
    Event,
    Phase,
    Rating,
    RatingEvent,
    RatingRound,
    Role,
    Round,
    Take,
    Trace,
    User,
)
from annotation.selectors.figures import rating_export
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.ratings.assignments import submit_assignment
from annotation.services.ratings.saving import save_changes
from tests.annotation.rating_changes import EVENT_ANSWERS, change
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TakeFactory,
    TraceFactory,
    UserFactory,
    VideoFactory,
)

HEADER = (
    "dataset,take,trace,event,rater,metric,value,confidence,implied,guideline_version,round,"
    "rated_at\n"
)
CAMPAIGN = (
    "name", "rounds__guideline__name", "rounds__ratings__rubric_version", "rounds__overlap",
)  # fmt: skip
AT = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)


def make_corpus() -> None:
    """Two data sets whose ids need quoting, escaping and another order than they are made in."""
    for name in ("Tea, green", "=Coffee"):
        dataset = DatasetFactory(name=name)
        for take_uid in ("take é", "-take"):
            take = TakeFactory(dataset=dataset, uid=take_uid)
            for number in (10, 9):
                trace = TraceFactory(dataset=dataset, take=take, uid=f'{take_uid} "{number}"')
                for index in (0, 1):
                    EventFactory(trace=trace, index=index, event_id=f"e{2 - index}")


def make_ratings() -> None:
    make_corpus()
    raters = [UserFactory(username=name) for name in ("zoe", "Adam", "+1")]
    for version in ("1", "2"):
        campaign = CampaignFactory(guideline_version=version)
        for trace in Trace.objects.all():
            for place, rater in enumerate(raters):
                assignment = AssignmentFactory(campaign=campaign, rater=rater, trace=trace)
                _rate(assignment, place)
    CampaignFactory(name="without ratings")


def _rate(assignment: Assignment, place: int) -> None:
    answers = {**EVENT_ANSWERS, Metric.HUMAN_PLAUSIBILITY: Answer(str(place + 1))}
    if place == 1:
        answers |= {Metric.PROCEDURE_LOGIC: Answer("no", 2)}
        del answers[Metric.SEQUENCE_CONSISTENCY], answers[Metric.STATE_CHANGE_COHERENCE]
    changes = [
        change(10 * event + number, metric, answer.value, answer.confidence, event=event)
        for event in (0, 1)
        for number, (metric, answer) in enumerate(answers.items())
    ]
    if place == 2:
        changes = [*changes[:3], change(99, changes[0].key.metric, "", base=1)]
    save_changes(
        public_id=assignment.public_id, client_id="tab", changes=changes, actor=assignment.rater
    )
    Rating.objects.filter(assignment=assignment, event__index=0).update(rated_at=AT)
    if place < 2:
        submit_assignment(assignment=assignment, actor=assignment.rater)


def empty_database() -> None:
    for model in (
        AuditEntry,
        RatingEvent,
        Rating,
        Assignment,
        Campaign,
        Trace,
        Take,
        Dataset,
        User,
    ):
        model.objects.all().delete()


def export(*arguments: str, out: Path | None = None) -> bytes:
    output = io.StringIO()
    if out is not None:
        call_command("export_ratings", *arguments, "--out", str(out))
        return out.read_bytes()
    call_command("export_ratings", *arguments, stdout=output)
    return output.getvalue().encode()


def import_file(path: Path, *arguments: str) -> str:
    output = io.StringIO()
    call_command("import_ratings", str(path), *arguments, stdout=output, stderr=output)
    return output.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("has_corpus", [True, False], ids=["corpus first", "skeleton"])
def test_export_import_export_gives_the_same_bytes(tmp_path, has_corpus):
    make_ratings()
    path = tmp_path / "ratings.csv"
    first = export(out=path)
    counts = (Rating.objects.exclude(value="").count(), _submitted_count())
    empty_database()
    if has_corpus:
        make_corpus()

    said = import_file(path)

    assert export() == first
    assert first.startswith(HEADER.replace("\n", ",rubric_version\n").encode())
    assert (Rating.objects.count(), _submitted_count()) == counts
    assert f"ratings: {counts[0]} new, 0 changed, 0 unchanged" in said
    assert ("Warning: There was no data set yet" in said) is not has_corpus
    assert sorted(Campaign.objects.values_list(*CAMPAIGN)) == [
        ("Imported ratings (guideline 1, rubric 2)", "1", "2", 3),
        ("Imported ratings (guideline 2, rubric 2)", "2", "2", 3),
    ]
    adam = User.objects.get(username="Adam")
    assert (adam.role, adam.has_usable_password()) == (Role.ANNOTATOR, False)


def _submitted_count() -> int:
    return Assignment.objects.filter(status="submitted").count()


@pytest.mark.django_db
def test_import_of_the_same_file_changes_nothing_and_says_so(tmp_path):
    make_ratings()
    path = tmp_path / "ratings.csv"
    export(out=path)
    before = (Rating.objects.count(), RatingEvent.objects.count(), AuditEntry.objects.count())

    said = [import_file(path), import_file(path)]

    assert all("Nothing changed: all of this is already there." in text for text in said)
    after = (Rating.objects.count(), RatingEvent.objects.count(), AuditEntry.objects.count())
    assert after == before
    assert Campaign.objects.count() == 3


# One query each tells whether an optional column says something: one for both that were watched.
ASKED_OF_COLUMNS = 1 + sum(column.is_optional and bool(column.source) for column in COLUMNS)


@pytest.mark.django_db
def test_export_streams_in_a_constant_number_of_queries(django_assert_num_queries):
    make_ratings()

    # Whether an answer is there twice, the columns, the traces, and their ratings.
    with django_assert_num_queries(3 + ASKED_OF_COLUMNS):
        table = export().decode()

    rows = list(csv.reader(io.StringIO(table, newline="")))
    assert rows[1][:6] == [
        "'=Coffee", "'-take", "'-take \"10\"", "e2", "'+1", "confusability",
    ]  # fmt: skip
    assert len(rows) == 1 + Rating.objects.exclude(value="").count()


@pytest.mark.django_db
def test_export_reads_some_traces_at_a_time_and_writes_the_same(monkeypatch):
    make_ratings()
    whole = export()
    monkeypatch.setattr(rating_export, "BATCH_TRACES", 1)
    monkeypatch.setattr("annotation.selectors.ratings.viewing.BATCH_TRACES", 1)

    with CaptureQueriesContext(connection) as captured:
        lines = rating_export.export_lines(rating_export.exportable_ratings(None))
        start = [next(lines) for _ in range(3)]

    # The columns, the traces, and the ratings of the first trace alone.
    assert len(captured) == ASKED_OF_COLUMNS + 2
    assert "".join([*start, *lines]).encode() == whole == export()


@pytest.mark.django_db
def test_export_can_be_limited(tmp_path):
    make_ratings()
    name = Campaign.objects.filter(rounds__guideline__name="2").first().name

    table = export("--dataset", "=Coffee", "--campaign", name).decode()

    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert {(row["dataset"], row["guideline_version"]) for row in rows} == {("'=Coffee", "2")}
    assert len(rows) == Rating.objects.exclude(value="").count() / 4
    assert export("--campaign", "without ratings").decode() == HEADER
    with pytest.raises(CommandError, match="There is no data set 'Milk'"):
        export("--dataset", "Milk")
    with pytest.raises(CommandError, match="There is no campaign 'Milk'"):
        export("--campaign", "Milk")


@pytest.mark.django_db
def test_export_refuses_answers_that_the_table_cannot_tell_apart():
    make_ratings()
    old = Assignment.objects.filter(round__guideline__name="1", rater__username="zoe").first()
    again = AssignmentFactory(
        campaign=CampaignFactory(name="Again"), rater=old.rater, trace=old.trace
    )
    _rate(again, 0)

    with pytest.raises(CommandError, match="choose one with --campaign: Again, Campaign"):
        export()

    assert len(export("--campaign", "Again").splitlines()) == 15


def write(path: Path, *rows: str) -> Path:
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


ROW = "Tea,take,trace,e1,rater,confusability,3,,no,1,1,2026-01-31T09:30:00+00:00"


@pytest.fixture
def tea(db: None) -> Event:
    dataset = DatasetFactory(name="Tea")
    trace = TraceFactory(
        dataset=dataset, take=TakeFactory(dataset=dataset, uid="take"), uid="trace"
    )
    return EventFactory(trace=trace, index=0, event_id="e1")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Tea", "Milk", "row 2: dataset is 'Milk'; expected a data set that was imported before"),
        (",trace,", ",other,", "row 2: trace is 'other'; expected a trace of Tea"),
        (",take,", ",tale,", "row 2: take is 'tale'; expected 'take', the take of trace 'trace'"),
        ("e1", "e2", "row 2: event is 'e2'; expected an event of trace 'trace'"),
        ("e1", "", "row 2: event is ''; expected an event, because confusability is rated per"),
        ("rater", "", "row 2: rater is ''; expected a value"),
        ("rater", "a b", "row 2: rater is 'a b'; expected a user name"),
        ("confusability", "beauty", "row 2: metric is 'beauty'; expected one of error_validity"),
        (",3,", ",6,", "row 2: value is '6'; expected one of 1, 2, 3, 4, 5"),
        ("3,,", "3,2,", "row 2: confidence is 2; expected none for this metric"),
        ("3,,", "3,x,", "row 2: confidence is 'x'; expected 1, 2, 3 or nothing"),
        ("no,1", "maybe,1", "row 2: implied is 'maybe'; expected yes or no"),
        ("no,1", "yes,1", "row 2: implied is 'yes'; expected no, because no skip rule gives"),
        ("+00:00", "", "row 2: rated_at is '2026-01-31T09:30:00'; expected a time with its zone"),
        (
            "2026-01-31",
            "2999-01-31",
            "rated_at is '2999-01-31T09:30:00+00:00'; expected a time that is not in the future",
        ),
        ("no,1,", "no,", "expected 12 cells, not 11"),
        ("e1", '"e1', "expected a CSV row"),
    ],
)
def test_import_names_row_field_value_and_expectation(tea, tmp_path, old, new, message):
    path = write(tmp_path / "bad.csv", ROW.replace(old, new, 1))

    with pytest.raises(CommandError) as caught:
        import_file(path)

    assert message in str(caught.value)
    assert "bad.csv" in str(caught.value)
    assert (Rating.objects.count(), Campaign.objects.count(), User.objects.count()) == (0, 0, 0)


@pytest.mark.django_db
def test_import_lists_every_problem_and_writes_nothing(tea, tmp_path):
    path = write(
        tmp_path / "bad.csv", ROW, ROW, ROW.replace(",3,", ",7,"), ROW.replace("e1", "'=e9")
    )

    with pytest.raises(CommandError) as caught:
        import_file(path)

    assert (
        "row 3: a second rating of rater, trace, e1, confusability; expected only that of row 2"
        in (str(caught.value))
    )
    assert "row 4: value is '7'" in str(caught.value)
    assert not Rating.objects.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "row 1: []; expected the columns trace, event"),
        (b"a,b\n", "row 1: ['a', 'b']; expected the columns"),
        (HEADER.encode() + b"\xff\xfe", "byte 96: b'\\xff'; expected UTF-8"),
    ],
)
def test_import_refuses_what_is_no_such_table(db, tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)

    with pytest.raises(CommandError) as caught:
        import_file(path)

    assert message in str(caught.value)


def test_import_names_a_file_that_is_not_there(db, tmp_path):
    with pytest.raises(CommandError, match="No such file or directory"):
        import_file(tmp_path / "none.csv")


def test_import_updates_a_changed_row_and_logs_it(tea, tmp_path):
    path = write(tmp_path / "ratings.csv", ROW)
    import_file(path)

    said = import_file(write(path, ROW.replace(",3,", ",4,")))

    assert "ratings: 0 new, 1 changed, 0 unchanged" in said
    rating = Rating.objects.get()
    assert (rating.value, rating.revision, rating.event) == ("4", 2, tea)
    assert list(RatingEvent.objects.order_by("pk").values_list("value", "client_sequence")) == [
        ("3", 1),
        ("4", 2),
    ]


def test_import_into_a_named_campaign_keeps_its_guideline(tea, tmp_path):
    campaign = CampaignFactory(name="Mine", guideline_version="1")
    path = write(tmp_path / "ratings.csv", ROW)

    import_file(path, "--campaign", "Mine")

    assert Rating.objects.get().assignment.round.campaign == campaign
    other = write(tmp_path / "other.csv", ROW.replace("no,1,", "no,2,"))
    with pytest.raises(
        CommandError, match="expected '1', the version of round 1 of campaign 'Mine'"
    ):
        import_file(other, "--campaign", "Mine")


def test_import_changes_nothing_in_a_closed_campaign(tea, tmp_path):
    path = write(tmp_path / "ratings.csv", ROW)
    import_file(path)
    Round.objects.update(closed_at=AT + timedelta(days=60))

    assert "Nothing changed" in import_file(path)
    with pytest.raises(CommandError, match="is closed"):
        import_file(write(path, ROW.replace(",3,", ",4,")))


def test_import_changes_what_was_submitted_only_when_told_to(tea, tmp_path):
    path = write(tmp_path / "ratings.csv", ROW)
    import_file(path)
    Assignment.objects.update(status="submitted", submitted_at=AT)

    assert "Nothing changed" in import_file(path)
    changed = write(path, ROW.replace(",3,", ",4,"))
    with pytest.raises(CommandError, match=r"row 2: trace is 'trace'.*rater has submitted"):
        import_file(changed)
    assert "1 changed" in import_file(changed, "--change-submitted")


def test_table_without_rounds_finds_its_round_again(tea, tmp_path):
    """As tables were written before there were rounds."""
    import_file(write(tmp_path / "ratings.csv", ROW))
    path = tmp_path / "old.csv"
    path.write_text(HEADER.replace(",round", "") + ROW.replace("no,1,1,", "no,1,") + "\n")

    assert "Nothing changed" in import_file(path)
    assert Round.objects.count() == 1


def test_rounds_of_one_guideline_come_back_apart(tea, tmp_path):
    """A pilot may be repeated under the same text: the rater answers the same question again."""
    rows = [ROW, ROW.replace("no,1,1,", "no,1,3,").replace("confusability,3", "confusability,4")]
    path = write(tmp_path / "ratings.csv", *rows)

    import_file(path)

    assert export() == path.read_bytes()
    assert "Nothing changed" in import_file(path)
    assert list(
        Round.objects.order_by("number").values_list(
            "campaign__name", "number", "guideline__name", "assignments__ratings__value"
        )
    ) == [("Imported ratings (guideline 1)", 1, "1", "3"),
          ("Imported ratings (guideline 1)", 3, "1", "4")]  # fmt: skip


@pytest.mark.parametrize("wrong", ["0", "1.5", "-1", "first"])
def test_round_that_is_none_is_refused(tea, tmp_path, wrong):
    path = write(tmp_path / "ratings.csv", ROW.replace("no,1,1,", f"no,1,{wrong},"))

    with pytest.raises(CommandError, match=f"round is '{wrong}'; expected the number of a round"):
        import_file(path)


def test_table_adds_no_round_to_the_protocol_of_a_campaign(tea, tmp_path):
    campaign = create_campaign(
        new=NewCampaign(name="Mine", phase=Phase.MAIN), actor=None, datasets=[Dataset.objects.get()]
    )
    path = write(tmp_path / "ratings.csv", ROW.replace("no,1,1,", "no,1,2,"))

    with pytest.raises(
        CommandError, match="round is 2; expected one of the rounds of campaign 'Mine': 1"
    ):
        import_file(path, "--campaign", "Mine")
    assert campaign.rounds.count() == 1


def test_repeats_and_gold_come_back_as_such(tea, tmp_path):
    """They count neither for k nor between raters, and a repeat is the same question again."""
    header = HEADER.replace("\n", ",rubric_version,purpose\n")
    path = tmp_path / "ratings.csv"
    again = ROW.replace(",3,", ",4,")
    gold = ROW.replace(",rater,", ",zoe,")
    path.write_text(f"{header}{ROW},2,ordinary\n{again},2,repeat\n{gold},2,gold\n")

    import_file(path)

    assert export() == path.read_bytes()
    assert "Nothing changed" in import_file(path)
    assert sorted(
        Assignment.objects.values_list("rater__username", "purpose", "ratings__value")
    ) == [("rater", "ordinary", "3"), ("rater", "repeat", "4"), ("zoe", "gold", "3")]
    assert Round.objects.get().overlap == 1


def test_ratings_of_an_unknown_guideline_say_so_and_come_back(tea, tmp_path):
    path = write(tmp_path / "ratings.csv", ROW.replace("no,1,1,", "no,,1,"))

    import_file(path)

    assert export() == path.read_bytes()
    assert "Nothing changed" in import_file(path)
    assert Rating.objects.get().guideline is None


def test_rubric_version_is_told_where_it_is_not_the_first_and_comes_back(tea, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(f"{HEADER.strip()},rubric_version\n{ROW},2\n")

    import_file(path)

    assert export() == path.read_bytes()
    assert Campaign.objects.values_list(*CAMPAIGN).get() == (
        "Imported ratings (guideline 1, rubric 2)", "1", "2", 1,
    )  # fmt: skip
    assert "Nothing changed" in import_file(path)
    RatingRound.objects.update(rubric_version="1")
    assert export() == (HEADER + ROW + "\n").encode()


def test_table_without_the_rubric_version_finds_its_campaign_again(tea, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(f"{HEADER.strip()},rubric_version\n{ROW},2\n")
    import_file(path)

    assert "Nothing changed" in import_file(write(path, ROW))
    import_file(write(path, ROW.replace("no,1,", "no,2,")))
    assert set(Campaign.objects.values_list(*CAMPAIGN[1:3])) == {
        ("1", "2"), ("2", "1"),
    }  # fmt: skip


def test_import_into_a_named_campaign_keeps_its_rubric(tea, tmp_path):
    CampaignFactory(name="Mine", rubric_version="1")
    path = tmp_path / "ratings.csv"
    path.write_text(f"{HEADER.strip()},rubric_version\n{ROW},2\n")

    with pytest.raises(
        CommandError,
        match="rubric_version is '2'; expected '1', the version of round 1 of campaign 'Mine'",
    ):
        import_file(path, "--campaign", "Mine")
    assert not Rating.objects.exists()


def test_what_was_watched_comes_back_byte_for_byte(tea, tmp_path):
    header = HEADER.replace("\n", ",reference_watched_s,trace_watched_s\n")
    other = ROW.replace("confusability,3", "human_plausibility,4")
    path = tmp_path / "ratings.csv"
    path.write_text(f"{header}{ROW},1.5,0.0\n{other},,12.0\n")

    import_file(path)

    assert export() == path.read_bytes()
    assert "Nothing changed" in import_file(path)


@pytest.mark.parametrize("seconds", ["-1", "inf", "1e6", "99999999", "x"])
def test_import_refuses_seconds_that_are_none(tea, tmp_path, seconds):
    header = HEADER.replace("\n", ",reference_watched_s,trace_watched_s\n")
    path = tmp_path / "bad.csv"
    path.write_text(f"{header}{ROW},{seconds},\n")

    with pytest.raises(CommandError, match=r"reference_watched_s is .* expected seconds from 0"):
        import_file(path)


def test_import_reads_a_table_saved_by_a_spreadsheet(tea, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (HEADER + ROW + "\n").replace("\n", "\r\n").encode())

    assert "1 new" in import_file(path)


TRACE_ROW = "Tea,take,trace,{},rater,text_video_grounding,4,{},no,1,1,2026-01-31T09:30:00+00:00"
LOGIC_ROW = "Tea,take,trace,e1,rater,procedure_logic,yes,{},no,1,1,2026-01-31T09:30:00+00:00"


@pytest.mark.parametrize("empty", ["", "NA", "N/A", "NaN", "nan", "NULL", "None", "<NA>", " "])
def test_import_knows_every_spelling_of_nothing(tea, tmp_path, empty):
    Trace.objects.update(video=VideoFactory())
    path = write(tmp_path / "ratings.csv", TRACE_ROW.format(empty, empty), LOGIC_ROW.format("1.0"))

    assert "2 new" in import_file(path)
    found = set(Rating.objects.values_list("event__event_id", "metric", "value", "confidence"))
    assert found == {
        (None, "text_video_grounding", "4", None),
        ("e1", "procedure_logic", "yes", 1),
    }


@pytest.mark.parametrize("number", ["3", "3.0", "3.", "3e0", "3.00E+00", " 3 ", "+3"])
def test_import_knows_every_spelling_of_a_whole_number(tea, tmp_path, number):
    path = write(
        tmp_path / "ratings.csv", ROW.replace(",3,", f",{number},"), LOGIC_ROW.format(number)
    )

    assert "2 new" in import_file(path)
    assert set(Rating.objects.values_list("metric", "value", "confidence")) == {
        ("confusability", "3", None),
        ("procedure_logic", "yes", 3),
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",3,", ",3.5,", "row 2: value is '3.5'; expected one of 1, 2, 3, 4, 5"),
        (",3,", ",6.0,", "row 2: value is '6'; expected one of 1, 2, 3, 4, 5"),
        (",3,", ",NA,", "row 2: value is 'NA'; expected one of 1, 2, 3, 4, 5"),
        ("3,,", "3,2.5,", "row 2: confidence is '2.5'; expected 1, 2, 3 or nothing"),
        ("3,,", "3,1e99,", "row 2: confidence is '1e99'; expected 1, 2, 3 or nothing"),
        (",e1,", ",NA,", "row 2: event is 'NA'; expected an event of trace 'trace'"),
    ],
)
def test_import_still_refuses_what_no_program_made_of_an_answer(tea, tmp_path, old, new, message):
    path = write(tmp_path / "bad.csv", ROW.replace(old, new, 1))

    with pytest.raises(CommandError) as caught:
        import_file(path)

    assert message in str(caught.value)


def test_import_keeps_an_event_that_is_really_called_none(tea, tmp_path):
    Event.objects.update(event_id="None")

    assert "1 new" in import_file(write(tmp_path / "r.csv", ROW.replace(",e1,", ",None,")))


# As `DataFrame.to_csv` writes an exported table that it has read (row numbers, floats where a cell
# is empty), `write.csv` of R (row names, quotes, NA), and `write_csv` of readr (NA, Z for UTC).
BY_PANDAS = """,{header}0,Tea,take,trace,7.0,rater,procedure_logic,yes,2.0,no,1,1,\
2026-01-31 09:30:00+00:00
1,Tea,take,trace,,rater,text_video_grounding,4,,no,1,1,2026-01-31 09:30:00+00:00
"""
BY_R = """"","dataset","take","trace","event","rater","metric","value","confidence","implied",\
"guideline_version","round","rated_at"
"1","Tea","take","trace",7,"rater","procedure_logic","yes",2,"no",1,1,"2026-01-31T09:30:00+00:00"
"2","Tea","take","trace",NA,"rater","text_video_grounding","4",NA,"no",1,1,\
"2026-01-31T09:30:00+00:00"
"""
BY_READR = """{header}Tea,take,trace,7,rater,procedure_logic,yes,2,FALSE,1,1,2026-01-31T09:30:00Z
Tea,take,trace,NA,rater,text_video_grounding,4,NA,FALSE,1,1,2026-01-31T09:30:00Z
"""


@pytest.mark.parametrize("table", [BY_PANDAS, BY_R, BY_READR], ids=["pandas", "R", "readr"])
def test_import_reads_what_other_programs_made_of_an_export(tea, tmp_path, table):
    Event.objects.update(event_id="7")
    Trace.objects.update(video=VideoFactory())
    path = tmp_path / "ratings.csv"
    path.write_text(
        HEADER + LOGIC_ROW.replace(",e1,", ",7,").format(2) + "\n" + TRACE_ROW.format("", "") + "\n"
    )
    import_file(path)
    exported = export()

    path.write_text(table.format(header=HEADER))

    assert "Nothing changed" in import_file(path)
    assert export() == exported


def test_import_refuses_one_answer_in_two_spellings(tea, tmp_path):
    Event.objects.update(event_id="7")
    rows = [ROW.replace(",e1,", f",{event},") for event in ("7", "7.0")]

    with pytest.raises(CommandError, match="row 3: a second rating of rater, trace, 7"):
        import_file(write(tmp_path / "bad.csv", *rows))
    assert not Rating.objects.exists()


def test_guideline_version_that_became_a_float_is_no_new_one(tea, tmp_path):
    import_file(write(tmp_path / "ratings.csv", ROW))

    assert "Nothing changed" in import_file(
        write(tmp_path / "ratings.csv", ROW.replace("no,1,", "no,1.0,"))
    )
    assert Campaign.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["import_ratings", "export_ratings"])
def test_a_command_that_is_stopped_leaves_nothing(tmp_path, monkeypatch, command):
    make_ratings()
    table = tmp_path / "ratings.csv"
    call_command("export_ratings", "--out", str(table))
    empty_database()
    make_corpus()

    def stopped(*arguments, **keywords):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RatingEvent.objects, "bulk_create", stopped)
    monkeypatch.setattr(rating_export, "export_cells", stopped)
    arguments = [str(table)] if command == "import_ratings" else ["--out", str(tmp_path / "new")]
    with pytest.raises(CommandError, match=r"stopped by Ctrl\+C: no"):
        call_command(command, *arguments)

    assert not Rating.objects.exists()
    assert [item.name for item in tmp_path.iterdir()] == ["ratings.csv"]
