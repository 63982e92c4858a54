// SPDX-License-Identifier: GPL-2.0-only
// What the page shows, section by section. Each: id, title, hint (what to do for data), has(run), draw(element, runs).

const figureOf = (run, key) => run.figures.find((figure) => figure.key === key)?.value;
const many = () => report.runs.length > 1;
/** A run's name with its colour, where there are several. */
const runName = (run) => [make('span', {class: 'swatch', style: `background: var(--c${run.index % PALETTE})`, 'aria-hidden': 'true'}), run.name];

/** One panel a run, beside each other (wide tables: one below the other); a run without data says so. */
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

const moreThan = (shown, all, what) => all > shown ? `${show(shown)} of ${show(all)} ${what}.` : null;

// ---- summary -------------------------------------------------------------------------------------------------------

/** What stands out, in sentences. */
function glance(run) {
  const lines = [];
  const links = run.hot_links?.links || [];
  const busiest = links.reduce((a, b) => !a || b.utilisation > a.utilisation ? b : a, null);
  if (busiest) {
    lines.push(`Busiest link: ${busiest.from} to ${busiest.to} (${busiest.tier}), ${show(busiest.utilisation, 'share', 3)} of its ${show(busiest.rate, 'bit/s')} over the whole run`
      + (busiest.use && busiest.use.flows ? `, for ${counted(busiest.use.flows, 'flow')}` : '') + '.');
  }
  const queued = links.reduce((a, b) => !a || b.queue > a.queue ? b : a, null);
  if (queued && queued.queue > 0) lines.push(`Longest queue: ${show(queued.queue, 'byte', 3)} at ${queued.from} towards ${queued.to}.`);
  const cause = run.pause_causes?.rows[0];
  if (cause) lines.push(`Most pauses began at ${cause.from}, port to ${cause.to}: ${counted(cause.pauses, 'pause')}, ${show(cause.paused_ps, 'ps', 3)} in all.`);
  const sizes = (run.sizes || []).filter((size) => size.flows > 0);
  if (sizes.length > 1) {
    const worst = sizes.reduce((a, b) => b.p99 > a.p99 ? b : a);
    lines.push(`Flows of ${sizeRange(worst)} fare worst: p99 slowdown ${show(worst.p99, 'x', 3)}.`);
  }
  for (const job of (run.layers?.jobs || []).slice(0, 1)) {
    const sums = job.by_name.reduce((sum, row) => sum.map((v, i) => v + row.means[i]), [0, 0, 0, 0, 0]);
    const total = sums.reduce((a, b) => a + b, 0);
    if (total > 0) lines.push(`A GPU of job ${job.job} computes for ${show(sums[0] / total, 'share', 3)} of the time of its layers, and waits for communication for the rest.`);
  }
  if (run.controller) {
    const c = run.controller;
    lines.push(`The controller found a free path for ${show(c.free / (c.requests + c.moves), 'share', 3)} of ${counted(c.requests + c.moves, 'decision')}.`);
  }
  return lines;
}

function change(figure, first) {
  if (first === undefined || first === null || figure.value === first) return first === figure.value ? ['=', ''] : ['', ''];
  if (first === 0) return ['new', figure.better ? (figure.better < 0 ? 'worse' : 'better') : ''];
  const percent = 100 * (figure.value - first) / Math.abs(first);
  if (Math.abs(percent) < 0.05) return ['≈', ''];
  const good = figure.better * percent;
  const text = (percent > 0 ? '+' : '\u2212') + (Math.abs(percent) >= 1000 ? plain(Math.abs(percent), 3) : Math.abs(percent).toFixed(1)) + '\u00a0%';
  return [text, good > 0 ? 'better' : good < 0 ? 'worse' : ''];
}

/** Digests of what the runs carried; only runs of the same traffic can be better or worse than one another. */
const traffic = (run) => run.about.digests.filter((digest) => digest.name !== 'flows' && digest.name !== 'topology' && digest.name !== 'conf' && digest.name !== 'failures')
  .map((digest) => digest.name + ' ' + digest.value).join();

