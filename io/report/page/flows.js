// SPDX-License-Identifier: GPL-2.0-only
// Completion times and slowdowns of flows.

const sizeRange = (size) => `${show(size.from, 'byte', 3)} to ${show(size.to, 'byte', 3)}`;

function drawCompletion(element, runs) {
  const having = runs.filter((run) => run.completion);
  const of = (key) =>
    having
      .filter((run) => run.completion[key])
      .map((run) => ({
        label: many() ? run.name : 'share of flows',
        x: run.completion[key].x,
        y: run.completion[key].share,
        color: run.index,
        palette: 'c',
        dash: run.index,
      }));
  const share = {label: 'share of flows', unit: 'share', range: [0, 1.02], before: 0};
  const margin = (values) =>
    spread(values) ? undefined : [Math.min(...values) - 0.03 * (Math.max(...values) - Math.min(...values)), null];
  const grid = make('div', {class: 'panels'});
  element.append(grid);
  const times = of('fct'),
    slowdowns = of('slowdown');
  const within = (series) => series.flatMap((s) => s.x);
  chart(grid.appendChild(make('div')), {
    name: 'fct',
    title: 'Flow completion time, distribution',
    series: times,
    y: share,
    x: {label: 'completion time', unit: 'ps', log: spread(within(times)), range: margin(within(times))},
  });
  chart(grid.appendChild(make('div')), {
    name: 'slowdown',
    title: 'Slowdown, distribution',
    series: slowdowns,
    y: share,
    x: {label: 'slowdown', unit: 'x', log: spread(within(slowdowns)), range: margin(within(slowdowns))},
  });
}

function drawSizes(element, runs) {
  const having = runs.filter((run) => run.sizes);
  // Flows on real machines have no ideal time, and so no slowdown.
  const slowed = having.filter((run) => run.sizes.some((size) => size.max > 0));
  const series = slowed.flatMap((run) => {
    const middle = run.sizes.map((size) => Math.sqrt(Math.max(1, size.from) * Math.max(1, size.to)));
    const label = many() ? run.name + ' ' : '';
    return [
      {
        label: label + 'p99',
        x: middle,
        y: run.sizes.map((size) => size.p99),
        color: many() ? run.index : 1,
        palette: many() ? 'c' : 'k',
        dash: 0,
      },
      {
        label: label + 'p50',
        x: middle,
        y: run.sizes.map((size) => size.p50),
        color: many() ? run.index : 0,
        palette: many() ? 'c' : 'k',
        dash: 1,
      },
    ];
  });
  const classes = new Set(series.flatMap((s) => s.x));
  if (classes.size > 1) {
    chart(element, {
      name: 'sizes',
      title: 'Slowdown by size of flow',
      note: 'A point a size class: the powers of two of the payload.',
      series,
      points: true,
      x: {label: 'flow size', unit: 'byte', log: true},
      y: {label: 'slowdown', unit: 'x', log: spread(series.flatMap((s) => s.y))},
    });
  }
  comparedTable(element, runs, (run) => run.sizes, {
    caption: 'Flows by size',
    rows: (run) => run.sizes,
    key: (row) => String(row.from),
    columns: [
      {label: 'size', value: (row) => row.from, text: sizeRange, keep: true},
      {label: 'flows', value: (row) => row.flows, unit: ''},
      {label: 'payload', value: (row) => row.bytes, unit: 'byte'},
      {label: 'mean time', value: (row) => row.fct_mean, unit: 'ps'},
      {label: 'longest', value: (row) => row.fct_max, unit: 'ps'},
      ...[
        ['mean slowdown', 'mean'],
        ['p50', 'p50'],
        ['p99', 'p99'],
        ['worst', 'max'],
      ].map(([label, field]) => ({label, value: (row) => (row.max > 0 ? row[field] : null), unit: 'x'})),
    ],
  });
}

function drawSlowFlows(element, runs) {
  comparedTable(element, runs, (run) => run.slow_flows, {
    caption: 'Flows that lost the most time to others or to failures',
    rows: (run) => run.slow_flows.rows.map((row) => ({...row, share: row.lost_ps / run.slow_flows.rows[0].lost_ps})),
    columns: [
      {label: 'from', value: (row) => row.from},
      {label: 'to', value: (row) => row.to},
      {label: 'size', value: (row) => row.bytes, unit: 'byte'},
      {label: 'start', value: (row) => row.start_ps, unit: 'ps'},
      {label: 'took', value: (row) => row.fct_ps, unit: 'ps'},
      {label: 'alone', value: (row) => row.ideal_ps, unit: 'ps'},
      {label: 'lost', value: (row) => row.lost_ps, unit: 'ps', bar: (row) => row.share},
      {label: 'slowdown', value: (row) => row.slowdown, unit: 'x'},
    ],
  });
  element.append(
    make(
      'p',
      {class: 'note'},
      'Lost: beyond the time alone, and beyond what flows of the same source took of its port, so that fan-out and rings inside servers do not count.',
    ),
  );
}
