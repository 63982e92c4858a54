// SPDX-License-Identifier: GPL-2.0-only
// Jobs, collectives and layers of workloads, and the controller.

const kindOf = (row) => `${row.op} of ${row.group}, ${row.ranks} ranks`;

function drawCollectives(element, runs) {
  const series = runs
    .filter((run) => run.collectives)
    .flatMap((run) => {
      const kinds = new Map();
      for (const row of run.collectives.rows)
        if (row.finished) (kinds.get(kindOf(row)) || kinds.set(kindOf(row), []).get(kindOf(row))).push(row);
      return [...kinds]
        .filter(([, rows]) => rows.length > 1)
        .map(([kind, rows], k) => {
          const bySize = rows.slice().sort((a, b) => a.bytes - b.bytes);
          return {
            label: (many() ? run.name + ': ' : '') + kind,
            x: bySize.map((row) => row.bytes),
            y: bySize.map((row) => row.busbw),
            color: many() ? run.index : k,
            palette: many() ? 'c' : 'k',
            dash: k,
          };
        });
    })
    .slice(0, 12);
  if (report.measured)
    series.push({
      label: report.measured.name,
      x: report.measured.bytes,
      y: report.measured.busbw,
      color: runs.length,
      palette: 'c',
      dash: 2,
    });
  if (series.length) {
    chart(element, {
      name: 'busbw',
      title: 'Bus bandwidth by size',
      series,
      points: true,
      x: {label: 'size', unit: 'byte', log: true},
      y: {label: 'bus bandwidth', unit: 'B/s'},
    });
  }
  const keyOf = (row) => `${kindOf(row)} ${row.bytes}`;
  const firstTimes = new Map((runs[0].collectives?.rows || []).map((row) => [keyOf(row), row.mean_ps]));
  const against = (row, run) =>
    run !== runs[0] && firstTimes.get(keyOf(row)) > 0 ? row.mean_ps / firstTimes.get(keyOf(row)) - 1 : null;
  const most = Math.max(...runs.filter((run) => run.collectives).flatMap((run) => run.collectives.rows.map((row) => row.busbw)));
  comparedTable(element, runs, (run) => run.collectives, {
    caption: 'Collectives',
    rows: (run) => run.collectives.rows,
    key: keyOf,
    columns: [
      {label: 'operation', value: (row) => row.op},
      {label: 'group', value: (row) => row.group},
      {label: 'ranks', value: (row) => row.ranks, unit: ''},
      {label: 'algorithm', value: (row) => row.algorithm + (row.protocol !== 'NONE' ? ' ' + row.protocol : '')},
      {label: 'size', value: (row) => row.bytes, unit: 'byte'},
      {
        label: 'finished',
        value: (row) => row.finished,
        text: (row) => show(row.finished) + (row.unfinished ? `, ${show(row.unfinished)} not` : ''),
        number: true,
        keep: true,
      },
      {label: 'mean time', value: (row) => row.mean_ps, unit: 'ps'},
      ...(many()
        ? [
            {
              label: 'against the first',
              value: against,
              text: (row, run) => signedPercent(against(row, run)),
              number: true,
              keep: true,
            },
          ]
        : []),
      {label: 'shortest', value: (row) => row.shortest_ps, unit: 'ps'},
      {label: 'longest', value: (row) => row.longest_ps, unit: 'ps'},
      ...(runs.some((run) => run.collectives && run.collectives.rows.some((row) => row.wait_ps > 0))
        ? [{label: 'waited before', value: (row) => row.wait_ps, unit: 'ps'}]
        : []),
      {label: 'algbw', value: (row) => row.algbw, unit: 'B/s'},
      {label: 'busbw', value: (row) => row.busbw, unit: 'B/s', bar: (row) => row.busbw / most},
      ...(runs.some((run) => run.collectives && run.collectives.rows.some((row) => row.line_rate > 0))
        ? [
            {
              label: 'of line rate',
              value: (row) => row.line_rate,
              text: (row) => (row.line_rate > 0 ? `${(100 * row.line_rate).toFixed(1)} %` : '-'),
              number: true,
            },
          ]
        : []),
    ],
    more: (run) =>
      moreThan(run.collectives.rows.length, run.collectives.all, 'kinds and sizes: those that took the longest together'),
  });
  element.append(
    make(
      'p',
      {class: 'note'},
      'Bandwidths are of the mean time, as nccl-tests computes them. Times begin when the first rank begins, or a message is sent; what they waited before is apart. Of line rate: what the busiest port needs for its bytes, of the time.',
    ),
  );
}

const kindsUsed = (kinds, jobs) =>
  kinds.map((kind, k) => ({kind, k})).filter(({k}) => jobs.some((job) => job.layers.some((layer) => layer.means[k] > 0)));

