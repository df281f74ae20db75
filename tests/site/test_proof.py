"""`make test` leaves out what takes minutes, and `make proof` finds it."""

import subprocess
import sys

from django.conf import settings

# Every folder but that one: collecting all tests would take long to say the same.
OTHER_FOLDERS = "tests/[!p]*"
ONE_PROOF = "tests/proof/test_kills_in_runs.py"


def test_slow_proofs_are_run_by_their_name_only():
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    options = {"cwd": settings.BASE_DIR, "capture_output": True, "text": True, "check": False}

    as_in_test = subprocess.run([*command, f"--ignore-glob={OTHER_FOLDERS}"], **options).stdout
    as_in_proof = subprocess.run([*command, "-m", "proof", ONE_PROOF], **options).stdout

    assert "tests/proof/" not in as_in_test
    assert ONE_PROOF in as_in_proof
