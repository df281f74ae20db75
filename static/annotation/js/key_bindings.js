/** What each key of the audit page does, and of every page with players. */

import { enlarge, playFromStart, toggleFullScreen, toggleLoop, toggleSound } from "./watching.js";

const DIGITS = ["1", "2", "3", "4", "5", "6"];
const SKIP_S = 5;

export function bindingsOf({ card, players, data, moveQuestion, moveEvent, undo, submit, comment, guideline }) {
  const rating = [
    { keys: DIGITS, shown: ["1", "–", "6"], text: "Answer, and go on to the next open question", run: (event) => card.press(Number(event.key)) },
    { keys: ["ArrowDown", "Enter"], shown: ["↓", "Enter"], text: "Next question, then the first open one of the next event", run: () => moveQuestion(1) },
    { keys: ["ArrowUp"], shown: ["↑"], text: "Previous question, then the last one of the previous event", run: () => moveQuestion(-1) },
    { keys: ["ArrowLeft"], shown: ["←"], text: "Look at the previous answer without choosing it", run: () => card.look(-1) },
    { keys: ["ArrowRight"], shown: ["→"], text: "Look at the next answer without choosing it", run: () => card.look(1) },
    { keys: ["Ctrl+z", "Ctrl+Z"], shown: ["Ctrl+Z"], text: "Take back the last answer, wherever it is", run: () => { undo(); } },
    { keys: ["h", "H"], shown: ["H"], text: "Open or close how to judge the question", run: () => card.toggleGuide() },
    { keys: ["g", "G"], shown: ["G"], text: "The whole guideline, at the question with the focus", run: () => guideline() },
    { keys: ["0"], shown: ["0"], text: "Cannot judge: choose a reason by its digit", run: () => card.toggleReasons() },
    { keys: ["c", "C"], shown: ["C"], text: "Comment on the event; Esc goes back to the questions", run: () => comment() },
    { keys: ["n", "N"], shown: ["N"], text: "Next event", run: () => moveEvent(1) },
    { keys: ["p", "P"], shown: ["P"], text: "Previous event", run: () => moveEvent(-1) },
    { keys: ["s", "S", "Ctrl+Enter"], shown: ["S", "Ctrl+Enter"], text: "Submit, or go to what is missing", run: () => { submit(); } },
  ];
  const watching = players ? watchingKeys({ players, data, currentEvent: () => card.event }) : [];
  return [...rating, ...watching, HELP];
}

/** The keys of a page that shows recordings and asks nothing. */
export function watchingBindings(page) {
  return [...watchingKeys(page), HELP];
}

function watchingKeys({ players, data, currentEvent }) {
  return [
    { keys: [" "], shown: ["Space"], text: "Play or pause both", run: () => players.toggle() },
    { keys: ["k", "K"], shown: ["K"], text: "Pause both", run: () => players.pause() },
    { keys: ["l", "L"], shown: ["L"], text: "Play; press again to go faster", run: () => (players.isPlaying ? players.changeSpeed(1) : players.play()) },
    { keys: ["j", "J"], shown: ["J"], text: `Back ${SKIP_S} seconds`, run: () => players.skip(-SKIP_S) },
    { keys: [","], shown: [","], text: "One frame back", run: () => players.stepFrame(-1) },
    { keys: ["."], shown: ["."], text: "One frame forward", run: () => players.stepFrame(1) },
    { keys: ["<"], shown: ["<"], text: "Slower", run: () => players.changeSpeed(-1) },
    { keys: [">"], shown: [">"], text: "Faster", run: () => players.changeSpeed(1) },
    { keys: ["o", "O"], shown: ["O"], text: "Loop the current event", run: () => toggleLoop(players, data, currentEvent()) },
    { keys: ["m", "M"], shown: ["M"], text: "Sound on or off", run: () => toggleSound(players) },
    { keys: ["b", "B"], shown: ["B"], text: "Play from the start", run: () => playFromStart(players) },
    { keys: ["e", "E"], shown: ["E"], text: "Enlarge the trace, then the reference, then both as before", run: () => enlarge(players) },
    { keys: ["f", "F"], shown: ["F"], text: "Both videos on the full screen, and back", run: () => toggleFullScreen() },
  ];
}

const HELP = Object.freeze({ keys: ["?"], shown: ["?"], text: "This list", run: () => document.querySelector("#keys-dialog").showModal() });
