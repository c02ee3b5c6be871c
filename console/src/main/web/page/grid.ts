// A list of fixed row height with as many rows in the document as fit on the screen: rows are
// pooled, moved by a transform, and changed only where a text differs.
import type { Row } from '../protocol';
import { Pace } from './pace';
import { text } from './text';

export interface GridColumn {
  id: string;
  title: string;
  /** A size for grid-template-columns. */
  width: string;
  sortable: boolean;
  /** Fills a cell; is called only with another row or after a change. */
  fill: (cell: HTMLElement, row: Row) => void;
}

/** A column as the user has laid it out. */
export interface LaidColumn extends GridColumn {
  /** 0 for the column's own width. */
  pixels: number;
  /** Stays at the left edge while the list scrolls to the side. */
  pinned: boolean;
}

export interface GridEvents {
  /** The rows that must be loaded. */
  window: (from: number, to: number) => void;
  /** Rows move while a user reads them: the id identifies the chosen VM; it is empty for a row that is not loaded. */
  select: (how: 'only' | 'toggle' | 'range' | 'all' | 'none', index: number, id: string) => void;
  open: (row: Row) => void;
  sort: (column: string) => void;
  resize: (column: string, pixels: number) => void;
}

const OVERSCAN = 6; // rows above and below the screen
const AHEAD = 30; // rows that are requested beyond that, so that a slow scroll finds them there
const LEAST_PIXELS = 40; // of a column
const CHECK_REM = 2.25;
const MOST_HEIGHT = 16_000_000; // pixels; browsers lose precision above
const FRAME_MILLIS = 8; // of a frame for rows that change by themselves: half of what 60 frames a second have
const LEAST_FILLED = 4; // rows of such a frame
const REST_MILLIS = 1000; // without a frame, until changed rows beside the screen are filled

interface Pooled {
  element: HTMLElement;
  box: HTMLInputElement;
  cells: HTMLElement[];
  index: number;
  row: Row | null;
  /** Where it is, pixels. */
  top: number;
  active: boolean;
  /** Whether it was on the screen when rows were last placed. */
  seen: boolean;
}

export class Grid {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly body: HTMLElement;
  private readonly space: HTMLElement;
  private pool: Pooled[] = [];
  private columns: LaidColumn[] = [];
  private sorted: [string, boolean] = ['', false];
  private rows = new Map<number, Row>();
  private total = 0;
  private rowHeight = 32;
  private first = 0;
  private last = 0;
  private asked: [number, number] = [0, 0];
  private active = -1;
  private scrolled = 0; // pixels, when it was last drawn
  private drawn = false;
  private laidOut = false; // whether the size was ever known
  /** Whether all rows are filled in the next frame: a user waits for them. */
  private urgent = false;
  // Rows that change by themselves are filled some in a frame. To lay out and paint a row takes longer than to fill it, so the frame is
  // measured up to the first task behind it.
  private readonly pace = new Pace(FRAME_MILLIS, LEAST_FILLED);
  private readonly painted = new MessageChannel();
  private changed: Pooled[] = []; // that are still to be filled
  private filled = -1; // index of the last one that was
  private placed = false; // whether the rows that are known are where they belong
  private resting = 0; // a timer
  private rested = false; // whether it has run
  private readonly resized: ResizeObserver;

  constructor(label: string, private readonly events: GridEvents) {
    this.element = document.createElement('div');
    this.element.className = 'grid';
    this.element.setAttribute('role', 'grid');
    this.element.setAttribute('aria-label', label);
    this.element.setAttribute('aria-multiselectable', 'true');
    this.element.tabIndex = 0;
    this.head = document.createElement('div');
    this.head.className = 'grid-head';
    this.head.setAttribute('role', 'row');
    this.head.setAttribute('aria-rowindex', '1');
    this.body = document.createElement('div');
    this.body.className = 'grid-body';
    this.body.setAttribute('role', 'rowgroup');
    this.space = document.createElement('div');
    this.space.className = 'grid-space';
    this.space.setAttribute('role', 'presentation');
    this.body.append(this.space);
    const headGroup = document.createElement('div');
    headGroup.setAttribute('role', 'rowgroup');
    headGroup.append(this.head);
    this.element.append(headGroup, this.body);
    this.element.addEventListener('scroll', () => this.draw(), { passive: true });
    this.element.addEventListener('keydown', event => this.key(event));
    this.element.addEventListener('focus', () => {
      if (this.active < 0 && this.total > 0) this.activate(this.first + (this.first > 0 ? OVERSCAN : 0), false);
    });
    this.body.addEventListener('click', event => this.click(event));
    this.body.addEventListener('dblclick', event => {
      const row = this.rowAt(event);
      if (row) events.open(row);
    });
    this.resized = new ResizeObserver(() => {
      this.laidOut = true;
      this.measure();
      this.draw();
    });
    this.resized.observe(this.element);
  }

