// SPDX-License-Identifier: GPL-2.0-only
// Time lines of GPUs by stage: computing above, the communication of each group below it. Runs have one axis.

const laneColor = (lane) => color(PART_COLORS[lane] ?? PART_COLORS['exposed ' + lane] ?? '--k7');

/** The bars of a row: [{lane, start, end, label, together}]. */
function barsOf(of, row) {
  const bars = [];
  for (let i = 0; i < row.bars.length; i += 5) {
    const [lane, start, length, label, together] = row.bars.slice(i, i + 5);
    bars.push({lane, start, end: start + length, label: of.labels[label], together});
  }
  return bars;
}

/** Lines of a row for groups of which two are under way together: [line by lane], 0 for computing. */
function linesOfLanes(of, rows) {
  const least = of.end_ps / 500,
    conflicts = new Set();
  for (const {bars} of rows) {
    const open = [];
    for (const bar of bars.filter((one) => one.lane > 0).sort((a, b) => a.start - b.start)) {
      for (const other of open) {
        if (other.lane !== bar.lane && Math.min(other.end, bar.end) - bar.start > least) {
          conflicts.add(other.lane + ' ' + bar.lane).add(bar.lane + ' ' + other.lane);
        }
      }
      while (open.length && open[0].end <= bar.start) open.shift();
      open.push(bar);
    }
  }
  const line = [0];
  for (let lane = 1; lane < of.lanes.length; ++lane) {
    const taken = line.map((at, other) => (conflicts.has(other + ' ' + lane) ? at : -1));
    line[lane] = 1;
    while (taken.includes(line[lane])) ++line[lane];
  }
  return line;
}

/** Rows in the order in which they are drawn, with where they begin; a heading stands before each stage if there are several. */
function timelineRows(of) {
  const headed = of.stages > 1 || of.jobs > 1;
  const height = Math.max(14, Math.min(28, 440 / of.rows.length));
  const heading = (row) => [of.jobs > 1 ? 'job ' + row.job : null, of.stages > 1 ? 'stage ' + row.stage : null].filter((part) => part).join(', ');
  const rows = [],
    headings = [];
  let y = 0,
    last = null;
  for (const row of of.rows) {
    if (headed && heading(row) !== last) {
      last = heading(row);
      headings.push({text: last, y: y + 3});
      y += 19;
    }
    rows.push({row, y, bars: barsOf(of, row)});
    y += height;
  }
  const line = linesOfLanes(of, rows),
    lines = Math.max(...line);
  return {rows, headings, height, end: y, band: (lane) => bandOf(line[lane], lines)};
}

/** Where a line is in its row, computing above communication: {from, height} in shares of it. */
function bandOf(line, lines) {
  if (line === 0) return {from: 0.08, height: lines ? 0.42 : 0.84};
  const each = 0.42 / lines;
  return {from: 0.5 + each * (line - 1), height: each};
}

