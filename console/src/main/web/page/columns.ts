// The columns of the list of VMs.
import type { Row } from '../protocol';
import { orderOf } from './client';
import type { GridColumn, LaidColumn } from './grid';
import type { Action } from './jobs';
import { ago, moment, text, words } from './text';
import { tone } from './tone';

/** The cell keeps its text node: another one would be laid out from the beginning. */
const put = (cell: HTMLElement, value: string, title = '') => {
  const shown = cell.firstChild as Text | null;
  if (shown === null) cell.append(value);
  else if (shown.data !== value) shown.data = value;
  if (cell.title !== title) cell.title = title;
};

/** Why the data of a row is old; empty if it is current. */
function late(row: Row): string {
  if (row.stale === '') return '';
  return text.vms.staleRow(row.stale === 'late' ? text.vms.late(row.age >= 0 ? ago(row.age) : '') : row.stale);
}

/** A tooltip, and below it the reason of old data: it is the same wherever the pointer is on the row. */
const withLate = (title: string, row: Row): string => (row.stale === '' ? title : title === '' ? late(row) : `${title}\n${late(row)}`);

function status(cell: HTMLElement, row: Row): void {
  const why = withLate(row.reason === '' ? '' : text.pauseReasons[row.reason] ?? row.reason, row);
  const order = orderOf(row.id);
  const ordered = order === '' ? '' : `, ${text.done[order as Action].toLowerCase()}`;
  put(cell, words(row.status) + ordered, why);
  const pinned = cell.classList.contains('pinned') ? ' pinned' : '';
  const wanted = `grid-cell column-status badge ${row.reason !== '' ? 'bad' : tone(row.status)}${pinned}`;
  if (cell.className !== wanted) cell.className = wanted;
}

const SVG = 'http://www.w3.org/2000/svg';

/** The usage now, and a line of the latest samples. */
function cpu(cell: HTMLElement, row: Row): void {
  let number = cell.firstElementChild as HTMLElement | null;
  let line = cell.querySelector('polyline');
  if (!number || !line) {
    number = document.createElement('span');
    number.className = 'number';
    const drawing = document.createElementNS(SVG, 'svg');
    drawing.setAttribute('viewBox', '0 0 64 18');
    drawing.setAttribute('aria-hidden', 'true');
    line = document.createElementNS(SVG, 'polyline');
    drawing.append(line);
    cell.replaceChildren(number, drawing);
  }
  const value = row.cpu < 0 ? '' : `${text.number(Math.round(row.cpu))} %`;
  if (number.textContent !== value) number.textContent = value;
  if (line.getAttribute('points') !== row.spark) line.setAttribute('points', row.spark);
  const why = late(row);
  if (cell.title !== why) cell.title = why;
}

function age(cell: HTMLElement, row: Row): void {
  const known = row.age >= 0 ? ago(row.age) : '';
  if (row.stale !== '') put(cell, known || '!', late(row));
  else if (known === '' && row.hostId === '') put(cell, text.vms.noHost, text.vms.noReports);
  else put(cell, known, known === '' ? '' : text.vms.newestReport(known));
}

export const COLUMNS: GridColumn[] = [
  { id: 'name', title: text.vms.column.name, width: 'minmax(9rem, 2fr)', sortable: true, fill: (cell, row) => put(cell, row.name, withLate(row.name, row)) },
  { id: 'status', title: text.vms.column.status, width: 'minmax(7.5rem, 1fr)', sortable: true, fill: status },
  { id: 'host', title: text.vms.column.host, width: 'minmax(6rem, 1fr)', sortable: true, fill: (cell, row) => put(cell, row.host || text.vms.noHost, late(row)) },
  { id: 'ip', title: text.vms.column.ip, width: 'minmax(8rem, 1.3fr)', sortable: true, fill: (cell, row) => put(cell, row.ips, withLate(row.ips, row)) },
  { id: 'fqdn', title: text.vms.column.fqdn, width: 'minmax(8rem, 1.5fr)', sortable: true, fill: (cell, row) => put(cell, row.fqdn, withLate(row.fqdn, row)) },
  { id: 'cluster', title: text.vms.column.cluster, width: 'minmax(6rem, 1fr)', sortable: true, fill: (cell, row) => put(cell, row.cluster, late(row)) },
  { id: 'tags', title: text.vms.column.tags, width: 'minmax(6rem, 1fr)', sortable: true, fill: (cell, row) => put(cell, row.tags, withLate(row.tags, row)) },
  { id: 'cpu', title: text.vms.column.cpu, width: '8.5rem', sortable: true, fill: cpu },
  {
    id: 'memory', title: text.vms.column.memory, width: '6.5rem', sortable: true,
    fill: (cell, row) => put(cell, row.memory < 0 ? '' : `${text.number(Math.round(row.memory))} %`, late(row)),
  },
  {
    id: 'changed', title: text.vms.column.changed, width: '6.5rem', sortable: true,
    fill: (cell, row) => put(cell, row.changedAt === 0 ? text.vms.never : ago(Date.now() - row.changedAt), withLate(moment(row.changedAt), row)),
  },
  { id: 'age', title: text.vms.column.age, width: '5rem', sortable: true, fill: age },
];

export const DEFAULT_COLUMNS = ['name', 'status', 'host', 'ip', 'cpu', 'memory', 'changed', 'age'];

const MOST_PIXELS = 2000;

/** The members of the address that define the layout of the columns. */
export interface Layout {
  /** Ids in their order. */
  cols: string | null;
  /** Widths in pixels, id:pixels by commas. */
  w: string | null;
  /** Ids of columns that stay at the left edge. */
  pin: string | null;
}

/** Columns as the address lays them out, pinned ones first; unknown names are left out. */
export function columnsOf({ cols, w, pin }: Layout): LaidColumn[] {
  const wanted = cols ? cols.split(',') : DEFAULT_COLUMNS;
  const known = wanted.map(id => COLUMNS.find(column => column.id === id)).filter(column => column !== undefined);
  const unique = [...new Set(known)];
  const name = COLUMNS[0]!;
  const widths = new Map((w ?? '').split(',').map(each => [each.split(':')[0]!, Number(each.split(':')[1])]));
  const pinned = new Set((pin ?? '').split(','));
  const laid = (unique.includes(name) ? unique : [name, ...unique]).map(column => {
    const pixels = Math.round(widths.get(column.id) ?? 0);
    return { ...column, pixels: pixels > 0 && pixels <= MOST_PIXELS ? pixels : 0, pinned: pinned.has(column.id) };
  });
  return [...laid.filter(column => column.pinned), ...laid.filter(column => !column.pinned)];
}

/** The address of a layout, without default values. */
export function layoutOf(columns: LaidColumn[]): Record<'cols' | 'w' | 'pin', string> {
  const cols = columns.map(column => column.id).join(',');
  return {
    cols: cols === DEFAULT_COLUMNS.join(',') ? '' : cols,
    w: columns.filter(column => column.pixels > 0).map(column => `${column.id}:${column.pixels}`).join(','),
    pin: columns.filter(column => column.pinned).map(column => column.id).join(','),
  };
}