  destroy(): void {
    this.resized.disconnect();
    clearTimeout(this.resting);
    this.painted.port1.close();
    this.element.remove();
  }

  setColumns(columns: LaidColumn[], sortHint: string): void {
    this.columns = columns;
    this.layOut();
    this.element.setAttribute('aria-colcount', String(columns.length + 1));
    const box = document.createElement('span');
    box.setAttribute('role', 'columnheader');
    box.className = 'grid-cell check';
    const title = document.createElement('span');
    title.className = 'unseen';
    title.textContent = text.vms.chosen;
    box.append(title);
    this.pin(box, -1);
    this.head.replaceChildren(
      box,
      ...columns.map((column, i) => {
        const cell = document.createElement('span');
        cell.setAttribute('role', 'columnheader');
        cell.className = `grid-cell column-${column.id}`;
        this.pin(cell, i);
        if (column.sortable) {
          const button = document.createElement('button');
          button.type = 'button';
          button.tabIndex = -1;
          button.textContent = column.title;
          button.title = `${sortHint} ${column.title}`;
          button.addEventListener('click', () => this.events.sort(column.id));
          cell.append(button);
        } else {
          cell.append(column.title);
        }
        cell.append(this.grip(column, cell));
        return cell;
      }),
    );
    this.setSort(...this.sorted);
    for (const each of this.pool) each.element.remove();
    this.pool = [];
    if (!this.laidOut) return; // the browser lays the page out before long: to ask for its size now would do it twice
    this.measure();
    this.draw();
  }

  setSort(sort: string, descending: boolean): void {
    this.sorted = [sort, descending];
    this.columns.forEach((column, i) => {
      if (column.sortable) {
        const order = sort === column.id ? (descending ? 'descending' : 'ascending') : 'none';
        this.head.children[i + 1]?.setAttribute('aria-sort', order);
      }
    });
  }

  /** The least width of a column, in rem. */
  private static rem(column: GridColumn): number {
    return Number(/([\d.]+)rem/.exec(column.width)?.[1] ?? 0);
  }

  private static size(column: LaidColumn): string {
    return column.pixels > 0 ? `${column.pixels}px` : column.pinned ? `${Grid.rem(column)}rem` : column.width;
  }

  private layOut(): void {
    this.element.style.setProperty('--columns', `${CHECK_REM}rem ${this.columns.map(Grid.size).join(' ')}`);
    // Rows are grids of their own: only a common width gives them common columns.
    const own = this.columns.filter(column => column.pixels === 0).reduce((sum, column) => sum + Grid.rem(column), CHECK_REM);
    const given = this.columns.reduce((sum, column) => sum + column.pixels, 0);
    this.element.style.setProperty('--least', `calc(${own}rem + ${given}px)`);
  }

  /** Keeps a cell at the left edge, if its column is pinned; the box of selection stays with them. */
  private pin(cell: HTMLElement, at: number): void {
    const pinned = at < 0 ? this.columns.some(column => column.pinned) : this.columns[at]!.pinned;
    if (!pinned) return;
    cell.classList.add('pinned');
    const before = this.columns.slice(0, Math.max(0, at));
    cell.style.left = at < 0 ? '0' : `calc(${[`${CHECK_REM}rem`, ...before.map(Grid.size)].join(' + ')})`;
  }