function compareFigures(element, runs) {
  const same = runs.every((run) => traffic(run) === traffic(runs[0]));
  const keys = [];
  for (const run of runs) for (const figure of run.figures) if (!keys.includes(figure.key)) keys.push(figure.key);
  const rows = keys.map((key) => {
    const of = runs.map((run) => run.figures.find((figure) => figure.key === key));
    const known = of.find((figure) => figure);
    return make('tr', {}, make('th', {scope: 'row'}, known.label), runs.map((run, i) => {
      const figure = of[i];
      if (!figure) return make('td', {class: 'number'}, '–');
      const value = make('td', {class: 'number'}, show(figure.value, figure.unit));
      if (i > 0) {
        const [text, direction] = change(figure, of[0]?.value), kind = same ? direction : '';
        value.append(' ', make('span', {class: 'change ' + kind, title: kind ? kind + ' than the first' : null}, text));
      }
      return value;
    }));
  });
  element.append(make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Key figures of all runs'}, make('table', {class: 'data'},
    make('caption', {}, 'Key figures; changes are against the first run' + (same ? ', better ones in blue, worse ones in orange' : '')),
    make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, 'Figure'), runs.map((run) => make('th', {scope: 'col', class: 'number'}, runName(run))))),
    make('tbody', {}, rows))));
  if (!same) element.append(make('p', {class: 'warning', role: 'note'}, 'The runs did not carry the same traffic (their digests differ).'));
}

function drawSummary(element, runs) {
  if (runs.length === 1) {
    for (const group of [...new Set(runs[0].figures.map((figure) => figure.group))]) {
      element.append(make('h3', {}, group), make('div', {class: 'tiles'}, runs[0].figures.filter((figure) => figure.group === group).map((figure) =>
        make('div', {class: 'tile'}, make('b', {}, show(figure.value, figure.unit)), make('span', {}, figure.label)))));
    }
  } else {
    compareFigures(element, runs);
  }
  const stands = make('div');
  if (runs.length === 1) element.prepend(element.firstChild, stands); else element.append(stands);
  panels(stands, runs, () => true, (panel, run) => {
    const lines = glance(run);
    if (lines.length) panel.append(make('ul', {class: 'glance'}, lines.map((line) => make('li', {}, line))));
  });
  element.append(make('p', {class: 'note'}, 'Percentiles are read from histograms whose bins are at most 1/64 wide. Slowdown: completion time over that of the flow alone.'));
}

// ---- what was run --------------------------------------------------------------------------------------------------

function drawAbout(element, runs) {
  panels(element, runs, () => true, (panel, run) => {
    const {about} = run, {fabric} = about;
    if (about.command) panel.append(make('code', {class: 'command'}, about.command));
    const facts = [['Result', about.file], ['Fabric', `${counted(fabric.gpus, 'GPU')} (${fabric.gpu_type}, ${fabric.gpus_per_server} a server), `
      + `${show(fabric.nvswitches)} NVSwitches, ${show(fabric.switches)} switches, ${show(fabric.cables)} cables`],
    ['Directed links', fabric.tiers.map((tier) => `${tier.name} ${show(tier.links)}`).join(', ')],
    ...about.facts.map((fact) => [fact.label, fact.value]),
    ['Digests', about.digests.map((digest) => `${digest.name} ${digest.value}`).join(', ')]];
    panel.append(make('dl', {class: 'facts'}, facts.filter(([, value]) => value !== '').map(([label, value]) => [make('dt', {}, label), make('dd', {}, value)]).flat()));
    if (about.options.length) {
      table(panel, {caption: 'Options that differ from the default', rows: about.options, columns: [
        {label: 'option', value: (row) => row.key, text: (row) => make('code', {}, row.key)}, {label: 'value', value: (row) => row.value, long: true},
        {label: 'default', value: (row) => row.usual ?? 'not known to this version', long: true}]});
    } else {
      panel.append(make('p', {class: 'hint'}, 'All options have their defaults.'));
    }
  });
}

// ---- flows ---------------------------------------------------------------------------------------------------------

const sizeRange = (size) => `${show(size.from, 'byte', 3)} to ${show(size.to, 'byte', 3)}`;

