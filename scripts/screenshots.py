"""Take the pictures of docs/pictures/ from a demo site that is made for them and thrown away.

    make screenshots
    python scripts/screenshots.py --only audit --only audit-wide

Needs one of the browsers that `make test` installs: they play H.264, which Playwright's own build
does not.
"""

import argparse
import io
import json
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from demo_site import PASSWORD, REPOSITORY, demo_site
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.backends.a2a.participant import participant_app, participant_card
from benchmarks.engine.tasks.guide.items import PREDICTED
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.sample_answers import PLANNER

PICTURES = REPOSITORY / "docs" / "pictures"
BROWSERS = ("chromium-headless-shell", "chromium")
DESK, WIDE = (1280, 800), (1920, 1080)
MAX_PICTURE_BYTES = 200_000
# Tried in this order until a picture is small enough.
PALETTE_SIZES = (128, 64)
# HTMLMediaElement.HAVE_ENOUGH_DATA
ENOUGH_DATA = 4
PAGE_TIMEOUT_MS = 60_000

SCENARIO = "Make pour-over coffee"
EVENT = "Mistake 2"
WATCHED_MS = 3000
# Typed, implied and open questions beside each other: Procedure Logic "no" implies two more.
ANSWERS = (
    ("error_validity", "yes"),
    ("human_plausibility", "4"),
    ("confusability", "2"),
    ("procedure_logic", "no"),
    ("procedure_logic-confidence", "3"),
)
RUN_SEED = 79
RUN_DATASET = "Everyday procedures (sample)"

# A recording in which cocoa goes where coffee should, and what a good assistant says when.
GUIDED = "kitchen_coffee_1_a"
GUIDED_STEPS = (
    "Fill and switch on the kettle",
    "Set the dripper on the mug",
    "Put a paper filter in the dripper",
    "Add two scoops of ground coffee",
    "Pour water over the grounds",
    "Serve the coffee",
)
GUIDANCE = {
    0.0: "Begin with the kettle: fill it and switch it on.",
    6.0: "Good. Now get a mug and set the dripper on it.",
    10.0: "Next: a paper filter goes into the dripper.",
    14.0: "Stop, that is cocoa. Tip it out and add two scoops of ground coffee.",
    18.0: "Right. Now pour a little water and let the grounds swell.",
}
SETTLED_MS = 1500
NEWLINE = "\n"

TEA = {
    "format": "piev-corpus",
    "version": 1,
    "takes": [
        {
            "uid": "tea-01",
            "name": "Tea, first recording",
            "scenario": "Make tea",
            "video_stem": "tea_01",
            "steps": [
                {"text": "Boil the water", "start_s": 0.0, "end_s": 4.0},
                {"text": "Put a tea bag in the mug", "start_s": 4.0, "end_s": 6.5},
                {"text": "Pour the water into the mug", "start_s": 6.5, "end_s": 9.0},
            ],
        }
    ],
    "traces": [
        {
            "uid": "tea-01-a",
            "name": "Tea, water forgotten",
            "take_uid": "tea-01",
            "events": [{"event_id": "E01", "kind": "mistake", "proposed_type": "D"}],
            "steps": [
                {"mod": "d", "text": "", "reference_index": 0, "event_id": "E01"},
                {"mod": "u", "text": "Put a tea bag in the mug", "reference_index": 1},
                {"mod": "u", "text": "Pour the water into the mug", "reference_index": 2},
            ],
        }
    ],
}


def bad_tea() -> dict[str, object]:
    """Return the tea with three slips: an empty text, a time that runs back, an unknown mark."""
    tea = json.loads(json.dumps(TEA))
    tea["takes"][0]["steps"][1]["text"] = ""
    tea["takes"][0]["steps"][2]["end_s"] = 2.0
    tea["traces"][0]["steps"][1]["mod"] = "x"
    return tea


