import pytest

from generation.engine.prompting import prompt as prompts
from generation.engine.prompting.prompt import FOLDER, PromptFileError, render

SCHEMA = {"type": "object"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(prompts, "FOLDER", tmp_path)
    prompts._parts.cache_clear()
    yield tmp_path
    prompts._parts.cache_clear()


def test_rendered_prompt_has_both_parts_and_its_version(folder):
    (folder / "tea.v2.md").write_text("# System\n\nBe brief.\n\n# Prompt\n\nSteps: ${steps}\n")

    rendered = render("tea.v2", SCHEMA, steps="Boil")

    assert (rendered.system, rendered.text) == ("Be brief.", "Steps: Boil")
    assert (rendered.version, rendered.schema) == ("tea.v2", SCHEMA)


def test_placeholders_in_values_are_not_filled(folder):
    (folder / "tea.v1.md").write_text("# System\n\n# Prompt\n\n${steps}")

    assert render("tea.v1", SCHEMA, steps="Pay $5 or ${all}").text == "Pay $5 or ${all}"


def test_place_without_a_value_is_an_error(folder):
    (folder / "tea.v1.md").write_text("# System\n\n# Prompt\n\n${steps} ${plan}")

    with pytest.raises(KeyError, match="plan"):
        render("tea.v1", SCHEMA, steps="Boil")


def test_file_without_its_headings_is_refused(folder):
    (folder / "tea.v1.md").write_text("Steps: ${steps}")

    with pytest.raises(PromptFileError, match=r"tea\.v1\.md: expected the headings"):
        render("tea.v1", SCHEMA, steps="Boil")


def test_every_prompt_file_is_read():
    for path in FOLDER.glob("*.md"):
        system, body = prompts._parts(path.stem)
        assert system
        assert body
