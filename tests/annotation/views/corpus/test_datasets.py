import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Dataset, RatingEvent, Take, Trace, User
from annotation.services.corpus.imports import ImportTarget, import_reading
from tests.annotation.egooops_folder import write_egooops
from tests.annotation.readings import STEP_TEXTS, make_reading, make_take, make_trace
from tests.factories import AssignmentFactory
from tests.video_files import write_video

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def state_folder(settings: Settings, tmp_path: Path) -> Path:
    settings.STATE_FOLDER = tmp_path / "state"
    return tmp_path / "state"


@pytest.fixture
def dataset(owner: User) -> Dataset:
    """Return the owner's data set, with a spare reference for its one trace."""
    takes = (make_take(), make_take("other", (*STEP_TEXTS, "Drink the tea")))
    target = ImportTarget("Tea", "egooops", owner=owner)
    import_reading(make_reading(takes=takes), target=target)
    return Dataset.objects.get()


def address(name: str, row: object) -> str:
    return reverse(name, args=[row.public_id])


def upload(client: Client, *files: tuple[str, bytes], **fields: object):
    given = [SimpleUploadedFile(name, content) for name, content in files]
    data = {"name": "New", "format": "egooops", "uploads": given} | fields
    return client.post(reverse("dataset-import"), data)


def egooops_file(tmp_path: Path, **options: object) -> tuple[str, bytes]:
    folder = tmp_path / "egooops"
    folder.mkdir(exist_ok=True)
    path = write_egooops(folder, **options) / "meta" / "metadata.json"
    return path.name, path.read_bytes()


def test_datasets_says_what_to_do_when_there_are_none(owner_client: Client) -> None:
    page = owner_client.get(reverse("datasets")).content.decode()

    assert "No data sets yet" in page
    assert reverse("dataset-import") in page


def test_datasets_lists_what_the_researcher_may_see(
    dataset: Dataset, owner_client: Client, outsider_client: Client
) -> None:
    link = address("dataset-detail", dataset)

    assert link in owner_client.get(reverse("datasets")).content.decode()
    assert link not in outsider_client.get(reverse("datasets")).content.decode()


@pytest.mark.parametrize("dataset_count", [1, 3])
def test_datasets_takes_as_many_queries_at_any_length(
    owner: User, owner_client: Client, dataset_count: int, django_assert_num_queries
) -> None:
    for index in range(dataset_count):
        target = ImportTarget(f"Tea {index}", "egooops", owner=owner)
        import_reading(make_reading(), target=target)

    # session, account, data sets that are hidden, number of rows, rows
    with django_assert_num_queries(5):
        owner_client.get(reverse("datasets"))


@pytest.mark.parametrize(
    "name",
    ["dataset-detail", "dataset-report", "dataset-report-csv", "take-detail", "trace-detail"],
)
def test_pages_of_the_corpus_are_for_those_who_may_see_them(
    dataset: Dataset,
    owner_client: Client,
    administrator_client: Client,
    outsider_client: Client,
    annotator_client: Client,
    name: str,
) -> None:
    row = {"take-detail": Take.objects.first(), "trace-detail": Trace.objects.get()}.get(name)
    page = address(name, row or dataset)

    clients = (owner_client, administrator_client, outsider_client, annotator_client, Client())
    assert [client.get(page).status_code for client in clients] == [200, 200, 404, 403, 302]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("dataset-delete", {}),
        ("dataset-share", {"is_shared": "yes"}),
        ("dataset-videos", {"folder": "/", "pattern": "{stem}.mp4"}),
        ("dataset-ingest", {}),
        ("dataset-ingest-cancel", {}),
        ("trace-reference", {"take": "x"}),
    ],
)
def test_changes_of_the_corpus_are_not_found_for_others(
    dataset: Dataset, outsider_client: Client, name: str, data: dict[str, str]
) -> None:
    # Shared means that others may look, not that they may change.
    Dataset.objects.update(is_shared=True)
    row = Trace.objects.get() if name == "trace-reference" else dataset

    assert outsider_client.post(address(name, row), data).status_code == 404
    assert Dataset.objects.count() == 1


