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
