// SPDX-License-Identifier: GPL-2.0-only
// Curves and bars, drawn by uPlot.

/** Functions that draw again when colours change. */
const redraws = [];
/** Names of all charts that were drawn, for tests. */
const drawn = [];

/** A figure with a heading, a button for its numbers, and a place to draw. */
function figure(parent, {name, title, note, rows}) {
  const plot = make('div', {class: 'plot'});
  const figureElement = make(
    'figure',
    {'data-chart': name, tabindex: '0', 'aria-label': title + (note ? '. ' + note : '')},
    make(
      'figcaption',
      {},
      make('span', {}, title),
      make(
        'button',
        {type: 'button', title: 'Save the numbers as CSV', onclick: () => saveAs(name + '.csv', csv(rows()))},
        'CSV',
      ),
    ),
    note ? make('p', {class: 'note'}, note) : null,
    plot,
  );
  parent.append(figureElement);
  drawn.push(name);
  return {figureElement, plot};
}

/** The value of each step function {x, y} at the x of all functions: 0 before its first x, its last value after its end. */
function onOneAxis(series, before) {
  const x = [...new Set(series.flatMap((s) => s.x))].sort((a, b) => a - b);
  const columns = series.map((s) => {
    const values = new Array(x.length);
    let at = -1;
    for (let i = 0; i < x.length; ++i) {
      while (at + 1 < s.x.length && s.x[at + 1] <= x[i]) ++at;
      if (at < 0) values[i] = before;
      else if (at + 1 === s.x.length) values[i] = x[i] === s.x[at] || before !== null ? s.y[at] : null;
      else if (s.x[at] === x[i]) values[i] = s.y[at];
      else values[i] = s.step ? s.y[at] : s.y[at] + ((s.y[at + 1] - s.y[at]) * (x[i] - s.x[at])) / (s.x[at + 1] - s.x[at]);
    }
    return values;
  });
  return [x, ...columns];
}

/** Lines at the times of failures, over a chart whose x axis is time; `toX`: from ps to pixels. */
function drawMarks(context, marks, toX, top, bottom, left, right) {
  context.save();
  context.strokeStyle = color('--worse');
  context.setLineDash([4, 3]);
  context.lineWidth = Math.max(1, window.devicePixelRatio || 1);
  for (const time of marks) {
    const x = toX(time);
    if (x < left || x > right) continue;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
  }
  context.restore();
}

/** Puts samples of the lines into a chart's legend: their colours and dashes. */
function sampleLines(chart, series, stacked) {
  const markers = [...chart.root.querySelectorAll('.u-legend .u-marker')].slice(-series.length);
  markers.forEach((marker, i) => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('width', stacked ? 12 : 30);
    svg.setAttribute('height', 12);
    const shape = document.createElementNS(svg.namespaceURI, stacked ? 'rect' : 'line');
    const attributes = stacked ? {x: 0, y: 0, width: 12, height: 12} : {x1: 0, y1: 6, x2: 30, y2: 6, 'stroke-width': 2.5};
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
    shape.setAttribute(stacked ? 'fill' : 'stroke', paint(series[i].color ?? i, series[i].palette));
    if (!stacked) shape.setAttribute('stroke-dasharray', DASHES[(series[i].dash ?? 0) % DASHES.length].join(' '));
    svg.append(shape);
    marker.replaceChildren(svg);
  });
}

