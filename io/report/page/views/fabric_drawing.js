// SPDX-License-Identifier: GPL-2.0-only
// Where the boxes and lines of a drawn fabric are.

/** Where the boxes are in a drawing that is `width` wide: {boxes: [{x, y, w, h}], height, labels: [{text, x, y, align, room}]}. */
function placeBoxes(of, width) {
  const labels = [];
  if (of.shape === 'levels') {
    const left = 64,
      gap = of.rows.length > 3 ? 120 : 150,
      top = of.parts.length ? 34 : 16;
    const rows = of.rows.map((name, y) => of.boxes.filter((box) => box.y === y));
    const last = of.rows.length - 1;
    const boxes = of.boxes.map((box) => {
      const count = rows[box.y].length,
        slot = (width - left - 8) / count,
        w = Math.max(4, Math.min(slot - Math.min(6, slot * 0.25), 74));
      return {x: left + slot * (box.x + 0.5) - w / 2, y: top + gap * (last - box.y), w, h: box.y ? 20 : 24};
    });
    of.rows.forEach((name, y) => labels.push({text: name, x: 0, y: top + gap * (last - y) + 11, align: 'left'}));
    of.parts.forEach((name, part) => {
      const own = of.boxes.map((box, i) => [box, boxes[i]]).filter(([box]) => box.part === part);
      const highest = Math.max(...own.map(([box]) => box.y)),
        spread = own.filter(([box]) => box.y === highest).map(([, at]) => at);
      const from = Math.min(...spread.map((at) => at.x)),
        to = Math.max(...spread.map((at) => at.x + at.w));
      labels.push({text: name, x: (from + to) / 2, y: Math.min(...spread.map((at) => at.y)) - 12, align: 'center', room: to - from});
    });
    return {boxes, height: top + gap * last + 34, labels};
  }
  if (of.shape === 'ring') {
    const size = Math.min(width, 460),
      w = Math.max(8, Math.min(26, (size * 2) / of.boxes.length));
    const boxes = of.boxes.map((box, i) => {
      const angle = (2 * Math.PI * i) / of.boxes.length - Math.PI / 2;
      return {x: width / 2 + (size / 2 - 24) * Math.cos(angle) - w / 2, y: size / 2 + (size / 2 - 24) * Math.sin(angle) - w / 2, w, h: w};
    });
    return {boxes, height: size, labels};
  }
  const most = (key) => Math.max(...of.boxes.map((box) => box[key])) + 1;
  const step = Math.max(5, Math.min(64, (width - 40) / most('x'), 620 / most('y')));
  const left = (width - step * most('x')) / 2,
    w = step * 0.46;
  const boxes = of.boxes.map((box) => ({x: left + step * box.x + (step - w) / 2, y: 14 + step * (most('y') - 1 - box.y) + (step - w) / 2, w, h: w}));
  return {boxes, height: 28 + step * most('y'), labels, step};
}

/** The curve of a lane as points; the two lanes of a line lie beside each other. */
function pathOf(of, place, {line, back}) {
  const [a, b] = line;
  const box = (i) => place.boxes[i];
  const middle = (i) => [box(i).x + box(i).w / 2, box(i).y + box(i).h / 2];
  if (a === b) return null;
  let [x1, y1] = middle(a),
    [x2, y2] = middle(b);
  if (of.shape === 'levels') {
    const up = y1 > y2;
    y1 += (up ? -1 : 1) * (box(a).h / 2);
    y2 += (up ? 1 : -1) * (box(b).h / 2);
  }
  const length = Math.hypot(x2 - x1, y2 - y1) || 1,
    side = (back ? -1 : 1) * Math.min(1.5, box(a).w / 6);
  const nx = (-(y2 - y1) / length) * side,
    ny = ((x2 - x1) / length) * side;
  const points = [
    [x1 + nx, y1 + ny],
    [x2 + nx, y2 + ny],
  ];
  // A cable around a torus bows beside the others.
  const neighbour = Math.min(...[box(a).w, box(b).w]) * 3.4;
  if (of.shape === 'grid' && length > neighbour) {
    const bow = place.step * 0.95,
      across = Math.abs(x2 - x1) > Math.abs(y2 - y1) ? [0, -bow] : [bow, 0];
    points.splice(1, 0, [(x1 + x2) / 2 + across[0] + nx, (y1 + y2) / 2 + across[1] + ny]);
  }
  return points;
}

/** A point between the ends of a curve: `t` of 0 to 1. */
function pointOn(points, t) {
  if (points.length === 2) return points[0].map((v, i) => v + (points[1][i] - v) * t);
  return points[0].map((v, i) => (1 - t) ** 2 * v + 2 * t * (1 - t) * points[1][i] + t * t * points[2][i]);
}

function distanceTo(points, x, y) {
  let least = Infinity;
  const steps = points.length === 2 ? 1 : 12;
  for (let i = 0; i < steps; ++i) {
    const [x1, y1] = pointOn(points, i / steps),
      [x2, y2] = pointOn(points, (i + 1) / steps);
    const dx = x2 - x1,
      dy = y2 - y1,
      t = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - x1 - t * dx, y - y1 - t * dy));
  }
  return least;
}

/** Short names in or below the boxes, where there is room for those of the whole row. */
function labelBoxes(context, of, place) {
  const texts = of.boxes.map((box) => box.name.replace(/ \(.*\)$/, '').replace(/^server |^leaf |^spine |^core |^switch |^GPU /, ''));
  const rows = of.shape === 'levels' ? of.rows.map((name, y) => y) : [null];
  for (const row of rows) {
    const own = of.boxes.map((box, i) => i).filter((i) => row === null || of.boxes[i].y === row);
    if (!own.every((i) => context.measureText(texts[i]).width < place.boxes[i].w - 3)) continue;
    context.textAlign = 'center';
    for (const i of own) {
      const box = place.boxes[i],
        text = texts[i];
      context.save();
      context.lineWidth = 3;
      context.lineJoin = 'round';
      context.strokeStyle = color('--paper');
      context.strokeText(text, box.x + box.w / 2, box.y + box.h / 2 + 0.5);
      context.fillStyle = color('--ink');
      context.fillText(text, box.x + box.w / 2, box.y + box.h / 2 + 0.5);
      context.restore();
    }
  }
}
