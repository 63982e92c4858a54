// SPDX-License-Identifier: GPL-2.0-only
// Failures of links and nodes, and what they and losses cost the flows.

const EVENTS = {
  link_down: 'link down',
  link_up: 'link up',
  link_rate: 'link changes its rate',
  node_down: 'node down',
  node_up: 'node up',
};

function drawFailures(element, runs) {
  comparedTable(element, runs, (run) => run.failures?.events.length, {
    caption: 'Failures',
    rows: (run) => run.failures.events,
    key: (row) => `${row.time_ps} ${row.event} ${row.where}`,
    columns: [
      {
        label: 'time',
        value: (row) => row.time_ps,
        number: true,
        text: (row) => show(row.time_ps, 'ps', 6) + (row.after_end ? ', after the end' : ''),
      },
      {label: 'event', value: (row) => EVENTS[row.event] ?? row.event},
      {label: 'where', value: (row) => row.where},
      {label: 'new rate', value: (row) => row.rate, unit: 'bit/s'},
    ],
  });
  const sums = (run) => run.failures;
  comparedTable(element, runs, (run) => run.failures?.all, {
    caption: 'Recovery, all recorded flows together',
    rows: (run) => [sums(run)],
    columns: [
      {label: 'flows that lost something', value: (row) => row.all, unit: ''},
      {label: 'timeouts', value: (row) => row.timeouts, unit: ''},
      {label: 'waited for timeouts', value: (row) => row.waited_ps, unit: 'ps'},
      {label: 'NACKs', value: (row) => row.nacks, unit: ''},
      {label: 'sent again', value: (row) => row.resent, unit: 'byte'},
    ],
  });
  comparedTable(element, runs, (run) => run.failures?.all, {
    caption: 'Flows that waited the longest',
    rows: (run) => run.failures.rows,
    columns: [
      {label: 'flow', value: (row) => row.flow},
      {label: 'size', value: (row) => row.size, unit: 'byte'},
      {label: 'start', value: (row) => row.start_ps, unit: 'ps'},
      {
        label: 'completion time',
        value: (row) => row.fct_ps,
        number: true,
        text: (row) => (row.fct_ps < 0 ? 'not finished' : show(row.fct_ps, 'ps')),
      },
      {label: 'timeouts', value: (row) => row.timeouts, unit: ''},
      {
        label: 'waited for timeouts',
        value: (row) => row.waited_ps,
        unit: 'ps',
        bar: (row) => (row.fct_ps > 0 ? row.waited_ps / row.fct_ps : 0),
      },
      {label: 'NACKs', value: (row) => row.nacks, unit: ''},
      {label: 'sent again', value: (row) => row.resent, unit: 'byte'},
    ],
    more: (run) => moreThan(run.failures.rows.length, run.failures.all, 'flows'),
  });
}