  /** The right edge of a title, by which its column is made wider. */
  private grip(column: LaidColumn, cell: HTMLElement): HTMLElement {
    const grip = document.createElement('span');
    grip.className = 'grip';
    grip.setAttribute('aria-hidden', 'true');
    grip.addEventListener('pointerdown', down => {
      down.preventDefault();
      grip.setPointerCapture(down.pointerId);
      const begin = cell.getBoundingClientRect().width;
      const move = (event: PointerEvent) => {
        column.pixels = Math.max(LEAST_PIXELS, Math.round(begin + event.clientX - down.clientX));
        this.layOut();
      };
      grip.addEventListener('pointermove', move);
      grip.addEventListener('lostpointercapture', () => {
        grip.removeEventListener('pointermove', move);
        if (column.pixels > 0) this.events.resize(column.id, column.pixels);
      }, { once: true });
    });
    grip.addEventListener('click', event => event.stopPropagation());
    return grip;
  }

  private measure(): void {
    const height = parseFloat(getComputedStyle(this.element).getPropertyValue('--row-height'));
    if (height > 0 && height !== this.rowHeight) {
      this.rowHeight = height;
      this.setTotal(this.total);
    }
  }

  /** Pixels of the whole list: beyond what browsers can place, rows share pixels of the scroll bar. */
  private get height(): number {
    return Math.min(this.total * this.rowHeight, MOST_HEIGHT);
  }

  private setTotal(total: number): void {
    this.total = total;
    this.element.setAttribute('aria-rowcount', String(total + 1));
    this.space.style.height = `${this.height}px`;
    if (this.active >= total) this.active = total - 1;
  }

  private topIndex(): number {
    const real = this.total * this.rowHeight;
    const scale = real > this.height ? (real - this.element.clientHeight) / (this.height - this.element.clientHeight) : 1;
    this.scrolled = this.element.scrollTop;
    return (this.scrolled * scale) / this.rowHeight;
  }

  /**
   * The worker's rows from an index on; null for an unchanged row.
   *
   * @param asked whether a user waits for all of them; others have changed by themselves, or are about to come onto the screen
   */
  setRows(from: number, matched: number, rows: (Row | null)[], asked: boolean): void {
    if (matched !== this.total) this.setTotal(matched);
    const before = this.rows;
    this.rows = new Map();
    rows.forEach((each, i) => {
      const row = each ?? before.get(from + i);
      if (row) this.rows.set(from + i, row);
    });
    this.urgent ||= asked;
    this.placed = false;
    if (this.active < 0 && matched > 0 && document.activeElement === this.element) this.activate(0, false);
    this.schedule();
  }

  /** Fills the cells of rows again, at once: what they show besides the row has changed. */
  refill(ids: ReadonlySet<string>): void {
    for (const { row, cells } of this.pool) if (row && ids.has(row.id)) this.fill(cells, row);
  }

  private fill(cells: readonly HTMLElement[], row: Row): void {
    this.columns.forEach((column, i) => column.fill(cells[i]!, row));
  }

  private schedule(): void {
    if (this.drawn) return;
    this.drawn = true;
    requestAnimationFrame(() => {
      this.drawn = false;
      const begin = performance.now();
      if (!this.placed) {
        const { urgent } = this;
        this.draw();
        if (urgent) return; // this frame has enough to do; the next one has the rest
      }
      const filled = this.fillSome();
      if (filled === 0) return;
      this.painted.port1.onmessage = () => this.pace.took(filled, performance.now() - begin);
      this.painted.port2.postMessage(null);
    });
  }

