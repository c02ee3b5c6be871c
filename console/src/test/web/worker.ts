// The worker marks rows that answer the user, and sends rows that change by themselves no more often than a user reads. Time is made up.
import type { FromWorker, ToWorker } from '../../main/web/protocol';
import { rehearsal } from '../../main/web/worker/rehearsal';

declare const process: { exit: (code: number) => never };

const VMS = 200;
const SCREEN = 40;
const STEP_MILLIS = 50; // between two arrivals of changes
const SECONDS = 10;

type Rows = Extract<FromWorker, { type: 'rows' }>;

let now = 1000;
performance.now = () => now;
Date.now = () => 1e12 + now;
const timers: { at: number; run: () => void }[] = [];
const rows: Rows[] = [];
const self = {
  onmessage: null as ((event: { data: ToWorker }) => void) | null,
  postMessage: (message: FromWorker) => void (message.type === 'rows' && rows.push(message)),
  setTimeout: (run: () => void, millis: number) => {
    const timer = { at: now + millis, run };
    timers.push(timer);
    return timer;
  },
  setInterval: () => 0,
};
const encoder = new TextEncoder();
const waiting: Uint8Array[] = [];
let read: ((answer: { value: Uint8Array; done: boolean }) => void) | null = null;
const push = (text: string): void => {
  const value = encoder.encode(text);
  if (read) read({ value, done: false });
  else waiting.push(value);
  read = null;
};
const reader = {
  read: () => new Promise<{ value: Uint8Array; done: boolean }>(go => {
    const value = waiting.shift();
    if (value) go({ value, done: false });
    else read = go;
  }),
};
Object.assign(globalThis, {
  self,
  clearTimeout: (timer: unknown) => {
    const at = timers.findIndex(each => each === timer);
    if (at >= 0) timers.splice(at, 1);
  },
  clearInterval: () => undefined,
  MessageChannel: class {
    readonly port1 = { onmessage: () => undefined };
    readonly port2 = { postMessage: () => queueMicrotask(() => this.port1.onmessage()) };
  },
  fetch: (url: string) => Promise.resolve(
    url.includes('/stream?') ? { ok: true, status: 200, body: { getReader: () => reader } } : { ok: false, status: 404, headers: { get: () => null } }),
});

/** Lets promises settle. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

async function pass(millis: number): Promise<void> {
  const end = now + millis;
  for (;;) {
    const next = timers.filter(each => each.at <= end).sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    timers.splice(timers.indexOf(next), 1);
    now = Math.max(now, next.at);
    next.run();
    await settle();
  }
  now = end;
}

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const send = (data: ToWorker) => self.onmessage!({ data });

function fail(what: string): never {
  throw new Error(what);
}

/** Sends changes for some seconds; returns the messages with rows. */
async function change(vms: number): Promise<Rows[]> {
  rows.length = 0;
  for (let step = 0; step < (SECONDS * 1000) / STEP_MILLIS; step++) {
    let text = '';
    for (let i = 0; i < vms; i++) {
      const status = step % 2 === 0 ? 'powering_up' : 'up';
      text += event('delta', { entity: 'vm', change: 'changed', id: `id-${i}`, vm: { id: `id-${i}`, status, revision: ++revision } });
    }
    push(text);
    await settle();
    await pass(STEP_MILLIS);
  }
  return [...rows];
}

let revision = 1;
await import('../../main/web/worker/main');
send({ type: 'open', base: 'http://engine.example/', waits: false });
send({ type: 'query', query: { search: '', sort: 'name', descending: false } });
await settle();
const all = Array.from({ length: VMS }, (_, i) => i);
push(event('snapshot', {
  vms: {
    count: VMS,
    columns: { id: all.map(i => `id-${i}`), name: all.map(i => `vm-${i}`), status: all.map(() => 'up'), revision: { least: 1, more: all.map(() => 0) } },
  },
}) + event('snapshot-end', {}));
await settle();
await pass(5000);

rows.length = 0;
send({ type: 'window', from: 0, to: SCREEN });
if (rows.length !== 1 || rows[0]!.asked || rows[0]!.rows.length !== SCREEN) fail(`the window is answered by ${JSON.stringify(rows).slice(0, 200)}`);

const few = await change(3);
if (few.some(each => each.asked)) fail('changes by themselves answer the user');
// A rebuild of the list each half second, and rows each quarter of a second.
if (few.length < 3 * SECONDS) fail(`a few rows that change are sent ${few.length} times in ${SECONDS} s`);
const many = await change(SCREEN);
if (many.length < 2 * SECONDS - 1 || many.length > 2 * SECONDS + 2) fail(`a screen that changes is sent ${many.length} times in ${SECONDS} s`);
if (many.some(each => each.rows.filter(row => row !== null).length < SCREEN / 2)) fail('a screen that changes is sent in parts');

rows.length = 0;
send({ type: 'select', how: 'only', index: 0, id: 'id-0' });
if (rows.length !== 1 || !rows[0]!.asked) fail('the answer to a click is no answer to the user');

rows.length = 0;
send({ type: 'query', query: { search: 'vm-1', sort: 'name', descending: false } });
if (rows.length !== 1 || !rows[0]!.asked) fail('the answer to a search is no answer to the user');

let steps = 0;
for (const _ of rehearsal()) steps++;
if (steps < 100) fail(`the rehearsal has only ${steps} steps: they are long`);
process.exit(0);
