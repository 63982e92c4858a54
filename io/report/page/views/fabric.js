// SPDX-License-Identifier: GPL-2.0-only
// The fabric drawn, with the heat of its links at a moment; a click on a link shows who used it then.

/** Lanes of a fabric that carried anything: [{lane, line, back, index}]. */
const lanesOf = (of) =>
  of.lanes
    .map((lane, index) => ({lane, line: of.lines[index >> 1], back: index % 2 === 1, index}))
    .filter(({lane}) => lane);

const binOf = (of, time) => Math.max(0, Math.min(of.bins - 1, Math.floor((time * of.bins) / of.end_ps)));
const heatAt = (lane, bin) => (lane ? lane.heat[bin] / 100 : 0);

/** "0.600 ms to 0.620 ms" of a bin. */
const binText = (of, bin) => `${show((bin * of.end_ps) / of.bins, 'ps')} to ${show(((bin + 1) * of.end_ps) / of.bins, 'ps')}`;

/** The use of all lanes as a strip above the slider: of each bin the busiest. */
function drawProfile(canvas, of, entries) {
  const width = Math.max(100, canvas.parentElement.clientWidth),
    context = ready(canvas, width, 14),
    dark = isDark();
  for (let bin = 0; bin < of.bins; ++bin) {
    const most = Math.max(0, ...entries.map(({lane}) => lane.heat[bin]));
    context.fillStyle = `rgb(${heat(most / 100, dark)})`;
    const from = (width * bin) / of.bins;
    context.fillRect(from, 0, width / of.bins + 0.6, 14);
  }
  context.strokeStyle = color('--line');
  context.strokeRect(0.5, 0.5, width - 1, 13);
}

const userName = (of, number) => {
  const [from, to, kind] = of.users[number];
  return {from: of.nodes[from], to: of.nodes[to], kind: of.kinds[kind]};
};

/** Who used a lane in a bin, as an element. */
function usersOfLane(of, entry, bin) {
  const {lane, line} = entry;
  const inner = of.boxes.length && line[0] === line[1];
  const together = line[2] > 1 ? `${show(line[2])} ${inner ? 'links' : 'cables'}` : null,
    cables = together ? `, the busiest of ${together}` : '';
  const element = make('div', {class: 'users'});
  element.append(
    make('h3', {}, lane.name),
    make('p', {}, make('b', {}, show(heatAt(lane, bin), 'share', 3)), ` of ${show(lane.rate, 'bit/s')} from ${binText(of, bin)} (${lane.tier}${cables})`),
  );
  if (of.unknown) {
    element.append(make('p', {class: 'hint'}, `Who used it is not known: ${of.unknown}.`));
    return element;
  }
  if (!lane.users) {
    element.append(make('p', {class: 'hint'}, `Users are kept for the ${show(of.lanes_with_users)} busiest of ${show(of.used_lanes)} directions.`));
    return element;
  }
  const at = lane.users.find((row) => row[0] === bin);
  if (!at) {
    element.append(make('p', {class: 'hint'}, 'No flow was under way on it then.'));
    return element;
  }
  const rows = [];
  for (let i = 3; i < at.length; i += 2) rows.push({...userName(of, at[i]), bytes: at[i + 1]});
  element.append(
    make('h4', {}, `${counted(at[1], 'flow')} under way` + (together ? ` on all ${together}` : '')),
    at[2] > rows.length ? make('p', {class: 'hint'}, `Of ${show(at[2])} users the ${show(rows.length)} with the most bytes then:`) : '',
    make(
      'ol',
      {class: 'rows'},
      rows.map((row) =>
        make(
          'li',
          {},
          make('div', {}, `${row.from} -> ${row.to}`, make('div', {class: 'hint'}, show(row.bytes, 'byte', 3) + (row.kind ? ', ' + row.kind : ''))),
        ),
      ),
    ),
  );
  return element;
}

