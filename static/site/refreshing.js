/** Parts of a page that come anew by themselves, with progress or figures, take nothing from who is at them.
 *
 * While a button is held down, or something is typed, chosen or marked in a part, the part stays as it is until
 * a later answer. Else the keyboard's place, opened sections and what is scrolled are as they were.
 */

const FOCUSED = "a[href], button, summary, input, [tabindex]";
const SCROLLED = "[role=region][tabindex]";
// A click comes after the button was let go, on a screen that is touched a moment later.
const CLICK_MS = 100;
const AGAIN_MS = 3000;
// So long words that are marked are about to be copied.
const MARKED_MS = 15_000;
let isPressing = false;
let letGo = null;
let markedAt = 0;
let kept = null;

window.addEventListener("pointerdown", () => {
  clearTimeout(letGo);
  isPressing = true;
}, true);
for (const name of ["pointerup", "pointercancel"]) {
  window.addEventListener(name, () => { letGo = setTimeout(() => { isPressing = false; }, CLICK_MS); }, true);
}

document.addEventListener("selectionchange", () => { markedAt = Date.now(); });

function isChanged(field) {
  if (field.localName === "select") {
    const options = [...field.options];
    // Where none is given, a list of one choice shows its first.
    if (!field.multiple && !options.some((option) => option.defaultSelected)) return field.selectedIndex > 0;
    return options.some((option) => option.selected !== option.defaultSelected);
  }
  return ["checkbox", "radio"].includes(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

function isAtWork(part) {
  const { activeElement } = document;
  const isTyping = part.contains(activeElement) && activeElement.matches("input:not([type=checkbox], [type=radio]), select, textarea");
  const marked = document.getSelection();
  const isMarking = !marked.isCollapsed && Date.now() - markedAt < MARKED_MS && marked.containsNode(part, true);
  return isTyping || isMarking || [...part.querySelectorAll("input, select, textarea")].some(isChanged);
}

/** Elements by what people call them, counts left out: what has the same name is the same before and after. */
function named(selector) {
  const counts = new Map();
  return new Map([...document.body.querySelectorAll(selector)].map((element) => {
    const words = element.getAttribute("aria-label") ?? (element.querySelector("summary") ?? element).textContent;
    const name = `${element.localName} ${words.trim().replace(/\d[\d.,]*/g, "#")}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return [`${name} ${counts.get(name)}`, element];
  }));
}

function places() {
  const { activeElement } = document;
  return {
    opened: [...named("details")].map(([name, { open }]) => [name, open]),
    scrolled: [...named(SCROLLED)].map(([name, { scrollLeft, scrollTop }]) => [name, scrollLeft, scrollTop]),
    focused: [...named(FOCUSED)].find(([, element]) => element === activeElement)?.[0],
  };
}

/** Whoever types keeps the page, and learns that it is an old one by now. */
function tellOfNews(part) {
  if (part.querySelector("[data-news]")) return;
  const news = document.createElement("p");
  const link = document.createElement("a");
  news.className = "message";
  news.dataset.news = "";
  news.setAttribute("role", "status");
  link.href = location.pathname + location.search;
  link.textContent = "Load the page anew";
  news.append("There is news. ", link, " when you have finished here.");
  part.append(news);
}

document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, target, xhr, requestConfig } = event.detail;
  const isPolled = elt.dataset.hxTrigger?.includes("every ");
  const told = requestConfig.triggeringEvent?.type;
  // What somebody asked for by a choice or a press goes elsewhere on the page; what is loaded first has nobody at it.
  if (!target.contains(elt) || !(isPolled || told)) return;
  const isReload = xhr.getResponseHeader("HX-Refresh") || xhr.getResponseHeader("HX-Redirect");
  if (!isPressing && !isAtWork(isReload ? document.body : target)) return;
  event.preventDefault();
  if (isReload && !isPressing) tellOfNews(target);
  // Nobody asks again by the clock for what came with an event.
  if (!isPolled) setTimeout(() => document.body.dispatchEvent(new CustomEvent(told)), AGAIN_MS);
});

document.addEventListener("htmx:beforeSwap", ({ detail: { elt, target, shouldSwap } }) => {
  kept = shouldSwap && target.contains(elt) ? places() : null;
});

document.addEventListener("htmx:afterSwap", () => {
  if (!kept) return;
  const { opened, scrolled, focused } = kept;
  kept = null;
  const details = named("details");
  for (const [name, isOpen] of opened) details.get(name)?.toggleAttribute("open", isOpen);
  const regions = named(SCROLLED);
  for (const [name, left, top] of scrolled) regions.get(name)?.scrollTo(left, top);
  if (focused && document.activeElement === document.body) named(FOCUSED).get(focused)?.focus({ preventScroll: true });
});