/** One run's time lines. `axis`: {from, to, until, changed()}, shared by all runs. */
function timelineOf(parent, run, suffix, axis) {
  const of = run.timeline,
    {rows, headings, height, end, band} = timelineRows(of);
  const pauses = run.pauses?.rows.length ? run.pauses : null;
  const top = pauses ? 18 : 2;
  const csvRows = () => [
    ['gpu', 'job', 'stage', 'what', 'operations', 'start [ps]', 'end [ps]'],
    ...rows.flatMap(({row, bars}) => bars.map((bar) => [row.name, row.job, row.stage, bar.label, bar.together, bar.start, bar.end])),
  ];
  const {figureElement, plot} = figure(parent, {name: 'timeline' + suffix, title: 'Steps by GPU', rows: csvRows});
  plot.dataset.view = 'timeline';
  const canvas = make('canvas', {'aria-hidden': 'true'}),
    tip = tooltip(figureElement);
  plot.append(canvas);
  const place = {left: 0, width: 0};
  const unit = unitFor('ps', axis.until);
  const toX = (time) => place.left + (place.width * (time - axis.from)) / (axis.to - axis.from);
  const toTime = (x) => axis.from + ((axis.to - axis.from) * (x - place.left)) / place.width;
  let selection = null,
    cursor = null;

  const drawPauses = (context) => {
    const [r, g, b] = heat(0, isDark());
    context.fillStyle = `rgb(${r},${g},${b})`;
    context.fillRect(place.left, 0, place.width, 12);
    pauses.rows[0].values.forEach((_, bin) => {
      const share = Math.max(...pauses.rows.map((row) => row.values[bin]));
      if (!share) return;
      const from = pauses.from_ps + bin * pauses.bin_ps;
      context.fillStyle = `rgb(${heat(0.15 + 0.85 * share, isDark())})`;
      context.fillRect(toX(from), 0, Math.max(0.8, toX(from + pauses.bin_ps) - toX(from)), 12);
    });
  };
  const drawAxis = (context, bottom) => {
    context.strokeStyle = color('--line');
    context.fillStyle = color('--soft');
    context.lineWidth = 1;
    context.strokeRect(place.left - 0.5, top - 0.5, place.width + 1, end + 1);
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (const time of timeSteps(axis.from / unit.scale, axis.to / unit.scale, place.width / 90)) {
      const at = toX(time * unit.scale);
      context.beginPath();
      context.moveTo(at, bottom);
      context.lineTo(at, bottom + 5);
      context.stroke();
      context.fillText(plain(time, 5), at, bottom + 8);
    }
    context.fillText(`time [${unit.label}]`, place.left + place.width / 2, bottom + 24);
  };
  const draw = () => {
    const width = Math.max(220, plot.clientWidth),
      bottom = top + end,
      context = ready(canvas, width, bottom + 42);
    context.font = '12px system-ui, sans-serif';
    const colors = of.lanes.map(laneColor);
    const widest = Math.max(...rows.map(({row}) => context.measureText(row.name).width));
    place.left = Math.round(Math.min(widest + 14, width * 0.3));
    place.width = width - place.left - 12;
    context.save();
    context.beginPath();
    context.rect(place.left, 0, place.width, bottom);
    context.clip();
    if (pauses) drawPauses(context);
    rows.forEach(({y, bars}, i) => {
      if (i % 2) {
        context.fillStyle = color('--panel');
        context.fillRect(place.left, top + y, place.width, height);
      }
      for (const bar of bars) {
        const {from: share, height: part} = band(bar.lane),
          from = toX(bar.start);
        context.fillStyle = colors[bar.lane];
        context.fillRect(from, top + y + height * share, Math.max(0.7, toX(bar.end) - from), Math.max(1.5, height * part));
      }
    });
    const ended = toX(of.end_ps);
    if (ended < place.left + place.width) {
      context.strokeStyle = color('--soft');
      context.beginPath();
      context.moveTo(ended, top);
      context.lineTo(ended, bottom);
      context.stroke();
    }
    if (selection) {
      context.fillStyle = 'rgba(120, 140, 170, 0.25)';
      context.fillRect(Math.min(...selection), top, Math.abs(selection[1] - selection[0]), end);
    }
    context.restore();
    drawMarks(context, marksOf(run), toX, top, bottom, place.left, place.left + place.width);
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = color('--soft');
    const every = Math.ceil(13 / height);
    rows.forEach(({row, y}, i) => {
      if (i % every === 0) context.fillText(row.name, place.left - 8, top + y + height / 2, place.left - 8);
    });
    if (pauses) context.fillText('paused', place.left - 8, 6, place.left - 8);
    context.fillStyle = color('--ink');
    for (const heading of headings) context.fillText(heading.text, place.left - 8, top + heading.y + 9, place.left - 8);
    drawAxis(context, bottom);
    if (cursor !== null) {
      context.strokeStyle = color('--soft');
      context.beginPath();
      context.moveTo(cursor, top);
      context.lineTo(cursor, bottom);
      context.stroke();
    }
  };

  const span = (from, to) => `${show(from, 'ps')} to ${show(to, 'ps')}, ${show(to - from, 'ps', 3)}`;
  /** What is at a point of the canvas, as lines of a tooltip. */
  const linesAt = (x, y) => {
    const time = toTime(x);
    if (x < place.left || x > place.left + place.width) return null;
    if (pauses && y < 12) {
      const bin = Math.floor((time - pauses.from_ps) / pauses.bin_ps);
      return ['paused by PFC', ...pauses.rows.filter((row) => row.values[bin] > 0).map((row) => `${show(row.values[bin], 'share', 3)} of ${row.name} links`)];
    }
    const entry = rows.find((row) => y - top >= row.y && y - top < row.y + height);
    if (!entry) return null;
    const tolerance = (2 * (axis.to - axis.from)) / place.width;
    const here = entry.bars.filter((bar) => time >= bar.start - tolerance && time <= bar.end + tolerance);
    const part = (y - top - entry.y) / height;
    const away = (bar) => Math.abs(part - band(bar.lane).from - band(bar.lane).height / 2);
    here.sort((a, b) => away(a) - away(b));
    if (!here.length) return [entry.row.name, `${show(time, 'ps')}: no computing, no communication`];
    return [
      entry.row.name,
      ...here
        .slice(0, 3)
        .flatMap((bar) => [bar.label + (bar.together > 1 ? ` and ${show(bar.together - 1)} more` : ''), span(bar.start, bar.end)]),
    ];
  };
  const placeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener('pointermove', (event) => {
    const [x, y] = placeOf(event);
    if (selection) selection[1] = Math.max(place.left, Math.min(place.left + place.width, x));
    cursor = x >= place.left && x <= place.left + place.width ? x : null;
    const lines = linesAt(x, y);
    if (lines) tip.say(lines, x, plot.offsetTop + y);
    else tip.hide();
    draw();
  });
  canvas.addEventListener('pointerdown', (event) => {
    const [x] = placeOf(event);
    if (event.button || x < place.left) return;
    canvas.setPointerCapture(event.pointerId);
    selection = [x, x];
  });
  canvas.addEventListener('pointerup', () => {
    const chosen = selection;
    selection = null;
    if (chosen && Math.abs(chosen[1] - chosen[0]) > 4) axis.zoom(...chosen.map(toTime).sort((a, b) => a - b));
    else draw();
  });
  canvas.addEventListener('pointerleave', () => {
    cursor = null;
    tip.hide();
    draw();
  });
  canvas.addEventListener('dblclick', () => axis.zoom(0, axis.until));
  figureElement.addEventListener('keydown', (event) => {
    const length = axis.to - axis.from,
      moves = {ArrowLeft: -0.2, ArrowRight: 0.2};
    if (event.target !== figureElement) return;
    if (event.key in moves) axis.zoom(axis.from + moves[event.key] * length, axis.to + moves[event.key] * length);
    else if (event.key === '+') axis.zoom(axis.from + length / 4, axis.to - length / 4);
    else if (event.key === '-') axis.zoom(axis.from - length / 2, axis.to + length / 2);
    else return;
    event.preventDefault();
  });
  draw();
  redraws.push(draw);
  let last = plot.clientWidth;
  new ResizeObserver(() => {
    if (plot.clientWidth === last) return;
    last = plot.clientWidth;
    draw();
  }).observe(plot);
  return {
    draw,
    figureElement,
    /** For tests: the middle of a GPU's longest bar on the screen, and what it is. */
    longest(index) {
      const entry = rows[index],
        bar = entry.bars.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a)),
        box = canvas.getBoundingClientRect();
      return {
        x: box.left + toX((bar.start + bar.end) / 2),
        y: box.top + top + entry.y + height * (band(bar.lane).from + band(bar.lane).height / 2),
        gpu: entry.row.name,
        label: bar.label,
      };
    },
  };
}