@dataclass(frozen=True, slots=True)
class Site:
    """The running demo site and the browser to look at it with."""

    url: str
    browser: Browser

    @contextmanager
    def page_of(self, account: str, size: tuple[int, int] = DESK) -> Iterator[Page]:
        """Open a window in which `account` is logged in, with the page after the login."""
        viewport = {"width": size[0], "height": size[1]}
        context = self.browser.new_context(base_url=self.url, viewport=viewport, locale="en")
        context.set_default_timeout(PAGE_TIMEOUT_MS)
        page = context.new_page()
        page.goto("/login/")
        page.get_by_label("Username").fill(account)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(lambda url: "/login/" not in url)
        yield page
        context.close()


def save(page: Page, name: str, *, is_pointing: bool = False) -> None:
    """Write what the window shows as a PNG with a palette, small enough for the repository."""
    page.evaluate("document.fonts.ready")
    if not is_pointing:
        page.mouse.move(0, 0)
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide")))
    for colours in PALETTE_SIZES:
        small = picture.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
        written = io.BytesIO()
        small.save(written, "PNG", optimize=True)
        if len(written.getvalue()) <= MAX_PICTURE_BYTES:
            break
    else:
        raise SystemExit(f"{name}.png is larger than {MAX_PICTURE_BYTES:,} bytes")
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.png").write_bytes(written.getvalue())
    print(f"{name}.png  {len(written.getvalue()):,} bytes, {colours} colours")


def open_trace(page: Page) -> None:
    """Open the rater's first trace of the chosen scenario."""
    assignments = page.request.get("/api/v1/assignments/").json()["results"]
    for assignment in assignments:
        page.goto(f"/audit/{assignment['id']}/")
        if SCENARIO in page.locator(".crumb").inner_text():
            page.wait_for_selector("html[data-ready=true]", state="attached")
            return
    raise SystemExit(f"no trace of {SCENARIO!r} in the queue")


def show_moment(page: Page) -> None:
    """Choose the event and stop both recordings in the middle of it."""
    page.locator(".events .chip", has_text=EVENT).click()
    page.keyboard.press("l")
    page.wait_for_timeout(WATCHED_MS)
    page.keyboard.press("k")
    page.locator(".events .chip", has_text=EVENT).click()
    row = page.locator("tr.mistake[aria-current=true], tr.mistake.current").first
    number = row.get_attribute("data-row")
    page.locator(f"[data-side=trace] .strip [data-row='{number}']").click()
    wait_for_videos(page)


def wait_for_videos(page: Page) -> None:
    for side in ("reference", "trace"):
        video = page.locator(f"[data-side={side}] video")
        expect(video).to_have_js_property("readyState", ENOUGH_DATA)
        expect(video).to_have_js_property("seeking", False)


def rate(page: Page) -> None:
    for name, value in ANSWERS:
        page.locator(f"input[name='{name}'][value='{value}']").locator("..").click()
    expect(page.locator("#save-state")).to_have_attribute("data-state", "saved")
    expect(page.locator("[data-metric=state_change_coherence].implied")).to_be_visible()
    page.locator("[data-metric=procedure_logic]").evaluate("card => card.scrollIntoView()")


def take_audit(site: Site) -> None:
    with site.page_of("annotator") as page:
        open_trace(page)
        show_moment(page)
        rate(page)
        save(page, "audit")
    with site.page_of("researcher") as page:
        page.goto("/campaigns/")
        page.get_by_role("link", name="Try it yourself").click()
        page.get_by_role("link", name="Agreement", exact=True).click()
        page.get_by_role("heading", name="Watched before answering").scroll_into_view_if_needed()
        page.mouse.wheel(0, 10_000)
        page.wait_for_timeout(200)
        save(page, "viewing")


def take_audit_wide(site: Site) -> None:
    with site.page_of("annotator", WIDE) as page:
        open_trace(page)
        show_moment(page)
        rate(page)
        save(page, "audit-wide")


def take_keys(site: Site) -> None:
    with site.page_of("annotator") as page:
        open_trace(page)
        show_moment(page)
        page.keyboard.press("?")
        expect(page.locator("#keys-dialog")).to_be_visible()
        save(page, "keys")


