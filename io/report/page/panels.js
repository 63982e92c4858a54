// SPDX-License-Identifier: GPL-2.0-only
// Helpers of the sections: panels side by side, and names of runs.

const figureOf = (run, key) => run.figures.find((figure) => figure.key === key)?.value;
const many = () => report.runs.length > 1;
/** A run's name with its colour, if there are several runs. */
const runName = (run) => [
  make('span', {class: 'swatch', style: `background: var(--c${run.index % PALETTE})`, 'aria-hidden': 'true'}),
  run.name,
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

const moreThan = (shown, all, what) => (all > shown ? `${show(shown)} of ${show(all)} ${what}.` : null);