function drawTimeline(element, runs) {
  const having = runs.filter((run) => run.timeline);
  const until = Math.max(...having.map((run) => run.timeline.end_ps));
  const ORDER = Object.keys(PART_COLORS).map((name) => name.replace('exposed ', ''));
  const lanes = [...new Set(having.flatMap((run) => run.timeline.lanes))].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const views = new Map();
  const axis = {
    from: 0,
    to: until,
    until,
    zoom(from, to) {
      const length = Math.min(until, Math.max(to - from, until / 1e5));
      axis.from = Math.max(0, Math.min(from, until - length));
      axis.to = axis.from + length;
      whole.hidden = axis.from === 0 && axis.to === until;
      views.forEach((view) => view.draw());
    },
  };
  const whole = make('button', {type: 'button', class: 'switch', hidden: true, onclick: () => axis.zoom(0, until)}, 'Whole run');
  const switches = having.map((run) =>
    make(
      'button',
      {
        type: 'button',
        class: 'switch',
        'aria-pressed': 'true',
        onclick: (event) => {
          const panel = views.get(run).panel;
          panel.hidden = !panel.hidden;
          event.currentTarget.setAttribute('aria-pressed', String(!panel.hidden));
          views.get(run).draw();
        },
      },
      runName(run),
    ),
  );
  element.append(make('div', {class: 'switches', role: 'group', 'aria-label': 'runs that are shown'}, having.length > 1 ? switches : null, whole));
  element.append(
    make(
      'ul',
      {class: 'legend'},
      lanes.map((lane) =>
        make('li', {}, make('span', {class: 'swatch', style: `background: var(${PART_COLORS[lane] ?? PART_COLORS['exposed ' + lane] ?? '--k7'})`}), lane),
      ),
    ),
  );
  for (const run of having) {
    const panel = make('div', {}, many() ? make('h3', {}, runName(run)) : null);
    element.append(panel);
    views.set(run, {...timelineOf(panel, run, many() ? '-' + run.index : '', axis), panel});
  }
  viewsForTests.timeline = {axis, of: (index) => views.get(having[index])};
  const shown = having.map((run) => `${show(run.timeline.rows.length)} of ${counted(run.timeline.gpus, 'GPU')}`);
  const alike = new Set(shown).size === 1,
    complete = having.every((run) => run.timeline.rows.length >= run.timeline.gpus);
  const note = (alike ? 'Shown are ' + shown[0] : having.map((run, i) => `${run.name}: ${shown[i]}`).join(', ')) + ', evenly spread over each stage. ';
  const failed = having.some((run) => marksOf(run).length);
  element.append(
    make(
      'p',
      {class: 'note'},
      `Upper part of a row: computing; lower part: communication under way, from when the GPU asked for it. Drag to zoom, double-click for the whole.${failed ? ' Dashed: failures of links and nodes.' : ''} ${complete ? '' : note}What is too short to be seen is joined with its neighbours.`,
    ),
  );
  const without = runs.filter((run) => !run.timeline);
  if (without.length) element.append(make('p', {class: 'hint'}, 'No time lines in: ' + without.map((run) => run.name).join(', ') + '.'));
}
