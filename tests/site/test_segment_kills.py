import json
import subprocess
import sys

from django.conf import settings

from tests.site.serving import site_environment

# Those of the session, and of the save its own.
FEWEST_STATEMENTS = 8


def test_a_kill_leaves_both_edges_of_a_cascade_or_none(tmp_path):
    """Killed after every single statement of the request, and sent again at the end."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.site.segment_kill_process"],
        cwd=settings.BASE_DIR,
        env=site_environment(tmp_path, has_redis=False),
        check=True,
        stdout=subprocess.PIPE,
    )
    told = json.loads(done.stdout)

    nothing = {"gestures": 0, "rows": 0, "torn": [], "twice": [], "unlike": []}
    *killed, whole = told["found"]
    assert len(killed) >= FEWEST_STATEMENTS
    assert killed == [{"killed": True, **nothing}] * len(killed)
    assert whole == {"killed": False, **nothing, "gestures": 1, "rows": 2}
    assert told["again"].startswith("200")
    assert told["count"] == {"gestures": 1, "rows": 2}