function drawCompletion(element, runs) {
  const having = runs.filter((run) => run.completion);
  const of = (key) => having.filter((run) => run.completion[key]).map((run) => ({
    label: many() ? run.name : 'share of flows', x: run.completion[key].x, y: run.completion[key].share, color: run.index, dash: run.index}));
  const share = {label: 'share of flows', unit: 'share', range: [0, 1.02], before: 0};
  const margin = (values) => spread(values) ? undefined : [Math.min(...values) - 0.03 * (Math.max(...values) - Math.min(...values)), null];
  const grid = make('div', {class: 'panels'});
  element.append(grid);
  const times = of('fct'), slowdowns = of('slowdown');
  const within = (series) => series.flatMap((s) => s.x);
  chart(grid.appendChild(make('div')), {name: 'fct', title: 'Flow completion time, distribution', series: times, y: share,
    x: {label: 'completion time', unit: 'ps', log: spread(within(times)), range: margin(within(times))}});
  chart(grid.appendChild(make('div')), {name: 'slowdown', title: 'Slowdown, distribution', series: slowdowns, y: share,
    x: {label: 'slowdown', unit: 'x', log: spread(within(slowdowns)), range: margin(within(slowdowns))}});
}

function drawSizes(element, runs) {
  const having = runs.filter((run) => run.sizes);
  const series = having.flatMap((run) => {
    const middle = run.sizes.map((size) => Math.sqrt(Math.max(1, size.from) * Math.max(1, size.to)));
    const label = many() ? run.name + ' ' : '';
    return [{label: label + 'p99', x: middle, y: run.sizes.map((size) => size.p99), color: many() ? run.index : 1, dash: 0},
      {label: label + 'p50', x: middle, y: run.sizes.map((size) => size.p50), color: many() ? run.index : 0, dash: 1}];
  });
  const classes = new Set(series.flatMap((s) => s.x));
  if (classes.size > 1) {
    chart(element, {name: 'sizes', title: 'Slowdown by size of flow', note: 'A point a size class: the powers of two of the payload.', series, points: true,
      x: {label: 'flow size', unit: 'byte', log: true}, y: {label: 'slowdown', unit: 'x', log: spread(series.flatMap((s) => s.y))}});
  }
  panels(element, runs, (run) => run.sizes, (panel, run) => table(panel, {caption: 'Flows by size', rows: run.sizes, columns: [
    {label: 'size', value: (row) => row.from, text: sizeRange}, {label: 'flows', value: (row) => row.flows, unit: ''},
    {label: 'payload', value: (row) => row.bytes, unit: 'byte'}, {label: 'mean time', value: (row) => row.fct_mean, unit: 'ps'},
    {label: 'longest', value: (row) => row.fct_max, unit: 'ps'}, {label: 'mean slowdown', value: (row) => row.mean, unit: 'x'},
    {label: 'p50', value: (row) => row.p50, unit: 'x'}, {label: 'p99', value: (row) => row.p99, unit: 'x'}, {label: 'worst', value: (row) => row.max, unit: 'x'}]}), true);
}

// ---- links ---------------------------------------------------------------------------------------------------------

const endOf = (key) => (runs) => Math.max(...runs.filter((run) => run[key]).map((run) => run[key].from_ps + run[key].bin_ps * run[key].rows[0].values.length));

function drawTiers(element, runs) {
  const having = runs.filter((run) => run.tier_load);
  if (having.length) {
    heatScale(element, 'Utilisation');
    panels(element, runs, (run) => run.tier_load, (panel, run, suffix) => heatMap(panel, {name: 'tier-load' + suffix, of: run.tier_load, until: endOf('tier_load')(runs),
      title: 'Utilisation of tiers over time', what: 'mean utilisation'}));
  }
  panels(element, runs, (run) => run.tiers, (panel, run) => table(panel, {caption: 'Tiers of links over the whole run', rows: run.tiers, columns: [
    {label: 'tier', value: (row) => row.name}, {label: 'links', value: (row) => row.links, unit: ''}, {label: 'bytes', value: (row) => row.bytes, unit: 'byte'},
    {label: 'mean utilisation', value: (row) => row.mean, unit: 'share', bar: (row) => row.mean},
    {label: 'of the busiest', value: (row) => row.busiest, unit: 'share', bar: (row) => row.busiest},
    {label: 'longest queue', value: (row) => row.queue, unit: 'byte'}, {label: 'ECN marks', value: (row) => row.marks, unit: ''},
    {label: 'pauses', value: (row) => row.pauses, unit: ''}, {label: 'paused', value: (row) => row.paused_ps, unit: 'ps'}]}), true);
}

function drawLinks(element, runs) {
  heatScale(element, 'Utilisation');
  panels(element, runs, (run) => run.link_load, (panel, run, suffix) => heatMap(panel, {name: 'link-load' + suffix, of: run.link_load, until: endOf('link_load')(runs),
    title: 'Utilisation of links over time', what: 'utilisation',
    note: moreThan(run.link_load.rows.length, run.link_load.links, 'links that carried anything: of every tier the busiest')
      || 'A row a link, by tier; point at a cell, or walk with the arrow keys.'}));
}

