"""Documents for ELAN: valid by its schema, read and saved again by another reader of the format.

The schema is that of EAF 3.0 by the Max Planck Institute for Psycholinguistics. It names no
licence, so it is not kept here: the source archive of pympi-ling has it, which pip gets once.
"""

import os
import subprocess
import sys
import tarfile
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pympi
import pytest
import xmlschema

from segments.formats.exchange import SegmentFile, Settings, segment_formats
from tests.segments.formats.test_round_trips import overlapping, random_file

# Beside the caches of other tools, and like them known to git's list of what to leave out.
KEPT = Path(__file__).parents[3] / "var" / "tests" / "EAFv3.0.xsd"
GET_LIMIT_S = 120
ELAN = segment_formats()["elan"]


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    if not KEPT.exists():
        _get_schema(tmp_path_factory.mktemp("pympi"))
    return xmlschema.XMLSchema(KEPT)


def _get_schema(folder):
    """Keep the schema; skips where no package index can be reached."""
    archive = f"pympi-ling=={version('pympi-ling')}"
    get = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", "pympi-ling"]
    command = [*get, "--dest", str(folder), archive]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GET_LIMIT_S, check=False)
    if done.returncode:
        pytest.skip(f"no schema of EAF: {archive} could not be had ({done.stderr.strip()[-200:]})")
    [source] = folder.glob("*.tar.gz")
    with tarfile.open(source) as held:
        name = next(item for item in held.getnames() if item.endswith(KEPT.name))
        content = held.extractfile(name).read()
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    draft = KEPT.with_suffix(f".{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(KEPT)


def faults(schema, path):
    return [str(error.reason) for error in schema.iter_errors(str(path))]


@pytest.mark.parametrize("seed", range(5))
def test_documents_are_valid_before_and_after_another_program_saved_them(seed, schema, tmp_path):
    for place, recording in enumerate([*random_file(seed).recordings, overlapping()]):
        path, saved = tmp_path / f"{place}.eaf", tmp_path / f"{place}-saved.eaf"
        path.write_text(ELAN.write(SegmentFile((recording,)), Settings()).text)

        document = pympi.Eaf(str(path))
        document.to_file(str(saved))

        assert faults(schema, path) == []
        assert faults(schema, saved) == []
        # What another program saved is still all there.
        assert ELAN.read(saved, Settings()).recordings == ELAN.read(path, Settings()).recordings
        timed = [item for item in recording.shown if item.start_s is not None]
        tracks = {item.track for item in timed}
        found = [
            annotation
            for name in document.get_tier_names()
            if name.partition("-")[0] in tracks and "." not in name
            for annotation in document.get_annotation_data_for_tier(name)
        ]
        assert len(found) == len(timed)


def test_the_schema_would_tell_a_fault(schema, tmp_path):
    path = tmp_path / "wrong.eaf"
    text = ELAN.write(SegmentFile((replace(overlapping(), annotator="p8"),)), Settings()).text
    path.write_text(text.replace('TIME_SLOT_REF1="ts1"', 'TIME_SLOT_REF1="ts999"'))

    assert any("ts999" in fault for fault in faults(schema, path))
