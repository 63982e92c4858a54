// SPDX-License-Identifier: GPL-2.0-only
// Key figures: of one run as tiles, of several as a table; and notable findings.

/** Notable findings, in sentences. */
function glance(run) {
  const lines = [];
  const links = run.hot_links?.links || [];
  const busiest = links.reduce((a, b) => (!a || b.utilisation > a.utilisation ? b : a), null);
  if (busiest) {
    lines.push(
      `Busiest link: ${busiest.from} to ${busiest.to} (${busiest.tier}), ${show(busiest.utilisation, 'share', 3)} of its ${show(busiest.rate, 'bit/s')} over the whole run` +
        (busiest.while_busy > 0 ? `, ${show(busiest.while_busy, 'share', 3)} while busy` : '') +
        (busiest.use && busiest.use.flows ? `, for ${counted(busiest.use.flows, 'flow')}` : '') +
        '.',
    );
  }
  const queued = links.reduce((a, b) => (!a || b.queue > a.queue ? b : a), null);
  if (queued && queued.queue > 0)
    lines.push(`Longest queue: ${show(queued.queue, 'byte', 3)} at ${queued.from} towards ${queued.to}.`);
  const cause = run.pause_causes?.rows[0];
  if (cause)
    lines.push(
      `Most pauses began at ${cause.from}, port to ${cause.to}: ${counted(cause.pauses, 'pause')}, ${show(cause.paused_ps, 'ps', 3)} in all.`,
    );
  const slow = run.slow_flows?.rows[0];
  if (slow)
    lines.push(
      `${slow.from} to ${slow.to} lost the most time to others: ${show(slow.lost_ps, 'ps', 3)} of its ${show(slow.fct_ps, 'ps', 3)}.`,
    );
  const sizes = (run.sizes || []).filter((size) => size.flows > 0);
  // Messages of collectives share ports with their own kind: their slowdown is no loss to others.
  if (sizes.length > 1 && !run.jobs) {
    const worst = sizes.reduce((a, b) => (b.p99 > a.p99 ? b : a));
    lines.push(`Flows of ${sizeRange(worst)} fare worst: p99 slowdown ${show(worst.p99, 'x', 3)}.`);
  }
  const job = (run.jobs?.rows || []).find((row) => row.parts);
  if (job) {
    const share = (...names) =>
      show(
        job.parts.filter((part) => names.includes(part.name)).reduce((sum, part) => sum + part.share, 0),
        'share',
        3,
      );
    lines.push(
      `Of the time of job ${job.job}, its GPUs computed ${share('computed')}, only waited for communication ${share('forward', 'input gradient', 'weight gradient')}, for other pipeline stages ${share('other stages')}, and had ended before the last one ${share('had ended')}.`,
    );
  }
  if (run.controller) {
    const c = run.controller;
    lines.push(
      `The controller found a free path for ${show(c.free / (c.requests + c.moves), 'share', 3)} of ${counted(c.requests + c.moves, 'decision')}.`,
    );
  }
  return lines;
}

function change(figure, first) {
  if (first === undefined || first === null || figure.value === first) return first === figure.value ? ['=', ''] : ['', ''];
  if (first === 0) return ['new', figure.better ? (figure.better < 0 ? 'worse' : 'better') : ''];
  const percent = (100 * (figure.value - first)) / Math.abs(first);
  if (Math.abs(percent) < 0.05) return ['≈', ''];
  const good = figure.better * percent;
  const text =
    (percent > 0 ? '+' : '\u2212') +
    (Math.abs(percent) >= 1000 ? plain(Math.abs(percent), 3) : Math.abs(percent).toFixed(1)) +
    '\u00a0%';
  return [text, good > 0 ? 'better' : good < 0 ? 'worse' : ''];
}

/** Digests of the runs' traffic; only runs of the same traffic can be compared as better or worse. */
const traffic = (run) =>
  run.about.digests
    .filter(
      (digest) => digest.name !== 'flows' && digest.name !== 'topology' && digest.name !== 'conf' && digest.name !== 'failures',
    )
    .map((digest) => digest.name + ' ' + digest.value)
    .join();

