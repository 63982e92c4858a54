// SPDX-License-Identifier: GPL-2.0-only
// The sections in their order. Each: id, title, hint (how to record its data), has(run), draw(element, runs).

const WORKLOAD = 'runs of workloads have it (heddle run -w, or --job)';
const RUN_SECTIONS = [
  {
    id: 'step',
    title: 'Where a step\u2019s time went',
    has: (run) => run.step,
    draw: drawStep,
    hint: WORKLOAD + ', once a job has ended.',
  },
  {id: 'summary', title: 'Key figures', has: () => true, draw: drawSummary},
  {
    id: 'timeline',
    title: 'Steps over time',
    has: (run) => run.timeline,
    draw: drawTimeline,
    hint: WORKLOAD + ', with --record timeline=all if they are large.',
  },
  {
    id: 'fabric',
    title: 'The fabric over time',
    has: (run) => run.fabric,
    draw: drawFabric,
    hint: 'nothing was sent.',
  },
  {id: 'about', title: 'What was run', has: () => true, draw: drawAbout},
  {
    id: 'completion',
    title: 'Flow completion',
    has: (run) => run.completion,
    draw: drawCompletion,
    hint: 'the run kept no records of flows; run with --record flows=all.',
  },
  {
    id: 'sizes',
    title: 'Slowdown by flow size',
    has: (run) => run.sizes,
    draw: drawSizes,
    hint: 'the run kept no records of flows; run with --record flows=all.',
  },
  {
    id: 'slow-flows',
    title: 'Slowest flows',
    has: (run) => run.slow_flows,
    draw: drawSlowFlows,
    hint: 'no flow lost time to others, or the run kept no records of all flows (--record flows=all; at most 200,000).',
  },
  {id: 'jobs', title: 'Jobs', has: (run) => run.jobs, draw: drawJobs, hint: WORKLOAD + '.'},
  {id: 'collectives', title: 'Collectives', has: (run) => run.collectives, draw: drawCollectives, hint: WORKLOAD + '.'},
  {id: 'layers', title: 'Layers', has: (run) => run.layers, draw: drawLayers, hint: WORKLOAD + '.'},
  {
    id: 'phases',
    title: 'Phases of collectives',
    has: (run) => run.phase_delays,
    draw: drawPhaseDelays,
    hint: 'runs with collectives in phases have it (--set phases.collectives=baseline or enhanced).',
  },
  {id: 'tiers', title: 'Tiers of links', has: (run) => run.tiers || run.tier_load, draw: drawTiers, hint: 'nothing was sent.'},
  {
    id: 'links',
    title: 'Links over time',
    has: (run) => run.link_load,
    draw: drawLinks,
    hint: 'run with --set monitor.kinds=links.',
  },
  {id: 'hot', title: 'Hottest links', has: (run) => run.hot_links, draw: drawHot, hint: 'nothing was sent.'},
  {
    id: 'queues',
    title: 'Queues over time',
    has: (run) => run.queues,
    draw: drawQueues,
    hint: 'run with --set monitor.kinds=queues.',
  },
  {
    id: 'pauses',
    title: 'PFC pauses',
    has: (run) => run.pauses?.rows.length || run.pause_causes,
    draw: drawPauses,
    hint: 'no port was paused. Pauses over time need --set monitor.kinds=pfc.',
  },
  {
    id: 'failures',
    title: 'Failures and recovery',
    has: (run) => run.failures,
    draw: drawFailures,
    hint: 'no link or node failed, and no packet was sent again.',
  },
  {id: 'drops', title: 'Drops', has: (run) => run.drops, draw: drawDrops, hint: 'no packet was dropped.'},
  {
    id: 'controller',
    title: 'Central controller',
    has: (run) => run.controller,
    draw: drawController,
    hint: 'run with --set controller.enable=true.',
  },
  {
    id: 'cast',
    title: 'Queue pairs and their weights',
    has: (run) => run.cast,
    draw: drawCast,
    hint: 'run CAST (--set requests.scheduler=cast-stripe) with --set monitor.kinds=cast.',
  },
  {id: 'ranks', title: 'Ranks of the run', has: (run) => run.ranks, draw: drawRanks, hint: 'results of format 2.0 have it.'},
  {
    id: 'progress',
    title: 'Progress of the run',
    has: (run) => run.progress && run.progress.wall_seconds.length > 1,
    draw: drawProgress,
    hint: 'runs of several seconds whose results have format 2.0 have it.',
  },
];
/** Of one collective in several sizes: bandwidths first, and no step. */
const SIZE_SECTIONS = [
  RUN_SECTIONS.find((section) => section.id === 'collectives'),
  ...RUN_SECTIONS.filter((section) => !['collectives', 'step', 'timeline', 'layers'].includes(section.id)),
];
const SECTIONS_OF = {run: report.by_size ? SIZE_SECTIONS : RUN_SECTIONS, congestion: STATIC_SECTIONS, sweep: []};
// Steps of a sweep's runs that send other things are not compared.
const OF_EQUAL_TRAFFIC = report.sweep && !report.sweep.same_traffic ? ['step', 'summary'] : [];
const SECTIONS = [...SWEEP_SECTIONS, ...SECTIONS_OF[report.content].filter((section) => !OF_EQUAL_TRAFFIC.includes(section.id))];
