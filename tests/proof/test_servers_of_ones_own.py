"""The form of `openai_videos` beside the newest vLLM-Omni and SGLang, read from their own sources.

Their packages bring gigabytes of what they run on, so the wheels are fetched without that and
nothing of them is imported.
"""

import ast
import re
import subprocess
import sys
import zipfile

import pytest

from generation.backends.video.providers.adapters.openai_videos import PROVIDER
from generation.backends.video.providers.provider import Offer, Order, contains_any

SERVERS = {
    "vllm-omni": (
        "vllm_omni/entrypoints/openai/",
        "_parse_video_form",
        {"prompt", "model", "seconds", "size", "input_reference", "image_reference"},
    ),
    "sglang": (
        "sglang/multimodal_gen/runtime/entrypoints/openai/",
        "create_video",
        {"prompt", "model", "seconds", "size", "input_reference"},
    ),
}


@pytest.fixture(scope="module", params=SERVERS)
def server(request, tmp_path_factory):
    """Return the sources of one server's requests, what its form is called, and what we send."""
    package = request.param
    folder, form, fields = SERVERS[package]
    wheels = tmp_path_factory.mktemp(package)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", package]
    subprocess.run(command, cwd=wheels, check=True)
    [wheel] = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        sources = [
            archive.read(name).decode()
            for name in archive.namelist()
            if name.startswith(folder) and name.endswith(".py")
        ]
    return sources, form, fields


def names_of_form(sources, form):
    functions = (
        node
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.AsyncFunctionDef) and node.name == form
    )
    return {argument.arg for function in functions for argument in function.args.args}


def test_fields_of_the_form_are_taken(server):
    sources, form, fields = server

    assert fields <= names_of_form(sources, form)


def test_states_and_words_are_those_that_the_server_uses(server):
    sources, _, _ = server
    text = "\n".join(sources)

    limits = PROVIDER.limits
    for word in ("queued", "completed", "failed"):
        assert word in limits.status.waiting | limits.status.done | limits.status.failed
        assert f'"{word}"' in text
    # A finished job whose file is not there yet.
    [words] = set(re.findall(r'status_code=404, detail="(Generation is [^"]*)"', text))
    assert contains_any(words, limits.errors.early_codes)
    assert '"/{video_id}/content"' in text or '"/v1/videos/{video_id}/content"' in text


def test_two_pictures_are_a_list_of_addresses_as_vllm_omni_reads_them(server):
    sources, _, fields = server
    if "image_reference" not in fields:
        return
    adapter = PROVIDER.fitted("film", "http://there", Offer(takes_last=True))
    order = Order("A cup falls.", 4, adapter.limits.sizes[0], b"first", b"last")

    pictures = ast.literal_eval(adapter.submission(order, "film").form["image_reference"])

    [reference] = [
        node
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef) and node.name == "UrlImageReference"
    ]
    names = {it.target.id for it in reference.body if isinstance(it, ast.AnnAssign)}
    assert [set(picture) for picture in pictures] == [names, names]
