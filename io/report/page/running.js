// SPDX-License-Identifier: GPL-2.0-only
// Performance of the simulator itself.

function drawRanks(element, runs) {
  const all = runs.filter((run) => run.ranks).flatMap((run) => run.ranks.rows);
  const most = (key) => Math.max(...all.map((row) => row[key]), 1e-9);
  const [events, memory] = [most('events'), most('memory_mib')];
  comparedTable(element, runs, (run) => run.ranks, {
    caption: 'Ranks',
    rows: (run) => run.ranks.rows,
    columns: [
      {label: 'rank', value: (row) => row.rank, number: true, keep: true},
      {label: 'host', value: (row) => row.host},
      {label: 'domains', value: (row) => row.domains, unit: ''},
      {label: 'events', value: (row) => row.events, unit: '', bar: (row) => row.events / events},
      {label: 'packet-hops', value: (row) => row.hops, unit: ''},
      {label: 'messages to others', value: (row) => row.messages, unit: ''},
      {label: 'blocked', value: (row) => row.blocked, unit: 'share', bar: (row) => row.blocked},
      {label: 'wall-clock', value: (row) => row.wall_seconds, unit: 's'},
      {label: 'memory', value: (row) => row.memory_mib, unit: 'MiB', bar: (row) => row.memory_mib / memory},
    ],
    more: (run) => moreThan(run.ranks.rows.length, run.ranks.all, 'ranks'),
  });
}

function drawProgress(element, runs) {
  const having = runs.filter((run) => run.progress && run.progress.wall_seconds.length > 1);
  const curve = (value, step) =>
    having.map((run) => ({
      label: many() ? run.name : 'run',
      x: run.progress.wall_seconds,
      y: run.progress.wall_seconds.map((_, i) => value(run.progress, i)),
      color: run.index,
      palette: 'c',
      dash: run.index,
      step,
    }));
  const speed = (p, i) =>
    i === 0
      ? p.wall_seconds[0] > 0
        ? p.hops[0] / p.wall_seconds[0]
        : 0
      : Math.max(0, (p.hops[i] - p.hops[i - 1]) / Math.max(1e-9, p.wall_seconds[i] - p.wall_seconds[i - 1]));
  const grid = make('div', {class: 'panels'});
  element.append(grid);
  const add = (name, title, y, series) =>
    chart(grid.appendChild(make('div')), {name, title, series, x: {label: 'wall-clock', unit: 's'}, y, height: 220});
  add(
    'run-time',
    'Simulated time',
    {label: 'simulated', unit: 'ps'},
    curve((p, i) => p.time_ps[i]),
  );
  add('run-speed', 'Speed', {label: 'packet-hops a second', unit: 'hops/s'}, curve(speed));
  add(
    'run-blocked',
    'Ranks waiting for others',
    {label: 'share of time', unit: 'share', range: [0, null]},
    curve((p, i) => p.blocked[i]),
  );
  add(
    'run-memory',
    'Memory of the largest process',
    {label: 'memory', unit: 'MiB'},
    curve((p, i) => p.memory_mib[i]),
  );
}