  /** Puts rows where they belong, and fills those on the screen that a user waits for or that are new there. */
  private draw(): void {
    this.changed = [];
    const height = this.element.clientHeight;
    if (height === 0) return;
    const top = this.topIndex();
    const visible = Math.ceil(height / this.rowHeight);
    this.first = Math.max(0, Math.min(Math.floor(top) - OVERSCAN, this.total));
    this.last = Math.min(this.total, Math.floor(top) + visible + OVERSCAN);
    const size = visible + 2 * OVERSCAN + 1;
    while (this.pool.length < size) this.pool.push(this.make());
    while (this.pool.length > size) this.pool.pop()!.element.remove();
    // Where rows share pixels, they are placed around the scroll position.
    const shift = this.total * this.rowHeight > this.height ? this.element.scrollTop - top * this.rowHeight : 0;
    const used = new Set<Pooled>();
    const later: Pooled[] = []; // beside the screen
    for (let index = this.first; index < this.last; index++) {
      const pooled = this.pool[index % size]!;
      used.add(pooled);
      const seen = index >= Math.floor(top) && index < top + visible;
      const when = this.place(pooled, index, shift, seen);
      if (when === 'soon') this.changed.push(pooled);
      else if (when === 'later') later.push(pooled);
    }
    this.urgent = false;
    this.placed = true;
    // From the one behind the last one that was filled: changes that do not end reach all rows on the screen.
    const begin = Math.max(0, this.changed.findIndex(each => each.index > this.filled));
    this.changed.push(...this.changed.splice(0, begin));
    if (this.rested) this.changed.push(...later);
    else if (later.length > 0) this.rest();
    this.rested = false;
    if (this.changed.length > 0) this.schedule();
    for (const each of this.pool) {
      if (!used.has(each) && each.index !== -1) {
        each.index = -1;
        each.row = null;
        each.element.hidden = true;
        each.element.removeAttribute('id'); // another one may be of that row next
      }
    }
    const [from, to] = this.asked;
    if (this.first < from || this.last > to || to - from > size + 4 * AHEAD || from === to) {
      this.asked = [Math.max(0, this.first - AHEAD), this.last + AHEAD];
      this.events.window(...this.asked);
    }
  }