def take_strips(site: Site) -> None:
    """Show both strips while one side waits, with the picture under the pointer."""
    with site.page_of("annotator") as page:
        open_trace(page)
        page.keyboard.press("l")
        page.wait_for_timeout(WATCHED_MS)
        page.keyboard.press("k")
        page.locator(".events .chip", has_text="Mistake 1").click()
        strip = page.locator("[data-side=reference] .strip").bounding_box()
        if strip is None:
            raise SystemExit("the reference has no strip")
        page.mouse.move(strip["x"] + strip["width"] * 0.8, strip["y"] + 8)
        expect(page.locator("[data-side=reference] .thumbnail")).to_be_visible()
        page.wait_for_load_state("networkidle")
        save(page, "strips", is_pointing=True)


def take_queue(site: Site) -> None:
    with site.page_of("annotator") as page:
        page.goto("/queue/")
        save(page, "queue")


def preview(page: Page, corpus: object, file_name: str) -> None:
    page.goto("/datasets/import/")
    page.get_by_label("Name of the data set").fill("Tea")
    page.get_by_label("Format", exact=True).select_option("native")
    content = json.dumps(corpus).encode()
    page.get_by_label("Files", exact=True).set_input_files(
        {"name": file_name, "mimeType": "application/json", "buffer": content}
    )
    page.get_by_role("button", name="Preview").click()
    page.wait_for_url(re.compile(r"/datasets/import/.+"))


def take_previews(site: Site) -> None:
    pictures = (
        (TEA, "tea.json", "dataset-import-preview"),
        (bad_tea(), "tea-with-slips.json", "dataset-import-problems"),
    )
    with site.page_of("researcher") as page:
        for corpus, file_name, picture in pictures:
            preview(page, corpus, file_name)
            save(page, picture)
            page.get_by_role("button", name="Discard").click()


def take_upload(site: Site) -> None:
    with site.page_of("researcher") as page:
        preview(page, TEA, "tea.json")
        page.get_by_role("button", name="Import", exact=True).click()
        page.wait_for_url(re.compile(r"/datasets/(?!import)"))
        # What is in them is read once they are sent.
        files = [
            {"name": name, "mimeType": "video/mp4", "buffer": bytes(size)}
            for name, size in (("tea_01.mp4", 31_400_000), ("second camera.mp4", 850_000))
        ]
        page.get_by_label("Video files").set_input_files(files)
        page.locator("#videos").evaluate("section => section.scrollIntoView()")
        save(page, "video-upload")


def take_dataset(site: Site) -> None:
    with site.page_of("researcher") as page:
        page.goto("/datasets/")
        page.get_by_role("link", name="Everyday procedures (sample)", exact=True).click()
        page.wait_for_url(re.compile(r"/datasets/.+"))
        # The folder of a site that lives for a minute tells a reader nothing.
        page.locator("#videos .mono").first.evaluate(
            "(path) => { path.textContent = '/videos/everyday-procedures'; }"
        )
        save(page, "dataset")


def take_campaign(site: Site) -> None:
    with site.page_of("researcher") as page:
        page.goto("/campaigns/")
        page.get_by_role("link", name="Sample audit").click()
        page.wait_for_url(re.compile(r"/campaigns/.+"))
        save(page, "campaign")
        page.get_by_role("link", name="Agreement", exact=True).click()
        page.wait_for_url("**/agreement/")
        save(page, "report")


def take_desk(site: Site) -> None:
    """Open the widest disagreement of the sample audit and say something about it."""
    with site.page_of("researcher") as page:
        page.goto("/campaigns/")
        page.get_by_role("link", name="Sample audit").click()
        page.get_by_role("link", name="Disagreement desk").click()
        page.locator("#cases").wait_for()
        page.locator("#cases tbody a").first.click()
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("t")
        page.keyboard.type("Nothing later depends on the rinsing, so the steps still make sense.")
        page.keyboard.press("Control+Enter")
        page.locator("#comments li").wait_for()
        page.keyboard.press("Escape")
        wait_for_videos(page)
        save(page, "case")
        page.get_by_role("link", name="Desk", exact=True).click()
        page.locator("#cases").wait_for()
        save(page, "desk")


