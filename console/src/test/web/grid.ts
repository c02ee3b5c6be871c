// The list fills all rows on the screen that a user waits for in one frame, and rows that change by themselves as many as a frame has time for.
import type { Row } from '../../main/web/protocol';
import type { LaidColumn } from '../../main/web/page/grid';

const ROW = 32;
const SEEN = 20; // rows that fit on the screen
const BESIDE = 6; // rows below it, in the document

/** As much of a document as a grid needs. */
class Node_ {
  readonly children: Node_[] = [];
  private readonly listeners = new Map<string, ((event: unknown) => void)[]>();
  private readonly attributes = new Map<string, string>();
  private readonly classes = new Set<string>();
  readonly style = { setProperty: () => undefined } as Record<string, unknown>;
  readonly classList = {
    add: (name: string) => this.classes.add(name),
    remove: (name: string) => this.classes.delete(name),
    toggle: (name: string, on: boolean) => (on ? this.classes.add(name) : this.classes.delete(name)),
    contains: (name: string) => this.classes.has(name),
  };
  readonly clientHeight = SEEN * ROW;
  readonly offsetHeight = ROW;
  scrollTop = 0;
  textContent = '';
  id = '';
  hidden = false;
  checked = false;
  append = (...nodes: Node_[]) => void this.children.push(...nodes);
  replaceChildren = (...nodes: Node_[]) => void this.children.splice(0, this.children.length, ...nodes);
  remove = () => undefined;
  getAttribute = (name: string) => this.attributes.get(name) ?? null;
  setAttribute = (name: string, value: string) => void this.attributes.set(name, value);
  removeAttribute = (name: string) => void this.attributes.delete(name);
  addEventListener = (name: string, hear: (event: unknown) => void) => void this.listeners.set(name, [...(this.listeners.get(name) ?? []), hear]);
  tell = (name: string, event: unknown) => this.listeners.get(name)?.forEach(hear => hear(event));
}

let now = 0; // milliseconds
let frames: (() => void)[] = [];
let painted: (() => void) | null = null;
let resized: () => void = () => undefined;
let filled = 0; // cells
let fillMillis = 0;
let rest: (() => void) | null = null; // the timer that runs
Object.assign(globalThis, {
  document: { createElement: () => new Node_(), activeElement: null },
  getComputedStyle: () => ({ getPropertyValue: () => `${ROW}px` }),
  setTimeout: (run: () => void) => (rest = run),
  clearTimeout: () => (rest = null),
  requestAnimationFrame: (run: () => void) => frames.push(run),
  ResizeObserver: class {
    constructor(run: () => void) {
      resized = run;
    }
    observe = () => undefined;
    disconnect = () => undefined;
  },
  MessageChannel: class {
    readonly port1 = { onmessage: () => undefined, close: () => undefined };
    readonly port2 = { postMessage: () => (painted = () => this.port1.onmessage()) };
  },
});
performance.now = () => now;

function fail(what: string): never {
  throw new Error(what);
}

/** Draws a frame; returns the number of rows that were filled, or -1 if none was requested. */
function frame(): number {
  if (frames.length === 0) return -1;
  const run = frames;
  frames = [];
  filled = 0;
  run.forEach(each => each());
  painted?.();
  painted = null;
  return filled;
}

/** Time passes without a frame. */
function pause(): void {
  const run = rest;
  rest = null;
  run?.();
}

/** Draws frames until none is requested; returns the rows that each has filled. */
function drawAll(): number[] {
  const all: number[] = [];
  for (let next = frame(); next >= 0; next = frame()) {
    all.push(next);
    if (all.length > 1000) fail('the list is drawn without end');
  }
  return all;
}

const { Grid } = await import('../../main/web/page/grid');
const column: LaidColumn = {
  id: 'name', title: 'Name', width: '9rem', sortable: false, pixels: 0, pinned: false,
  fill: (cell, row) => {
    cell.textContent = row.name;
    filled++;
    now += fillMillis;
  },
};

function made() {
  const chosen: string[] = [];
  const grid = new Grid('VMs', {
    window: () => undefined, select: (_, __, id) => void chosen.push(id), open: () => undefined, sort: () => undefined, resize: () => undefined,
  });
  const element = grid.element as unknown as Node_;
  grid.setColumns([column], '');
  resized();
  const pool = element.children[1]!.children[0]!.children;
  const names = () => {
    const shown: string[] = [];
    for (const row of pool) if (row.id !== '') shown[Number(row.id.slice(4))] = row.classList.contains('unknown') ? '?' : row.children[1]!.textContent;
    return shown;
  };
  const show = (version: number, asked: boolean) =>
    grid.setRows(0, 1000, Array.from({ length: 100 }, (_, i) => ({ index: i, id: `${version}-${i}`, name: `${version}-${i}`, stale: '', selected: false }) as Row), asked);
  return { grid, element, names, show, chosen };
}

