"""Features in a browser: refused, uploaded, made of videos, read."""

import numpy as np
import pytest
from celery import current_app
from django.urls import reverse
from playwright.sync_api import Page

from annotation.models import Trace
from benchmarks.models import FeatureSet
from benchmarks.services.feature_work import make_features
from tests.e2e.site import enter
from tests.e2e.test_benchmark_pages import filmed, look, researcher  # noqa: F401

pytestmark = pytest.mark.e2e


def test_features_are_uploaded_and_made(
    page: Page,
    live_server,
    researcher,  # noqa: F811
    filmed,  # noqa: F811
    tmp_path,
    monkeypatch,
):
    monkeypatch.setattr(current_app, "send_task", lambda name, args: None)
    # Two recordings are enough.
    kept = Trace.objects.filter(dataset=filmed).order_by("pk")[:2].values_list("pk", flat=True)
    filmed.takes.update(video=None, video_stem="")
    Trace.objects.exclude(pk__in=list(kept)).update(video=None, video_stem="")
    uid = Trace.objects.get(pk=kept[0]).uid
    enter(page, live_server, researcher)
    page.goto(live_server.url + reverse("dataset-detail", args=[filmed.public_id]))
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Features of its recordings").click()

    upload = page.get_by_role("region", name="Upload")
    np.save(tmp_path / f"{uid}.npy", np.ones((5, 8)))
    np.save(tmp_path / "alien.npy", np.ones((5, 8)))
    upload.get_by_label("Name").fill("Ours")
    upload.get_by_label("Files").set_input_files([tmp_path / f"{uid}.npy", tmp_path / "alien.npy"])
    upload.get_by_role("button", name="Upload").click()
    assert "alien.npy: recording is 'alien'" in page.get_by_role("alert").inner_text()
    problems = look(page, "features-refused")
    upload.get_by_label("Files").set_input_files(tmp_path / f"{uid}.npy")
    upload.get_by_role("button", name="Upload").click()
    page.get_by_role("button", name="Cancel").wait_for()
    make_features(job_ids=[FeatureSet.objects.get(name="Ours").job_id])
    # The page asks for itself again until the files are read.
    page.get_by_role("heading", name="Is a row really 1 s?").wait_for()
    problems += look(page, "features-uploaded")

    page.goto(f"{live_server.url}{reverse('feature-sets')}?dataset={filmed.public_id}")
    make = page.get_by_role("region", name="Make from linked videos")
    make.get_by_label("Name").fill("Plain")
    make.get_by_role("button", name="Make them").click()
    page.get_by_role("button", name="Cancel").wait_for()
    make_features(job_ids=[FeatureSet.objects.get(name="Plain").job_id])
    # The page asks for itself again while it waits.
    page.get_by_text("SHA-256").wait_for()
    assert page.get_by_role("button", name="Cancel").count() == 0
    assert page.get_by_role("row", name=uid).is_visible()
    problems += look(page, "features-made")
    page.goto(live_server.url + reverse("feature-sets"))
    problems += look(page, "features-list")
    assert problems == []
