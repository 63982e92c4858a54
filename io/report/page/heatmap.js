// SPDX-License-Identifier: GPL-2.0-only
// Heat maps over time: own canvas code, as uPlot has none. Lightness falls (on a dark page: rises) steadily with the value, so that
// colour-blind readers, and prints in grey, show the same order.

const RAMP = [
  [253, 248, 236],
  [254, 221, 160],
  [249, 164, 91],
  [222, 98, 76],
  [161, 46, 98],
  [93, 20, 99],
  [29, 10, 53],
];

/** The colour of a share of 0 to 1 as [red, green, blue]. */
function heat(share, dark) {
  const ramp = dark ? RAMP.slice().reverse() : RAMP;
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1);
  const low = Math.min(ramp.length - 2, Math.floor(at));
  return ramp[low].map((v, i) => Math.round(v + (ramp[low + 1][i] - v) * (at - low)));
}

const isDark = () => matchMedia('screen and (prefers-color-scheme: dark)').matches;

function ready(canvas, width, height) {
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** 0 % to 100 % in the colours of a heat map. */
function heatScale(parent, label) {
  const canvas = make('canvas', {'aria-hidden': 'true'});
  parent.append(make('div', {class: 'scale'}, label, make('span', {}, '0 %'), canvas, make('span', {}, '100 %')));
  const draw = () => {
    const context = ready(canvas, 160, 12),
      dark = isDark();
    for (let i = 0; i < 160; ++i) {
      context.fillStyle = `rgb(${heat(i / 159, dark)})`;
      context.fillRect(i, 0, 1.5, 12);
    }
    context.strokeStyle = color('--line');
    context.strokeRect(0.5, 0.5, 159, 11);
  };
  draw();
  redraws.push(draw);
}

/** Round times of an axis. */
function timeSteps(from, to, most) {
  const raw = (to - from) / Math.max(1, most),
    power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((v) => v * power).find((v) => v >= raw);
  const list = [];
  for (let at = Math.ceil(from / step) * step; at <= to * 1.000001; at += step) list.push(at);
  return list;
}

/** The colours of all cells as an image with one pixel for each cell. */
function cells(of, columns, dark) {
  const picture = make('canvas', {width: columns, height: of.rows.length});
  const context = picture.getContext('2d'),
    image = context.createImageData(columns, of.rows.length);
  of.rows.forEach((row, r) => {
    for (let c = 0; c < columns; ++c) {
      const [red, green, blue] = heat((row.values[c] ?? 0) / 1000, dark),
        at = 4 * (r * columns + c);
      image.data.set([red, green, blue, 255], at);
    }
  });
  context.putImageData(image, 0, 0);
  return picture;
}

/** Names beside the rows: of each row if rows are high enough, otherwise of each tier's rows. */
function rowLabels(of, rowHeight) {
  if (rowHeight >= 13) return of.rows.map((row, i) => ({text: row.tier ? row.name : row.name, from: i, to: i + 1, group: false}));
  const groups = [];
  of.rows.forEach((row, i) => {
    if (!groups.length || groups[groups.length - 1].text !== row.tier)
      groups.push({text: row.tier, from: i, to: i + 1, group: true});
    else groups[groups.length - 1].to = i + 1;
  });
  return groups;
}

/** `of`: {from_ps, bin_ps, rows: [{name, tier?, values in thousandths}]}; `until`: end of the axis [ps], equal for maps that are compared; `marks`: times of failures. */
function heatMap(parent, {name, title, note, of, until, what, marks = []}) {
  const rows = () => [
    ['from [ps]', ...of.rows.map((row) => row.name)],
    ...of.rows[0].values.map((_, i) => [of.from_ps + i * of.bin_ps, ...of.rows.map((row) => row.values[i] / 1000)]),
  ];
  const {figureElement, plot} = figure(parent, {name, title, note, rows});
  const canvas = make('canvas'),
    tip = make('div', {class: 'tip', hidden: true}),
    aloud = make('div', {class: 'sr', 'aria-live': 'polite'});
  plot.append(canvas);
  figureElement.append(tip, aloud);
  const columns = of.rows[0].values.length,
    end = Math.max(until, of.end_ps ?? of.from_ps + columns * of.bin_ps);
  const rowHeight = Math.max(3, Math.min(26, 460 / of.rows.length));
  const place = {left: 0, top: 4, width: 0, height: rowHeight * of.rows.length};
  const unit = unitFor('ps', end);
  const draw = () => {
    const width = Math.max(200, plot.clientWidth),
      height = place.height + 44;
    const context = ready(canvas, width, height);
    context.font = '12px system-ui, sans-serif';
    const labels = rowLabels(of, rowHeight);
    const widest = Math.max(...labels.map((label) => context.measureText(label.text).width));
    place.left = Math.min(widest + 16, width * 0.32);
    place.width = width - place.left - 14;
    context.imageSmoothingEnabled = false;
    const dark = isDark();
    const [r, g, b] = heat(0, dark);
    context.fillStyle = `rgb(${r},${g},${b})`;
    context.fillRect(place.left, place.top, place.width, place.height);
    const toX = (time) => place.left + (place.width * (time - of.from_ps)) / (end - of.from_ps);
    context.save();
    context.beginPath();
    context.rect(place.left, place.top, place.width, place.height);
    context.clip();  // the last bin ends with the run
    context.drawImage(
      cells(of, columns, dark),
      place.left,
      place.top,
      toX(of.from_ps + columns * of.bin_ps) - place.left,
      place.height,
    );
    context.restore();
    context.fillStyle = color('--soft');
    context.strokeStyle = color('--line');
    context.textBaseline = 'middle';
    labels.forEach((label, i) => {
      const y = place.top + (rowHeight * (label.from + label.to)) / 2;
      context.textAlign = 'right';
      if (rowHeight * (label.to - label.from) >= 11) context.fillText(label.text, place.left - 8, y, place.left - 8);
      if (i > 0 && (label.group || rowHeight >= 20)) {
        const line = place.top + rowHeight * label.from;
        context.beginPath();
        context.moveTo(label.group ? 0 : place.left, line);
        context.lineTo(place.left + place.width, line);
        context.stroke();
      }
    });
    context.strokeRect(place.left - 0.5, place.top - 0.5, place.width + 1, place.height + 1);
    drawMarks(context, marks, toX, place.top, place.top + place.height, place.left, place.left + place.width);
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (const time of timeSteps(of.from_ps / unit.scale, end / unit.scale, place.width / 90)) {
      const at = toX(time * unit.scale);
      context.beginPath();
      context.moveTo(at, place.top + place.height);
      context.lineTo(at, place.top + place.height + 5);
      context.stroke();
      context.fillText(plain(time, 4), at, place.top + place.height + 8);
    }
    context.fillText(`time [${unit.label}]`, place.left + place.width / 2, place.top + place.height + 25);
  };
  const cell = {row: -1, column: -1};
  const say = () => {
    const row = of.rows[cell.row];
    if (!row) {
      tip.hidden = true;
      return;
    }
    const from = of.from_ps + cell.column * of.bin_ps;
    const text = [
      row.name + (row.tier ? ' (' + row.tier + ')' : row.links ? ' (' + counted(row.links, 'link') + ')' : ''),
      plain(from / unit.scale) + ' to ' + plain(Math.min(from + of.bin_ps, of.end_ps ?? Infinity) / unit.scale) + ' ' + unit.label,
      what + ': ' + plain(row.values[cell.column] / 10, 3) + ' %',
    ];
    tip.replaceChildren(...text.map((line, i) => make(i ? 'div' : 'b', {}, line)));
    tip.hidden = false;
    aloud.textContent = text.join(', ');
    const x = place.left + (place.width * (from + of.bin_ps / 2 - of.from_ps)) / (end - of.from_ps);
    const y = plot.offsetTop + place.top + rowHeight * (cell.row + 1);
    tip.style.left = Math.max(0, Math.min(x + 10, figureElement.clientWidth - tip.offsetWidth - 2)) + 'px';
    tip.style.top = y + 6 + 'px';
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const time = of.from_ps + ((end - of.from_ps) * (event.clientX - box.left - place.left)) / place.width;
    cell.column = Math.floor((time - of.from_ps) / of.bin_ps);
    cell.row = Math.floor((event.clientY - box.top - place.top) / rowHeight);
    if (cell.column < 0 || cell.column >= columns) cell.row = -1;
    say();
  };
  canvas.addEventListener('pointermove', point);
  canvas.addEventListener('pointerleave', () => {
    cell.row = -1;
    say();
  });
  figureElement.addEventListener('blur', () => {
    cell.row = -1;
    say();
  });
  figureElement.addEventListener('keydown', (event) => {
    const move = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
    if (!move || event.target !== figureElement) return;
    event.preventDefault();
    cell.row = cell.row < 0 ? 0 : Math.max(0, Math.min(of.rows.length - 1, cell.row + move[0]));
    cell.column = Math.max(0, Math.min(columns - 1, cell.column + move[1]));
    say();
  });
  draw();
  redraws.push(draw);
  let last = plot.clientWidth;
  new ResizeObserver(() => {
    if (plot.clientWidth !== last) {
      last = plot.clientWidth;
      draw();
    }
  }).observe(plot);
}
