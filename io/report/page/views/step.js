// SPDX-License-Identifier: GPL-2.0-only
// A step as one stacked bar a run, and what differs.

/** Views that tests point at, by name. */
const viewsForTests = {};

/** Variables of the colours of a step's parts; the time lines have the same. */
const PART_COLORS = {
  computing: '--calm',
  'exposed TP': '--k1',
  'exposed DP': '--k2',
  'exposed DP_EP': '--k3',
  'exposed EP': '--k6',
  'exposed ALL': '--k5',
  'exposed CP': '--k5',
  'exposed PP': '--k4',
  'exposed others': '--k7',
};
/** Parts in which a GPU had nothing to do are hatched. */
const idleParts = ['waiting for other stages', 'ended early', 'changes of state'];
const partClass = (name) => (idleParts.includes(name) ? 'idle idle-' + idleParts.indexOf(name) : null);
const partStyle = (name) => (PART_COLORS[name] ? `background-color: var(${PART_COLORS[name]})` : null);

/** A tooltip in `parent`, which must be positioned: {say(lines, x, y), hide()}. */
function tooltip(parent) {
  const tip = make('div', {class: 'tip', hidden: true}),
    aloud = make('div', {class: 'sr', 'aria-live': 'polite'});
  parent.append(tip, aloud);
  return {
    say(lines, x, y) {
      tip.replaceChildren(...lines.map((line, i) => make(i ? 'div' : 'b', {}, line)));
      tip.hidden = false;
      aloud.textContent = lines.join(', ');
      tip.style.left = Math.max(0, Math.min(x + 12, parent.clientWidth - tip.offsetWidth - 2)) + 'px';
      tip.style.top = y + 14 + 'px';
    },
    hide() {
      tip.hidden = true;
    },
  };
}

/** All steps of the runs, job by job: [{run, job, first}], `first`: of the same job in the first run, or null. */
function stepsOf(runs) {
  const having = runs.filter((run) => run.step);
  const jobs = [...new Set(having.flatMap((run) => run.step.jobs.map((job) => job.job)))].sort((a, b) => a - b);
  const of = (run, number) => run.step.jobs.find((job) => job.job === number);
  return jobs.flatMap((number) =>
    having
      .filter((run) => of(run, number))
      .map((run) => ({run, job: of(run, number), first: run !== having[0] ? (of(having[0], number) ?? null) : null})),
  );
}

const partOf = (job, name) => job.parts.find((part) => part.name === name)?.ps ?? 0;

/** Names of the parts that some step has, at least a two-thousandth of it. */
function visibleParts(steps) {
  const names = steps[0].job.parts.map((part) => part.name);
  return names.filter((name) => steps.some(({job}) => partOf(job, name) > job.ps / 2000));
}

/** What stands before the bar or the row of a step. */
const stepName = ({run, job}, severalJobs) => [
  ...(many() ? runName(run) : []),
  severalJobs ? `${many() ? ', ' : ''}job ${job.job}${job.name ? ' ' + job.name : ''}` : many() ? null : 'a step',
];

function drawBars(element, steps, names, severalJobs) {
  const longest = Math.max(...steps.map(({job}) => job.ps));
  const figureElement = make('div', {class: 'steps', 'data-view': 'steps'});
  const tip = tooltip(figureElement);
  for (const step of steps) {
    const {job} = step;
    const bar = make('div', {class: 'stepbar', style: `width: ${((100 * job.ps) / longest).toFixed(3)}%`});
    for (const name of names) {
      const ps = partOf(job, name),
        share = ps / job.ps;
      if (ps <= 0) continue;
      const lines = [name, `${show(ps, 'ps')} of ${show(job.ps, 'ps')}`, show(share, 'share', 3)];
      const segment = make(
        'div',
        {class: 'part', style: `flex-grow: ${share.toFixed(6)}`, 'data-part': name, tabindex: '0', role: 'img', 'aria-label': lines.join(', ')},
        make('div', {class: 'fill ' + (partClass(name) ?? ''), style: partStyle(name)}),
        make('div', {class: 'label', 'aria-hidden': 'true'}, make('span', {}, name.replace('exposed ', '') + ' '), show(share, 'share', 3)),
      );
      const say = () => {
        const box = segment.getBoundingClientRect(),
          frame = figureElement.getBoundingClientRect();
        tip.say(lines, box.left - frame.left, box.top - frame.top + 26);
      };
      for (const event of ['pointerenter', 'focus']) segment.addEventListener(event, say);
      for (const event of ['pointerleave', 'blur']) segment.addEventListener(event, tip.hide);
      bar.append(segment);
    }
    figureElement.append(
      make('div', {class: 'stepname'}, ...stepName(step, severalJobs)),
      make('div', {class: 'steptrack'}, bar),
      make('div', {class: 'steptime'}, show(job.ps, 'ps')),
    );
  }
  element.append(figureElement);
  // Where there is no room for the name the share stands alone.
  const fitLabels = () =>
    figureElement.querySelectorAll('.label').forEach((label) => {
      label.classList.remove('short', 'narrow');
      for (const shorter of ['short', 'narrow']) {
        if (label.scrollWidth > label.clientWidth) label.classList.add(shorter);
      }
    });
  new ResizeObserver(fitLabels).observe(figureElement);
  element.append(
    make(
      'ul',
      {class: 'legend'},
      names.map((name) => make('li', {}, make('span', {class: 'swatch ' + (partClass(name) ?? ''), style: partStyle(name)}), name)),
    ),
  );
}

/** A difference in time as "+41.2 µs". */
const signedTime = (ps) => (ps === 0 ? '=' : (ps < 0 ? '\u2212' : '+') + show(Math.abs(ps), 'ps'));

function drawStepTable(element, steps, names, severalJobs) {
  const rows = steps.flatMap((step) => (step.first ? [step, {...step, difference: true}] : [step]));
  const column = (label, value) => ({
    label,
    number: true,
    keep: true,
    value: (row) => value(row.job) - (row.difference ? value(row.first) : 0),
    text: (row) => {
      const ps = value(row.job);
      if (!row.difference) return show(ps, 'ps');
      const more = ps - value(row.first);
      const kind = Math.abs(more) < row.first.ps / 2000 ? '' : more < 0 ? 'better' : 'worse';
      return make('span', {class: 'change ' + kind}, signedTime(more));
    },
  });
  table(element, {
    caption: 'Parts of a step, mean over the GPUs of its job' + (many() ? '; differences are against the first run' : ''),
    rows,
    apart: (row) => !row.difference,
    columns: [
      {
        label: many() ? 'run' : 'job',
        value: (row) => row.run.name,
        text: (row) => (row.difference ? make('span', {class: 'change'}, 'difference') : stepName(row, severalJobs)),
        run: true,
      },
      column('step', (job) => job.ps),
      ...names.map((name) => column(name, (job) => partOf(job, name))),
    ],
  });
}

function drawStep(element, runs) {
  const steps = stepsOf(runs),
    names = visibleParts(steps);
  const severalJobs = new Set(steps.map(({job}) => job.job)).size > 1;
  drawBars(element, steps, names, severalJobs);
  drawStepTable(element, steps, names, severalJobs);
  element.append(
    make(
      'p',
      {class: 'note'},
      'A step is a pass of a job, from its start to the end of its last GPU. Exposed: a GPU only waited for communication of a group. The parts add up to the step.',
    ),
  );
}
