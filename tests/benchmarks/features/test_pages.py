"""Features through pages, API and command: what they do, for whom, and in how many queries."""

import os
import time
from io import StringIO

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import FeatureSet
from benchmarks.selectors.features import arrays_of
from benchmarks.services.feature_work import make_features
from benchmarks.services.features import FeaturesRequest, share_feature_set, store_features
from tests.benchmarks.features.test_files import npy, npz, uids
from tests.benchmarks.made import reading_of
from tests.factories import CampaignFactory, CampaignRaterFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]

API = "/api/v1/feature-sets/"


def stored(dataset, owner, name="Omnivore", count=2):
    arrays = [(uid, np.ones((30, 4), np.float32)) for uid in uids(dataset)[:count]]
    request = FeaturesRequest(name)
    return store_features(dataset=dataset, request=request, read=reading_of(arrays), actor=owner)


def sent(dataset, **changes):
    [uid, *_] = uids(dataset)
    file = SimpleUploadedFile(f"{uid}_360p.mp4_1s_1s.npz", npz(5, 3))
    fields = {"dataset": dataset.public_id, "name": "Ours", "uploads": [file], "seconds_per_row": 1}
    return {f"upload-{name}": value for name, value in {**fields, **changes}.items()}


def test_features_are_uploaded_read_shared_and_deleted_on_their_pages(sample, owner_client):
    answer = owner_client.post("/benchmarks/features/upload/", sent(sample))
    found = FeatureSet.objects.get()
    page = f"/benchmarks/features/{found.public_id}/"
    assert answer.url == page
    assert '<span class="state queued">queued</span>' in owner_client.get(page).content.decode()
    make_features(job_ids=[found.job_id])
    found.refresh_from_db()
    shown = owner_client.get(page).content.decode()
    assert found.content_hash in shown
    assert uids(sample)[0] in shown
    # Five rows are far less than the recording.
    assert "Is a row really 1 s?" in shown
    owner_client.post(f"{page}share/", {"is_shared": "yes"})
    assert FeatureSet.objects.get().is_shared
    assert owner_client.post(f"{page}delete/").url == "/benchmarks/features/"
    assert not FeatureSet.objects.exists()


def test_refused_files_are_named_and_nothing_is_stored(sample, owner_client):
    files = [SimpleUploadedFile("alien.npy", npy(2, 3)), SimpleUploadedFile("x.txt", b"no")]
    answer = owner_client.post("/benchmarks/features/upload/", sent(sample, uploads=files))
    shown = answer.content.decode()
    assert answer.status_code == 400
    assert "alien.npy: recording is &#x27;alien&#x27;; expected a name that begins" in shown
    assert "x.txt: &#x27;x.txt&#x27;; expected a .npy or .npz file" in shown
    assert not FeatureSet.objects.exists()


def test_next_upload_removes_what_killed_processes_left(sample, owner, owner_client, media):
    def left_in(folder, name):
        path = media / "features" / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"left")
        return path

    def upload(name, *files):
        form = sent(sample, name=name, **({"uploads": list(files)} if files else {}))
        assert owner_client.post("/benchmarks/features/upload/", form).status_code == 302
        found = FeatureSet.objects.get(name=name)
        make_features(job_ids=[found.job_id])
        return found.public_id

    read = upload("Read")
    [uid, *_] = uids(sample)
    refused = upload("Refused", SimpleUploadedFile(f"{uid}.npy", npy(2, 3)[:-4]))
    assert FeatureSet.objects.get(name="Refused").notes
    # Killed before the commit, right after the end, and right after the refusal.
    dead, alive = left_in("dead", "upload/0"), left_in("alive", "upload/0")
    day_ago = time.time() - 25 * 3600
    os.utime(dead.parents[1], (day_ago, day_ago))
    doomed = [dead, left_in(read, "upload/0"), left_in(refused, "upload/0")]

    upload("Next")

    assert [path.exists() for path in doomed] == [False] * 3
    assert alive.exists()
    assert len(list((media / "features" / read).glob("*.npy"))) == 1


def test_refused_features_are_shown_beside_the_form(sample, owner_client):
    fields = {"dataset": sample.public_id, "name": "Plain", "extractor": "colour-and-motion"}
    asked = {f"make-{name}": value for name, value in fields.items()}
    answer = owner_client.post("/benchmarks/features/make/", asked)
    assert answer.status_code == 400
    assert "has no linked video; link its videos first." in answer.content.decode()


def test_others_find_features_only_when_they_and_the_data_are_shared(
    sample, owner, outsider_client
):
    found = stored(sample, owner)
    page, one = f"/benchmarks/features/{found.public_id}/", f"{API}{found.public_id}/"
    share_feature_set(feature_set=found, is_shared=True, actor=owner)
    assert {outsider_client.get(address).status_code for address in (page, one)} == {404}
    sample.is_shared = True
    sample.save()
    assert {outsider_client.get(address).status_code for address in (page, one)} == {200}
    assert outsider_client.post(f"{page}delete/").status_code == 404
    assert outsider_client.delete(one).status_code == 404
    share_feature_set(feature_set=found, is_shared=False, actor=owner)
    assert {outsider_client.get(address).status_code for address in (page, one)} == {404}