def take_protocol(site: Site) -> None:
    """Show the campaign that has walked through the protocol to its main round."""
    with site.page_of("researcher") as page:
        page.goto("/campaigns/")
        page.get_by_role("link", name="From pilot to paper").click()
        page.wait_for_url(re.compile(r"/campaigns/.+"))
        home = page.url
        save(page, "protocol-campaign")
        page.goto(f"{home}protocol/")
        save(page, "protocol")
        page.goto(f"{home}guidelines/2/")
        save(page, "guideline")


def take_run(site: Site) -> None:
    """Launch a run; show its page, and plan and text of the take with most events corrected."""
    with site.page_of("researcher") as page:
        page.goto("/runs/new/")
        page.get_by_label("Data set", exact=True).select_option(label=RUN_DATASET)
        page.get_by_label("Seed").fill(str(RUN_SEED))
        page.get_by_role("button", name="Launch").click()
        finished = page.locator("#run-progress .state.finished")
        expect(finished).to_be_visible(timeout=PAGE_TIMEOUT_MS)
        expect(
            page.locator("#run-distributions svg, #run-distributions table").first
        ).to_be_visible(timeout=PAGE_TIMEOUT_MS)
        save(page, "run")
        rows = page.locator("#run-takes tbody tr").all()
        counts = [row.locator("td.number").all_inner_texts() for row in rows]
        most = max(range(len(rows)), key=lambda at: (int(counts[at][2]), int(counts[at][1])))
        rows[most].get_by_role("link", name="Plan of").click()
        page.wait_for_url("**/takes/**")
        save(page, "plan")
        page.get_by_role("link", name="Text", exact=True).click()
        page.wait_for_url("**/text/")
        save(page, "text")


def take_clips(site: Site) -> None:
    """Launch a run whose clips are made by hand, and show what its first take waits for."""
    with site.page_of("researcher") as page:
        page.goto("/runs/new/")
        page.get_by_label("Data set", exact=True).select_option(label=RUN_DATASET)
        page.get_by_label("Seed").fill(str(RUN_SEED))
        page.get_by_label("Make videos, for takes that have a recording").check()
        page.get_by_text("Clips of the videos").click()
        page.get_by_label("Who makes the clips").select_option("manual")
        page.get_by_label("Name").fill("Clips made by hand")
        page.get_by_role("button", name="Launch", exact=True).click()
        waiting = page.locator("#run-progress .state.waiting-for-you")
        expect(waiting).to_be_visible(timeout=PAGE_TIMEOUT_MS)
        page.locator("#waiting").get_by_role("link").first.click()
        page.wait_for_url("**/clips/")
        page.wait_for_load_state("networkidle")
        save(page, "clips")


def take_video_endpoint(site: Site) -> None:
    """Add a provider of clips; nothing is sent to it."""
    with site.page_of("researcher") as page:
        page.goto("/endpoints/video/new/")
        page.get_by_label("Name", exact=True).fill("Runway, clips for the pilot")
        page.get_by_label("Provider").select_option("runway")
        page.get_by_label("Key", exact=True).fill("no-real-key")
        page.get_by_label("US dollars per second of clip").fill("0.10")
        page.get_by_role("button", name="Save the endpoint").click()
        page.wait_for_url(re.compile(r"/endpoints/video/(?!new).+"))
        save(page, "video-endpoint")


def take_agent(site: Site) -> None:
    """Add an agent, which this process serves, and read its card once more."""
    with agent_served() as address, site.page_of("administrator") as page:
        page.goto("/benchmarks/agents/new/")
        page.get_by_label("Name", exact=True).fill("My agent")
        page.get_by_label("Address").fill(address)
        page.get_by_label("US dollars per question").fill("0.002")
        page.get_by_role("button", name="Save the agent").click()
        page.wait_for_url(re.compile(r"/benchmarks/agents/(?!new).+"))
        page.get_by_role("button", name="Read its card").click()
        expect(page.locator("#test-result")).to_contain_text("It is there")
        save(page, "agent")


