"""Scripts import ratings as the pages do: dry run first, whole answer, every problem named."""

import zipfile
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from annotation.engine.corpus.formats.registry import available_formats
from annotation.models import AuditEntry, Campaign, Dataset, Rating, User
from annotation.services.corpus.imports import ImportTarget, import_reading, read_files
from annotation.services.corpus.uploads import EXPANSION_LIMIT
from tests.factories import CampaignFactory
from tests.rating_books import write_book

ADDRESS = "/api/v1/ratings/import/"


def client_of(user):
    client = APIClient()
    client.force_authenticate(user)
    return client


@pytest.fixture
def api(owner):
    return client_of(owner)


@pytest.fixture
def corpus(owner, tmp_path):
    path = write_book(tmp_path / "tea.xlsx", {})
    reading = read_files(available_formats()["template"], path)
    import_reading(reading, target=ImportTarget("Tea books", "template", owner), actor=owner)
    return Dataset.objects.get()


def book(tmp_path, cells, name="anna.xlsx"):
    content = write_book(tmp_path / name, cells).read_bytes()
    return SimpleUploadedFile(name, content)


def send(api, *files, **more):
    return api.post(ADDRESS, {"files": list(files), **more}, format="multipart")


def test_dry_run_answers_as_the_import_does_and_writes_nothing(api, corpus, tmp_path):
    cells = {2: {"O": 4}, 4: {"F": "Yes", "I": "No", "J": 3}}

    dry = send(api, book(tmp_path, cells), dry_run=True, dataset=corpus.public_id)
    assert not Rating.objects.exists()
    assert not User.objects.filter(username="anna").exists()
    done = send(api, book(tmp_path, cells), dataset=corpus.public_id)
    again = send(api, book(tmp_path, cells), dataset=corpus.public_id)

    expected = {
        "ratings": 3,
        "created": 3,
        "updated": 0,
        "unchanged": 0,
        "files": [
            {"file": "anna.xlsx", "sheet": "Ratings", "raters": ["anna"], "traces": 1, "ratings": 3}
        ],
        "datasets": ["Tea books"],
        "metrics": {"error_validity": 1, "procedure_logic": 1, "text_video_grounding": 1},
        "new_raters": ["anna"],
        "campaigns": [{"name": "Imported ratings (guideline unknown)", "is_new": True}],
        "submitted": None,
        "warnings": [
            {
                "where": "",
                "message": "no file says the guideline version of 3 ratings: recorded as unknown",
            },
            {"where": "", "message": "no file says the time of 3 ratings: recorded as unknown"},
        ],
    }
    assert (dry.status_code, dry.json()) == (200, expected)
    assert (done.status_code, done.json()) == (200, expected | {"submitted": 0})
    assert again.json() == expected | {
        "created": 0,
        "unchanged": 3,
        "new_raters": [],
        "campaigns": [{"name": "Imported ratings (guideline unknown)", "is_new": False}],
        "submitted": 0,
    }
    assert Rating.objects.count() == 3
    assert Campaign.objects.get().owner.username == "owner"
    entries = AuditEntry.objects.filter(action="ratings.import")
    assert [(entry.actor.username, entry.detail["created"]) for entry in entries] == [("owner", 3)]


def test_archive_of_workbooks_with_their_raters_named(api, corpus, tmp_path):
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as content:
        for name in ("first one.xlsx", "second one.xlsx"):
            write_book(tmp_path / name, {4: {"F": "Yes"}})
            content.write(tmp_path / name, name)

    answer = send(
        api,
        SimpleUploadedFile("books.zip", archive.getvalue()),
        raters="first one.xlsx=anna\nsecond one.xlsx=ben",
        guideline_version="2",
        rated_at="2026-01-31T09:30:00Z",
        campaign="By hand",
    )

    assert [item["raters"] for item in answer.json()["files"]] == [["anna"], ["ben"]]
    assert [item["message"] for item in answer.json()["warnings"]] == [
        "read as ratings of Tea books, the only data set with these traces"
    ] * 2
    assert Campaign.objects.get().name == "By hand"
    assert set(Rating.objects.values_list("guideline__name", flat=True)) == {"2"}