/** Round values of a logarithmic axis, at most `most`: 1, 2, 5 times powers of ten, or of bytes powers of two. */
function logSplits(unit, low, high, most) {
  const list = [];
  if (unit === 'byte') {
    for (let power = Math.ceil(Math.log2(low)); power <= Math.log2(high); ++power) list.push(2 ** power);
  } else {
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
      list.push(...[1, 2, 5].map((v) => v * 10 ** power));
  }
  const inside = list.filter((v) => v >= low && v <= high);
  if (inside.length <= most) return inside;
  const decades = unit === 'byte' ? inside : inside.filter((v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
  const step = Math.ceil(decades.length / most);
  return decades.filter((v, i) => i % step === 0);
}

function axisOf(axis, unit, isX) {
  return {
    label: axis.label + (unit.label && unit.label !== '×' ? ' [' + unit.label + ']' : ''),
    stroke: () => color('--soft'),
    grid: {stroke: () => color('--grid'), width: 1},
    ticks: {stroke: () => color('--line'), width: 1},
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
    labelSize: 20,
    size: isX ? 34 : 56,
    splits: axis.log ? (u, i, low, high) => logSplits(axis.unit, low, high, Math.max(3, Math.floor(u.width / 75))) : undefined,
    filter: axis.log ? (u, splits) => splits : undefined,
    values: axis.names
      ? (u, splits) => splits.map((v) => axis.names[v] ?? '')
      : (u, splits) => splits.map((v) => (v === null ? '' : unit.own ? show(v, axis.unit, 3) : plain(v, 3))),
  };
}

function scaleOf(axis, unit) {
  const range = (u, low, high) => {
    if (axis.range) return axis.range.map((v, i) => (v === null ? (i ? high : low) : v / unit.scale));
    if (axis.log) return [low / 1.15, high * 1.15];
    if (axis.kind === 'bars') return [low - 0.6, high + 0.6];
    if (axis.zero === false) return [low, Math.max((axis.until ?? 0) / unit.scale, high === low ? low + 1 : high)];
    const top = Math.max((axis.most ?? 0) / unit.scale, high);
    return [0, top > 0 ? top * 1.06 : 1];
  };
  return {time: false, distr: axis.log ? 3 : 1, log: axis.unit === 'byte' ? 2 : 10, range};
}

/** Arrow keys move the cursor over the points of a chart that has the focus. */
function moveByKeys(figureElement, chartOf) {
  figureElement.addEventListener('keydown', (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9}[event.key];
    if (!step || event.target !== figureElement) return;
    event.preventDefault();
    const chart = chartOf();
    const last = chart.data[0].length - 1;
    const at = Math.max(0, Math.min(last, (chart.cursor.idx ?? (step > 0 ? -1 : last + 1)) + step));
    chart.setCursor({left: chart.valToPos(chart.data[0][at], 'x'), top: chart.over.clientHeight / 2});
  });
}

/**
 * Draws curves or stacked bars. `x` and `y`: {label, unit, log, zero, range, names}; `series`: [{label, x, y, color, palette, dash, step}].
 * With `stacked`, series share the x of the first and are stacked bars. `x.until` and `y.most` extend the axes: charts that are
 * compared have the same. `marks`: times of failures [ps].
 */
function chart(parent, {name, title, note, x, y, series, stacked, points, marks = [], height = 300}) {
  const rows = () => [
    [x.label + (x.unit ? ' [' + x.unit + ']' : ''), ...series.map((s) => s.label)],
    ...(stacked ? [series[0].x, ...series.map((s) => s.y)] : onOneAxis(series, y.before ?? null)).reduce((out, column) => {
      column.forEach((v, i) => {
        (out[i] ||= []).push(v);
      });
      return out;
    }, []),
  ];
  const {figureElement, plot} = figure(parent, {name, title, note, rows});
  const most = (values) => values.reduce((a, b) => Math.max(a, b ?? 0), 0);
  const sums = stacked ? series[0].x.map((_, i) => series.reduce((sum, s) => sum + s.y[i], 0)) : null;
  // Labels of a logarithmic axis have their own units; a linear axis has one unit.
  const xUnit = x.names
    ? {scale: 1, label: ''}
    : x.log && x.unit !== 'x'
      ? {scale: 1, label: '', own: true}
      : unitFor(x.unit, Math.max(x.until ?? 0, most(series.flatMap((s) => [most(s.x)]))));
  const yUnit = unitFor(y.unit, Math.max(y.most ?? 0, stacked ? most(sums) : most(series.map((s) => most(s.y)))));
  let own = stacked ? [series[0].x, ...series.map((s) => s.y)] : onOneAxis(series, y.before ?? null);
  own = own.map((column, i) => column.map((v) => (v === null ? null : v / (i ? yUnit : xUnit).scale)));
  const data = own.slice();
  if (stacked) {
    // draws the whole column first, then the column without its topmost segment, and so on
    for (let s = data.length - 2; s >= 1; --s) data[s] = data[s].map((v, i) => v + data[s + 1][i]);
  }
  let current = null;
  const draw = () => {
    if (current) current.destroy();
    const options = {
      width: Math.max(200, plot.clientWidth),
      height,
      padding: [10, 12, 0, 0],
      scales: {x: scaleOf(stacked ? {...x, kind: 'bars'} : {zero: false, ...x}, xUnit), y: scaleOf(y, yUnit)},
      axes: [axisOf(x, xUnit, true), axisOf(y, yUnit, false)],
      cursor: {drag: {x: true, y: false}, points: {size: 7}},
      series: [
        {
          label: x.label,
          value: (u, v) =>
            v === null ? '' : x.names ? String(x.names[v]) : xUnit.own ? show(v, x.unit) : plain(v) + ' ' + xUnit.label,
        },
        ...series.map((s, i) => ({
          label: s.label,
          width: stacked ? 0 : 1.75,
          stroke: paint(s.color ?? i, s.palette),
          dash: stacked ? undefined : DASHES[(s.dash ?? 0) % DASHES.length],
          fill: stacked ? paint(s.color ?? i, s.palette) : undefined,
          spanGaps: true,
          points: {show: Boolean(points), size: 6},
          paths: stacked ? uPlot.paths.bars({size: [0.82, 48]}) : s.step ? uPlot.paths.stepped({align: 1}) : uPlot.paths.linear(),
          value: (u, v, si, at) =>
            at === null || own[si][at] === null ? '' : plain(own[si][at]) + (yUnit.label === '×' ? '×' : ' ' + yUnit.label),
        })),
      ],
    };
    if (x.names)
      options.axes[0].splits = (u, i, low, high, increment) => {
        const step = Math.max(1, Math.ceil(increment)),
          list = [];
        for (let v = Math.ceil(low); v <= high; ++v) if (v % step === 0) list.push(v);
        return list;
      };
    options.hooks = {
      draw: [
        (u) =>
          drawMarks(
            u.ctx,
            marks,
            (time) => u.valToPos(time / xUnit.scale, 'x', true),
            u.bbox.top,
            u.bbox.top + u.bbox.height,
            u.bbox.left,
            u.bbox.left + u.bbox.width,
          ),
      ],
    };
    current = new uPlot(options, data, plot);
    sampleLines(current, series, stacked);
  };
  draw();
  redraws.push(draw);
  moveByKeys(figureElement, () => current);
  new ResizeObserver(() => {
    const width = Math.max(200, plot.clientWidth);
    if (width !== current.width) current.setSize({width, height});
  }).observe(plot);
}

/** Start times of `count` - 1 bins and the end of the last, for a step curve. */
const binTimes = (of, count) => Array.from({length: count}, (_, i) => of.from_ps + i * of.bin_ps);

/** Whether values differ so much that a logarithmic axis is better. */
function spread(values) {
  const positive = values.filter((v) => v > 0);
  return positive.length > 1 && Math.max(...positive) / Math.min(...positive) > 20;
}
