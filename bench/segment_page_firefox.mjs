/** The gaps between animation frames of the segment editor in Firefox, driven over WebDriver BiDi.
 *
 * Reads {puppeteer, browser, address, cookie, seconds, movesPerS, hideLanes} as JSON from its input
 * and writes {version, canPlay, gaps: {drag, scroll, zoom}, peers: {...}}: the same movements as
 * `segment_page.py` makes in Chromium.
 */

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const options = JSON.parse(readFileSync(0, "utf8"));
const { default: puppeteer } = await import(createRequire(options.puppeteer).resolve("puppeteer-core"));
const count = Math.round(options.seconds * options.movesPerS);
const pauseMs = 1000 / options.movesPerS / 2;

const acts = {
  async drag(page) {
    const box = await page.evaluate(() => {
      const handle = document.querySelector(".handle[data-edge=end]");
      const { x, y, width } = handle.getBoundingClientRect();
      return handle.checkVisibility() ? [x + width / 2, y + 10] : [700, 720];
    });
    await page.mouse.move(...box);
    await page.mouse.down();
    for (let step = 0; step < count; step += 1) {
      await page.mouse.move(box[0] + 30 * Math.sin(step / 9), box[1]);
      await pause(pauseMs);
    }
    await page.evaluate(() => { window.hasActed = !document.querySelector("[data-tip]").hidden; });
    await page.mouse.up();
  },
  async scroll(page) {
    await watchWindow(page);
    await page.mouse.move(700, 720);
    for (let step = 0; step < count; step += 1) {
      await page.mouse.wheel({ deltaX: step % 120 < 60 ? 40 : -40 });
      await pause(pauseMs);
    }
  },
  async zoom(page) {
    await watchWindow(page);
    await page.mouse.move(700, 720);
    await page.keyboard.down("Control");
    for (let step = 0; step < count; step += 1) {
      await page.mouse.wheel({ deltaY: step % 160 < 80 ? 60 : -60 });
      await pause(pauseMs);
    }
    await page.keyboard.up("Control");
  },
};

function watchWindow(page) {
  return page.evaluate(() => {
    const words = document.querySelector("#window-words");
    const before = words.textContent;
    new MutationObserver(() => { window.hasActed ||= words.textContent !== before; })
      .observe(words, { childList: true, characterData: true, subtree: true });
  });
}

async function gapsOf(page, name, isHidden) {
  await page.goto(options.address, { waitUntil: "domcontentloaded" });
  await page.waitForSelector("html[data-ready]");
  await page.waitForFunction(() => document.querySelector("#player video").readyState === 4);
  for (let press = 0; press < 40; press += 1) await page.keyboard.press("n");
  for (let press = 0; press < 8; press += 1) await page.keyboard.press("+");
  if (isHidden) {
    await page.evaluate((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets = [sheet];
    }, options.hideLanes);
  }
  await page.keyboard.press(" ");
  await pause(600);
  await page.evaluate(() => {
    window.gaps = [];
    let last = null;
    const look = (now) => {
      if (last !== null) window.gaps.push(now - last);
      last = now;
      window.recording = requestAnimationFrame(look);
    };
    window.recording = requestAnimationFrame(look);
  });
  await acts[name](page);
  const gaps = await page.evaluate(() => { cancelAnimationFrame(window.recording); return window.gaps.slice(2); });
  const state = await page.evaluate(() => [Boolean(window.hasActed), document.querySelector("#player video").paused]);
  if (!isHidden && !state[0]) throw new Error(`${name} changed nothing on the page`);
  if (state[1]) throw new Error("the video does not play");
  return gaps;
}

const browser = await puppeteer.launch({
  browser: "firefox", executablePath: options.browser, headless: true,
  extraPrefsFirefox: {
    "media.autoplay.default": 0, "datareporting.policy.dataSubmissionEnabled": false,
    // A page without lanes, or one that is late to answer, would be zoomed itself.
    "mousewheel.with_control.action": 0,
  },
});
try {
  const page = await browser.newPage();
  // What is not saved yet would hold the page back.
  page.on("dialog", (dialog) => dialog.accept());
  page.setDefaultTimeout(120_000);
  page.setDefaultNavigationTimeout(120_000);
  await page.setViewport({ width: 1280, height: 800 });
  await browser.setCookie(options.cookie);
  const found = { version: await browser.version(), gaps: {}, peers: {} };
  for (const name of Object.keys(acts)) {
    found.gaps[name] = await gapsOf(page, name, false);
    found.peers[name] = await gapsOf(page, name, true);
  }
  process.stdout.write(JSON.stringify(found));
} catch (error) {
  process.stderr.write(`Error: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