function usersOf(link) {
  if (!link.use || !link.use.users.length) return '–';
  const list = link.use.users.map((user) => `${user.name} (${user.flows > 1 ? counted(user.flows, 'flow') + ', ' : ''}${show(user.bytes, 'byte', 3)})`);
  if (link.use.all > list.length) list.push(`and ${show(link.use.all - list.length)} more`);
  return list.join('; ');
}

function drawHot(element, runs) {
  panels(element, runs, (run) => run.hot_links, (panel, run) => table(panel, {caption: 'The busiest links, the longest queues and the longest paused', rows: run.hot_links.links,
    columns: [{label: 'from', value: (row) => row.from}, {label: 'to', value: (row) => row.to}, {label: 'tier', value: (row) => row.tier},
      {label: 'rate', value: (row) => row.rate, unit: 'bit/s'}, {label: 'bytes', value: (row) => row.bytes, unit: 'byte'},
      {label: 'utilisation', value: (row) => row.utilisation, unit: 'share', bar: (row) => row.utilisation},
      {label: 'longest queue', value: (row) => row.queue, unit: 'byte'}, {label: 'ECN marks', value: (row) => row.marks, unit: ''},
      {label: 'pauses', value: (row) => row.pauses, unit: ''}, {label: 'paused', value: (row) => row.paused_ps, unit: 'ps'},
      {label: 'flows', value: (row) => row.use?.flows ?? 0, unit: ''}, {label: 'used by', value: (row) => usersOf(row), long: true, wide: true}],
    more: moreThan(run.hot_links.links.length, run.hot_links.ports, 'ports that sent or were paused')}), true);
  element.append(make('p', {class: 'note'}, 'Paused: time in which PFC held the sender of the link, summed over priorities. Users: flows whose data crosses the link, with every link up.'));
}

function drawDrops(element, runs) {
  panels(element, runs, (run) => run.drops, (panel, run) => table(panel, {caption: 'Where packets were dropped', rows: run.drops.rows, columns: [
    {label: 'node', value: (row) => row.node}, {label: 'port', value: (row) => row.port, number: true}, {label: 'to', value: (row) => row.peer},
    {label: 'reason', value: (row) => row.reason}, {label: 'packets', value: (row) => row.packets, unit: ''}],
  more: moreThan(run.drops.rows.length, run.drops.all, 'ports and reasons')}));
}

// ---- congestion ----------------------------------------------------------------------------------------------------

const stepSeries = (of) => of.rows.map((row, i) => ({label: row.name + (row.tier ? ' (' + row.tier + ')' : ''), x: binTimes(of, row.values.length), y: row.values,
  color: i, dash: Math.floor(i / PALETTE), step: true}));

function drawQueues(element, runs) {
  panels(element, runs, (run) => run.queues, (panel, run, suffix) => chart(panel, {name: 'queues' + suffix, title: 'The longest queues', series: stepSeries(run.queues),
    x: {label: 'time', unit: 'ps'}, y: {label: 'bytes in the port', unit: 'byte'}, height: 320,
    note: moreThan(run.queues.rows.length, run.queues.ports, 'ports that had a queue; the most in each bin of time')}));
}

function drawPauses(element, runs) {
  panels(element, runs, (run) => run.pauses?.rows.length || run.pause_causes, (panel, run, suffix) => {
    if (run.pauses?.rows.length) {
      chart(panel, {name: 'pauses' + suffix, title: 'Links held by PFC', series: stepSeries(run.pauses), x: {label: 'time', unit: 'ps'},
        y: {label: 'share of the tier\u2019s links', unit: 'share', range: [0, null]}, note: 'Of each tier the mean share of its links whose sender was paused.'});
    } else {
      panel.append(make('p', {class: 'hint'}, 'Pauses over time: run with --set monitor.kinds=pfc.'));
    }
    if (run.pause_causes) {
      table(panel, {caption: 'Where pauses began', rows: run.pause_causes.rows, columns: [
        {label: 'congested port of', value: (row) => row.from}, {label: 'to', value: (row) => row.to}, {label: 'tier', value: (row) => row.tier},
        {label: 'pauses', value: (row) => row.pauses, unit: ''}, {label: 'paused, in all', value: (row) => row.paused_ps, unit: 'ps'},
        {label: 'longest chain', value: (row) => row.chain, number: true}],
      more: moreThan(run.pause_causes.rows.length, run.pause_causes.all, 'ports')});
    }
  });
}