@contextmanager
def agent_served() -> Iterator[str]:
    """The address of an agent."""
    config = uvicorn.Config("", port=0, log_level="error", lifespan="off")
    socket = config.bind_socket()
    address = f"http://127.0.0.1:{socket.getsockname()[1]}"
    card = participant_card(name="Step watcher", version="2.1", url=address, takes_pictures=True)
    config.app = participant_app(card, lambda request: "yes")
    server = uvicorn.Server(config)
    threading.Thread(target=server.run, args=([socket],), daemon=True).start()
    yield address
    server.should_exit = True


def take_guiding(site: Site) -> None:
    """A set to watch and say what to do next, and a model that watches one of its recordings."""
    with AnsweringServer(answers=guided) as model, site.page_of("administrator") as page:
        page.goto("/endpoints/new/")
        page.get_by_label("Name", exact=True).fill("Kitchen assistant")
        page.get_by_label("Base URL").fill(model.url)
        page.get_by_label("Model", exact=True).fill("kitchen-assistant")
        page.get_by_label("The model takes images").check()
        page.get_by_label("US dollars per million tokens in").fill("2")
        page.get_by_label("US dollars per million tokens out").fill("8")
        page.get_by_role("button", name="Save the endpoint").click()
        page.goto("/benchmarks/new/guide/")
        page.get_by_label("Name", exact=True).fill("Guide everyday procedures")
        page.get_by_label("Data set", exact=True).select_option(label=RUN_DATASET)
        page.get_by_label("Plan that participants get").select_option(label=PREDICTED)
        page.get_by_role("button", name="Make the items").click()
        page.get_by_role("button", name="Freeze").click()
        page.get_by_role("button", name="Yes: freeze").click()
        figures = page.get_by_role("heading", name="Figures", exact=True)
        figures.evaluate("heading => heading.scrollIntoView()")
        save(page, "guide-set")
        page.goto("/datasets/")
        page.get_by_role("link", name=RUN_DATASET).click()
        page.get_by_text("More", exact=True).click()
        page.get_by_role("link", name="See its task graphs").click()
        page.get_by_role("link", name=SCENARIO).click()
        page.get_by_role("link", name=GUIDED).click()
        page.get_by_role("link", name="What participants of Guide everyday").first.click()
        page.get_by_role("link", name="Let an assistant watch").click()
        page.get_by_role("button", name="Open the live page").click()
        page.get_by_role("button", name="Play").click()
        said = page.locator("#said")
        expect(said).to_contain_text(GUIDANCE[14.0], timeout=PAGE_TIMEOUT_MS)
        page.wait_for_timeout(SETTLED_MS)
        page.locator("h1").evaluate("heading => heading.scrollIntoView()")
        save(page, "live")


def take_speaking(site: Site) -> None:
    """A person who speaks whenever it is time, while a recording plays."""
    with site.page_of("administrator") as page:
        page.goto("/benchmarks/new/guide_freely/")
        page.get_by_label("Name", exact=True).fill("Speak in everyday procedures")
        page.get_by_label("Data set", exact=True).select_option(label=RUN_DATASET)
        page.get_by_role("button", name="Make the items").click()
        page.get_by_role("button", name="Freeze").click()
        page.get_by_role("button", name="Yes: freeze").click()
        page.get_by_role("button", name="Answer it myself").click()
        page.wait_for_function(
            "enough => document.querySelector('#speaking video')?.readyState >= enough",
            arg=ENOUGH_DATA,
        )
        plan = page.locator(".part", has=page.get_by_role("heading", name="Plan"))
        first, second, *_ = plan.locator("li").all_inner_texts()
        page.keyboard.press("Space")
        for time_s, words in ((0.5, f"Begin with this: {first}"), (6.0, f"Next: {second}")):
            page.wait_for_function(
                "at => document.querySelector('#speaking video').currentTime > at", arg=time_s
            )
            page.keyboard.press("/")
            page.keyboard.type(words)
            page.keyboard.press("Enter")
            page.keyboard.press("Escape")
        page.keyboard.press("Space")
        page.wait_for_timeout(SETTLED_MS)
        # Also what was said, below the recording.
        page.locator("#speaking").evaluate("part => part.scrollIntoView()")
        save(page, "speaking")