/** One run's fabric. `state`: {time} in ps, kept when runs are switched. */
function fabricView(element, run, state, slider) {
  const of = run.fabric,
    entries = lanesOf(of);
  const drawing = make('div', {class: 'fabric'}),
    canvas = make('canvas', {'aria-hidden': 'true'}),
    side = make('div', {class: 'fabricside'});
  const frame = make('div', {class: 'fabricframe' + (of.boxes.length ? '' : ' listed'), 'data-view': 'fabric'}, drawing, side);
  element.append(frame);
  const tip = of.boxes.length ? tooltip(drawing) : null;
  let place = null,
    paths = new Map(),
    cables = [],
    chosen = null,
    hovered = null;
  const bin = () => binOf(of, state.time),
    when = of.bins > 1 ? ' at this moment' : ' over the run';

  const draw = () => {
    if (!of.boxes.length) return;
    const width = Math.max(220, drawing.clientWidth);
    if (!place || place.width !== width) {
      place = {...placeBoxes(of, width), width};
      paths = new Map(entries.map((entry) => [entry.index, pathOf(of, place, entry)]));
      cables = of.lines.map((line) => pathOf(of, place, {line, back: false})).filter((points) => points);
    }
    const context = ready(canvas, width, place.height),
      dark = isDark(),
      at = bin();
    context.font = '12px system-ui, sans-serif';
    context.lineCap = 'butt';
    const crowded = cables.length > 700;
    const order = entries.filter(({lane}) => heatAt(lane, at) >= 0.005).sort((x, y) => heatAt(x.lane, at) - heatAt(y.lane, at));
    const stroke = (points) => {
      context.beginPath();
      context.moveTo(...points[0]);
      if (points.length === 2) context.lineTo(...points[1]);
      else context.quadraticCurveTo(...points[1], ...points[2]);
      context.stroke();
    };
    context.strokeStyle = color('--grid');
    context.lineWidth = crowded ? 0.5 : 1;
    for (const points of cables) stroke(points);
    for (const entry of order) {
      const points = paths.get(entry.index);
      if (!points) continue;
      const share = heatAt(entry.lane, at);
      context.strokeStyle = `rgb(${heat(share, dark)})`;
      context.lineWidth = (crowded ? 0.5 : 0.9) + (crowded ? 0.7 : 1.1) * share;
      stroke(points);
    }
    for (const entry of [hovered, chosen]) {
      if (!entry || !paths.get(entry.index)) continue;
      context.strokeStyle = color('--link');
      context.lineWidth = 3.5;
      stroke(paths.get(entry.index));
    }
    const inner = new Map(entries.filter(({line}) => line[0] === line[1]).map((entry) => [entry.line[0], entry]));
    place.boxes.forEach((box, i) => {
      const entry = inner.get(i),
        share = entry ? heatAt(entry.lane, at) : 0;
      context.fillStyle = share < 0.005 ? color('--panel') : `rgb(${heat(share, dark)})`;
      const isChosen = entry && (entry === chosen || entry === hovered);
      context.strokeStyle = color(isChosen ? '--link' : '--soft');
      context.lineWidth = isChosen ? 2.5 : 1;
      context.beginPath();
      context.roundRect(box.x, box.y, box.w, box.h, Math.min(3, box.w / 4));
      context.fill();
      context.stroke();
    });
    context.fillStyle = color('--soft');
    context.textBaseline = 'middle';
    for (const label of place.labels) {
      if (label.room !== undefined && context.measureText(label.text).width > label.room + 12) continue;
      context.textAlign = label.align;
      context.fillText(label.text, label.x, label.y);
    }
    labelBoxes(context, of, place);
  };

  const rest = () => {
    const list = entries
      .filter(({lane}) => heatAt(lane, bin()) >= 0.005)
      .sort((x, y) => heatAt(y.lane, bin()) - heatAt(x.lane, bin()))
      .slice(0, of.boxes.length ? 6 : 12);
    const busiest = make(
      'ol',
      {class: 'rows'},
      list.map((entry) =>
        make(
          'li',
          {},
          make('button', {type: 'button', 'aria-pressed': String(entry === chosen), onclick: () => choose(entry)}, entry.lane.name),
          make('span', {}, show(heatAt(entry.lane, bin()), 'share', 3)),
        ),
      ),
    );
    side.replaceChildren(
      chosen ? usersOfLane(of, chosen, bin()) : make('p', {class: 'hint'}, `Click a link${of.boxes.length ? ' or a box' : ''} to see who used it${when}.`),
      make('h3', {}, `Busiest${when}`),
      list.length ? busiest : make('p', {class: 'hint'}, 'No link was in use.'),
    );
  };

  const choose = (entry) => {
    chosen = entry;
    draw();
    rest();
  };

  /** The lane or the box at a point of the drawing. */
  const find = (event) => {
    const box = canvas.getBoundingClientRect(),
      x = event.clientX - box.left,
      y = event.clientY - box.top;
    const number = place.boxes.findIndex((at) => x >= at.x - 1 && x <= at.x + at.w + 1 && y >= at.y - 1 && y <= at.y + at.h + 1);
    if (number >= 0) return {box: number, entry: entries.find(({line}) => line[0] === number && line[1] === number) ?? null, x, y};
    let best = null,
      least = 6;
    for (const entry of entries) {
      const points = paths.get(entry.index);
      if (!points) continue;
      const away = distanceTo(points, x, y) - 2.5 * heatAt(entry.lane, bin());
      if (away < least) [best, least] = [entry, away];
    }
    return {box: -1, entry: best, x, y};
  };

  if (of.boxes.length) {
    drawing.prepend(canvas);
    canvas.addEventListener('pointermove', (event) => {
      const found = find(event);
      hovered = found.entry;
      canvas.style.cursor = found.entry ? 'pointer' : 'default';
      const lines = found.box >= 0 ? [of.boxes[found.box].name] : [];
      if (found.entry)
        lines.push(
          found.entry.lane.name,
          `${show(heatAt(found.entry.lane, bin()), 'share', 3)} of ${show(found.entry.lane.rate, 'bit/s')}`,
          ...(found.entry.line[2] > 1 ? [`the busiest of ${show(found.entry.line[2])} links`] : []),
        );
      if (lines.length) tip.say(lines, found.x, found.y);
      else tip.hide();
      draw();
    });
    canvas.addEventListener('pointerleave', () => {
      hovered = null;
      tip.hide();
      draw();
    });
    canvas.addEventListener('click', (event) => choose(find(event).entry));
  }
  const all = () => {
    drawProfile(slider.profile, of, entries);
    draw();
    rest();
  };
  let last = 0;
  const watch = new ResizeObserver(() => {
    if (frame.clientWidth === last) return;
    last = frame.clientWidth;
    all();
  });
  watch.observe(frame);
  return {
    all,
    remove() {
      watch.disconnect();
      frame.remove();
    },
    /** For tests: a point of the lane with this name on the screen. */
    pointOf(name) {
      const entry = entries.find(({lane}) => lane.name === name),
        box = canvas.getBoundingClientRect();
      const [x, y] = pointOn(paths.get(entry.index), 0.37);
      return [box.left + x, box.top + y];
    },
    busiest: () => entries.filter(({index}) => paths.get(index)).sort((x, y) => heatAt(y.lane, bin()) - heatAt(x.lane, bin()))[0]?.lane.name,
  };
}

