// SPDX-License-Identifier: GPL-2.0-only
// A sweep: curves of the figures over each of its axes, and a table of all runs.

const MOST_CURVES = 12;
/** Figures that are drawn: the first four that the runs have and in which they differ. */
const SWEPT_FIGURES = [/^busbw_/, /^step_/, /^slowdown_p99$/, /^fct_p99$/, /^drops$/, /^simulated$/];

const sweptFigure = (run, key) => run.figures.find((figure) => figure.key === key);

/** The figures to draw: {key, label, unit, better}. */
function figuresOfSweep(runs) {
  const known = new Map();
  for (const run of runs) for (const figure of run.figures) if (!figure.minor) known.set(figure.key, figure);
  const varies = (key) => new Set(runs.map((run) => sweptFigure(run, key)?.value)).size > 1;
  return SWEPT_FIGURES.flatMap((pattern) => [...known.values()].filter((figure) => pattern.test(figure.key) && varies(figure.key))).slice(
    0,
    4,
  );
}

const distinct = (values) => [...new Set(values)];

/** The axis on which curves are drawn first: of those with numbers, else of all, the one with the most values. */
function firstAxis(axes) {
  const values = (axis) => distinct(axis.values).length;
  const most = (list) => list.reduce((a, b) => (!a || values(b) > values(a) ? b : a), null);
  return most(axes.filter((axis) => axis.numbers && values(axis) > 1)) || most(axes);
}

/** Whether two axes vary together, as lists of a [zip]. */
const together = (a, b) => a === b || (a.zip > 0 && a.zip === b.zip);

/** What tells runs apart that are alike in `axis`; `first`: an axis that is named before the others. */
function axesBeside(axis, axes, first) {
  const list = first ? [first] : [];
  for (const other of axes) {
    if (distinct(other.values).length < 2 || together(other, axis) || list.some((known) => together(known, other))) continue;
    list.push(other);
  }
  return list;
}

/** A value as a curve's name has it: with the last part of its key where it says nothing alone. */
function curveWord(axis, i) {
  const value = axis.values[i],
    speaks = axis.key === 'size' || (!axis.numbers && value !== 'true' && value !== 'false');
  return speaks ? value : `${axis.key.split('.').pop()} ${value}`;
}

/** Runs that differ in nothing but `axis`: [{label, runs: [indices]}], in the order of the table. */
function curvesOver(axis, axes, count, first) {
  const others = axesBeside(axis, axes, first);
  const groups = new Map();
  for (let i = 0; i < count; ++i) {
    const label = others.map((other) => curveWord(other, i)).join(', ') || 'all runs';
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(i);
  }
  return [...groups].map(([label, runs]) => ({label, runs}));
}

/** The figure that --plot asked for, as one of a run. */
const chosenFigure = () => report.sweep.plot && {key: 'plot', label: report.sweep.plot.title, unit: report.sweep.plot.unit};

/** A figure of run `i`; undefined if it has none. */
const sweptValue = (i, key) =>
  key === 'plot' ? (report.sweep.plot.values[i] ?? undefined) : sweptFigure(report.sweep.runs[i], key)?.value;