def test_every_problem_is_named_and_nothing_written(api, corpus, tmp_path):
    answer = send(
        api,
        book(tmp_path, {4: {"F": "maybe"}, 5: {"G": 7}}),
        SimpleUploadedFile("zoe.csv", b"trace,event,rater,metric,value\nv-1,1,zoe,beauty,4\n"),
    )

    assert answer.status_code == 400
    assert answer.json()["detail"] == "The import was refused; nothing was written."
    assert [(item["file"], item["place"], item["field"], item["value"], item["expected"])
            for item in answer.json()["problems"][:2]] == [
        ("anna.xlsx", "sheet Ratings, row 4", "Error Validity", "'maybe'", "one of no, yes"),
        ("anna.xlsx", "sheet Ratings, row 5", "Text Plausibility", "'7'", "one of 1, 2, 3, 4, 5"),
    ]  # fmt: skip
    assert [item["field"] for item in answer.json()["problems"][2:]] == ["metric"]
    assert not Rating.objects.exists()


def test_data_set_of_somebody_else_is_not_there(corpus, outsider, tmp_path):
    foreign = client_of(outsider)

    by_id = send(foreign, book(tmp_path, {4: {"F": "Yes"}}), dataset=corpus.public_id)
    by_name = send(foreign, book(tmp_path, {4: {"F": "Yes"}}))

    assert by_id.status_code == 404
    assert by_name.status_code == 400
    assert corpus.name not in str(by_name.json())
    assert not Rating.objects.exists()


def test_ratings_of_a_shared_data_set_do_not_reach_a_campaign_of_its_owner(
    api, corpus, outsider, tmp_path
):
    """Whoever may look at a data set may not add to, change or learn what others rated of it."""
    Dataset.objects.update(is_shared=True)
    send(api, book(tmp_path, {4: {"F": "Yes"}}))
    foreign = client_of(outsider)

    own = send(foreign, book(tmp_path, {4: {"F": "Yes"}}))
    named = send(
        foreign, book(tmp_path, {4: {"F": "No"}}), campaign="Imported ratings (guideline unknown)"
    )

    assert (own.status_code, own.json()["created"], own.json()["unchanged"]) == (200, 1, 0)
    assert own.json()["campaigns"][0]["name"] == "Imported ratings (guideline unknown), outsider"
    assert named.status_code == 400
    assert "expected a campaign of yours, or a new name" in named.json()["problems"][0]["message"]
    values = Rating.objects.values_list("assignment__round__campaign__owner__username", "value")
    assert sorted(values) == [("outsider", "yes"), ("owner", "yes")]


def test_campaign_of_somebody_else_is_refused(api, corpus, outsider, tmp_path):
    CampaignFactory(name="Theirs", owner=outsider)

    answer = send(api, book(tmp_path, {4: {"F": "Yes"}}), campaign="Theirs")

    assert answer.status_code == 400
    assert (
        "campaign is 'Theirs'; expected a campaign of yours"
        in answer.json()["problems"][0]["message"]
    )


def test_data_set_that_the_researcher_rates_in_an_open_campaign_is_hidden(
    api, corpus, owner, tmp_path
):
    """The counts of changed and unchanged ratings would tell what others answered."""
    campaign = CampaignFactory(owner=owner)
    campaign.datasets.add(corpus)
    campaign.raters.create(rater=owner)

    answer = send(api, book(tmp_path, {4: {"F": "Yes"}}), dry_run=True)

    assert answer.status_code == 400
    assert corpus.name not in str(answer.json())


def bomb() -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("anna.csv", b"0" * (EXPANSION_LIMIT * 10_000))
    return content.getvalue()


def forged_book() -> bytes:
    """A workbook by its names, whose sheet unpacks to far more than a sheet may have."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (60 * 1024 * 1024))
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("books.zip", bomb(), "unpacks to far more than its size"),
        ("anna.xlsx", forged_book(), "bytes when unpacked"),
        ("anna.xlsx", b"PK\x03\x04 not a workbook", "expected a workbook .xlsx"),
        ("anna.csv", b"\x00\x01\x02", "neither text in UTF-8"),
        ("anna.csv", b"\n", "expected the columns trace"),
        ("anna.json", b"[]", "anna.json is neither a table (.csv) nor a workbook (.xlsx)."),
    ],
    ids=["zip bomb", "forged workbook", "damaged workbook", "binary", "empty", "other kind"],
)
def test_what_is_no_file_of_ratings_is_refused(api, name, content, words):
    answer = send(api, SimpleUploadedFile(name, content))

    assert answer.status_code == 400
    assert words in str(answer.json())
    assert not Rating.objects.exists()


def test_ratings_do_not_go_into_a_campaign_of_segments(api, owner, corpus, tmp_path):
    Campaign.objects.create(name="Labels", kind="segments", owner=owner)

    answer = send(api, book(tmp_path, {2: {"O": 4}}), dataset=corpus.public_id, campaign="Labels")

    assert answer.status_code == 400
    assert [item["expected"] for item in answer.json()["problems"]] == ["a campaign of ratings"]
    assert not Rating.objects.exists()
