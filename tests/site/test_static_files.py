"""Modules get hashed names, and so does what they import."""

import re

import pytest
from django.core.files.base import ContentFile

from piev_site.static_files import ModuleManifestStorage

FOLDER = "annotation/js"
IMPORTED = re.compile(r'from "\./([^"]+)"')


@pytest.fixture
def store(tmp_path):
    """Return what stores {name: content} and returns {name: (hashed name, content)}."""

    def store(files):
        storage = ModuleManifestStorage(location=tmp_path, base_url="/static/")
        paths = {f"{FOLDER}/{name}": (storage, f"{FOLDER}/{name}") for name in files}
        for name, content in files.items():
            storage.delete(f"{FOLDER}/{name}")
            storage.save(f"{FOLDER}/{name}", ContentFile(content))
        for *_, processed in storage.post_process(paths):
            if isinstance(processed, Exception):
                raise processed
        hashed = {name: storage.hashed_files[f"{FOLDER}/{name}"] for name in files}
        return {
            name: (path.removeprefix(f"{FOLDER}/"), (tmp_path / path).read_text())
            for name, path in hashed.items()
        }

    return store


def test_a_module_imports_others_by_their_hashed_names(store):
    stored = store(
        {
            "page.js": 'import { play } from "./player.js";\nplay();\n',
            "player.js": 'import {\n  Timeline,\n} from "./timeline.js";\nexport const play = 1;\n',
            "timeline.js": "export class Timeline {}\n",
        }
    )

    assert IMPORTED.findall(stored["page.js"][1]) == [stored["player.js"][0]]
    assert IMPORTED.findall(stored["player.js"][1]) == [stored["timeline.js"][0]]
    assert re.fullmatch(r"timeline\.[0-9a-f]{12}\.js", stored["timeline.js"][0])


def test_a_changed_module_changes_the_name_of_all_that_import_it(store):
    page = 'import { play } from "./player.js";\n'

    before = store({"page.js": page, "player.js": "export const play = 1;\n"})
    after = store({"page.js": page, "player.js": "export const play = 2;\n"})

    assert before["page.js"][0] != after["page.js"][0]