@pytest.mark.parametrize("trace_count", [1, 3])
def test_dataset_detail_query_count_does_not_grow(
    owner: User, owner_client: Client, trace_count: int, django_assert_num_queries
) -> None:
    traces = tuple(make_trace(f"bad{index}") for index in range(trace_count))
    target = ImportTarget("Tea", "egooops", owner=owner)
    import_reading(make_reading(traces=traces), target=target)

    with django_assert_num_queries(17):
        owner_client.get(address("dataset-detail", Dataset.objects.get()))


def test_import_previews_without_writing_and_then_writes(
    owner: User, owner_client: Client, tmp_path: Path, state_folder: Path
) -> None:
    response = upload(owner_client, egooops_file(tmp_path))
    preview = owner_client.get(response.url).content.decode()
    count_before = Dataset.objects.count()
    confirmed = owner_client.post(f"{response.url}confirm/")

    dataset = Dataset.objects.get()
    assert count_before == 0
    assert "The only mistake-free recording of tea." in preview
    assert (dataset.name, dataset.owner, dataset.is_shared) == ("New", owner, False)
    assert confirmed.url == address("dataset-detail", dataset)
    assert [path for path in state_folder.rglob("*") if path.is_file()] == []


def test_import_of_the_same_file_again_says_that_nothing_would_change(
    owner_client: Client, tmp_path: Path
) -> None:
    file = egooops_file(tmp_path)
    owner_client.post(f"{upload(owner_client, file).url}confirm/")

    preview = owner_client.get(upload(owner_client, file).url).content.decode()

    assert "importing would change nothing" in preview


def test_import_preview_lists_every_problem_and_offers_no_import(
    owner_client: Client, tmp_path: Path
) -> None:
    name, content = egooops_file(tmp_path)
    damaged = json.loads(content)
    damaged["videos"][0]["segments"][0]["startTime"] = "soon"
    damaged["videos"][1]["segments"][0]["instruction"] = 99

    response = upload(owner_client, (name, json.dumps(damaged).encode()))
    preview = owner_client.get(response.url).content.decode()
    owner_client.post(f"{response.url}confirm/")

    assert "2 problems" in preview
    assert "startTime" in preview
    assert "instruction" in preview
    assert "confirm/" not in preview
    assert not Dataset.objects.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b'{"videos": [', "é".encode("latin-1"), b"a,b,c\n1,2,3\n", b"<html></html>"],
)
def test_import_of_a_damaged_file_is_a_message(owner_client: Client, content: bytes) -> None:
    response = upload(owner_client, ("metadata.json", content))

    page = owner_client.get(response.url) if response.status_code == 302 else response
    text = page.content.decode()
    assert page.status_code == 200
    assert "problem" in text or "errorlist" in text
    assert not Dataset.objects.exists()


def test_import_of_a_binary_file_is_a_message_at_the_form(owner_client: Client) -> None:
    response = upload(owner_client, ("a.bin", b"\x00\x01\x02"))

    assert response.status_code == 200
    assert "a.bin is neither text in UTF-8" in response.content.decode()


def test_import_with_a_field_left_empty_says_which_files_to_choose_again(
    owner_client: Client,
) -> None:
    answer = upload(owner_client, ("a.json", b"{}"), ("<b>.json", b"{}"), name="")

    page = answer.content.decode()
    assert "Files are not kept: choose a.json, &lt;b&gt;.json again." in page
    assert 'value="egooops" selected' in page


def test_import_names_the_file_that_is_empty(owner_client: Client) -> None:
    one = upload(owner_client, ("a.json", b"{}"), ("b.json", b""))
    both = upload(owner_client, ("a.json", b""), ("b.json", b""))

    assert "<li>b.json is empty.</li>" in one.content.decode()
    assert "<li>a.json, b.json are empty.</li>" in both.content.decode()


def test_import_of_files_with_nothing_in_them_makes_no_data_set(owner_client: Client) -> None:
    content = json.dumps({"videos": [], "instructions": {}, "mistakes": {}}).encode()

    preview = owner_client.get(upload(owner_client, ("metadata.json", content)).url)

    assert "metadata.json has no take and no trace: there is nothing to import." in (
        preview.content.decode()
    )
    assert 'button primary" type="submit">Import</button>' not in preview.content.decode()