/** A user gets all rows of the screen at once; those beside it follow, and are empty until then. */
function aUserWaitsForAllRowsOfTheScreen(): void {
  fillMillis = 50;
  const { names, show } = made();
  for (const version of [1, 2]) {
    show(version, true);
    const first = frame();
    if (first !== SEEN) fail(`version ${version}: ${first} rows are filled in the first frame`);
    names().forEach((name, i) => {
      const wanted = i < SEEN ? `${version}-${i}` : version === 1 ? '?' : `1-${i}`;
      if (name !== wanted) fail(`version ${version}: row ${i} shows ${name}, not ${wanted}`);
    });
    drawAll();
    if (version === 2 && names()[SEEN] !== `1-${SEEN}`) fail('rows beside the screen are filled before a rest');
    pause();
    drawAll();
    if (names().some((name, i) => name !== `${version}-${i}`)) fail(`version ${version}: rows beside the screen stay old`);
  }
}

/** A row that comes onto the screen is the newest one, also if it showed an older one beside the screen. */
function aRowThatComesIsNew(): void {
  fillMillis = 3;
  const { element, names, show } = made();
  show(1, true);
  drawAll();
  show(2, false);
  drawAll();
  element.scrollTop = 3 * ROW;
  element.tell('scroll', {});
  const shown = names();
  for (let i = 3; i < SEEN + 3; i++) if (shown[i] !== `2-${i}`) fail(`row ${i} comes onto the screen as ${shown[i]}`);
  drawAll();
  if (names().some((name, i) => i < SEEN + BESIDE ? name !== (i < SEEN + 3 ? `2-${i}` : `1-${i}`) : name !== `2-${i}`)) fail(`beside the screen: ${names().join()}`);
}

/** Changes by themselves are drawn in parts, by the time that they take. */
function changesAreDrawnInParts(): void {
  const { names, show } = made();
  fillMillis = 0.01;
  show(1, true);
  drawAll();
  fillMillis = 3;
  let version = 2;
  for (; version < 8; version++) {
    show(version, false);
    const parts = drawAll();
    if (parts.reduce((sum, each) => sum + each, 0) !== SEEN) fail(`changed rows are filled ${parts.join()}`);
    if (names().some((name, i) => i < SEEN && name !== `${version}-${i}`)) fail('a changed row stays old');
    if (version > 5 && Math.max(...parts) > 4) fail(`a slow machine fills ${parts.join()} rows in its frames`);
  }
  fillMillis = 0.1;
  for (let i = 0; i < 10; i++) show(version++, false), drawAll();
  show(version, false);
  const parts = drawAll();
  if (parts[0] !== SEEN) fail(`a fast machine fills ${parts.join()} rows in its frames`);
}

/** Changes in each frame reach all rows of the screen. */
function changesWithoutEndReachAllRows(): void {
  const { names, show } = made();
  fillMillis = 3;
  show(1, true);
  drawAll();
  for (let version = 2; version < 12; version++) {
    show(version, false);
    frame();
  }
  const old = names().slice(0, SEEN).filter(name => name.startsWith('1-'));
  if (old.length > 0) fail(`rows that were never filled again: ${old.join()}`);
}

/** Keys act on the VM that a row shows, while another one is about to take its place. */
function keysActOnTheShownVm(): void {
  const { grid, element, show, names, chosen } = made();
  fillMillis = 3;
  show(1, true);
  drawAll();
  grid.activate(SEEN - 1);
  show(2, false);
  frame();
  if (names()[SEEN - 1] !== `1-${SEEN - 1}`) fail('the last row is filled in the first frame already');
  element.tell('keydown', { target: element, key: ' ', preventDefault: () => undefined });
  if (chosen.join() !== `1-${SEEN - 1}`) fail(`the key has chosen ${chosen.join()}`);
}

aUserWaitsForAllRowsOfTheScreen();
aRowThatComesIsNew();
changesAreDrawnInParts();
changesWithoutEndReachAllRows();
keysActOnTheShownVm();
