"""The pages on which ratings are brought in: preview, mending what is said, import, and refusal."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.engine.corpus.formats.registry import available_formats
from annotation.models import Campaign, Dataset, Rating
from annotation.services.corpus.imports import ImportTarget, import_reading, read_files
from annotation.services.corpus.uploads import UploadRequest, store_upload
from tests.factories import CampaignFactory
from tests.rating_books import write_book

CELLS = {2: {"O": 4}, 4: {"F": "Yes", "G": 5}}


@pytest.fixture
def corpus(owner, tmp_path):
    path = write_book(tmp_path / "tea.xlsx", {})
    reading = read_files(available_formats()["template"], path)
    import_reading(reading, target=ImportTarget("Tea books", "template", owner), actor=owner)
    return Dataset.objects.get()


def upload(client, tmp_path, *, name="anna.xlsx", cells=CELLS, **more):
    content = write_book(tmp_path / name, cells).read_bytes()
    return client.post(
        reverse("rating-import"), {"uploads": SimpleUploadedFile(name, content), **more}
    )


def text_of(client, address):
    return " ".join(client.get(address).content.decode().split())


def test_import_previews_without_writing_and_then_writes(owner_client, corpus, tmp_path):
    address = upload(owner_client, tmp_path).url

    preview = text_of(owner_client, address)

    assert not Rating.objects.exists()
    assert '<td>anna.xlsx<div class="small">sheet Ratings</div></td><td>anna</td>' in preview
    assert 'Imported ratings (guideline unknown) <span class="tag">new</span>' in preview
    assert '<td>Human Plausibility</td><td class="number">1</td>' in preview
    assert "without a password: anna" in preview
    done = owner_client.post(f"{address}confirm/", follow=True)
    assert done.redirect_chain[-1][0] == reverse(
        "campaign-detail", args=[Campaign.objects.get().public_id]
    )
    assert "Imported: 3 new ratings, 0 changed, 0 unchanged." in done.content.decode()
    assert Rating.objects.count() == 3
    assert owner_client.get(address).status_code == 404


def test_import_of_the_same_file_again_says_that_nothing_would_change(
    owner_client, corpus, tmp_path
):
    owner_client.post(f"{upload(owner_client, tmp_path).url}confirm/")

    preview = text_of(owner_client, upload(owner_client, tmp_path).url)

    assert "importing would change nothing" in preview
    assert "confirm/" not in preview


def test_files_without_a_rating_are_not_said_to_be_there_already(owner_client, corpus):
    file = SimpleUploadedFile("ratings.csv", b"trace,event,rater,metric,value\n")

    address = owner_client.post(reverse("rating-import"), {"uploads": file}).url

    preview = text_of(owner_client, address)
    assert "There is no rating in these files" in preview
    assert "already there" not in preview
    assert "/confirm/" not in preview


def test_what_is_said_about_the_files_can_be_mended_on_the_preview(owner_client, corpus, tmp_path):
    address = upload(owner_client, tmp_path, name="Copy of Tea.xlsx").url
    assert "rater is &#x27;Copy of Tea&#x27;; expected a user name" in text_of(
        owner_client, address
    )

    told = {
        "raters": "Copy of Tea.xlsx=anna",
        "dataset": corpus.public_id,
        "campaign": "By hand",
        "guideline_version": "2",
        "rated_at": "2026-01-31T09:30",
    }
    assert owner_client.post(address, told).url == address

    preview = text_of(owner_client, address)
    assert "<td>anna</td>" in preview
    assert "By hand <span" in preview
    assert 'value="2026-01-31T09:30"' in preview
    owner_client.post(f"{address}confirm/")
    assert set(
        Rating.objects.values_list(
            "assignment__rater__username", "assignment__round__campaign__name", "guideline__name"
        )
    ) == {("anna", "By hand", "2")}


def test_preview_lists_every_problem_and_offers_no_import(owner_client, corpus, tmp_path):
    cells = {4: {"F": "maybe"}, 5: {"G": 9}}

    preview = text_of(owner_client, upload(owner_client, tmp_path, cells=cells).url)

    assert "2 problems" in preview
    assert "sheet Ratings, row 4: Error Validity is &#x27;maybe&#x27;" in preview
    assert "sheet Ratings, row 5: Text Plausibility is &#x27;9&#x27;" in preview
    assert "confirm/" not in preview


def test_preview_of_a_table_that_is_wrong_in_every_row_shows_some(owner_client, corpus, tmp_path):
    rows = "".join(f"v-1,1,r{number},confusability,9\n" for number in range(250))
    file = SimpleUploadedFile("r.csv", f"trace,event,rater,metric,value\n{rows}".encode())

    address = owner_client.post(reverse("rating-import"), {"uploads": file}).url

    preview = text_of(owner_client, address)
    assert preview.count("value is &#x27;9&#x27;") == 200
    assert "And 50 more." in preview


def test_confirm_shows_what_stands_against_it_by_then(owner_client, corpus, tmp_path):
    address = upload(owner_client, tmp_path).url
    corpus.traces.all().delete()

    done = owner_client.post(f"{address}confirm/", follow=True)

    assert "Nothing was imported: see the problems below." in done.content.decode()
    assert not Rating.objects.exists()


def test_preview_of_somebody_else_is_not_found(owner_client, outsider_client, corpus, tmp_path):
    address = upload(owner_client, tmp_path).url

    assert outsider_client.get(address).status_code == 404
    for end in ("", "confirm/"):
        assert outsider_client.post(f"{address}{end}").status_code == 404
    outsider_client.post(f"{address}discard/")
    assert owner_client.get(address).status_code == 200


def test_discard_removes_the_files(owner_client, corpus, tmp_path):
    address = upload(owner_client, tmp_path).url

    owner_client.post(f"{address}discard/")

    assert owner_client.get(address).status_code == 404


def test_annotators_cannot_import(annotator_client, owner_client, corpus, tmp_path):
    address = upload(owner_client, tmp_path).url

    assert annotator_client.get(reverse("rating-import")).status_code == 403
    assert upload(annotator_client, tmp_path).status_code == 403
    for end in ("", "confirm/", "discard/"):
        assert annotator_client.post(f"{address}{end}").status_code == 403


def test_upload_of_a_data_set_is_none_of_ratings(owner_client, owner, corpus, tmp_path):
    file = SimpleUploadedFile("tea.xlsx", write_book(tmp_path / "t.xlsx", {}).read_bytes())
    kept = store_upload(
        user=owner, files=[file], request=UploadRequest("Tea", "template", is_shared=False)
    )
    address = upload(owner_client, tmp_path).url

    ours = reverse("rating-import-preview", args=[kept.upload_id])
    theirs = reverse("dataset-import-preview", args=[address.strip("/").split("/")[-1]])
    assert [owner_client.get(item).status_code for item in (ours, theirs)] == [404, 404]


def test_only_own_campaigns_are_offered(owner_client, owner, outsider, corpus):
    CampaignFactory(name="Mine to fill", owner=owner)
    CampaignFactory(name="Shared by others", owner=outsider, is_shared=True)

    page = text_of(owner_client, reverse("rating-import") + "?campaign=Mine+to+fill")

    assert '<option value="Mine to fill"></option>' in page
    assert "Shared by others" not in page
    assert 'name="campaign" value="Mine to fill"' in page


def test_file_that_is_no_text_is_a_message_at_the_form(owner_client):
    answer = owner_client.post(
        reverse("rating-import"), {"uploads": SimpleUploadedFile("a.csv", b"\x00\x01")}
    )

    assert "a.csv is neither text in UTF-8" in answer.content.decode()


def test_preview_query_count_does_not_grow_with_the_ratings(owner_client, corpus, tmp_path):
    addresses = [
        upload(owner_client, tmp_path, cells={line: {"F": "Yes", "G": 2} for line in lines}).url
        for lines in ((4,), (4, 5, 6, 8))
    ]

    counts = []
    for address in addresses:
        with CaptureQueriesContext(connection) as captured:
            owner_client.get(address)
        counts.append(len(captured))

    assert counts[0] == counts[1]