def test_import_under_the_name_of_a_foreign_dataset_is_refused(
    dataset: Dataset, outsider_client: Client, tmp_path: Path
) -> None:
    response = upload(outsider_client, egooops_file(tmp_path), name="Tea")

    preview = outsider_client.get(response.url).content.decode()

    assert "expected a name that no other data set has" in preview


def test_import_preview_of_somebody_else_is_not_found(
    owner_client: Client, outsider_client: Client, tmp_path: Path
) -> None:
    preview = upload(owner_client, egooops_file(tmp_path)).url

    assert outsider_client.get(preview).status_code == 404
    assert outsider_client.post(f"{preview}confirm/").status_code == 404


def test_import_discard_removes_the_files(
    owner_client: Client, tmp_path: Path, state_folder: Path
) -> None:
    preview = upload(owner_client, egooops_file(tmp_path)).url

    owner_client.post(f"{preview}discard/")

    assert owner_client.get(preview).status_code == 404
    assert [path for path in state_folder.rglob("*") if path.is_file()] == []


def test_import_is_closed_to_annotators(annotator_client: Client) -> None:
    assert annotator_client.get(reverse("dataset-import")).status_code == 403


def test_dataset_videos_links_for_an_administrator(
    dataset: Dataset, administrator_client: Client, tmp_path: Path
) -> None:
    write_video(tmp_path / "videos" / "good.mp4", frame_count=300)
    data = {"folder": str(tmp_path / "videos"), "pattern": "{stem}.mp4"}

    administrator_client.post(address("dataset-videos", dataset), data)

    assert Take.objects.get(uid="good").video.duration_s == 10.0


def test_dataset_videos_names_the_files_that_cannot_be_used(
    dataset: Dataset, administrator_client: Client, tmp_path: Path
) -> None:
    (tmp_path / "good.mp4").write_bytes(b"no video")
    data = {"folder": str(tmp_path), "pattern": "{stem}.mp4"}

    page = administrator_client.post(address("dataset-videos", dataset), data, follow=True)

    text = page.content.decode()
    assert "0 recordings linked" in text
    assert "good.mp4: is damaged, or not a video in MP4" in text


def test_dataset_videos_refuses_a_researcher_without_roots(
    dataset: Dataset, owner_client: Client, tmp_path: Path
) -> None:
    data = {"folder": str(tmp_path), "pattern": "{stem}.mp4"}

    response = owner_client.post(address("dataset-videos", dataset), data)

    assert response.status_code == 400
    assert Take.objects.filter(video__isnull=False).count() == 0


@pytest.mark.parametrize(("answer", "is_shared"), [("yes", True), ("no", False)])
def test_dataset_share_opens_and_closes_it(
    dataset: Dataset,
    owner_client: Client,
    outsider_client: Client,
    answer: str,
    is_shared: bool,
) -> None:
    owner_client.post(address("dataset-share", dataset), {"is_shared": answer})

    status = outsider_client.get(address("dataset-detail", dataset)).status_code
    assert Dataset.objects.get().is_shared is is_shared
    assert status == (200 if is_shared else 404)


def test_dataset_delete_removes_it(dataset: Dataset, owner_client: Client) -> None:
    response = owner_client.post(address("dataset-delete", dataset))

    assert response.url == reverse("datasets")
    assert not Dataset.objects.exists()


def test_dataset_delete_with_raters_waiting_says_why_not(
    dataset: Dataset, owner_client: Client
) -> None:
    AssignmentFactory(trace=Trace.objects.get())

    response = owner_client.post(address("dataset-delete", dataset), follow=True)

    assert "Remove it from its campaigns first." in response.content.decode()
    assert Dataset.objects.exists()


def test_trace_detail_shows_labels_types_and_the_reason_of_the_reference(
    dataset: Dataset, owner_client: Client
) -> None:
    page = owner_client.get(address("trace-detail", Trace.objects.get())).content.decode()

    for text in ("The only mistake-free recording of Tea.", "salt", "<b>I</b>", "left out"):
        assert text in page


def test_trace_reference_changes_it(dataset: Dataset, owner_client: Client) -> None:
    other = Take.objects.get(uid="other")

    owner_client.post(address("trace-reference", Trace.objects.get()), {"take": other.public_id})

    trace = Trace.objects.get()
    assert (trace.take, trace.is_reference_manual) == (other, True)