// ---- workloads -----------------------------------------------------------------------------------------------------

const kindOf = (row) => `${row.op} of ${row.group}, ${row.ranks} ranks`;

function drawCollectives(element, runs) {
  const series = runs.filter((run) => run.collectives).flatMap((run) => {
    const kinds = new Map();
    for (const row of run.collectives.rows) if (row.finished) (kinds.get(kindOf(row)) || kinds.set(kindOf(row), []).get(kindOf(row))).push(row);
    return [...kinds].filter(([, rows]) => rows.length > 1).map(([kind, rows]) => {
      const bySize = rows.slice().sort((a, b) => a.bytes - b.bytes);
      return {label: (many() ? run.name + ': ' : '') + kind, x: bySize.map((row) => row.bytes), y: bySize.map((row) => row.busbw), dash: run.index};
    });
  }).slice(0, 12).map((s, i) => ({...s, color: i}));
  if (series.length) {
    chart(element, {name: 'busbw', title: 'Bus bandwidth by size', series, points: true, x: {label: 'size', unit: 'byte', log: true},
      y: {label: 'bus bandwidth', unit: 'B/s'}});
  }
  panels(element, runs, (run) => run.collectives, (panel, run) => {
    const most = Math.max(...run.collectives.rows.map((row) => row.busbw));
    table(panel, {caption: 'Collectives', rows: run.collectives.rows, columns: [
      {label: 'operation', value: (row) => row.op}, {label: 'group', value: (row) => row.group}, {label: 'ranks', value: (row) => row.ranks, unit: ''},
      {label: 'algorithm', value: (row) => row.algorithm + (row.protocol !== 'NONE' ? ' ' + row.protocol : '')}, {label: 'size', value: (row) => row.bytes, unit: 'byte'},
      {label: 'finished', value: (row) => row.finished, text: (row) => show(row.finished) + (row.unfinished ? `, ${show(row.unfinished)} not` : ''), number: true},
      {label: 'mean time', value: (row) => row.mean_ps, unit: 'ps'}, {label: 'shortest', value: (row) => row.shortest_ps, unit: 'ps'},
      {label: 'longest', value: (row) => row.longest_ps, unit: 'ps'}, {label: 'algbw', value: (row) => row.algbw, unit: 'B/s'},
      {label: 'busbw', value: (row) => row.busbw, unit: 'B/s', bar: (row) => row.busbw / most}],
    more: moreThan(run.collectives.rows.length, run.collectives.all, 'kinds and sizes: those that took the longest together')});
  }, true);
  element.append(make('p', {class: 'note'}, 'Bandwidths are of the mean time, as nccl-tests computes them.'));
}

function drawLayers(element, runs) {
  panels(element, runs, (run) => run.layers, (panel, run, suffix) => {
    const {kinds, jobs} = run.layers;
    for (const job of jobs) {
      const used = kinds.map((kind, k) => ({kind, k})).filter(({k}) => job.layers.some((layer) => layer.means[k] > 0));
      const x = job.layers.map((layer) => layer.index);
      if (used.length) {
        chart(panel, {name: `layers-${job.job}${suffix}`, title: `Job ${job.job}: time of each layer, mean over its ranks`, stacked: true,
          x: {label: 'layer', names: Object.fromEntries(job.layers.map((layer) => [layer.index, job.layers.length > 30 ? String(layer.index) : `${layer.index} ${layer.name}`.slice(0, 14)]))},
          y: {label: 'time, all passes', unit: 'ps'}, series: used.map(({kind, k}) => ({label: kind, x, y: job.layers.map((layer) => layer.means[k]), color: k})),
          note: moreThan(job.layers.length, job.all, 'layers')});
      }
      table(panel, {caption: `Job ${job.job}: layers by name`, rows: job.by_name, columns: [{label: 'layer', value: (row) => row.name, long: true}, {label: 'how many', value: (row) => row.layers, unit: ''},
        ...used.map(({kind, k}) => ({label: kind, value: (row) => row.means[k], unit: 'ps'})),
        {label: 'exposed', value: (row) => exposedShare(row), unit: 'share', bar: exposedShare}]});
    }
    const more = moreThan(jobs.length, run.layers.all_jobs, 'jobs');
    if (more) panel.append(make('p', {class: 'note'}, more));
  });
  element.append(make('p', {class: 'note'}, 'Exposed: time in which a GPU only waited for communication.'));
}

