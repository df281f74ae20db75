"""What the new check finds is on the page, in the API and in the report of the command."""

import csv
from io import StringIO

from django.core.management import call_command
from django.urls import reverse
from rest_framework.test import APIClient

from generation.models import JudgeFinding
from generation.services.run_work import work_on_takes


def test_finding_is_shown_wherever_findings_are(full_run, owner, owner_client):
    work_on_takes(job_ids=[take.job_id for take in full_run.run_takes.all()])
    finding = JudgeFinding.objects.filter(code="FEW_WORDS", is_left=True).first()
    row = finding.judgement.run_take
    api = APIClient()
    api.force_authenticate(owner)

    page = owner_client.get(reverse("take-text", args=[full_run.public_id, row.position]))
    counts = api.get(f"/api/v1/runs/{full_run.public_id}/findings/").json()

    shown = [item.code for line in page.context["text"].final.rows for item in line.findings]
    assert "FEW_WORDS" in shown
    assert "told in few words" in page.content.decode()
    [counted] = [item for item in counts if item["code"] == "FEW_WORDS"]
    assert (counted["severity"], counted["left_count"] > 0) == ("soft", True)


def test_command_reports_it(tea_dataset, tmp_path):
    written, report = tmp_path / "text.json", tmp_path / "report.csv"
    silent = {"stdout": StringIO(), "stderr": StringIO()}
    call_command("plan", "Tea", "--seed", "7", "--out", str(tmp_path / "plan.json"), **silent)
    call_command("write", str(tmp_path / "plan.json"), "--out", str(written), **silent)

    call_command(
        "judge", str(tmp_path / "plan.json"), str(written),
        "--out", str(tmp_path / "judged.json"), "--report", str(report), **silent,
    )  # fmt: skip

    with report.open(newline="") as lines:
        assert "FEW_WORDS" in {row["code"] for row in csv.DictReader(lines)}