function drawLayers(element, runs) {
  const having = runs.filter((run) => run.layers);
  const sum = (layer) => layer.means.reduce((a, b) => a + b, 0);
  const most = Math.max(...having.flatMap((run) => run.layers.jobs.flatMap((job) => job.layers.map(sum))));
  if (having.some((run) => run.layers.jobs.some((job) => job.layers.length > 1))) {
    panels(
      element,
      runs,
      (run) => run.layers,
      (panel, run, suffix) => {
        const {kinds, jobs} = run.layers;
        for (const job of jobs.filter((of) => of.layers.length > 1)) {
          const used = kindsUsed(kinds, [job]);
          const x = job.layers.map((layer) => layer.index);
          if (!used.length) continue;
          chart(panel, {
            name: `layers-${job.job}${suffix}`,
            title: `Job ${job.job}: time of each layer, mean over its ranks`,
            stacked: true,
            x: {
              label: 'layer',
              names: Object.fromEntries(
                job.layers.map((layer) => [
                  layer.index,
                  job.layers.length > 30 ? String(layer.index) : `${layer.index} ${layer.name}`.slice(0, 14),
                ]),
              ),
            },
            y: {label: 'time, all passes', unit: 'ps', most},
            series: used.map(({kind, k}) => ({label: kind, x, y: job.layers.map((layer) => layer.means[k]), color: k})),
            note: moreThan(job.layers.length, job.all, 'layers'),
          });
        }
      },
    );
  }
  const used = kindsUsed(
    having[0].layers.kinds,
    having.flatMap((run) => run.layers.jobs),
  );
  comparedTable(element, runs, (run) => run.layers, {
    caption: 'Layers by name',
    rows: (run) => run.layers.jobs.flatMap((job) => job.by_name.map((row) => ({...row, job: job.job}))),
    key: (row) => `${row.job} ${row.name}`,
    columns: [
      {label: 'layer', value: (row) => row.name, long: true},
      {label: 'job', value: (row) => row.job, number: true},
      {label: 'how many', value: (row) => row.layers, unit: ''},
      ...used.map(({kind, k}) => ({label: kind, value: (row) => row.means[k], unit: 'ps'})),
      {label: 'exposed', value: (row) => exposedShare(row), unit: 'share', bar: exposedShare},
    ],
    more: (run) => moreThan(run.layers.jobs.length, run.layers.all_jobs, 'jobs'),
  });
  element.append(make('p', {class: 'note'}, 'Exposed: time in which a GPU only waited for communication.'));
}

/** Where chunks waited, and how long messages took: a stacked bar a layer, and the same as a table. */
function drawPhaseDelays(element, runs) {
  const having = runs.filter((run) => run.phase_delays);
  const sum = (layer) => layer.means.reduce((a, b) => a + b, 0);
  const most = Math.max(...having.flatMap((run) => run.phase_delays.jobs.flatMap((job) => job.layers.map(sum))));
  panels(
    element,
    runs,
    (run) => run.phase_delays,
    (panel, run, suffix) => {
      const {kinds, jobs} = run.phase_delays;
      for (const job of jobs) {
        const x = job.layers.map((layer) => layer.index);
        const many = job.layers.length > 30;
        chart(panel, {
          name: `phases-${job.job}${suffix}`,
          title: `Job ${job.job}: mean delays of chunks and messages`,
          stacked: true,
          x: {
            label: 'layer',
            names: Object.fromEntries(
              job.layers.map(({index, name}) => [index, many ? String(index) : `${index} ${name}`.slice(0, 14)]),
            ),
          },
          y: {label: 'delay, mean', unit: 'ps', most},
          series: kindsUsed(kinds, [job]).map(({kind, k}) => ({
            label: kind,
            x,
            y: job.layers.map((layer) => layer.means[k]),
            color: k,
          })),
          note: moreThan(job.layers.length, job.all, 'layers'),
        });
      }
    },
  );
  const used = kindsUsed(
    having[0].phase_delays.kinds,
    having.flatMap((run) => run.phase_delays.jobs),
  );
  comparedTable(element, runs, (run) => run.phase_delays, {
    caption: 'Delays by layer',
    rows: (run) => run.phase_delays.jobs.flatMap((job) => job.layers.map((row) => ({...row, job: job.job}))),
    key: (row) => `${row.job} ${row.index}`,
    columns: [
      {label: 'layer', value: (row) => `${row.index} ${row.name}`, long: true},
      {label: 'job', value: (row) => row.job, number: true},
      ...used.map(({kind, k}) => ({label: kind, value: (row) => row.means[k], unit: 'ps'})),
    ],
    more: (run) => moreThan(run.phase_delays.jobs.length, run.phase_delays.all_jobs, 'jobs'),
  });
  element.append(
    make(
      'p',
      {class: 'note'},
      'Queue P0: a chunk in the ready list. Queue P1, P2, ...: before a lane of that phase. ' +
        'Network: a message of that phase, from when its receiver had sent its own. Means over all GPUs and passes.',
    ),
  );
}

