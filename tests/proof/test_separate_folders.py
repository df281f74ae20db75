"""Two web servers, each with workers, share PostgreSQL, Redis and a bucket, and no folder.

All of them are processes of their own; `tests/site/separate_folders` goes through the single works.
"""

import json
import os
import subprocess
import sys
import uuid
from contextlib import ExitStack, closing

from tests.annotation.egooops_folder import write_egooops
from tests.fakes.s3_server import REGION, running_server
from tests.migrated import REPOSITORY
from tests.proof.test_kills_on_other_ways import redis_server
from tests.proof.test_waiting_takes import PASSWORD, postgresql
from tests.site.serving import logged_in, serving, site_environment, wait_until


def form_of(client, page):
    """The token of a page's forms."""
    text = client.get(page).text
    return text.split('name="csrfmiddlewaretoken" value="', 1)[1].split('"', 1)[0]


def counts_of(client, ingest):
    counts = client.get(ingest).json()["counts"]
    return {state: count for state, count in counts.items() if count}


def test_two_sites_share_a_database_and_a_bucket_and_no_folder(tmp_path):
    (tmp_path / "files").mkdir()
    metadata = write_egooops(tmp_path / "files") / "meta" / "metadata.json"
    with ExitStack() as parts:
        storage = parts.enter_context(running_server())
        bucket = f"piev-{uuid.uuid4().hex}"
        storage.client().create_bucket(Bucket=bucket)
        common = {
            "DATABASE_URL": parts.enter_context(postgresql()),
            "REDIS_URL": parts.enter_context(redis_server(tmp_path)),
            "VIDEO_STORAGE_URL": storage.endpoint_url,
            "VIDEO_STORAGE_REGION": REGION,
            "MADE_FILES": f"s3://{bucket}/made",
            "AWS_ACCESS_KEY_ID": storage.writer.access_key,
            "AWS_SECRET_ACCESS_KEY": storage.writer.secret_key,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }
        machines = [tmp_path / name for name in ("one", "two")]
        environments = [site_environment(folder, has_tables=False, **common) for folder in machines]
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=REPOSITORY, env=environments[0], check=True)
        sites = [
            parts.enter_context(serving(environment, log=folder / "log"))
            for environment, folder in zip(environments, machines, strict=True)
        ]
        prepare = [sys.executable, "-m", "tests.proof.separate_folders_process"]
        prepare += [bucket, str(tmp_path / "recordings"), PASSWORD]
        done = subprocess.run(
            prepare, cwd=REPOSITORY, env=environments[0], check=True, stdout=subprocess.PIPE
        )
        run = f"api/v1/runs/{json.loads(done.stdout)['run']}"
        one, two = [
            parts.enter_context(closing(logged_in(site.url, "owner", PASSWORD))) for site in sites
        ]

        # Uploaded to one, looked at and confirmed at the other.
        fields = {"name": "Tea of two", "format": "egooops"}
        fields["csrfmiddlewaretoken"] = form_of(one, "datasets/import/")
        with metadata.open("rb") as file:
            preview = one.post("datasets/import/", data=fields, files={"uploads": file}).url.path
        confirm = {"csrfmiddlewaretoken": form_of(two, preview)}
        assert "Tea of two" in two.get(preview).text
        two.post(f"{preview}confirm/", data=confirm)
        assert "Tea of two" in one.get("datasets/").text
        assert one.get(preview).status_code == 404

        # Written, cut, spliced and ingested by whoever is free, and seen everywhere.
        wait_until(lambda: two.get(f"{run}/").json()["progress"]["is_finished"])
        assert two.get(f"{run}/").json()["progress"]["failed_count"] == 0
        file = f"{run.removeprefix('api/v1/')}/takes/0/video/file/"
        films = [client.get(file) for client in (one, two)]
        published = one.get("api/v1/datasets/").json()["results"]
        made = next(row for row in published if row["name"] == "Filmed")
        ingest = f"api/v1/datasets/{made['id']}/ingest/"
        at_work = {"waiting", "being made"}
        wait_until(lambda: not at_work & set(counts_of(two, ingest)))
        ingested = counts_of(one, ingest)

    assert ingested in ({"as it is": 1}, {"proxy made": 1})
    assert [film.status_code for film in films] == [200, 200]
    assert films[0].content == films[1].content
    assert films[0].content[4:8] == b"ftyp"
    for folder in machines:
        media = folder / "state" / "media"
        files = [path.relative_to(media) for path in media.rglob("*") if path.is_file()]
        assert [str(path) for path in files if path.parts[0] != ".fetched-videos"] == []
