"""What adapters send and read, beside the makers' own packages: fields, models, states, addresses.

Each maker's client sends the same order to the same fake server; what arrives must be what our
adapter sends, and the client must understand what the fake answers. So neither the adapter nor the
fake can stray from the published form, and what a maker deprecates or drops fails here. Kling
publishes no package.
"""

import inspect
import json
import re
import typing
import warnings

import openai
import openrouter
import pytest
import runwayml
import volcenginesdkarkruntime
from openai.resources.videos import Videos
from openai.types import Video, VideoCreateParams
from openrouter import components, sdkconfiguration
from openrouter.api_keys import APIKeys
from openrouter.video_generation import VideoGeneration
from runwayml.types import image_to_video_create_params, task_retrieve_response
from volcenginesdkarkruntime.resources.content_generation.tasks import Tasks
from volcenginesdkarkruntime.types.content_generation import content_generation_task

from generation.backends.server_text import data_url
from generation.backends.video.providers.adapters import openrouter as our_openrouter
from generation.backends.video.providers.adapters import runway
from generation.backends.video.providers.ordering import order_of
from generation.backends.video.providers.provider import Order
from tests.fakes.video_provider_server import API_KEY, DONE, JOB
from tests.generation.backends.video.providers.conftest import fitted

JPEG = b"\xff\xd8\xff-first"
LAST = b"\xff\xd8\xff-last"
GOES = re.compile(r"deprecat|shut down|sunset|retire", re.IGNORECASE)


def order_for(adapter, duration_s=8):
    limits = adapter.limits
    return Order(
        "A cup falls.",
        duration_s,
        limits.sizes[0],
        JPEG,
        LAST if limits.takes_last else None,
    )


def frames_of(order):
    return [
        (name, data_url(jpeg))
        for name, jpeg in (("first", order.first), ("last", order.last))
        if jpeg
    ]


def our_body(adapter, order, model):
    return adapter.submission(order, model).document


def words_in(annotation):
    """Return every word that a type allows."""
    if typing.get_origin(annotation) is typing.Literal:
        return set(typing.get_args(annotation))
    return set().union(*map(words_in, typing.get_args(annotation)))


def deprecations(thing, used=()):
    """Return the lines that say that a thing, or one of the words that we use of it, is to go.

    A line about a word in backticks is about that word alone.
    """
    lines = [line.strip() for line in inspect.getsource(thing).splitlines() if GOES.search(line)]
    about = {line: re.findall(r"- `([^`]+)`", line) for line in lines}
    return [line for line in lines if not about[line] or set(about[line]) & set(used)]


