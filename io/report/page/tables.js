// SPDX-License-Identifier: GPL-2.0-only
// Tables whose columns can be sorted.

/**
 * `columns`: [{label, value: (row) => number or text, unit, text: (row) => text, number, long, bar: (row) => share 0 to 1}]. A
 * column with a unit is a number; long texts are wrapped. The first column names its row. Columns without any value, or with zeros
 * only, are left out. `apart(row)`: whether a group of rows begins.
 */
function table(parent, {caption, columns: wanted, rows, more, apart = () => false}) {
  const isEmpty = (column) => {
    const value = (row) => column.value(row);
    return rows.every((row) => [0, '', '–', null, undefined].includes(value(row)) || Number.isNaN(value(row)));
  };
  const columns = wanted.filter((column, i) => i === 0 || column.keep || !rows.length || !isEmpty(column));
  const body = make('tbody');
  const isNumber = (column) => column.number || column.unit !== undefined;
  let sorted = -1,
    down = true;
  const textOf = (column, row) =>
    column.text ? column.text(row) : column.unit !== undefined ? show(column.value(row), column.unit) : column.value(row);
  const fill = (list) =>
    body.replaceChildren(
      ...list.map((row) =>
        make(
          'tr',
          {class: sorted < 0 && apart(row) ? 'apart' : null},
          columns.map((column, i) => {
            const cell = make(
              i === 0 ? 'th' : 'td',
              {
                class: isNumber(column)
                  ? 'number'
                  : column.long
                    ? 'long' + (column.wide ? ' wide' : '')
                    : column.run
                      ? 'run'
                      : null,
                scope: i === 0 ? 'row' : null,
              },
              textOf(column, row),
            );
            if (column.bar) {
              const share = Math.max(0, Math.min(1, column.bar(row) || 0));
              cell.classList.add('bar');
              cell.style.backgroundImage = 'linear-gradient(var(--bar), var(--bar))';
              cell.style.backgroundSize = (100 * share).toFixed(1) + '% 1.25em';
            }
            return cell;
          }),
        ),
      ),
    );
  const heads = columns.map((column, i) => {
    const sort = () => {
      down = sorted === i ? !down : isNumber(column);
      sorted = i;
      heads.forEach((head, j) => {
        if (j === i) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        else head.removeAttribute('aria-sort');
      });
      const list = rows.slice().sort((a, b) => {
        const [one, two] = [column.value(a), column.value(b)];
        return typeof one === 'number' && typeof two === 'number'
          ? one - two
          : String(one).localeCompare(String(two), 'en', {numeric: true});
      });
      fill(down ? list.reverse() : list);
    };
    return make(
      'th',
      {scope: 'col', class: isNumber(column) ? 'number' : null},
      make('button', {type: 'button', title: 'Sort by this column', onclick: sort}, column.label),
    );
  });
  fill(rows);
  parent.append(
    make(
      'div',
      {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
      make('table', {class: 'data'}, make('caption', {}, caption), make('thead', {}, make('tr', {}, heads)), body),
    ),
  );
  if (more) parent.append(make('p', {class: 'note'}, more));
}
