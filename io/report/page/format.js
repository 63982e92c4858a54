// SPDX-License-Identifier: GPL-2.0-only
'use strict';
// Numbers with units, and elements made of plain text: data are never interpreted as HTML.

const report = JSON.parse(document.getElementById('data').textContent);
report.runs.forEach((run, index) => {
  run.index = index;
});

/** At most `digits` significant digits, whole from 1000 on, with thin spaces between thousands. */
function plain(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  let text;
  if (size >= 1e15 || size < 1e-6) text = value.toExponential(2);
  else if (size >= 1000)
    text = Math.round(value)
      .toString()
      .replace(/\B(?=(\d{3})+$)/g, '\u202f');
  else text = String(Number(value.toPrecision(digits)));
  return text.replace('-', '\u2212');
}

const LADDERS = {
  ps: [
    [1e12, 's'],
    [1e9, 'ms'],
    [1e6, 'µs'],
    [1e3, 'ns'],
    [1, 'ps'],
  ],
  s: [
    [1, 's'],
    [1e-3, 'ms'],
    [1e-6, 'µs'],
  ],
  byte: [
    [2 ** 50, 'PiB'],
    [2 ** 40, 'TiB'],
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
    [1, 'B'],
  ],
  'bit/s': [
    [1e15, 'Pbit/s'],
    [1e12, 'Tbit/s'],
    [1e9, 'Gbit/s'],
    [1e6, 'Mbit/s'],
    [1e3, 'kbit/s'],
    [1, 'bit/s'],
  ],
  'B/s': [
    [1e12, 'TB/s'],
    [1e9, 'GB/s'],
    [1e6, 'MB/s'],
    [1e3, 'kB/s'],
    [1, 'B/s'],
  ],
  'hops/s': [
    [1e9, 'G/s'],
    [1e6, 'M/s'],
    [1e3, 'k/s'],
    [1, '/s'],
  ],
  MiB: [
    [1024, 'GiB'],
    [1, 'MiB'],
  ],
  '': [
    [1e12, '×10¹²'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1, ''],
  ],
  x: [[1, '×']],
  share: [[0.01, '%']],
};

/** The step of a unit's ladder that suits a chart or a value as large as `most`: {scale, label}. */
function unitFor(unit, most) {
  const ladder = LADDERS[unit] || [[1, unit]];
  for (const [scale, label] of ladder) {
    if (Math.abs(most) >= scale * 0.9999) return {scale, label};
  }
  const [scale, label] = ladder[ladder.length - 1];
  return {scale, label};
}

/** A value with its unit: show(1385298000, 'ps') is "1.385 ms". */
function show(value, unit = '', digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (unit === '' && Math.abs(value) < 1e7) return plain(value, Number.isInteger(value) ? 6 : digits);
  const {scale, label} = value === 0 ? {scale: 1, label: unit === 'ps' ? 's' : unitFor(unit, 0).label} : unitFor(unit, value);
  const number = plain(value / scale, digits);
  if (label === '') return number;
  return label === '×' ? number + '×' : number + '\u00a0' + label;
}

/** A share of change as "+7.4 %"; nothing of nothing. */
function signedPercent(share) {
  if (share === null || !Number.isFinite(share)) return '';
  return (share < 0 ? '\u2212' : '+') + (100 * Math.abs(share)).toFixed(1) + '\u00a0%';
}

/** One element: make('a', {href: '#x', class: 'here'}, 'text', element, ...). */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

/** "1 flow", "2 flows". */
function counted(number, what) {
  return show(number) + ' ' + what + (number === 1 ? '' : 's');
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const PALETTE = 8;
/** The colour of a run (`kind` 'c') or of a category within runs (`kind` 'k'): two palettes without a common colour. */
const paint = (index, kind = 'k') => color('--' + kind + (index % PALETTE));
/** Dashes distinguish lines without colours, too. */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 2], [12, 5], [6, 2, 2, 2, 2, 2]];

function saveAs(name, text) {
  const link = make('a', {href: URL.createObjectURL(new Blob([text], {type: 'text/csv'})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** RFC 4180; no text is a formula. The same rule as io/table/csv_field.h. */
const csvField = (value) => {
  const plain = value === null || value === undefined ? '' : String(value);
  const text = /^[=+@\t\r-]/.test(plain) && isNaN(plain) ? "'" + plain : plain;
  return /[",;\t\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
};
const csv = (rows) => rows.map((row) => row.map(csvField).join(',')).join('\n') + '\n';