function exposedShare(row) {
  const total = row.means.reduce((a, b) => a + b, 0);
  return total > 0 ? (total - row.means[0]) / total : 0;
}

function drawJobs(element, runs) {
  const took = (row) => (row.end_ps < 0 ? NaN : row.end_ps - row.start_ps);
  const all = runs.filter((run) => run.jobs).flatMap((run) => run.jobs.rows);
  const partNames = [...new Set(all.flatMap((row) => (row.parts || []).map((part) => part.name)))];
  const shareOf = (row, name) => (row.parts || []).find((part) => part.name === name)?.share;
  const longest = Math.max(...all.map((row) => took(row) || 0), 1);
  comparedTable(element, runs, (run) => run.jobs, {
    caption: 'Job completion times',
    rows: (run) => run.jobs.rows,
    key: all.length > runs.length ? (row) => String(row.job) : null,
    columns: [
      {label: 'job', value: (row) => row.job, text: (row) => `${row.job}${row.name ? ' ' + row.name : ''}`, keep: true},
      {label: 'workload', value: (row) => row.workload, long: true},
      {label: 'GPUs', value: (row) => row.gpus, unit: ''},
      {label: 'groups', value: (row) => `TP ${row.tp}, DP ${row.dp}, PP ${row.pp}, EP ${row.ep}`},
      {label: 'placement', value: (row) => row.placement},
      {label: 'start', value: (row) => row.start_ps, unit: 'ps'},
      {label: 'passes', value: (row) => row.passes, unit: ''},
      {
        label: 'time',
        value: (row) => took(row),
        number: true,
        keep: true,
        text: (row) => (row.end_ps < 0 ? 'did not end' : show(took(row), 'ps')),
        bar: (row) => took(row) / longest,
      },
      {label: 'a pass', value: (row) => took(row) / row.passes, unit: 'ps'},
      {
        label: 'without the last wait',
        value: (row) => (row.end_ps < 0 ? NaN : row.without_tail_ps),
        text: (row) => (row.end_ps < 0 ? '' : show(row.without_tail_ps, 'ps')),
        number: true,
      },
      ...partNames.map((name) => ({
        label: name,
        value: (row) => shareOf(row, name) ?? NaN,
        text: (row) => (shareOf(row, name) === undefined ? '' : show(shareOf(row, name), 'share', 3)),
        number: true,
      })),
    ],
    more: (run) => moreThan(run.jobs.rows.length, run.jobs.all, 'jobs'),
  });
  element.append(
    make(
      'p',
      {class: 'note'},
      'The last wait is for weight gradients after the last step. Shares are of the time of all GPUs of a job from its start to its end: computed, only waited for communication of a phase or for other pipeline stages, ended before the last GPU, changed state; they add up to 100 %.',
    ),
  );
}

/** The largest number of decisions of one kind in a bin, over all runs. */
const mostOf = (runs, get) =>
  Math.max(0, ...runs.map(get).filter((of) => of).flatMap((of) => [...of.free, ...of.own_port, ...of.least_loaded]));

function drawController(element, runs) {
  panels(
    element,
    runs,
    (run) => run.controller,
    (panel, run, suffix) => {
      const c = run.controller,
        all = c.requests + c.moves,
        part = (n) => `${show(n)} (${show(all ? n / all : 0, 'share', 3)})`;
      const facts = [
        ['Requests', show(c.requests)],
        ['Decisions after links changed', show(c.moves)],
        ['Free path', part(c.free)],
        ['No free path: the host\u2019s own port', part(c.own_port)],
        ['No free path: the least loaded', part(c.least_loaded)],
        ['Answer to a request', `p50 ${show(c.answer_p50_ps, 'ps')}, p99 ${show(c.answer_p99_ps, 'ps')}`],
        [
          'Flows that waited for it',
          c.waited ? `${show(c.waited)}: ${show(c.wait_mean_ps, 'ps')} on average, ${show(c.wait_max_ps, 'ps')} at most` : 'none',
        ],
        ['Source ports tried', `${show(c.candidates_mean)} on average, ${show(c.candidates_max)} at most`],
        ['Reservations held at the end', show(c.held)],
      ];
      panel.append(
        make('dl', {class: 'facts'}, facts.map(([label, value]) => [make('dt', {}, label), make('dd', {}, value)]).flat()),
      );
      const over = c.over_time,
        x = binTimes(over, over.free.length);
      const series = [
        ['free path', over.free],
        ['own port', over.own_port],
        ['least loaded', over.least_loaded],
      ]
        .map(([label, y], i) => ({label, x, y, color: i, dash: i, step: true}))
        .filter((s) => s.y.some((v) => v > 0));
      chart(panel, {
        marks: marksOf(run),
        name: 'controller' + suffix,
        title: 'Decisions over time',
        series,
        x: {label: 'time', unit: 'ps'},
        y: {label: 'decisions a bin', unit: '', most: mostOf(runs, (of) => of.controller && of.controller.over_time)},
        height: 240,
      });
    },
  );
}