def test_raters_of_the_data_do_not_see_its_features(sample, owner, owner_client):
    page = f"/benchmarks/features/{stored(sample, owner).public_id}/"
    campaign = CampaignFactory()
    campaign.datasets.add(sample)
    CampaignRaterFactory(campaign=campaign, rater=owner)
    assert owner_client.get(page).status_code == 403
    assert owner_client.get(API).json()["results"] == []
    assert "Omnivore" not in owner_client.get("/benchmarks/features/").content.decode()


def test_lists_cost_the_same_with_one_row_and_with_more(sample, owner, owner_client):
    def cost(address):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert owner_client.get(address).status_code == 200
        return len(queries)

    first = stored(sample, owner)
    pages = ("/benchmarks/features/", API, f"/benchmarks/features/{first.public_id}/")
    before = [cost(page) for page in pages]
    for number in range(3):
        stored(sample, owner, f"More {number}", count=3)
    more = FeatureSet.objects.get(name="More 1")
    after = [cost(page) for page in (*pages[:2], f"/benchmarks/features/{more.public_id}/")]
    assert after == before


def test_the_api_refuses_what_is_no_id_of_a_data_set(owner_client):
    for odd in ("%00", "x" * 17, str(2**63)):
        answer = owner_client.get(f"{API}?dataset={odd}")
        assert (answer.status_code, list(answer.json())) == (400, ["dataset"])


def test_the_api_uploads_lists_and_refuses(sample, owner_client):
    [uid, *_] = uids(sample)
    body = {"dataset": sample.public_id, "name": "Ours", "seconds_per_row": "2"}
    made = owner_client.post(API, {**body, "files": SimpleUploadedFile(f"{uid}.npy", npy(5, 3))})
    assert made.status_code == 201
    assert (made.json()["state"], made.json()["width"]) == ("queued", 0)
    make_features(job_ids=[FeatureSet.objects.get().job_id])
    one = f"{API}{made.json()['public_id']}/"
    made = owner_client.get(one)
    expected = {"width": 3, "seconds_per_row": 2.0, "made_by": "uploaded", "state": "done"}
    assert expected.items() <= made.json().items()
    assert [(one["recording"], one["rows"]) for one in made.json()["arrays"]] == [(uid, 5)]
    listed = owner_client.get(API, {"dataset": sample.public_id}).json()["results"]
    assert [row["public_id"] for row in listed] == [made.json()["public_id"]]
    body["name"] = "Bad"
    bad = owner_client.post(API, {**body, "files": SimpleUploadedFile("x.npy", npy(5, 3))})
    assert bad.status_code == 400
    [fault] = bad.json()["problems"]
    assert (fault["file"], fault["field"], fault["value"]) == ("x.npy", "recording", "'x'")
    late = owner_client.post(API, {**body, "files": SimpleUploadedFile(f"{uid}.npy", npy(5))})
    make_features(job_ids=[FeatureSet.objects.get(name="Bad").job_id])
    late = owner_client.get(f"{API}{late.json()['public_id']}/").json()
    assert late["state"] == "failed"
    assert late["notes"][0].startswith(f"{uid}.npy: shape is (5,); expected (T, d)")
    page = owner_client.get(f"/benchmarks/features/{late['public_id']}/").content.decode()
    assert "Why the files were refused" in page
    assert "Resume" not in page
    names = [row["name"] for row in owner_client.get(f"{API}extractors/").json()]
    assert names == ["colour-and-motion", "efficientnet-lite0"]


def test_the_command_imports_and_lists(sample, owner, tmp_path):
    [uid, *_] = uids(sample)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"{uid}.npy").write_bytes(npy(5, 3))
    said = StringIO()
    options = {"name": "Ours", "owner": owner.username, "stdout": said}
    call_command("features", "import", sample.name, str(tmp_path / "in"), **options)
    call_command("features", "list", stdout=said)
    found = FeatureSet.objects.get()
    assert {key: array.shape for key, array in arrays_of(found).items()} == {uid: (5, 3)}
    lines = said.getvalue().splitlines()
    assert lines[0] == lines[-1]
    assert lines[0].endswith(f"1 arrays of 3, 1 s per row, {found.content_hash}")
    (tmp_path / "in" / "alien.npy").write_bytes(npy(5, 3))
    with pytest.raises(CommandError, match=r"alien\.npy: recording is 'alien'"):
        call_command("features", "import", sample.name, str(tmp_path / "in"), name="Second")