def guided(body: dict[str, object]) -> str:
    """What a model that knows how coffee is made would say, and its plan."""
    words = words_of(body)
    times = [float(time_s) for time_s in re.findall(r"It is ([\d.]+) s into", words)]
    now_s = max(times, default=0.0)
    if PLANNER not in words:
        return f"$interrupt$ {GUIDANCE[now_s]}" if now_s in GUIDANCE else "$silent$"
    done = sum(now_s >= from_s for from_s in (6.0, 8.0, 12.0, 18.0))
    lines = [f"{place}. {step}" for place, step in enumerate(GUIDED_STEPS, start=1)]
    left = [lines[done].replace(". ", ". (Current) ", 1), *lines[done + 1 :]]
    goal = words.partition("Goal: ")[2].partition("\n")[0]
    return (
        f"<|mode|>update_proactive\n<|goal|>{goal}\n"
        f"<|steps_completed_so_far|>\n{NEWLINE.join(lines[:done])}\n<|plan|>{NEWLINE.join(left)}\n"
        "<|step_complete_cues|>Ground coffee lies in the filter.\n"
        "<|step_incomplete_cues|>The filter is empty, or holds something else."
    )


def take_account(site: Site) -> None:
    with site.page_of("researcher") as page:
        page.goto("/account/")
        save(page, "account")
        page.goto("/api/docs/")
        expect(page.locator(".api-operation").first).to_be_visible()
        save(page, "api")


def open_segments(page: Page, task: str) -> None:
    """Open what the annotator has next in the round with this task."""
    page.goto("/queue/")
    card = page.locator(".queue-card", has_text=task)
    card.get_by_role("link", name=re.compile("Start|Go on")).click()
    if "/welcome/" in page.url:
        page.get_by_role("button", name="Start").click()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    page.wait_for_function(
        "enough => document.querySelector('video').readyState >= enough", arg=ENOUGH_DATA
    )


def take_segments(site: Site) -> None:
    with site.page_of("annotator") as page:
        page.goto("/queue/")
        page.locator(".queue-card", has_text="Label the recording").scroll_into_view_if_needed()
        save(page, "segment-queue")
        open_segments(page, "Label the recording")
        # Marked at every fifth second, and named as the list proposes.
        for _ in range(4):
            page.keyboard.press("a")
            for _ in range(3):
                page.keyboard.press("Shift+ArrowRight")
            page.keyboard.press("w")
        page.keyboard.press("Shift+A")
        page.keyboard.press("p")
        page.keyboard.press("b")
        page.wait_for_timeout(WATCHED_MS)
        save(page, "segments")
        for key in ("Escape", "e", "1"):
            page.keyboard.press(key)
        page.keyboard.type("cloth")
        page.keyboard.press("Tab")
        page.keyboard.type("brush")
        save(page, "segment-mistake")
        page.keyboard.press("Enter")
        open_segments(page, "Answer questions")
        page.wait_for_timeout(WATCHED_MS)
        save(page, "segment-audit")


def take_segment_rounds(site: Site) -> None:
    with site.page_of("researcher") as page:
        page.goto("/campaigns/")
        page.get_by_role("link", name="Mark the steps").click()
        save(page, "segment-campaign")
        page.get_by_role("link", name="Plan a round").click()
        save(page, "segment-round-plan")


