/** The segment editor: puts the recording, the lanes, the list, the boxes and the saving together. */

import { Clock } from "../../annotation/js/clock.js";
import { Notices } from "../../annotation/js/dialogs.js";
import { Keys } from "../../annotation/js/keys.js";
import { bindProblem } from "../../annotation/js/watching.js";
import { Adjudication } from "./adjudication.js";
import { Checks } from "./checks.js";
import { commandsOf } from "./commands.js";
import { Describing } from "./describing.js";
import { EdgeFields } from "./edge_fields.js";
import { EdgeFrames } from "./edge_frames.js";
import { Editor } from "./editor.js";
import { HistoryPanel } from "./history.js";
import { StepChoices } from "./label_choices.js";
import { LabelPicker } from "./label_picker.js";
import { makeLanes, timedOf } from "./lane_rows.js";
import { Lanes } from "./lanes.js";
import { ListFilter } from "./list_filter.js";
import { Marking, ReactionDialog } from "./marking.js";
import { fromTable } from "./model.js";
import { Offers } from "./offers.js";
import { Overview } from "./overview.js";
import { Playback, SIDE } from "./playback.js";
import { ProcedurePane } from "./procedure_pane.js";
import { askMove, askRipple, askWords } from "./segment_dialogs.js";
import { segmentBindings } from "./segment_keys.js";
import { SegmentList } from "./segment_list.js";
import { openSaving, showSaving } from "./segment_saving.js";
import { rounded } from "./snapping.js";
import { Stages } from "./stages.js";
import { Stills } from "./stills.js";
import { TimeScale } from "./time_scale.js";
import { bindTools, bindTransport, hideTools } from "./toolbar.js";
import { View } from "./view.js";
import { WordsBox } from "./words_box.js";

// A recording whose length is not known is as long as what lies in it, and somewhat more.
const SHORTEST_UNKNOWN_S = 60;
const AFTER_LAST_S = 10;

const find = (selector) => document.querySelector(selector);
const data = JSON.parse(find("#segments-data").textContent);
const clock = new Clock(data.now);
const notices = new Notices(find("#notices"));
const isAudit = data.stage === "audit";
const others = data.lanes.map(({ title, segments }) => ({ title, segments: fromTable(segments) }));
const compared = [...data.reference, ...others.flatMap(({ segments }) => segments)].filter(({ start_s: startS }) => startS !== null);
const endAt = data.segments.columns.indexOf("end_s");
const lastS = Math.max(0, ...data.segments.rows.map((row) => row[endAt] ?? 0), ...compared.map(({ end_s: endS }) => endS));
const durationS = data.duration_s ?? Math.max(SHORTEST_UNKNOWN_S, lastS + AFTER_LAST_S);