/** One chart: a figure over an axis. `first`: the axis that names the curves first. */
function drawCurves(element, axis, figure, number, first) {
  const {axes, runs} = report.sweep;
  const names = distinct(axis.values);
  const x = (i) => (axis.numbers ? axis.numbers[i] : names.indexOf(axis.values[i]));
  const curves = curvesOver(axis, axes, runs.length, first);
  const series = curves.slice(0, MOST_CURVES).map((curve) => {
    const points = curve.runs
      .map((i) => ({x: x(i), y: sweptValue(i, figure.key)}))
      .filter((point) => point.y !== undefined)
      .sort((a, b) => a.x - b.x);
    return {label: curve.label, x: points.map((point) => point.x), y: points.map((point) => point.y)};
  });
  const drawn = series.filter((one) => one.x.length);
  if (!drawn.length) return;
  drawn.forEach((one, i) => Object.assign(one, {color: i, palette: 'c', dash: Math.floor(i / PALETTE)}));
  const horizontal = drawn.flatMap((one) => one.x),
    vertical = drawn.flatMap((one) => one.y);
  chart(element, {
    name: `sweep-${number}-${figure.key}`,
    title: `${figure.label} by ${axis.key}`,
    note: moreThan(MOST_CURVES, curves.length, 'curves; the table has all runs'),
    series: drawn,
    points: true,
    x: axis.numbers
      ? {label: axis.key, unit: axis.unit, log: spread(horizontal) && Math.min(...horizontal) > 0}
      : {label: axis.key, unit: '', names, range: [-0.5, names.length - 0.5]},
    y: {label: figure.label, unit: figure.unit, log: spread(vertical) && Math.min(...vertical) > 0},
  });
}

/** The charts of each axis; a list chooses the axis that is seen. */
function drawAxes(element) {
  const {axes, runs} = report.sweep;
  const figures = figuresOfSweep(runs),
    shown = axes.filter((axis) => distinct(axis.values).length > 1);
  if (!figures.length || !shown.length) {
    element.append(make('p', {class: 'hint'}, 'The runs differ in no figure.'));
    return;
  }
  const first = firstAxis(shown);
  const groups = shown.map((axis) => make('div', {class: 'panels', hidden: axis !== first}));
  if (shown.length > 1) {
    const choice = make(
      'select',
      {id: 'sweep-axis', onchange: () => groups.forEach((group, i) => (group.hidden = i !== choice.selectedIndex))},
      shown.map((axis) => make('option', {selected: axis === first}, axis.key)),
    );
    element.append(make('p', {}, make('label', {for: 'sweep-axis'}, 'curves over '), choice));
  }
  element.append(...groups);
  shown.forEach((axis, i) => figures.forEach((figure) => drawCurves(groups[i], axis, figure, i)));
}

function drawSweptRuns(element) {
  const {axes, runs} = report.sweep;
  const keys = distinct(runs.flatMap((run) => run.figures.filter((figure) => figure.group !== 'Simulator').map((figure) => figure.key)));
  const known = (key) => runs.map((run) => sweptFigure(run, key)).find((figure) => figure);
  table(element, {
    caption: 'All runs',
    rows: runs.map((run, i) => ({run, i})),
    columns: [
      {label: 'run', value: (row) => row.run.name},
      ...axes.map((axis) => ({
        label: axis.key,
        value: (row) => (axis.numbers ? axis.numbers[row.i] : axis.values[row.i]),
        text: (row) => axis.values[row.i],
        number: Boolean(axis.numbers),
        keep: true,
      })),
      {label: 'warnings', value: (row) => row.run.warnings.join(' '), long: true},
      ...keys.map((key) => ({
        label: known(key).label,
        number: true,
        value: (row) => sweptFigure(row.run, key)?.value ?? null,
        text: (row) => show(sweptFigure(row.run, key)?.value, known(key).unit),
      })),
    ],
  });
}

/** The figure that --plot asked for. */
function drawChosen(element) {
  const {axes, plot} = report.sweep;
  const panel = make('div', {class: 'panels'});
  element.append(panel);
  drawCurves(panel, axes[plot.x], chosenFigure(), 'chosen', plot.by === null ? undefined : axes[plot.by]);
}

function drawSweep(element) {
  if (report.sweep.plot) drawChosen(element);
  drawAxes(element);
  drawSweptRuns(element);
  if (!report.runs.length)
    element.append(make('p', {class: 'hint'}, 'heddle report draws up to 16 of these results with all their details.'));
}

const SWEEP_SECTIONS = report.sweep ? [{id: 'sweep', title: 'The sweep', has: () => true, draw: drawSweep}] : [];
