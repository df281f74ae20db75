"""Makes an account and a filmed data set whose recording lies in a bucket, and launches its run.

    python -m tests.proof.separate_folders_process BUCKET FOLDER PASSWORD

Prints the ids of run and data set as JSON.
"""

import json
import sys
from pathlib import Path

import boto3
import django

django.setup()

from django.conf import settings

from annotation.models import Role, User
from annotation.services.videos.linking import link_videos
from generation.engine.stages import Stage
from generation.launch import launch_run
from tests.generation.filmed import SEED, film_dataset
from tests.generation.tea import request_for


def main(bucket, folder, password):
    owner = User.objects.create_superuser("owner", password=password, role=Role.ADMINISTRATOR)
    dataset = film_dataset(owner, folder)
    client = boto3.client("s3", endpoint_url=settings.VIDEO_STORAGE_URL, region_name="us-east-1")
    for path in folder.iterdir():
        client.upload_file(str(path), bucket, f"recordings/{path.name}")
        path.unlink()
    address = f"s3://{bucket}/recordings"
    link_videos(dataset=dataset, folder=address, pattern="{stem}.mp4")
    request = request_for(dataset, name="Filmed", seed=SEED, stages=list(Stage))
    run = launch_run(request=request, actor=owner)
    return {"run": run.public_id, "dataset": dataset.public_id}


if __name__ == "__main__":
    json.dump(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]), sys.stdout)