@pytest.fixture(autouse=True)
def no_deprecated_call():
    """Fail where a maker's client says that a call of ours is to go."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        yield


class TestRunway:
    @pytest.fixture
    def stage(self, stage_of):
        return stage_of("runway")

    @pytest.fixture
    def client(self, stage):
        return runwayml.RunwayML(api_key=API_KEY, base_url=stage.server.url, max_retries=0)

    def test_order_is_the_one_of_runways_client(self, stage, client):
        adapter = fitted("runway")
        order = order_for(adapter)

        client.image_to_video.create(
            model="gen4.5",
            prompt_text=order.prompt,
            prompt_image=[{"uri": uri, "position": name} for name, uri in frames_of(order)],
            ratio=order.size.word,
            duration=order.duration_s,
        )

        [theirs] = stage.server.submitted
        assert theirs.body == our_body(adapter, order, "gen4.5")
        assert theirs.headers["x-runway-version"] == runway.INTERFACE_VERSION
        assert client.base_url.host == "127.0.0.1"
        assert str(runwayml.RunwayML(api_key="k").base_url).rstrip("/") == adapter.usual_base_url

    @pytest.mark.parametrize("act", [{"do": "wait"}, {"do": "failed"}, {"do": "refused"}, DONE])
    def test_client_reads_the_answers_and_their_cost(self, stage, client, act):
        stage.server.polls = [act]

        task = client.tasks.retrieve(JOB)

        report = fitted("runway").report(task.model_dump(by_alias=True, mode="json"))
        assert report.cost == (None if act["do"] == "wait" else task.cost.credits)

    def test_states_are_those_of_the_package(self):
        kinds = typing.get_args(typing.get_args(task_retrieve_response.TaskRetrieveResponse)[0])
        words = {
            word for kind in kinds for word in words_in(kind.model_fields["status"].annotation)
        }

        status = runway._limits_of(runway.MODELS["gen4.5"]).status
        assert words == status.waiting | status.done | status.failed | status.cancelled

    def test_every_offered_model_exists_in_the_package(self):
        assert set(runway.MODELS) <= set(runway_models())
        assert not set(runway.PROVIDER.retired) & set(runway_models())

    @pytest.mark.parametrize("model", runway.MODELS)
    def test_order_of_a_model_has_its_fields_and_words(self, model):
        adapter = runway.PROVIDER.fitted(model, "", None)
        kind = runway_models()[model]
        fields = {
            alias_of(hint) or name: hint
            for name, hint in typing.get_type_hints(kind, include_extras=True).items()
        }

        last = LAST if adapter.limits.takes_last else None
        for size in adapter.limits.sizes:
            order = Order("A cup falls.", 5, size, JPEG, last)
            body = our_body(adapter, order, model)
            assert set(body) <= set(fields)
            for name, value in body.items():
                words = words_in(fields[name])
                is_word = isinstance(value, str) and name not in {"promptText"}
                assert not (is_word and words) or value in words, (name, value)
        needed = {name for name, hint in fields.items() if is_required(hint)}
        assert needed <= set(body)

    @pytest.mark.parametrize("model", runway.MODELS)
    def test_last_frame_and_lengths_are_as_the_package_says(self, model):
        adapter = runway.PROVIDER.fitted(model, "", None)
        kind = runway_models()[model]
        hints = typing.get_type_hints(kind, include_extras=True)
        positions = {
            word
            for item in dicts_in(hints["prompt_image"])
            for word in words_in_dict(item, "position")
        }
        lengths = {it for it in words_in(hints["duration"]) if isinstance(it, int)}
        range_s = range_said(kind)

        # Three models leave it to their docstring.
        if positions:
            assert ("last" in positions) == adapter.limits.takes_last
        else:
            assert "last" in inspect.getsource(kind)
        offered = set(map(int, adapter.limits.clips.offered_s))
        assert not lengths or offered == lengths
        assert not range_s or offered == set(range_s)

    @pytest.mark.parametrize("model", runway.MODELS)
    def test_no_used_word_is_deprecated(self, model):
        fixed = [str(value) for _, value in runway.MODELS[model].fixed]

        assert deprecations(runway_models()[model], used=[model, *fixed]) == []


def runway_models():
    kinds = typing.get_args(image_to_video_create_params.ImageToVideoCreateParams)
    hints = {kind: typing.get_type_hints(kind) for kind in kinds}
    return {typing.get_args(hint["model"])[0]: kind for kind, hint in hints.items()}


def alias_of(hint):
    """Return the name under which a field is sent, from what annotates its type."""
    if typing.get_origin(hint) is typing.Required:
        return alias_of(typing.get_args(hint)[0])
    return next(
        (it.alias for it in getattr(hint, "__metadata__", ()) if hasattr(it, "alias")), None
    )


def is_required(hint):
    return "Required[" in str(hint) and "NotRequired[" not in str(hint)


def dicts_in(annotation):
    """Return the typed dictionaries that a type holds."""
    if hasattr(annotation, "__required_keys__"):
        return [annotation]
    return [it for part in typing.get_args(annotation) for it in dicts_in(part)]


def words_in_dict(kind, name):
    hints = typing.get_type_hints(kind, include_extras=True)
    return words_in(hints[name]) if name in hints else set()


def range_said(kind):
    """Return the lengths that the docstring of `duration` names, none where it names none."""
    source = inspect.getsource(kind)
    about = source.partition("\n    duration:")[2].split('"""')[1:2]
    found = re.search(r"(?:from|between) (\d+) (?:to|and)\s+(\d+)", about[0] if about else "")
    return range(int(found[1]), int(found[2]) + 1) if found else range(0)


