import shutil

from annotation.engine.corpus.formats.folders import files_in, files_named, files_under
from tests.vanishing import done_before_listing


def test_files_below_a_folder_are_listed_in_order(tmp_path):
    for name in ("b/two.csv", "a.csv", "b/a/one.CSV", "b/a/one.csv.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "dead.csv").symlink_to("nowhere")

    names = [str(path.relative_to(tmp_path)) for path in files_in(tmp_path)]

    assert names == ["a.csv", "b/a/one.CSV", "b/a/one.csv.json", "b/two.csv"]
    assert [path.name for path in files_under(tmp_path, ".csv")] == ["a.csv", "two.csv"]
    assert files_named(tmp_path, "two.csv") == [tmp_path / "b" / "two.csv"]
    assert files_in(tmp_path / "nowhere") == files_in(tmp_path / "a.csv") == []


def test_folder_that_goes_meanwhile_is_left_out(tmp_path):
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "a.csv").touch()
    (tmp_path / "stays.csv").touch()

    with done_before_listing(tmp_path / "gone", lambda: shutil.rmtree(tmp_path / "gone")):
        listed = files_under(tmp_path, ".csv")

    assert listed == [tmp_path / "stays.csv"]
