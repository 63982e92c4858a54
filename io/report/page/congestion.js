// SPDX-License-Identifier: GPL-2.0-only
// Queues and pauses over time.

const stepSeries = (of) =>
  of.rows.map((row, i) => ({
    label: row.name + (row.tier ? ' (' + row.tier + ')' : ''),
    x: binTimes(of, row.values.length),
    y: row.values,
    color: i,
    dash: Math.floor(i / PALETTE),
    step: true,
  }));

/** The largest value of a kind of curves over all runs, for a common axis. */
const largest = (runs, key) =>
  Math.max(0, ...runs.filter((run) => run[key]).flatMap((run) => run[key].rows.flatMap((row) => row.values)));

function drawQueues(element, runs) {
  const most = largest(runs, 'queues'),
    until = Math.max(...runs.filter((run) => run.queues).map((run) => run.queues.rows[0].values.length * run.queues.bin_ps));
  panels(
    element,
    runs,
    (run) => run.queues,
    (panel, run, suffix) => {
      if (run.queues.samples < 2) return sampledOnce(panel, 'queue');
      chart(panel, {
        marks: marksOf(run),
        name: 'queues' + suffix,
        title: 'The longest queues',
        series: stepSeries(run.queues),
        x: {label: 'time', unit: 'ps', until},
        y: {label: 'bytes in the port', unit: 'byte', most},
        height: 320,
        note: moreThan(run.queues.rows.length, run.queues.ports, 'ports that had a queue; the most in each bin of time'),
      });
    },
  );
}

function drawPauses(element, runs) {
  panels(
    element,
    runs,
    (run) => run.pauses?.rows.length || run.pause_causes,
    (panel, run, suffix) => {
      if (run.pauses?.rows.length) {
        chart(panel, {
          marks: marksOf(run),
          name: 'pauses' + suffix,
          title: 'Links held by PFC',
          series: stepSeries(run.pauses),
          x: {label: 'time', unit: 'ps'},
          y: {label: 'share of the tier\u2019s links', unit: 'share', range: [0, null]},
          note: 'Of each tier the mean share of its links whose sender was paused.',
        });
      } else {
        panel.append(make('p', {class: 'hint'}, 'Pauses over time: run with --set monitor.kinds=pfc.'));
      }
    },
  );
  comparedTable(element, runs, (run) => run.pause_causes, {
    caption: 'Where pauses began',
    rows: (run) => run.pause_causes.rows,
    columns: [
      {label: 'congested port of', value: (row) => row.from},
      {label: 'to', value: (row) => row.to},
      {label: 'tier', value: (row) => row.tier},
      {label: 'pauses', value: (row) => row.pauses, unit: ''},
      {label: 'paused, in all', value: (row) => row.paused_ps, unit: 'ps'},
      {label: 'longest chain', value: (row) => row.chain, number: true},
    ],
    more: (run) => moreThan(run.pause_causes.rows.length, run.pause_causes.all, 'ports'),
  });
}

// From each update of the weights to the next.
const postedRates = (of) => of.bytes.slice(1).map((bytes, i) => ((bytes - of.bytes[i]) * 8e12) / (of.time_ps[i + 1] - of.time_ps[i]));

const CAST_CHARTS = [
  {name: 'cast', title: 'Weights', values: (of) => of.weight, y: {label: 'weight', unit: '', most: 1}},
  {name: 'cast-estimates', title: 'Estimates of round trips beyond the payload', values: (of) => of.estimate_ps, y: {label: 'estimate', unit: 'ps'}},
  {name: 'cast-bytes', title: 'Bytes posted', values: (of) => of.bytes, y: {label: 'bytes', unit: 'byte'}},
  {name: 'cast-rates', title: 'Rate of what is posted', values: postedRates, y: {label: 'rate', unit: 'bit/s'}},
];

function drawCast(element, runs) {
  const until = Math.max(...runs.filter((run) => run.cast).map((run) => run.cast.curves[0].time_ps.at(-1)));
  for (const kind of CAST_CHARTS) {
    panels(
      element,
      runs,
      (run) => run.cast,
      (panel, run, suffix) => {
        const first = run.cast.rows[0];
        chart(panel, {
          marks: marksOf(run),
          name: kind.name + suffix,
          title: `${kind.title} from GPU ${first.src} to GPU ${first.dst}, whose weights were furthest apart`,
          series: run.cast.curves.map((of, i) => ({
            label: 'queue pair ' + of.queue_pair,
            x: of.time_ps.slice(0, kind.values(of).length),
            y: kind.values(of),
            color: i,
            dash: Math.floor(i / PALETTE),
            step: true,
          })),
          x: {label: 'time', unit: 'ps', until},
          y: kind.y,
          height: 280,
          note: moreThan(run.cast.curves.length, run.cast.queue_pairs, 'queue pairs'),
        });
      },
    );
  }
  comparedTable(element, runs, (run) => run.cast, {
    caption: 'Connections with weights',
    rows: (run) => run.cast.rows,
    key: (row) => [row.src, row.dst, row.connection, row.priority].join(' '),
    columns: [
      {label: 'from', value: (row) => row.src},
      {label: 'to', value: (row) => row.dst},
      {label: 'connection', value: (row) => row.connection},
      {label: 'updates', value: (row) => row.updates, unit: ''},
      {label: 'least weight', value: (row) => row.least_weight, unit: 'share'},
      {label: 'largest weight', value: (row) => row.most_weight, unit: 'share'},
      {label: 'least estimate at the end', value: (row) => row.least_estimate_ps, unit: 'ps'},
      {label: 'largest estimate at the end', value: (row) => row.most_estimate_ps, unit: 'ps'},
      {label: 'bytes', value: (row) => row.bytes, unit: 'byte'},
      {label: 'most on one queue pair', value: (row) => row.most_share, unit: 'share', bar: (row) => row.most_share},
    ],
    more: (run) => moreThan(run.cast.rows.length, run.cast.connections, 'connections'),
  });
}