def take_benchmarks(site: Site) -> None:
    """An item set of the sample corpus with its baselines and a file that somebody uploaded."""
    with site.page_of("researcher") as page:
        page.goto("/benchmarks/")
        save(page, "benchmarks")
        page.get_by_role("link", name="Make an item set: Is this step a mistake?").click()
        page.get_by_label("Name").fill("Steps of everyday procedures")
        page.get_by_label("Data set").select_option(label="Everyday procedures (sample)")
        page.get_by_role("button", name="Make the items").click()
        page.get_by_role("button", name="Freeze").click()
        page.get_by_role("button", name="Yes: freeze").click()
        with page.expect_download() as template:
            page.get_by_role("link", name="Template (CSV)").click()
        keys = Path(template.value.path()).read_text().splitlines()[1:]
        lines = [f"{key.split(',')[0]},{('no', 'yes')[n % 4 == 0]}," for n, key in enumerate(keys)]
        answers = "\n".join(["key,answer,score", *lines]).encode()
        upload = page.locator("form", has=page.get_by_role("button", name="Upload"))
        upload.get_by_label("Participant").fill("Every fourth step")
        upload.locator("input[type=file]").set_input_files(
            {"name": "answers.csv", "mimeType": "text/csv", "buffer": answers}
        )
        upload.get_by_role("button", name="Upload").click()
        page.get_by_role("link", name="Steps of everyday procedures v1").click()
        figures = page.get_by_role("heading", name="Figures", exact=True)
        figures.evaluate("heading => heading.scrollIntoView()")
        save(page, "item-set")
        page.locator("#items").scroll_into_view_if_needed()
        page.locator("td a.mono").first.click()
        expect(page.locator("video.clip")).to_have_js_property("readyState", ENOUGH_DATA)
        page.wait_for_function(
            "() => [...document.querySelectorAll('.pictures img')].every((one) => one.complete)"
        )
        save(page, "item")


def take_questions(site: Site) -> None:
    """A question set that templates wrote, with what its words tell."""
    with site.page_of("researcher") as page:
        page.goto("/benchmarks/questions/new/")
        page.get_by_label("Name").fill("Mistakes in everyday procedures")
        page.get_by_label("Data set").select_option(label="Everyday procedures (sample)")
        page.get_by_role("button", name="Make the questions").click()
        page.get_by_role("button", name="Freeze").click()
        page.get_by_role("button", name="Yes: freeze").click()
        expect(page.get_by_role("link", name="Make an item set of it")).to_be_visible()
        save(page, "question-set")


def take_error_types(site: Site) -> None:
    """A set of kinds of mistakes with the nine constant answers and the rows of the paper."""
    with site.page_of("researcher") as page:
        page.goto("/benchmarks/new/error_types/")
        page.get_by_label("Name").fill("Kinds of mistakes")
        page.get_by_label("Data set", exact=True).select_option(
            label="Everyday procedures (sample)"
        )
        page.get_by_role("button", name="Make the items").click()
        page.get_by_role("button", name="Freeze").click()
        page.get_by_role("button", name="Yes: freeze").click()
        figures = page.get_by_role("heading", name="Figures", exact=True)
        figures.evaluate("heading => heading.scrollIntoView()")
        save(page, "error-types")


def take_judging(site: Site) -> None:
    """A person grades an answer without its author, and the table of judges and people."""
    with site.page_of("researcher") as page:
        page.goto("/benchmarks/new/describe_mistake/")
        page.get_by_label("Name").fill("Mistakes in words")
        page.get_by_label("Data set").select_option(label="Everyday procedures (sample)")
        page.get_by_role("button", name="Make the items").click()
        page.get_by_role("button", name="Freeze").click()
        page.get_by_role("button", name="Yes: freeze").click()
        with page.expect_download() as items:
            page.get_by_role("link", name="Items", exact=True).click()
        written = Path(items.value.path()).read_text().splitlines()
        keys = [json.loads(line)["key"] for line in written]
        said = ("The kettle was not filled.", "It was done too early.", "Another cup was taken.")
        lines = [json.dumps({"key": key, "text": said[n % 3]}) for n, key in enumerate(keys)]
        upload = page.locator("form", has=page.get_by_role("button", name="Upload"))
        upload.get_by_label("Participant").fill("Three sentences")
        upload.locator("input[type=file]").set_input_files(
            {
                "name": "answers.jsonl",
                "mimeType": "application/x-ndjson",
                "buffer": "\n".join(lines).encode(),
            }
        )
        upload.get_by_role("button", name="Upload").click()
        page.get_by_role("link", name="Mistakes in words v1").click()
        page.get_by_role("link", name="Grade answers yourself").click()
        page.get_by_label("Answers to grade").fill("12")
        page.get_by_role("button", name="Draw the sample").click()
        for grade in "3105":
            before = page.locator("#grade input[name=position]").input_value()
            page.keyboard.press(grade)
            page.wait_for_function(
                "before => document.querySelector('#grade input[name=position]')?.value !== before",
                arg=before,
            )
        save(page, "judging")