class TestOpenRouter:
    @pytest.fixture
    def stage(self, stage_of):
        return stage_of("openrouter")

    @pytest.fixture
    def client(self, stage):
        with openrouter.OpenRouter(api_key=API_KEY, server_url=stage.server.url) as client:
            yield client

    def test_order_is_the_one_of_openrouters_client(self, stage, client):
        adapter = fitted("openrouter")
        order = order_for(adapter)

        client.video_generation.generate(
            model="maker/film-2",
            prompt=order.prompt,
            duration=order.duration_s,
            aspect_ratio=order.size.word,
            resolution="720p",
            generate_audio=False,
            frame_images=[
                {"type": "image_url", "image_url": {"url": url}, "frame_type": f"{name}_frame"}
                for name, url in frames_of(order)
            ],
        )

        [theirs] = stage.server.submitted
        assert theirs.body == our_body(adapter, order, "maker/film-2")
        assert theirs.headers["authorization"] == f"Bearer {API_KEY}"

    @pytest.mark.parametrize("act", [{"do": "wait"}, {"do": "failed"}, DONE])
    def test_client_reads_the_answers_and_their_cost(self, stage, client, act):
        stage.server.polls = [act]

        job = client.video_generation.get_generation(job_id=JOB)

        report = fitted("openrouter").report(job.model_dump(mode="json"))
        assert report.cost is None or float(report.cost) == job.usage.cost
        assert (report.cost is not None) == (act is DONE)

    def test_client_reads_the_list_of_models(self, client):
        listed = client.video_generation.list_videos_models().data

        card = fitted("openrouter").card(
            {"data": [it.model_dump() for it in listed]}, "maker/film-2"
        )
        assert set(our_openrouter.KEPT) <= set(components.VideoModel.model_fields)
        assert card["supported_durations"] == [2, 3, 4, 5, 6, 7, 8]

    def test_package_downloads_from_the_same_address(self, stage, client):
        client.video_generation.get_video_content(job_id=JOB, index=0).read()

        path = fitted("openrouter").video({"id": JOB})
        assert [asked.path for asked in stage.server.asked] == [path]

    def test_package_reads_the_key_from_the_same_place(self, stage):
        source = inspect.getsource(APIKeys.get_current_key_metadata)

        assert f'path="{fitted("openrouter").free_path}"' in source

    def test_states_and_words_are_those_of_the_package(self):
        status = fitted("openrouter").limits.status
        states = components.videogenerationresponse.VideoGenerationResponseStatus
        frames = components.frameimage.FrameType
        resolutions = components.videogenerationrequest.VideoGenerationRequestResolution

        assert words_in(states) == status.waiting | status.done | status.failed | status.cancelled
        assert words_in(frames) == {"first_frame", "last_frame"}
        assert all(our_openrouter.side_of(word) for word in words_in(resolutions))
        assert sdkconfiguration.SERVERS["production"] == (fitted("openrouter").usual_base_url)

    @pytest.mark.parametrize(
        "thing",
        [
            components.VideoGenerationRequest,
            components.VideoGenerationResponse,
            components.VideoGenerationUsage,
            components.VideoModel,
            components.FrameImage,
            VideoGeneration.generate,
            VideoGeneration.get_generation,
            VideoGeneration.list_videos_models,
        ],
    )
    def test_no_used_word_is_deprecated(self, thing):
        assert deprecations(thing) == []


