"""Which format files are of, told by the files alone."""

from pathlib import Path

import pytest

import sample
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import fitting_formats, recognised_format
from tests.annotation.egooops_folder import write_egooops

SAMPLE = Path(sample.__file__).with_name("corpus.json")


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("egooops", "egooops"),
        ("egooops/meta/metadata.json", "egooops"),
        ("captaincook4d", "captaincook4d"),
        ("captaincook4d/annotation_json/error_annotations.json", "captaincook4d"),
        ("assembly101", "assembly101"),
        ("piev", "piev"),
        ("piev/split_50_rebuilt.json", "egoexo4d"),
        ("piev/PIE-V_Annotation_Template.xlsx", "template"),
    ],
)
def test_published_files_fit_one_format(shared_data, place, name):
    assert [item.name for item in fitting_formats(shared_data / place)] == [name]


def test_sample_corpus_and_a_folder_are_recognised(tmp_path):
    assert recognised_format(SAMPLE).name == "native"
    assert recognised_format(write_egooops(tmp_path)).name == "egooops"


def test_files_of_no_format_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "notes.json").write_text("{}")

    with pytest.raises(FormatError, match=r"No format can read these files\."):
        recognised_format(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.json", b'{"videos": [', r"^a\.json, line 1 column 13: ''; expected JSON \("),
        ("b.csv", b"1,2\n3,\xe9", r"^b\.csv, byte 6: b'\\xe9'; expected text in UTF-8$"),
    ],
)
def test_a_file_that_no_format_could_read_is_named_with_its_fault(tmp_path, name, content, fault):
    (tmp_path / name).write_bytes(content)

    for path in (tmp_path, tmp_path / name):
        with pytest.raises(FormatError, match=fault):
            recognised_format(path)
