// SPDX-License-Identifier: GPL-2.0-only
// Helpers of the sections: panels side by side, and names of runs.

const figureOf = (run, key) => run.figures.find((figure) => figure.key === key)?.value;
const many = () => report.runs.length > 1;
/** A run's name with its colour, if there are several runs. */
const runName = (run) => [
  make('span', {class: 'swatch', style: `background: var(--c${run.index % PALETTE})`, 'aria-hidden': 'true'}),
  make('span', {title: run.about.file}, run.name),
];

/** One panel for each run, side by side (wide tables: one below the other); a run without data has a note. */
function panels(element, runs, has, draw, below = false) {
  const grid = make('div', {class: runs.length > 1 && !below ? 'panels' : ''});
  element.append(grid);
  for (const run of runs) {
    const panel = make('div', {}, runs.length > 1 ? make('h3', {}, runName(run)) : null);
    grid.append(panel);
    if (has(run)) draw(panel, run, runs.length > 1 ? '-' + run.index : '');
    else panel.append(make('p', {class: 'hint'}, 'No data in this result.'));
  }
}

/** Times of a run's failures until its end [ps]. */
const marksOf = (run) => (run.failures?.events || []).filter((event) => !event.after_end).map((event) => event.time_ps);

/**
 * One table of all runs. `rows(run)`: its rows; `key(row)`: what rows of different runs have in common. Of several runs, a row
 * begins with the run, and rows with the same key are neighbours. `more(run)`: a note.
 */
function comparedTable(element, runs, has, {caption, rows, columns, key, more = () => null}) {
  const having = runs.filter(has);
  const notes = having.map((run) => [run, more(run)]).filter(([, note]) => note);
  const note = notes.map(([run, text]) => (many() ? run.name + ': ' : '') + text).join(' ');
  if (!many()) {
    for (const run of having) table(element, {caption, rows: rows(run), columns, more: note});
    return;
  }
  const groups = new Map();
  for (const run of having) {
    for (const row of rows(run)) {
      const name = key ? key(row) : '';
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push({run, row});
    }
  }
  const all = [...groups.values()].flatMap((group) => group.map((entry, i) => ({...entry, apart: key && i === 0})));
  const inner = (get) => (get ? (entry) => get(entry.row, entry.run) : undefined);
  table(element, {
    caption,
    rows: all,
    apart: (entry) => entry.apart,
    columns: [
      {label: 'run', value: (entry) => entry.run.name, text: (entry) => runName(entry.run), run: true},
      ...columns.map((column) => ({
        ...column,
        value: inner(column.value),
        text: inner(column.text),
        bar: inner(column.bar),
      })),
    ],
    more: note,
  });
  const without = runs.filter((run) => !has(run));
  if (without.length) element.append(make('p', {class: 'hint'}, 'No data in: ' + without.map((run) => run.name).join(', ') + '.'));
}

const moreThan = (shown, all, what) => (all > shown ? `${show(shown)} of ${show(all)} ${what}.` : null);
