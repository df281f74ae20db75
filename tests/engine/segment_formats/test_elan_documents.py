"""Documents for ELAN: valid by its schema, read and saved again by another reader of the format.

The schema is that of EAF 3.0 by the Max Planck Institute for Psycholinguistics, as the sources of
pympi-ling 1.71 have it.
"""

from dataclasses import replace
from pathlib import Path

import pympi
import pytest
import xmlschema

from annotation.engine.segment_formats.exchange import SegmentFile, Settings, segment_formats
from tests.engine.segment_formats.test_round_trips import overlapping, random_file

SCHEMA = Path(__file__).parent / "EAFv3.0.xsd"
ELAN = segment_formats()["elan"]


@pytest.fixture(scope="module")
def schema():
    return xmlschema.XMLSchema(SCHEMA)


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