function exposedShare(row) {
  const total = row.means.reduce((a, b) => a + b, 0);
  return total > 0 ? (total - row.means[0]) / total : 0;
}

function drawJobs(element, runs) {
  const took = (row) => row.end_ps < 0 ? NaN : row.end_ps - row.start_ps;
  panels(element, runs, (run) => run.jobs, (panel, run) => {
    const longest = Math.max(...run.jobs.rows.map((row) => took(row) || 0), 1);
    table(panel, {caption: 'Job completion times', rows: run.jobs.rows, columns: [
      {label: 'job', value: (row) => row.job, text: (row) => `${row.job}${row.name ? ' ' + row.name : ''}`}, {label: 'workload', value: (row) => row.workload, long: true},
      {label: 'GPUs', value: (row) => row.gpus, unit: ''}, {label: 'groups', value: (row) => `TP ${row.tp}, DP ${row.dp}, PP ${row.pp}, EP ${row.ep}`},
      {label: 'placement', value: (row) => row.placement}, {label: 'start', value: (row) => row.start_ps, unit: 'ps'},
      {label: 'passes', value: (row) => row.passes, unit: ''},
      {label: 'time', value: (row) => took(row), number: true, text: (row) => row.end_ps < 0 ? 'did not end' : show(took(row), 'ps'), bar: (row) => took(row) / longest},
      {label: 'a pass', value: (row) => took(row) / row.passes, unit: 'ps'}],
    more: moreThan(run.jobs.rows.length, run.jobs.all, 'jobs')});
  }, true);
}

function drawController(element, runs) {
  panels(element, runs, (run) => run.controller, (panel, run, suffix) => {
    const c = run.controller, all = c.requests + c.moves, part = (n) => `${show(n)} (${show(all ? n / all : 0, 'share', 3)})`;
    const facts = [['Requests', show(c.requests)], ['Decisions after links changed', show(c.moves)], ['Free path', part(c.free)],
      ['No free path: the host\u2019s own port', part(c.own_port)], ['No free path: the least loaded', part(c.least_loaded)],
      ['Answer to a request', `p50 ${show(c.answer_p50_ps, 'ps')}, p99 ${show(c.answer_p99_ps, 'ps')}`],
      ['Flows that waited for it', c.waited ? `${show(c.waited)}: ${show(c.wait_mean_ps, 'ps')} on average, ${show(c.wait_max_ps, 'ps')} at most` : 'none'],
      ['Source ports tried', `${show(c.candidates_mean)} on average, ${show(c.candidates_max)} at most`], ['Reservations held at the end', show(c.held)]];
    panel.append(make('dl', {class: 'facts'}, facts.map(([label, value]) => [make('dt', {}, label), make('dd', {}, value)]).flat()));
    const over = c.over_time, x = binTimes(over, over.free.length);
    const series = [['free path', over.free], ['own port', over.own_port], ['least loaded', over.least_loaded]].map(([label, y], i) => ({label, x, y, color: i, dash: i, step: true}))
      .filter((s) => s.y.some((v) => v > 0));
    chart(panel, {name: 'controller' + suffix, title: 'Decisions over time', series, x: {label: 'time', unit: 'ps'}, y: {label: 'decisions a bin', unit: ''}, height: 240});
  });
}

// ---- the run itself ------------------------------------------------------------------------------------------------

function drawRanks(element, runs) {
  panels(element, runs, (run) => run.ranks, (panel, run) => {
    const {rows} = run.ranks, most = (key) => Math.max(...rows.map((row) => row[key]), 1e-9);
    const [events, memory] = [most('events'), most('memory_mib')];
    table(panel, {caption: 'Ranks', rows, columns: [{label: 'rank', value: (row) => row.rank, number: true}, {label: 'host', value: (row) => row.host},
      {label: 'domains', value: (row) => row.domains, unit: ''}, {label: 'events', value: (row) => row.events, unit: '', bar: (row) => row.events / events},
      {label: 'packet-hops', value: (row) => row.hops, unit: ''}, {label: 'messages to others', value: (row) => row.messages, unit: ''},
      {label: 'blocked', value: (row) => row.blocked, unit: 'share', bar: (row) => row.blocked}, {label: 'wall-clock', value: (row) => row.wall_seconds, unit: 's'},
      {label: 'memory', value: (row) => row.memory_mib, unit: 'MiB', bar: (row) => row.memory_mib / memory}],
    more: moreThan(rows.length, run.ranks.all, 'ranks')});
  }, true);
}