class TestSeedance:
    @pytest.fixture
    def stage(self, stage_of):
        return stage_of("seedance")

    @pytest.fixture
    def client(self, stage):
        return volcenginesdkarkruntime.Ark(
            api_key=API_KEY, base_url=stage.server.url, max_retries=0
        )

    def test_order_is_the_one_of_the_ark_client(self, stage, client):
        adapter = fitted("seedance")
        order = order_for(adapter)

        client.content_generation.tasks.create(
            model="seedance-1-0-pro-250528",
            content=[
                {"type": "text", "text": order.prompt},
                *(
                    {"type": "image_url", "image_url": {"url": url}, "role": f"{name}_frame"}
                    for name, url in frames_of(order)
                ),
            ],
            resolution="720p",
            ratio="adaptive",
            duration=order.duration_s,
            generate_audio=False,
            watermark=False,
        )

        [theirs] = stage.server.submitted
        # Their client writes null for what is not said.
        said = {name: value for name, value in theirs.body.items() if value is not None}
        assert said == our_body(adapter, order, "seedance-1-0-pro-250528")
        assert theirs.headers["authorization"] == f"Bearer {API_KEY}"

    @pytest.mark.parametrize("act", [{"do": "wait"}, {"do": "failed"}, DONE])
    def test_client_reads_the_answers_and_their_cost(self, stage, client, act):
        stage.server.polls = [act]

        task = client.content_generation.tasks.get(task_id=JOB)

        tokens = task.usage.completion_tokens if act is DONE else None
        answer = {"status": task.status}
        if act is DONE:
            answer |= {
                "usage": {"completion_tokens": tokens},
                "content": {"video_url": task.content.video_url},
            }
        assert fitted("seedance").report(answer).cost == tokens

    def test_states_are_those_that_the_package_names(self):
        status = fitted("seedance").limits.status
        said = inspect.getsource(content_generation_task)
        [words] = re.findall(r"status of the task \(([^)]+)\)", said)

        ours = status.waiting | status.done | status.failed | status.cancelled
        assert set(words.split(", ")) <= ours

    @pytest.mark.parametrize("thing", [Tasks.create, Tasks.get, content_generation_task])
    def test_no_used_word_is_deprecated(self, thing):
        assert deprecations(thing) == []


class TestServersOfOnesOwn:
    """OpenAI's package for the form alone: its own service of that form is gone."""

    @pytest.fixture
    def stage(self, stage_of):
        return stage_of("openai_videos")

    @pytest.fixture
    def client(self, stage):
        return openai.OpenAI(api_key=API_KEY, base_url=stage.server.url, max_retries=0)

    @pytest.mark.filterwarnings("ignore:The Sora API:DeprecationWarning")
    def test_order_is_the_one_of_openais_client(self, stage, client, tmp_path):
        request = stage.request(duration_s=2.0)
        order = order_of(request, fitted("openai_videos").limits)
        stage.backend().make_clip(request, tmp_path / "clip.mp4")

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            client.videos.create(
                prompt=order.prompt,
                model="film",
                seconds=str(order.duration_s),
                size=order.size.word,
                input_reference=("first.jpg", order.first, "image/jpeg"),
            )

        ours, theirs = stage.server.submitted
        assert ours.body == theirs.body

    def test_states_and_fields_are_those_of_the_package(self):
        status = fitted("openai_videos").limits.status
        taken = typing.get_type_hints(VideoCreateParams)

        assert words_in(Video.model_fields["status"].annotation) == (
            status.waiting | status.done | status.failed
        )
        assert {"prompt", "model", "seconds", "size", "input_reference"} <= set(taken)

    def test_last_frame_goes_out_as_a_list_of_two_pictures(self):
        adapter = fitted("openai_videos").fitted(
            "film", "http://there.example", offer_with_last_frame()
        )

        form = adapter.submission(order_for(adapter), "film").form

        assert "input_reference" not in form
        assert json.loads(form["image_reference"]) == [
            {"image_url": data_url(JPEG)},
            {"image_url": data_url(LAST)},
        ]

    def test_deprecation_of_sora_is_recognised(self):
        assert any("September 24, 2026" in line for line in deprecations(Videos))


def offer_with_last_frame():
    return type(fitted("openai_videos").offer)(takes_last=True)