const ORIGINS = {
  monitor: 'Use of links is what monitors sampled.',
  flows: 'Use of links is the payload of flows, each spread evenly over its time; --set monitor.kinds=links measures it.',
  totals: 'Use of links is that of the whole run: flows are not known one by one, and no monitor sampled links (--set monitor.kinds=links).',
};

/** What the drawing leaves out, in sentences. */
function fabricNote(of) {
  const sentences = [];
  if (!of.boxes.length) sentences.push(`The fabric ${of.text}: here are its busiest links instead.`);
  else
    sentences.push(
      `${of.text[0].toUpperCase()}${of.text.slice(1)}. A line is all cables between two boxes, coloured by the busiest of them, one side for each direction; a box shows the links within it.`,
    );
  if (of.merged > 1) sentences.push(`Neighbours are drawn together, up to ${show(of.merged)} in a box.`);
  sentences.push(ORIGINS[of.origin]);
  return sentences.join(' ');
}

function drawFabric(element, runs) {
  const having = runs.filter((run) => run.fabric);
  const until = Math.max(...having.map((run) => run.fabric.end_ps)),
    steps = Math.max(...having.map((run) => Math.round((run.fabric.bins * until) / run.fabric.end_ps)));
  const state = {time: 0, run: having[0]};
  const profile = make('canvas', {'aria-hidden': 'true'}),
    range = make('input', {type: 'range', min: 0, max: Math.max(0, steps - 1), step: 1, value: 0, 'aria-label': 'time'}),
    moment = make('output', {});
  const track = make('div', {class: 'track'}, make('div', {class: 'profile'}, profile), range);
  const controls = make('div', {class: 'moment', hidden: steps < 2}, track, moment);
  const switches = having.map((run) =>
    make('button', {type: 'button', class: 'switch', 'aria-pressed': 'false', onclick: () => select(run)}, runName(run)),
  );
  const note = make('p', {class: 'note'}),
    holder = make('div', {});
  if (having.length > 1) element.append(make('div', {class: 'switches', role: 'group', 'aria-label': 'run'}, switches));
  heatScale(element, 'Use of a link');
  element.append(controls, holder);
  let view = null;
  const slider = {profile};
  const tell = () => {
    const of = state.run.fabric;
    moment.textContent = state.time >= of.end_ps ? `after its end, ${show(of.end_ps, 'ps')}` : binText(of, binOf(of, state.time));
  };
  const select = (run) => {
    view?.remove();
    state.run = run;
    switches.forEach((button, i) => button.setAttribute('aria-pressed', String(having[i] === run)));
    note.textContent = fabricNote(run.fabric);
    if (run.fabric.boxes.length) holder.after(note);
    else holder.before(note);
    profile.parentElement.style.width = ((100 * run.fabric.end_ps) / until).toFixed(3) + '%';
    tell();
    view = fabricView(holder, run, state, slider);
    viewsForTests.fabric = view;
  };
  range.addEventListener('input', () => {
    state.time = ((Number(range.value) + 0.5) * until) / steps;
    tell();
    view.all();
  });
  // The moment at which most lines are hot comes first.
  const first = having[0].fabric;
  const sums = Array.from({length: first.bins}, (_, bin) =>
    lanesOf(first)
      .filter(({line}) => !first.boxes.length || line[0] !== line[1])
      .reduce((sum, {lane}) => sum + lane.heat[bin], 0),
  );
  state.time = ((sums.indexOf(Math.max(...sums)) + 0.5) * first.end_ps) / first.bins;
  range.value = String(Math.floor((state.time * steps) / until));
  select(having[0]);
  redraws.push(() => view.all());
}
