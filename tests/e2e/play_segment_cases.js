/** Plays the rows of tests/segments/cases.json; returns what came of each, in the same shapes. */

const FOLDER = "/static/segments/js";

export async function play(table, folder = FOLDER) {
  const [model, gestures, faultsOf, snapping, templates, difference] = await Promise.all(
    ["model", "gestures", "faults", "snapping", "templates", "difference"].map((name) => import(`${folder}/${name}.js`)),
  );
  const { Segmentation, inverse, segment, toWire, fromWire } = model;
  const calls = {
    draw: (held, { track, start_s, end_s, ...content }) => held.draw(track, start_s, end_s, content),
    missing: (held, { track, step_id }) => held.missing(track, step_id),
    copy: (held, { track, steps }) => held.copy(track, steps),
    move_edge: (held, { key, edge, time_s }) => held.moveEdge(key, edge, time_s),
    nudge: (held, { key, by_s, edge }) => held.nudge(key, by_s, edge),
    ripple: (held, { track, from_s, by_s }) => held.ripple(track, from_s, by_s),
    split: (held, { key, at_s }) => held.split(key, at_s),
    join: (held, { key, words_of }) => held.join(key, words_of),
    delete: (held, { key }) => held.delete(key),
    label: (held, { key, ...content }) => held.label(key, content),
    write: (held, { key, text }) => held.write(key, text),
    flag: (held, { key, note, is_flagged }) => held.flag(key, note, is_flagged),
    accept: (held, { keys }) => held.accept(keys),
    restore: (held, { past }) => held.restore(stateOf(past)),
  };

  function stateOf({ segments, duration_s: durationS, rate, head }) {
    return new Segmentation(new Map(segments.map((item) => [item.key, segment(item.key, item)])), { durationS, rate, head });
  }

  function ofGesture({ scheme: name, state: row, settings, gesture: called, arguments: given }) {
    const [state, scheme] = [stateOf(row), table.schemes[name]];
    let count = 0;
    const newKey = () => { count += 1; return `n${count}`; };
    try {
      const held = gestures.hands({ state, scheme, newKey }, { snaps: settings.snaps, sharesEdges: settings.shares_edges });
      const gesture = calls[called](held, given);
      const after = state.apply(gesture);
      const [sent, back] = [toWire(gesture), inverse(gesture)];
      const again = toWire(fromWire(state, sent));
      if (JSON.stringify(again) !== JSON.stringify(sent)) return { error: `read back as ${JSON.stringify(again)}` };
      const undone = after.apply(back).there;
      const isAsBefore = undone.length === state.there.length && undone.every((item, at) => model.isSame(item, state.there[at]));
      if (!isAsBefore) return { error: "taking it back does not leave what was there" };
      const badges = difference.differences(state, after).filter(({ words }) => words.length).map(({ key, words }) => [key, words]);
      return { sent, undone: toWire(back), faults: faultsOf.faults(after, scheme, table.step_ids), badges: Object.fromEntries(badges) };
    } catch (error) {
      return { error: error.message };
    }
  }

  function ofTime({ time_s: timeS, rate, resolution_s: resolutionS }) {
    const edgeS = snapping.snapped(timeS, { resolutionS, rate });
    return {
      rounded_s: snapping.rounded(timeS),
      snapped_s: edgeS,
      shortest_s: snapping.shortestS({ resolutionS, rate }),
      frames: rate && [snapping.lastFrame(edgeS, rate), snapping.firstFrame(edgeS, rate)],
    };
  }

  function ofTemplate({ pattern, values, read }) {
    if (read !== undefined) return { values: templates.read(pattern, read) };
    try {
      return { text: templates.fill(pattern, values) };
    } catch (error) {
      return { error: error.message };
    }
  }

  return {
    gestures: table.gestures.map(ofGesture),
    faults: table.faults.map(({ scheme, state }) => ({ faults: faultsOf.faults(stateOf(state), table.schemes[scheme], table.step_ids) })),
    snapped: table.snapped.map(ofTime),
    templates: table.templates.map(ofTemplate),
  };
}
