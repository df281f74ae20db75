"""What is wrong with an open page: axe-core in light and dark, and whether it scrolls sideways.

Automatic rules find perhaps half of what stands in somebody's way (missing names, wrong roles,
faint text, headings out of order); the keyboard and what is read aloud have tests of their own.
"""

from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
WIDE = {"width": 1280, "height": 800}
WIDER = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
# A phone, and 1280 pixels at a zoom of 200%; the pages of benchmarks are looked at on desks too.
# 1101: where the head bar of administrators has the least room for one row.
NARROW, WIDTHS = (390, 640, 1101), (390, 640, 1101, 1280, 1920)

# Of neighbours that are built alike (tags, classes, roles, states, whether there is text) as many
# stay as it takes for stripes to alternate and for the last to follow one like it: axe says the
# same of each, and its time grows with them. Columns and fields stay: heads and labels name them.
THIN_OUT = """(kept) => {
  const naming = /^(id|for|name|value|title|alt|href|aria-(label.*|describedby|controls))$/;
  const shapes = new Map();
  const worded = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
  const told = ({ name, value }) => (
    !naming.test(name) && (name === "class" || /^[a-z_-]{0,20}$/.test(value))
      ? `${name}=${value}` : name
  );
  const thin = (element) => {
    const counts = new Map();
    const inside = [];
    for (const child of [...element.children]) {
      const shape = thin(child);
      const count = (counts.get(shape) ?? 0) + 1;
      counts.set(shape, count);
      if (count > kept && !child.matches("label, input, td, th")) child.remove();
      else inside.push(shape);
    }
    const has = [element.matches(":checked"), [...element.childNodes].some(worded)];
    const attributes = [...element.attributes].map(told).sort();
    const key = [element.tagName, ...has, ...attributes, ...inside].join(" ");
    if (!shapes.has(key)) shapes.set(key, shapes.size);
    return shapes.get(key);
  };
  thin(document.body);
}"""
KEPT_OF_A_KIND = 4


def thin_out(page: Page) -> None:
    page.evaluate(THIN_OUT, KEPT_OF_A_KIND)


def violations(page: Page, rules: tuple[str, ...]) -> list[dict[str, Any]]:
    # A click waits until the next page has begun.
    page.wait_for_load_state()
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    # What is right stays in the page: it is much to hand over, and nobody reads it.
    return page.evaluate("async (options) => (await axe.run(options)).violations", options)


def problems_of(page: Page) -> list[str]:
    return [
        f"{urlsplit(page.url).path}: {item['help']}: {item['nodes'][0]['html'][:120]}"
        for item in violations(page, RULES)
    ]


def dark_problems_of(page: Page) -> list[str]:
    """Return what is too faint on a dark screen."""
    page.emulate_media(color_scheme="dark")
    found = violations(page, ("color-contrast",))
    page.emulate_media(color_scheme="light")
    return [
        f"{urlsplit(page.url).path}, dark: {node['html'][:120]} {node['any'][0]['message']}"
        for item in found
        for node in item["nodes"]
    ]


def sideways_px(page: Page) -> list[str]:
    """Return the widths at which the whole page scrolls sideways."""
    found = []
    for width in WIDTHS if "/benchmarks/" in page.url else NARROW:
        page.set_viewport_size({"width": width, "height": 800})
        over_px = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        if over_px > 0:
            found.append(f"{urlsplit(page.url).path}: {over_px} px too wide at {width}")
    page.set_viewport_size(WIDE)
    return found