  /** Fills the changed rows beside the screen when the list rests: while it changes all the time, they would be filled in vain. */
  private rest(): void {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.rested = true;
      this.placed = false;
      this.schedule();
    }, REST_MILLIS);
  }

  /** Fills as many rows that have changed as a frame has time for; returns their number. */
  private fillSome(): number {
    const some = this.changed.splice(0, this.pace.most);
    for (const pooled of some) {
      this.filled = pooled.index;
      this.show(pooled, this.rows.get(pooled.index)!);
    }
    if (this.changed.length > 0) this.schedule();
    return some.length;
  }

  private make(): Pooled {
    const element = document.createElement('div');
    element.className = 'grid-row';
    element.setAttribute('role', 'row');
    element.hidden = true;
    const check = document.createElement('span');
    check.setAttribute('role', 'gridcell');
    check.className = 'grid-cell check';
    this.pin(check, -1);
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.tabIndex = -1;
    check.append(box);
    const cells = this.columns.map((column, i) => {
      const cell = document.createElement('span');
      cell.setAttribute('role', column.id === 'name' ? 'rowheader' : 'gridcell');
      cell.className = `grid-cell column-${column.id}`;
      this.pin(cell, i);
      return cell;
    });
    element.append(check, ...cells);
    this.space.append(element);
    return { element, box, cells, index: -1, row: null, top: NaN, active: false, seen: false };
  }

  /**
   * Puts a row where it belongs, and fills it if that is urgent.
   *
   * @param seen whether it is on the screen
   * @return when it is to be filled; until then it shows what it was before, or nothing if it is new beside the screen
   */
  private place(pooled: Pooled, index: number, shift: number, seen: boolean): 'filled' | 'soon' | 'later' {
    const { element } = pooled;
    const row = this.rows.get(index) ?? null;
    const top = index * this.rowHeight + shift;
    if (pooled.top !== top) {
      pooled.top = top;
      element.style.transform = `translateY(${top}px)`;
    }
    if (pooled.index !== index) {
      pooled.index = index;
      element.hidden = false;
      element.setAttribute('aria-rowindex', String(index + 2));
      element.id = `row-${index}`;
      element.classList.toggle('odd', index % 2 === 1);
      pooled.row = null;
    }
    if (pooled.active !== (index === this.active)) {
      pooled.active = !pooled.active;
      element.classList.toggle('active', pooled.active);
    }
    if (row === null) {
      element.classList.add('unknown');
      pooled.row = null;
      return 'filled';
    }
    const comes = seen && !pooled.seen;
    pooled.seen = seen;
    if (pooled.row === row) return 'filled';
    const isNew = pooled.row === null;
    if (seen && (isNew || comes || this.urgent)) {
      this.show(pooled, row);
      return 'filled';
    }
    if (isNew) element.classList.add('unknown');
    return seen || isNew ? 'soon' : 'later';
  }

  private show(pooled: Pooled, row: Row): void {
    const { element } = pooled;
    pooled.row = row;
    element.classList.remove('unknown');
    element.classList.toggle('selected', row.selected);
    element.classList.toggle('stale', row.stale !== '');
    const selected = String(row.selected);
    if (element.getAttribute('aria-selected') !== selected) element.setAttribute('aria-selected', selected);
    if (pooled.box.checked !== row.selected) pooled.box.checked = row.selected;
    if (pooled.box.getAttribute('aria-label') !== row.name) pooled.box.setAttribute('aria-label', row.name);
    this.fill(pooled.cells, row);
  }

  /** The row as it is on the screen, or as it is known if it is not there. */
  private shown(index: number): Row | undefined {
    return this.pool.find(each => each.index === index)?.row ?? this.rows.get(index);
  }

  private rowAt(event: Event): Row | null {
    const element = (event.target as Element).closest<HTMLElement>('.grid-row');
    const pooled = this.pool.find(each => each.element === element);
    return pooled?.row ?? null;
  }

  private click(event: MouseEvent): void {
    const row = this.rowAt(event);
    if (!row || getSelection()?.type === 'Range') return; // a text that was marked is kept
    this.activate(row.index, false);
    const target = event.target as Element;
    if (target.closest('a')) return;
    if (event.shiftKey) this.events.select('range', row.index, row.id);
    else if (event.ctrlKey || event.metaKey || target.closest('.check')) this.events.select('toggle', row.index, row.id);
    else if (target.closest('.column-name')) this.events.open(row);
    else this.events.select('only', row.index, row.id);
  }

  /** Makes a row the one that keys act on, and brings it onto the screen. */
  activate(index: number, scroll = true): void {
    this.active = Math.max(0, Math.min(index, this.total - 1));
    if (this.total === 0) this.active = -1;
    if (scroll && this.active >= 0) {
      const real = this.total * this.rowHeight;
      const scale = real > this.height ? this.height / real : 1;
      const top = this.active * this.rowHeight * scale;
      const room = this.element.clientHeight - this.head.offsetHeight - this.rowHeight;
      if (top < this.element.scrollTop) this.element.scrollTop = top;
      else if (top > this.element.scrollTop + room) this.element.scrollTop = top - room;
    }
    this.element.setAttribute('aria-activedescendant', this.active >= 0 ? `row-${this.active}` : '');
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    if (event.target !== this.element) return;
    const screen = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 2);
    const to: Record<string, number> = {
      ArrowDown: this.active + 1, j: this.active + 1, ArrowUp: this.active - 1, k: this.active - 1, PageDown: this.active + screen,
      PageUp: this.active - screen, Home: 0, End: this.total - 1,
    };
    const select = (how: 'toggle' | 'range') => this.events.select(how, this.active, this.shown(this.active)?.id ?? '');
    const target = event.ctrlKey || event.metaKey || event.altKey ? undefined : to[event.key];
    if (target !== undefined) {
      if (event.shiftKey && this.active >= 0 && event.key.startsWith('Arrow')) select('range');
      this.activate(target);
      if (event.shiftKey) select('range');
    } else if (event.key === ' ') {
      select(event.shiftKey ? 'range' : 'toggle');
    } else if (event.key === 'Enter') {
      const row = this.shown(this.active);
      if (row) this.events.open(row);
    } else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      this.events.select('all', -1, '');
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Back to the top, for another search. */
  toTop(): void {
    // Where it is at its top, nothing is asked: that would lay out the page for each key that is typed.
    if (this.scrolled !== 0) this.element.scrollTop = 0;
    this.active = document.activeElement === this.element && this.total > 0 ? 0 : -1;
  }

  focus(): void {
    this.element.focus();
  }
}