def take_graphs(site: Site) -> None:
    """A recording in its task graph, and with what participants say of it."""
    with site.page_of("researcher") as page:
        page.goto("/benchmarks/new/step_mistakes/")
        page.get_by_label("Name").fill("Steps on the clock")
        page.get_by_label("Data set").select_option(label="Everyday procedures (sample)")
        page.get_by_role("button", name="Make the items").click()
        page.get_by_role("button", name="Freeze").click()
        page.get_by_role("button", name="Yes: freeze").click()
        page.goto("/datasets/")
        page.get_by_role("link", name="Everyday procedures (sample)", exact=True).click()
        page.get_by_text("More", exact=True).click()
        page.get_by_role("link", name="See its task graphs").click()
        page.get_by_role("link", name="Make pour-over coffee").click()
        page.get_by_role("link", name="kitchen_coffee_1_b").click()
        page.evaluate("document.querySelector('#graph').scrollIntoView()")
        save(page, "task-graph")
        page.get_by_role("link", name="What participants of Steps on the clock").click()
        page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
        clock = page.locator("td.clock svg").first
        clock.click(position={"x": (clock.bounding_box() or {"width": 0})["width"] / 2, "y": 5})
        clip = page.locator("video.clip")
        expect(clip).to_have_js_property("seeking", False)
        expect(clip).to_have_js_property("readyState", ENOUGH_DATA)
        # Until then the player says that it loads.
        page.wait_for_timeout(SETTLED_MS)
        save(page, "recording-wide")


TAKERS: dict[str, Callable[[Site], None]] = {
    "queue": take_queue,
    "keys": take_keys,
    "strips": take_strips,
    "audit": take_audit,
    "audit-wide": take_audit_wide,
    "previews": take_previews,
    "dataset": take_dataset,
    "upload": take_upload,
    "campaign": take_campaign,
    "protocol": take_protocol,
    "run": take_run,
    "clips": take_clips,
    "video-endpoint": take_video_endpoint,
    "agent": take_agent,
    "guiding": take_guiding,
    "speaking": take_speaking,
    "account": take_account,
    "segments": take_segments,
    "segment-rounds": take_segment_rounds,
    "benchmarks": take_benchmarks,
    "questions": take_questions,
    "error types": take_error_types,
    "judging": take_judging,
    "graphs": take_graphs,
    "desk": take_desk,
}


def main() -> None:
    expect.set_options(timeout=PAGE_TIMEOUT_MS)
    parser = argparse.ArgumentParser(description="Take the pictures of docs/pictures/.")
    parser.add_argument("--only", action="append", choices=TAKERS, help="just these pictures")
    chosen = parser.parse_args().only or list(TAKERS)
    browser_at = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_at is None:
        raise SystemExit(f"no browser; install one of the Debian packages {', '.join(BROWSERS)}")
    with (
        tempfile.TemporaryDirectory(prefix="piev-pictures-") as folder,
        demo_site(Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        options = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
        browser = playwright.chromium.launch(executable_path=browser_at, args=options)
        for name in chosen:
            TAKERS[name](Site(url, browser))
        browser.close()


if __name__ == "__main__":
    main()