const playback = new Playback({ video: find("#player video"), rate: data.rate, durationS });
const scale = new TimeScale(Math.max(durationS, lastS));
let showWatched = () => {};
const { book, undoing, outbox, viewing } = await openSaving({ data, clock, playback, onWatched: (spans) => showWatched(spans) });
const watched = () => viewing?.all[SIDE] ?? data.watched;
const editor = new Editor({
  book, undoing, playback, scale,
  options: {
    stepIds: data.procedure.map(({ step_id: stepId }) => stepId),
    canEdit: data.can_edit && !isAudit, isAudit, hasLockedEdges: data.has_locked_edges,
    sources: { reference: compared.flatMap(({ start_s: startS, end_s: endS }) => [startS, endS]).sort((a, b) => a - b), onsets: [] },
  },
});
// A recording whose rate varies is shown on an even grid: some frames of it show the picture before again.
const { frame_gaps: frameGaps = null } = data.media ?? {};
let reached = 0;
const frameStarts = data.rate && frameGaps ? frameGaps.map((gap) => { reached += gap; return reached; }) : null;
book.startsS = frameStarts?.map((frame) => rounded(frame / data.rate)) ?? null;
const choices = new StepChoices(data.procedure);
const asksQuestions = ["audit", "correct"].includes(data.stage) && data.scheme.questions.length > 0;
const checks = asksQuestions ? new Checks({
  root: find("#checks"), questions: data.scheme.questions, book, editor, playback, isForced: isAudit, canAnswer: data.can_edit, watched, asked: data.asked,
  noteName: `piev:note:${data.account}:${data.id}`,
}) : null;
const describing = new Describing({ editor, choices, checks, stage: data.stage, asked: data.asked });
const rows = makeLanes({ root: find("#lanes"), data, others, describing, editor, scale });
const lanes = new Lanes({ root: find("#lanes"), scale, lanes: rows.lanes });
const overview = new Overview({ root: find("#overview"), scale, lanes: rows.lanes, hueOf: (stepId) => choices.hueOf(stepId) });
const procedure = new ProcedurePane({ root: find("#procedure"), steps: choices.steps, countsProposals: isAudit, hueOf: (stepId) => choices.hueOf(stepId) });
const picker = new LabelPicker({ root: find("#picker"), choices });
const list = new SegmentList({ root: find("#rows"), describe: (segment) => describing.inList(segment), picker, isChosen: (key) => editor.several.has(key) });
const filter = new ListFilter({ select: find("#filter"), choices });
const words = new WordsBox(find("#words"));
const marking = new Marking({ editor, playback, id: data.id });
const edgeFrames = new EdgeFrames({ root: find("#edge-frames"), url: data.media?.url, rate: data.rate, starts: frameStarts });
const edgeFields = new EdgeFields({ root: find("#edge-fields"), editor, lanes, durationS });
const offers = new Offers({ editor, picker, choices, words, lanes, list, marking });
const reaction = new ReactionDialog(find("#reaction-dialog"));
const history = new HistoryPanel({
  root: find("#history"), opener: find("#show-history"), url: data.urls.history, editor, notices, ready: async () => {
    await outbox.settle();
    await outbox.flush();
  },
});
const adjudication = data.stage === "adjudicate" ? new Adjudication({ root: find("#checks"), versions: others, editor, playback, scale, describing }) : null;
const stages = new Stages({ data, editor, checks, adjudication, describing, notices, outbox });
const dialogs = {
  join: (first, second, keys) => askWords(find("#join-dialog"), first, second, keys),
  ripple: (count, from) => askRipple(find("#ripple-dialog"), count, from),
  move: (count) => askMove(find("#ripple-dialog"), count),
  reaction: () => reaction.open(),
};
const commands = commandsOf({
  editor, playback, scale, marking, offers, words, dialogs, history, describing, watched, filter, edgeFields,
  reference: () => [data.reference, others.flatMap(({ segments }) => timedOf(segments)), timedOf(describing.baseline?.there ?? [])].find(({ length }) => length) ?? [],
  submit: () => stages.submit(),
});
const view = new View({ data, editor, lanes, overview, list, describing, edgeFrames, playback, scale, marking, checks, adjudication, offers, procedure, filter, edgeFields, rows, stages, notices });
stages.view = view;

words.addEventListener("typing", ({ detail: { kind, value } }) => editor.type(kind, value));
words.addEventListener("givenup", () => editor.endTyping({ isKept: false }));
words.addEventListener("text", ({ detail: { value } }) => editor.write(value));
words.addEventListener("note", ({ detail: { value, isFlagged } }) => editor.flag(value, isFlagged));
words.addEventListener("left", () => lanes.focus());
words.addEventListener("unfinished", ({ detail }) => editor.say(`Not kept: ${detail.words}`));
find("#previous").addEventListener("click", commands.previous);
find("#next").addEventListener("click", commands.next);
find("#undo").addEventListener("click", () => editor.undo());
find("#redo").addEventListener("click", () => editor.redo());
const nameUndo = () => {
  find("#undo").title = undoing.next ? `Undo: ${undoing.next}` : "Nothing to undo";
  find("#redo").title = undoing.nextAgain ? `Redo: ${undoing.nextAgain}` : "Nothing to redo";
};
undoing.addEventListener("change", nameUndo);
nameUndo();
find("#left").addEventListener("click", () => view.goToFault());
if (playback.players) {
  bindProblem({ side: SIDE, figure: find("#player"), video: playback.video, players: playback.players });
  playback.video.addEventListener("click", () => playback.toggle());
}
if (data.media?.stills?.tile_count) {
  const stills = new Stills(data.media.stills);
  stills.over(find("[data-ruler]"), (x) => scale.timeAt(x));
  stills.over(find("#overview"), (x) => overview.timeAt(x));
}
hideTools({ root: find("#tools"), data, tracks: book.scheme.tracks });
bindTransport({ root: find("#transport"), playback, commands });
showSaving({ outbox, notices, wordsOf: (segment) => describing.aloud(segment), onStatus: (code) => stages.meetClosing(code) });

await outbox.start();
// What was done before that would be taken up as if an earlier visit had left it.
bindTools({ root: find("#tools"), commands, editor, scale, marking });
const keys = new Keys(segmentBindings({ editor, playback, offers, checks, adjudication, commands, canEdit: data.can_edit && !isAudit }));
keys.fill(find("#keys-list"));
find("#show-keys").addEventListener("click", () => find("#keys-dialog").showModal());
showWatched = (spans) => overview.setWatched(spans);
showWatched(watched());
view.start();
rows.sound?.load().then((onsets) => { editor.options.sources.onsets = onsets; });
stages.loadBaseline().then(() => {
  rows.proposed?.set(timedOf(describing.baseline?.there ?? []));
  view.redraw({ isListOld: true });
});
document.documentElement.dataset.ready = "true";
stages.begin();
