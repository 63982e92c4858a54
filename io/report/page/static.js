// SPDX-License-Identifier: GPL-2.0-only
// Static congestion: what a pattern gets of a network's bandwidth, and where it collides.

function drawStaticAbout(element, runs) {
  // Older results have no word for a network's own routes.
  const routes = (word) =>
    ({undefined: "the network's own", file: "the network's own tables", tables: 'tables of another file'})[word] ?? word;
  const yes = (value) => (value ? 'yes' : 'no');
  comparedTable(element, runs, () => true, {
    caption: 'The study',
    rows: (run) => [run.about],
    columns: [
      {label: 'pattern', value: (about) => about.pattern},
      {label: 'ranks', value: (about) => about.pattern_ranks, unit: ''},
      {label: 'placement', value: (about) => about.placement},
      {label: 'routing', value: (about) => routes(about.routing)},
      {label: 'seed', value: (about) => String(about.seed)},
      {label: 'fixed subset', value: (about) => yes(about.fixed_subset)},
      {label: 'all links as fast', value: (about) => yes(about.unit_links)},
      {label: 'network', value: (about) => about.network_digest},
      {label: 'command', value: (about) => about.command_line, long: true, wide: true},
    ],
  });
}

function drawBandwidths(element, runs) {
  const having = runs.filter((run) => run.bandwidths);
  chart(element, {
    name: 'bandwidth',
    title: 'Bandwidth of a run, distribution',
    series: having.map((run) => ({
      label: many() ? run.name : 'share of runs',
      x: run.bandwidths.x,
      y: run.bandwidths.share,
      color: run.index,
      palette: 'c',
      dash: run.index,
    })),
    x: {label: "mean share of a host's rate", unit: 'share'},
    y: {label: 'share of runs', unit: 'share', range: [0, 1.02], before: 0},
  });
  comparedTable(element, runs, (run) => run.bandwidths, {
    caption: 'Histogram of bandwidth',
    rows: (run) => {
      const most = Math.max(...run.bandwidths.bins.map((bin) => bin.runs));
      return run.bandwidths.bins.filter((bin) => bin.runs > 0).map((bin) => ({...bin, bar: bin.runs / most}));
    },
    key: (row) => String(row.from),
    columns: [
      {label: "share of a host's rate", value: (row) => row.from, text: (row) => `${plain(row.from)} to ${plain(row.to)}`, keep: true},
      {label: 'runs', value: (row) => row.runs, unit: '', bar: (row) => row.bar},
    ],
  });
}

function drawWeights(element, runs) {
  comparedTable(element, runs, (run) => run.weights.rows.length, {
    caption: 'Messages by weight',
    rows: (run) => run.weights.rows,
    key: (row) => String(row.weight),
    columns: [
      {label: 'weight', value: (row) => row.weight, text: (row) => plain(row.weight), keep: true},
      {label: 'messages', value: (row) => row.messages, unit: ''},
      {label: 'share', value: (row) => row.share, unit: 'share', bar: (row) => row.share},
    ],
    more: (run) => moreThan(run.weights.rows.length, run.weights.all, 'weights'),
  });
  element.append(
    make(
      'p',
      {class: 'note'},
      "Weight: the most messages on any cable of the message's way, in shares of its host's own rate; it gets 1/weight of that rate.",
    ),
  );
}

/** The heat of a tier's cables in the order of their numbers. */
function strip(values) {
  const canvas = make('canvas', {class: 'strip', 'aria-hidden': 'true'});
  const draw = () => {
    const picture = cells({rows: [{values}]}, values.length, isDark());
    canvas.width = values.length;
    canvas.height = 1;
    canvas.getContext('2d').drawImage(picture, 0, 0);
  };
  draw();
  redraws.push(draw);
  return canvas;
}

function drawStaticLoad(element, runs) {
  heatScale(element, "of the load of the hottest cable that messages shared");
  comparedTable(element, runs, (run) => run.load.length, {
    caption: 'Cables by tier; the strip has their heat in the order of numbers',
    rows: (run) => run.load,
    key: (row) => row.tier,
    columns: [
      {label: 'tier', value: (row) => row.tier},
      {label: 'cables', value: (row) => row.cables, unit: ''},
      {label: 'never used', value: (row) => row.unused, unit: ''},
      {label: 'messages a run, least', value: (row) => row.least, number: true, text: (row) => plain(row.least), keep: true},
      {label: 'median', value: (row) => row.median, number: true, text: (row) => plain(row.median), keep: true},
      {label: 'most', value: (row) => row.most, number: true, text: (row) => plain(row.most), keep: true},
      {label: 'most at once', value: (row) => row.peak, unit: ''},
      {label: 'heat', value: (row) => Math.max(...row.strip), text: (row) => strip(row.strip), keep: true},
    ],
  });
}

function drawNetwork(element, runs) {
  panels(
    element,
    runs,
    (run) => run.drawing,
    (panel, run) => {
      const drawing = new DOMParser().parseFromString(run.drawing, 'image/svg+xml').documentElement;
      panel.append(make('div', {class: 'network'}, document.importNode(drawing, true)));
    },
    true,
  );
  element.append(
    make(
      'p',
      {class: 'note'},
      'Hosts at the bottom or outside, switches above or within. Green to red: messages of all runs over the rate of the cable; one that never had two messages at once is green. The two directions of a cable lie beside each other. The pointer shows names and figures.',
    ),
  );
}

function drawWorst(element, runs) {
  comparedTable(element, runs, (run) => run.worst.length, {
    caption: 'Cables with the most messages at once, and who met there',
    rows: (run) => run.worst,
    columns: [
      {label: 'from', value: (row) => row.from},
      {label: 'to', value: (row) => row.to},
      {label: 'tier', value: (row) => row.tier},
      {label: 'rate', value: (row) => row.rate, unit: 'bit/s'},
      {label: 'at once', value: (row) => row.peak, unit: ''},
      {label: 'run', value: (row) => row.run, number: true, keep: true},
      {label: 'level', value: (row) => row.level, number: true, keep: true},
      {
        label: 'messages',
        value: (row) => row.pairs.join('; ') + (row.all > row.pairs.length ? `; and ${show(row.all - row.pairs.length)} more` : ''),
        long: true,
        wide: true,
      },
    ],
  });
}

const STATIC_SECTIONS = [
  {id: 'summary', title: 'Key figures', has: () => true, draw: drawFigures},
  {id: 'about', title: 'What was studied', has: () => true, draw: drawStaticAbout},
  {id: 'bandwidths', title: 'Bandwidth', has: (run) => run.bandwidths, draw: drawBandwidths, hint: 'no message had a way.'},
  {id: 'weights', title: 'Weights', has: (run) => run.weights.rows.length, draw: drawWeights, hint: 'no message had a way.'},
  {id: 'load', title: 'Load of cables', has: (run) => run.load.length, draw: drawStaticLoad, hint: 'there is no cable.'},
  {
    id: 'network',
    title: 'The network',
    has: (run) => run.drawing,
    draw: drawNetwork,
    hint: 'it is too large to be drawn legibly.',
  },
  {
    id: 'worst',
    title: 'Worst collisions',
    has: (run) => run.worst.length,
    draw: drawWorst,
    hint: 'no two messages were ever on one cable at once.',
  },
];