function drawProgress(element, runs) {
  const having = runs.filter((run) => run.progress && run.progress.wall_seconds.length > 1);
  const curve = (value, step) => having.map((run) => ({label: many() ? run.name : 'run', x: run.progress.wall_seconds, y: run.progress.wall_seconds.map((_, i) => value(run.progress, i)),
    color: run.index, dash: run.index, step}));
  const speed = (p, i) => i === 0 ? (p.wall_seconds[0] > 0 ? p.hops[0] / p.wall_seconds[0] : 0) : Math.max(0, (p.hops[i] - p.hops[i - 1]) / Math.max(1e-9, p.wall_seconds[i] - p.wall_seconds[i - 1]));
  const grid = make('div', {class: 'panels'});
  element.append(grid);
  const add = (name, title, y, series) => chart(grid.appendChild(make('div')), {name, title, series, x: {label: 'wall-clock', unit: 's'}, y, height: 220});
  add('run-time', 'Simulated time', {label: 'simulated', unit: 'ps'}, curve((p, i) => p.time_ps[i]));
  add('run-speed', 'Speed', {label: 'packet-hops a second', unit: 'hops/s'}, curve(speed));
  add('run-blocked', 'Ranks waiting for others', {label: 'share of time', unit: 'share', range: [0, null]}, curve((p, i) => p.blocked[i]));
  add('run-memory', 'Memory of the largest process', {label: 'memory', unit: 'MiB'}, curve((p, i) => p.memory_mib[i]));
}

const WORKLOAD = 'runs of workloads have it (heddle run -w, or --job)';
const SECTIONS = [
  {id: 'summary', title: 'Key figures', has: () => true, draw: drawSummary},
  {id: 'about', title: 'What was run', has: () => true, draw: drawAbout},
  {id: 'completion', title: 'Flow completion', has: (run) => run.completion, draw: drawCompletion, hint: 'the run kept no records of flows; run with --record flows=all.'},
  {id: 'sizes', title: 'Slowdown by flow size', has: (run) => run.sizes, draw: drawSizes, hint: 'the run kept no records of flows; run with --record flows=all.'},
  {id: 'jobs', title: 'Jobs', has: (run) => run.jobs, draw: drawJobs, hint: WORKLOAD + '.'},
  {id: 'collectives', title: 'Collectives', has: (run) => run.collectives, draw: drawCollectives, hint: WORKLOAD + '.'},
  {id: 'layers', title: 'Layers', has: (run) => run.layers, draw: drawLayers, hint: WORKLOAD + '.'},
  {id: 'tiers', title: 'Tiers of links', has: (run) => run.tiers || run.tier_load, draw: drawTiers, hint: 'nothing was sent.'},
  {id: 'links', title: 'Links over time', has: (run) => run.link_load, draw: drawLinks, hint: 'run with --set monitor.kinds=links, and an interval to suit the run, such as --set monitor.link_interval=50us.'},
  {id: 'hot', title: 'Hottest links', has: (run) => run.hot_links, draw: drawHot, hint: 'nothing was sent.'},
  {id: 'queues', title: 'Queues over time', has: (run) => run.queues, draw: drawQueues, hint: 'run with --set monitor.kinds=queues, and an interval to suit the run, such as --set monitor.queue_interval=20us.'},
  {id: 'pauses', title: 'PFC pauses', has: (run) => run.pauses?.rows.length || run.pause_causes, draw: drawPauses, hint: 'no port was paused. Pauses over time need --set monitor.kinds=pfc.'},
  {id: 'drops', title: 'Drops', has: (run) => run.drops, draw: drawDrops, hint: 'no packet was dropped.'},
  {id: 'controller', title: 'Central controller', has: (run) => run.controller, draw: drawController, hint: 'run with --set controller.enable=true.'},
  {id: 'ranks', title: 'Ranks of the run', has: (run) => run.ranks, draw: drawRanks, hint: 'results of format 2.0 have it.'},
  {id: 'progress', title: 'Progress of the run', has: (run) => run.progress && run.progress.wall_seconds.length > 1, draw: drawProgress, hint: 'runs of several seconds whose results have format 2.0 have it.'},
];
