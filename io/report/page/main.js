// SPDX-License-Identifier: GPL-2.0-only
// Assembles the page.

/** Units and arrows as elsewhere on the page; the text is of people, too, so names may hold either. */
const typeset = (text) => text.replaceAll(' -> ', ' \u2192 ').replace(/(\d) us\b/g, '$1\u00a0µs');

/** The answer in a sentence, then what critical paths say. */
function drawFindings(main) {
  if (report.headline) main.append(make('p', {class: 'headline'}, typeset(report.headline)));
  for (const text of report.findings || []) main.append(make('p', {class: 'finding'}, typeset(text)));
}

function drawWarnings(main) {
  for (const run of report.runs) {
    for (const text of run.warnings)
      main.append(make('p', {class: 'warning', role: 'note'}, many() ? [...runName(run), ': '] : null, text));
  }
}

/** Why a section is empty. */
const hintOf = (section) =>
  report.runs.every((run) => run.about.whole) ? 'closed forms have no flows, packets and queues.' : section.hint;

/** Draws a section, or a line about how to record its data. */
function drawSection(section, main) {
  const empty = section.id !== 'sweep' && !report.runs.some((run) => section.has(run));
  const element = make('section', {id: section.id, class: empty ? 'empty' : null, 'aria-labelledby': section.id + '-title'});
  main.append(element);
  const title = make('h2', {id: section.id + '-title'}, section.title);
  if (empty)
    element.append(
      make(
        'details',
        {class: 'empty'},
        make('summary', {id: section.id + '-title'}, section.title + ': no data'),
        make('p', {class: 'hint'}, 'No data: ' + hintOf(section)),
      ),
    );
  else {
    element.append(title);
    section.draw(element, report.runs);
  }
  return make('li', {}, make('a', {href: '#' + section.id, class: empty ? 'empty' : null}, section.title));
}

/** Marks the section that is being read in the table of contents. */
function followReading(nav) {
  const links = new Map([...nav.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) seen.add(entry.target.id);
        else seen.delete(entry.target.id);
      }
      const first = SECTIONS.find((section) => seen.has(section.id));
      for (const [id, link] of links) {
        link.classList.toggle('here', first?.id === id);
        if (first?.id === id) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    },
    {rootMargin: '0px 0px -60% 0px'},
  );
  document.querySelectorAll('section').forEach((section) => watch.observe(section));
}

function subtitle() {
  const [first] = report.runs;
  if (report.sweep)
    return `${report.sweep.runs.length} runs of a sweep over ${report.sweep.axes.map((axis) => axis.key).join(', ') || 'nothing'}`;
  if (report.content === 'congestion')
    return many()
      ? `static congestion, ${report.runs.length} studies compared`
      : `static congestion: ${first.about.pattern} over ${show(first.about.pattern_ranks)} ranks`;
  return many()
    ? `${report.runs.length} runs compared`
    : `${show(first.about.fabric.gpus)} GPUs, ${show(figureOf(first, 'simulated'), 'ps')} simulated, ${first.about.control}`;
}

function start() {
  document.getElementById('subtitle').textContent = subtitle();
  document.getElementById('origin').textContent =
    `Written by ${report.version}. This page is complete in itself: it fetches nothing.`;
  const main = document.getElementById('content'),
    list = make('ol');
  drawFindings(main);
  drawWarnings(main);
  for (const section of SECTIONS) list.append(drawSection(section, main));
  const nav = document.getElementById('contents');
  nav.append(list);
  followReading(nav);
  const again = () => redraws.forEach((redraw) => redraw());
  for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', again);
  window.heddleReport = {ready: true, charts: drawn, views: viewsForTests}; // for tests
}

start();
