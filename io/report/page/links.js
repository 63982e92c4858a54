// SPDX-License-Identifier: GPL-2.0-only
// Links: load over time, the most used links, and drops by port.

const endOf = (key) => (runs) =>
  Math.max(
    ...runs
      .filter((run) => run[key])
      .map((run) => run[key].end_ps ?? run[key].from_ps + run[key].bin_ps * run[key].rows[0].values.length),
  );

/** In place of a chart over time: one sample shows no course. */
const sampledOnce = (panel, kind) =>
  panel.append(
    make(
      'p',
      {class: 'hint'},
      `The monitor sampled once, at the end: no course over time is known. Run with --set monitor.${kind}_interval=auto, or a shorter interval.`,
    ),
  );

function drawTiers(element, runs) {
  const having = runs.filter((run) => run.tier_load);
  if (having.length) {
    heatScale(element, 'Utilisation');
    panels(
      element,
      runs,
      (run) => run.tier_load,
      (panel, run, suffix) =>
        heatMap(panel, {
          name: 'tier-load' + suffix,
          of: run.tier_load,
          until: endOf('tier_load')(runs),
          title: 'Utilisation of tiers over time',
          what: 'mean utilisation',
          marks: marksOf(run),
        }),
    );
  }
  comparedTable(element, runs, (run) => run.tiers, {
    caption: 'Tiers of links over the whole run',
    rows: (run) => run.tiers,
    key: (row) => row.name,
    columns: [
      {label: 'tier', value: (row) => row.name},
      {label: 'links', value: (row) => row.links, unit: ''},
      {label: 'bytes', value: (row) => row.bytes, unit: 'byte'},
      {label: 'mean utilisation', value: (row) => row.mean, unit: 'share', bar: (row) => row.mean},
      {label: 'of the busiest', value: (row) => row.busiest, unit: 'share', bar: (row) => row.busiest},
      {label: 'longest queue', value: (row) => row.queue, unit: 'byte'},
      {label: 'ECN marks', value: (row) => row.marks, unit: ''},
      {label: 'pauses', value: (row) => row.pauses, unit: ''},
      {label: 'paused', value: (row) => row.paused_ps, unit: 'ps'},
    ],
  });
}

function drawLinks(element, runs) {
  heatScale(element, 'Utilisation');
  panels(
    element,
    runs,
    (run) => run.link_load,
    (panel, run, suffix) => {
      if (run.link_load.rows[0].values.length < 2) return sampledOnce(panel, 'link');
      heatMap(panel, {
        name: 'link-load' + suffix,
        marks: marksOf(run),
        of: run.link_load,
        until: endOf('link_load')(runs),
        title: 'Utilisation of links over time',
        what: 'utilisation',
        note:
          moreThan(run.link_load.rows.length, run.link_load.links, 'links that carried anything: of every tier the busiest') ||
          'A row a link, by tier; point at a cell, or walk with the arrow keys.',
      });
    },
  );
}

/** Lines about who used a link. */
function usersOf(link) {
  if (!link.use || !link.use.users.length) return ['–'];
  const list = link.use.users.map(
    (user) => `${user.name} (${user.flows > 1 ? counted(user.flows, 'flow') + ', ' : ''}${show(user.bytes, 'byte', 3)})`,
  );
  if (link.use.all > list.length) list.push(`and ${show(link.use.all - list.length)} more`);
  return list;
}

function drawHot(element, runs) {
  comparedTable(element, runs, (run) => run.hot_links, {
    caption: 'The busiest links, the longest queues and the longest paused',
    rows: (run) => run.hot_links.links,
    columns: [
      {
        label: 'link',
        value: (row) => `${row.from} -> ${row.to}`,
        text: (row) => [
          `${row.from} -> ${row.to}`,
          make('div', {class: 'change'}, `${row.tier}, ${show(row.rate, 'bit/s')}${row.alike > 1 ? `, and ${show(row.alike - 1)} more` : ''}`),
        ],
      },
      {label: 'bytes', value: (row) => row.bytes, unit: 'byte'},
      {label: 'used while busy', value: (row) => row.while_busy, unit: 'share', bar: (row) => row.while_busy},
      {label: 'over the run', value: (row) => row.utilisation, unit: 'share', bar: (row) => row.utilisation},
      {label: 'flows at once', value: (row) => row.at_once, unit: ''},
      {label: 'longest queue', value: (row) => row.queue, unit: 'byte'},
      {label: 'ECN marks', value: (row) => row.marks, unit: ''},
      {label: 'pauses', value: (row) => row.pauses, unit: ''},
      {label: 'paused', value: (row) => row.paused_ps, unit: 'ps'},
      {label: 'used by', value: (row) => usersOf(row).join('; '), text: (row) => usersOf(row).map((line) => make('div', {}, line)), long: true, wide: true},
    ],
    more: (run) =>
      [
        moreThan(run.hot_links.links.reduce((sum, row) => sum + row.alike, 0), run.hot_links.ports, 'ports that sent or were paused'),
        run.hot_links.untraced ? `Users are not known: they are counted for at most ${show(run.hot_links.untraced)} flows.` : null,
      ]
        .filter((note) => note)
        .join(' '),
  });
  element.append(
    make(
      'p',
      {class: 'note'},
      'More: links of the tier with the same figures. Busy: a flow whose data crosses the link is under way. Paused: time in which PFC held the sender of the link, summed over priorities. Users: flows whose data crosses the link, with every link up.',
    ),
  );
}

function drawDrops(element, runs) {
  comparedTable(element, runs, (run) => run.drops, {
    caption: 'Where packets were dropped',
    rows: (run) => run.drops.rows,
    columns: [
      {label: 'node', value: (row) => row.node},
      {label: 'port', value: (row) => row.port, number: true, keep: true},
      {label: 'to', value: (row) => row.peer},
      {label: 'reason', value: (row) => row.reason},
      {label: 'packets', value: (row) => row.packets, unit: ''},
    ],
    more: (run) => moreThan(run.drops.rows.length, run.drops.all, 'ports and reasons'),
  });
}