function compareFigures(element, runs) {
  const same = runs.every((run) => traffic(run) === traffic(runs[0]));
  const keys = [];
  for (const run of runs) for (const figure of run.figures) if (!figure.minor && !keys.includes(figure.key)) keys.push(figure.key);
  const of = (run, key) => run.figures.find((figure) => figure.key === key);
  const ORDER = ['Pattern', 'Workload', 'Traffic', 'Fabric', 'Simulator'];
  const groupOf = (key) => ORDER.indexOf(runs.map((run) => of(run, key)).find((figure) => figure).group);
  keys.sort((a, b) => groupOf(a) - groupOf(b)); // stable: the simulator's own figures come last
  // A few runs stand beside each other, many one below the other.
  const few = runs.length <= 6;
  const figures = keys.map((key) => {
    const known = runs.map((run) => of(run, key)).find((figure) => figure);
    const unit = unitFor(known.unit, Math.max(...runs.map((run) => Math.abs(of(run, key)?.value ?? 0))));
    const scaled = known.unit !== '' && unit.label !== '×';
    const text = (run) => {
      const figure = of(run, key);
      if (!figure) return '–';
      const value = scaled ? plain(figure.value / unit.scale) : show(figure.value, figure.unit);
      if (run === runs[0]) return value;
      const [difference, direction] = change(figure, of(runs[0], key)?.value),
        kind = same ? direction : '';
      const title = kind ? kind + ' than the first' : null;
      return [value, few ? ' ' : make('br'), make('span', {class: 'change ' + kind, title}, difference)];
    };
    return {label: known.label + (scaled ? ` [${unit.label}]` : ''), value: (run) => of(run, key)?.value ?? null, text};
  });
  const isZero = (figure) => runs.every((run) => !figure.value(run));
  const caption = 'Key figures; changes are against the first run' + (same ? ', better ones in blue, worse ones in orange' : '');
  table(element, {
    caption,
    rows: few ? figures.filter((figure) => !isZero(figure)) : runs,
    columns: few
      ? [
          {label: 'figure', value: (figure) => figure.label, keep: true},
          ...runs.map((run) => ({
            label: runName(run),
            number: true,
            keep: true,
            value: (figure) => figure.value(run),
            text: (figure) => figure.text(run),
          })),
        ]
      : [
          {label: 'run', value: (run) => run.name, text: (run) => runName(run), run: true},
          ...figures.map((figure) => ({...figure, number: true})),
        ],
  });
  if (!same)
    element.append(
      make('p', {class: 'warning', role: 'note'}, 'The runs did not carry the same traffic (their digests differ).'),
    );
}

/** Figures alone. */
function drawFigures(element, runs) {
  if (runs.length === 1) {
    for (const group of [...new Set(runs[0].figures.map((figure) => figure.group))]) {
      element.append(
        make('h3', {}, group),
        make(
          'div',
          {class: 'tiles'},
          runs[0].figures
            .filter((figure) => figure.group === group && !figure.minor)
            .map((figure) =>
              make('div', {class: 'tile'}, make('b', {}, show(figure.value, figure.unit)), make('span', {}, figure.label)),
            ),
        ),
      );
    }
  } else {
    compareFigures(element, runs);
  }
}

function drawSummary(element, runs) {
  drawFigures(element, runs);
  const stands = make('div');
  if (runs.length === 1) element.prepend(element.firstChild, stands);
  else element.append(stands);
  panels(
    stands,
    runs,
    () => true,
    (panel, run) => {
      const lines = glance(run);
      if (lines.length)
        panel.append(
          make(
            'ul',
            {class: 'glance'},
            lines.map((line) => make('li', {}, line)),
          ),
        );
    },
  );
  element.append(
    make(
      'p',
      {class: 'note'},
      'Percentiles are read from histograms whose bins are at most 1/64 wide. Slowdown: completion time over that of the flow alone.',
    ),
  );
}