def test_trace_reference_is_fixed_once_rated(
    dataset: Dataset, owner_client: Client, annotator: User
) -> None:
    trace = Trace.objects.get()
    RatingEvent.objects.create(
        assignment=AssignmentFactory(trace=trace, rater=annotator),
        metric="text_video_grounding",
        value="3",
        revision=1,
        client_id="tab",
        client_sequence=1,
        rated_at="2026-01-01T00:00:00Z",
    )
    other = Take.objects.get(uid="other")

    response = owner_client.post(
        address("trace-reference", trace), {"take": other.public_id}, follow=True
    )

    assert "This trace has been rated" in response.content.decode()
    assert "so it cannot be changed" in response.content.decode()
    assert Trace.objects.get().take.uid == "good"


def test_pages_carry_no_inline_style_or_script(dataset: Dataset, owner_client: Client) -> None:
    addresses = [
        reverse("datasets"),
        reverse("dataset-import"),
        address("dataset-detail", dataset),
        address("take-detail", Take.objects.first()),
        address("trace-detail", Trace.objects.get()),
    ]

    pages = [owner_client.get(item).content.decode() for item in addresses]

    assert all(" style=" not in page and "<style" not in page for page in pages)
    assert all(" onclick=" not in page for page in pages)


def test_import_recognises_the_format(owner_client: Client, tmp_path: Path) -> None:
    response = upload(owner_client, egooops_file(tmp_path), format="")
    owner_client.post(f"{response.url}confirm/")

    assert Dataset.objects.get().format == "egooops"


def test_import_of_files_that_no_format_reads_says_what_to_do(owner_client: Client) -> None:
    page = upload(owner_client, ("notes.json", b"{}"), format="").content.decode()

    assert "No format can read these files." in page


def test_preview_says_what_else_the_files_look_like(
    owner_client: Client, outsider_client: Client, tmp_path: Path
) -> None:
    response = upload(owner_client, egooops_file(tmp_path), format="captaincook4d")
    before = owner_client.get(response.url).content.decode()
    outsider = outsider_client.post(f"{response.url}format/", {"format": "egooops"})
    unknown = owner_client.post(f"{response.url}format/", {"format": "other"})
    changed = owner_client.post(f"{response.url}format/", {"format": "egooops"}, follow=True)

    assert "They look like EgoOops." in before
    assert (outsider.status_code, unknown.url) == (404, response.url)
    assert "They look like" not in changed.content.decode()
    assert changed.context["preview"].outcome.created == 2


def test_data_set_says_what_to_do_next(
    dataset: Dataset, owner_client: Client, administrator_client: Client, settings: Settings
) -> None:
    settings.VIDEO_ROOTS = ["/videos"]
    answer = owner_client.get(address("dataset-detail", dataset))

    assert [(step.words, step.address) for step in answer.context["next_steps"]] == [
        ("Link or upload 3 missing videos", "#videos"),
        ("Start an audit of its traces", f"/campaigns/new/?dataset={dataset.public_id}"),
        ("See its task graphs", f"/benchmarks/graphs/{dataset.public_id}/"),
        ("Features of its recordings", f"/benchmarks/features/?dataset={dataset.public_id}"),
        ("Launch a run on its takes", f"/runs/new/?dataset={dataset.public_id}"),
        ("Label or check its steps", f"/campaigns/new/segments/?dataset={dataset.public_id}"),
    ]
    assert '<datalist id="opened-places"><option value="/videos">' in answer.content.decode()


def test_who_may_open_no_folder_gets_the_sentence_for_an_administrator(
    dataset: Dataset, owner_client: Client, administrator_client: Client, settings: Settings
) -> None:
    settings.VIDEO_ROOTS = []

    own, administrators = (
        client.get(address("dataset-detail", dataset))
        for client in (owner_client, administrator_client)
    )

    assert own.context["next_steps"][0].words == "Upload 3 missing videos"
    assert administrators.context["next_steps"][0].words == "Link or upload 3 missing videos"
    page = " ".join(own.content.decode().split())
    assert f"Please open the folder with the videos of “{dataset.name}” to researchers" in page
    assert "It is to hold 3 files that the site lacks, named" in page
    assert "Send them this" not in administrators.content.decode()
