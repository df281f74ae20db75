/** What each key of the segment editor does. */

const TENTH_S = 0.1;

export function segmentBindings({ editor, playback, offers, checks, adjudication, commands, canEdit }) {
  const held = () => Boolean(editor.held);
  const arrow = (byS) => (held() ? editor.hand.nudge(byS) : playback.skip(byS));
  const frame = (count) => (held() ? editor.hand.nudge(count * playback.stepS) : playback.stepFrame(count));
  const watching = [
    { keys: [" "], shown: ["Space"], text: "Play or pause", run: () => playback.toggle() },
    { keys: ["k", "K"], shown: ["K"], text: "Pause", run: () => playback.pause() },
    { keys: ["l", "L"], shown: ["L"], text: "Play; press again to go faster", run: () => playback.faster() },
    { keys: ["j"], shown: ["J"], text: "Back by the skip that you set, 5 s at first", run: commands.back },
    { keys: ["J"], shown: ["Shift+J"], text: "Forward by the same skip", run: commands.forth },
    { keys: [","], shown: [","], text: "One frame back; a held edge moves", run: () => frame(-1) },
    { keys: ["."], shown: ["."], text: "One frame forward; a held edge moves", run: () => frame(1) },
    { keys: ["ArrowLeft"], shown: ["←"], text: "0.1 s back; a held edge moves", run: () => arrow(-TENTH_S) },
    { keys: ["ArrowRight"], shown: ["→"], text: "0.1 s forward; a held edge moves", run: () => arrow(TENTH_S) },
    { keys: ["Shift+ArrowLeft"], shown: ["Shift+←"], text: "1 s back; a held edge moves", run: () => arrow(-1) },
    { keys: ["Shift+ArrowRight"], shown: ["Shift+→"], text: "1 s forward; a held edge moves", run: () => arrow(1) },
    { keys: ["<"], shown: ["<"], text: "Slower", run: () => playback.changeSpeed(-1) },
    { keys: [">"], shown: [">"], text: "Faster", run: () => playback.changeSpeed(1) },
    { keys: ["o"], shown: ["O"], text: "Loop the segment", run: commands.loop },
    { keys: ["O"], shown: ["Shift+O"], text: "Playing stays in the segment, or no longer", run: commands.stayInside },
    { keys: ["v", "V"], shown: ["V"], text: "Play from 1 s before the edge to 1 s after it, again and again", run: commands.edgeLoop },
    { keys: ["m", "M"], shown: ["M"], text: "Sound on or off", run: () => playback.toggleSound() },
    { keys: ["PageUp"], shown: ["Page Up"], text: "To the edge or sound before", run: () => commands.toEdge(-1) },
    { keys: ["PageDown"], shown: ["Page Down"], text: "To the next edge or sound", run: () => commands.toEdge(1) },
    { keys: ["Home"], shown: ["Home"], text: "To the start", run: () => commands.toEnd(-1) },
    { keys: ["End"], shown: ["End"], text: "To the end", run: () => commands.toEnd(1) },
  ];
  const choosing = [
    { keys: ["n"], shown: ["N"], text: "Next segment", run: () => commands.next() },
    { keys: ["p"], shown: ["P"], text: "Earlier segment", run: () => commands.previous() },
    { keys: ["/"], shown: ["/"], text: "Only segments with this label, or all again", run: commands.filter },
    { keys: ["ArrowUp"], shown: ["↑"], text: "Track above", run: () => editor.moveTrack(-1) },
    { keys: ["ArrowDown"], shown: ["↓"], text: "Track below", run: () => editor.moveTrack(1) },
    { keys: ["+", "="], shown: ["+"], text: "Zoom in", run: commands.zoomIn },
    { keys: ["-", "_"], shown: ["-"], text: "Zoom out", run: commands.zoomOut },
    { keys: ["z"], shown: ["Z"], text: "Zoom to the segment", run: commands.zoomSegment },
    { keys: ["Z"], shown: ["Shift+Z"], text: "Show the whole recording", run: commands.zoomAll },
  ];
  const digits = { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], shown: ["1", "–", "9"] };
  const answering = checks?.isAsking ? [
    { keys: ["1"], shown: ["1"], text: "No to the question with the frame", run: () => checks.press(false) },
    { keys: ["2"], shown: ["2"], text: "Yes to the question with the frame", run: () => checks.press(true) },
    { keys: ["c", "C"], shown: ["C"], text: "Note on the answer", run: () => checks.focusNote() },
    { keys: ["r", "R"], shown: ["R"], text: "Play the segment again", run: () => checks.play() },
  ] : [];
  const deciding = adjudication ? [
    { keys: ["1", "2", "3", "4", "5"], shown: ["1", "–", "5"], text: "Take A, take B, the mean of their edges, your own; all on which they agree", run: (event) => adjudication.press(event.key) },
    { keys: ["q", "Q"], shown: ["Q"], text: "To the next difference", run: () => adjudication.goOn() },
  ] : [];
  const editing = canEdit ? [
    { keys: ["a"], shown: ["A"], text: "A segment begins here; again: it ends and the next begins", run: commands.mark },
    { keys: ["A"], shown: ["Shift+A"], text: "The open segment ends here, none begins", run: commands.end },
    { keys: ["["], shown: ["["], text: "Start of the segment at the playhead", run: commands.start },
    { keys: ["]"], shown: ["]"], text: "End of the segment at the playhead", run: commands.stop },
    { keys: ["b"], shown: ["B"], text: "Hold the start, the end, none", run: commands.hold },
    { keys: ["B"], shown: ["Shift+B"], text: "Type the time or the frame of the held edge, else of the start", run: commands.typeEdge },
    { keys: ["N"], shown: ["Shift+N"], text: "Choose the next one too; what follows is done to all that are chosen", run: () => commands.extend(1) },
    { keys: ["P"], shown: ["Shift+P"], text: "Choose the earlier one too", run: () => commands.extend(-1) },
    { keys: ["Ctrl+a"], shown: ["Ctrl+A"], text: "Choose all that the list has", run: commands.chooseAll },
    { keys: ["Escape"], shown: ["Esc"], text: "Let the edge go; give up a segment just begun", run: commands.escape },
    { keys: ["Enter"], shown: ["Enter"], text: "Label of the segment, by typing", run: commands.label },
    ...(checks?.isAsking || adjudication ? [] : [{ ...digits, text: "Give it the step with this number; of longer ones type all digits, or Enter after the last", run: (event) => offers.press(event.key) }]),
    { keys: ["w", "W"], shown: ["W"], text: "Give it the likeliest step, as a rule the next one", run: () => offers.press("w") },
    { keys: ["0"], shown: ["0"], text: "Undefined; with nothing selected: show the whole recording", run: () => offers.press("0") || commands.zoomAll() },
    { keys: ["e", "E"], shown: ["E"], text: "Mistake of the segment and its description", run: commands.mistake },
    { keys: ["F2"], shown: ["F2"], text: "Description of the segment", run: commands.text },
    { keys: ["x", "X"], shown: ["X"], text: "Split at the playhead", run: commands.split },
    { keys: ["u", "U"], shown: ["U"], text: "Join with the next", run: commands.join },
    { keys: ["d", "D"], shown: ["D"], text: "Bring the matching segment of the reference here", run: commands.bring },
    { keys: ["g", "G"], shown: ["G"], text: "Say that a step is missing", run: commands.missing },
    { keys: ["f", "F"], shown: ["F"], text: "Flag with a note", run: commands.flag },
    { keys: ["y"], shown: ["Y"], text: "Accept the proposal", run: commands.accept },
    { keys: ["Y"], shown: ["Shift+Y"], text: "Accept all unchanged proposals, after a look at them all", run: commands.acceptAll },
    ...(checks?.isAsking ? [] : [
      { keys: ["c", "C"], shown: ["C"], text: "Copy all steps from the reference", run: commands.copyAll },
      { keys: ["r", "R"], shown: ["R"], text: "Move all later segments, or those that are chosen", run: commands.ripple },
    ]),
    { keys: ["t", "T"], shown: ["T"], text: "Snapping on or off; while dragging Alt: none, but frames; Shift: between frames too", run: commands.snapping },
    { keys: ["Delete", "Backspace"], shown: ["Delete"], text: "Delete the segment", run: commands.remove },
    { keys: ["Ctrl+z"], shown: ["Ctrl+Z"], text: "Undo", run: () => editor.undo() },
    { keys: ["Ctrl+Shift+z", "Ctrl+y"], shown: ["Ctrl+Shift+Z", "Ctrl+Y"], text: "Redo", run: () => editor.redo() },
  ] : [];
  const rest = [
    { keys: ["h", "H"], shown: ["H"], text: "Earlier revisions", run: commands.history },
    { keys: ["i", "I"], shown: ["I"], text: "The guideline", run: commands.guideline },
    { keys: ["s", "S", "Ctrl+Enter"], shown: ["S", "Ctrl+Enter"], text: "Submit, or go to what is missing", run: commands.submit },
    { keys: ["?"], shown: ["?"], text: "This list", run: () => document.querySelector("#keys-dialog").showModal() },
  ];
  return [...answering, ...deciding, ...editing, ...choosing, ...watching, ...rest];
}
