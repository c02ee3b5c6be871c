// The page's side of the worker: sends requests, keeps the last answers, and notifies listeners.
import type { AuditEntry, Found, FromWorker, Host, MapData, MapVm, Query, SelectedVms, Suggestion, ToWorker } from '../protocol';
import { rowOf, type FirstVms } from '../first';
import { base } from './api';
import { isUsual } from './route';

type Told<T extends FromWorker['type']> = Extract<FromWorker, { type: T }>;

const MOST_EVENTS = 500;

declare const WORKER: string; // the worker's file, beside this one; filled in by the build

const FIRST_MILLIS = 1000; // all VMs wait for the first ones no longer
const FRAME_MILLIS = 100; // a hidden page draws no frames

let worker: Worker | null = null;
const early: ToWorker[] = []; // for the worker that has not begun
const looking = new Map<string, Set<(message: never) => void>>();
const waiting = new Map<number, (value: unknown) => void>();
let asked = 0;
let answered = false; // whether the worker has sent rows

export const state = {
  link: { type: 'link', state: 'wait', loaded: 0, sinceMillis: 0, detail: '' } as Told<'link'>,
  counts: { type: 'counts', total: 0, matched: 0, selected: 0, statuses: [], trouble: 0, error: null } as Told<'counts'>,
  hosts: [] as Host[],
  events: [] as AuditEntry[],
};

export function on<T extends FromWorker['type']>(type: T, look: (message: Told<T>) => void): () => void {
  const all = looking.get(type) ?? new Set();
  looking.set(type, all);
  all.add(look as (message: never) => void);
  return () => all.delete(look as (message: never) => void);
}

function told({ data }: MessageEvent<FromWorker>): void {
  switch (data.type) {
    case 'rows':
      answered = true;
      break;
    case 'link':
      state.link = data;
      break;
    case 'counts':
      state.counts = data;
      break;
    case 'hosts':
      state.hosts = data.hosts;
      break;
    case 'events': {
      const all = new Map((data.anew ? data.entries : [...data.entries, ...state.events]).map(entry => [entry.id, entry]));
      state.events = [...all.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.id - a.id)).slice(0, MOST_EVENTS);
      break;
    }
    case 'answer':
      waiting.get(data.ask)?.(data.value);
      waiting.delete(data.ask);
      return;
  }
  tell(data);
}

const tell = (message: FromWorker) => looking.get(message.type)?.forEach(look => look(message as never));

/** Shows the first rows of the usual list, which the document requests together with this script. */
async function showFirst(): Promise<void> {
  const { href } = document.querySelector<HTMLLinkElement>('link[rel=preload][as=fetch]')!;
  const found = await fetch(href, { credentials: 'same-origin' })
    .then(reply => (reply.ok ? (reply.json() as Promise<FirstVms>) : null))
    .catch(() => null);
  const vms = found?.items ?? [];
  send({ type: 'first', vms });
  if (answered || vms.length === 0 || !isUsual()) return;
  const total = found?.total ?? vms.length;
  state.counts = { ...state.counts, total, matched: total };
  tell({ type: 'rows', from: 0, matched: total, rows: vms.map(rowOf), asked: true });
  tell(state.counts);
}

function send(message: ToWorker): void {
  if (worker) worker.postMessage(message);
  else early.push(message);
}

/** Begins to read all VMs. */
function begin(): void {
  if (worker) return;
  worker = new Worker(new URL(WORKER, import.meta.url), { type: 'module', name: 'stillwater-store' });
  worker.onmessage = told;
  worker.postMessage({ type: 'open', base, waits: isUsual() } satisfies ToWorker);
  for (const message of early.splice(0)) worker.postMessage(message);
}

// The page keeps the orders itself: a row shows its order in the frame after the click, however busy the worker is.
const orders = new Map<string, string>();
let showOrders: (vms: ReadonlySet<string>) => void = () => undefined;

/** The action that this page has ordered for a VM and that has not ended; empty if there is none. */
export const orderOf = (vm: string): string => orders.get(vm) ?? '';

/** Calls with the VMs whose orders are others. */
export function onOrders(show: (vms: ReadonlySet<string>) => void): void {
  showOrders = show;
}

/** The page has ordered an action for VMs; without an action, its orders for them have ended. */
export function ordered(action: string, vms: string[]): void {
  const others = new Set(vms.filter(vm => orderOf(vm) !== action));
  for (const vm of others) {
    if (action === '') orders.delete(vm);
    else orders.set(vm, action);
  }
  if (others.size > 0) showOrders(others);
}

const after = (millis: number) => new Promise<void>(go => setTimeout(go, millis));
const frame = () => new Promise<void>(go => requestAnimationFrame(() => go()));

type Asking = Extract<ToWorker, { ask: number }>;
type WithoutAsk<M> = M extends { ask: number } ? Omit<M, 'ask'> : never;

function ask<T>(message: WithoutAsk<Asking>): Promise<T> {
  const number = ++asked;
  return new Promise<T>(go => {
    waiting.set(number, go as (value: unknown) => void);
    send({ ...message, ask: number } as ToWorker);
  });
}

/** Opens the list. The first rows come before all others: reading these takes the processor for a second. */
export async function open(): Promise<void> {
  const first = showFirst();
  if (isUsual()) {
    await Promise.race([first, after(FIRST_MILLIS)]);
    await Promise.race([frame().then(frame), after(FRAME_MILLIS)]);
  }
  begin();
}
let queried: Query | null = null;
/** Asks for another list; the same question again is none. */
export function query(wanted: Query): void {
  if (queried?.search === wanted.search && queried.sort === wanted.sort && queried.descending === wanted.descending) return;
  queried = wanted;
  send({ type: 'query', query: wanted });
  if (wanted.search !== '' || wanted.sort !== 'trouble') begin();
}
export const look = (from: number, to: number) => send({ type: 'window', from, to });
export const select = (how: 'only' | 'toggle' | 'range' | 'all' | 'none', index = -1, id = '') => send({ type: 'select', how, index, id });
/** What the map is coloured by; empty for no map. */
export const colour = (by: string) => send({ type: 'colour', by });
export const events = (wanted: boolean) => send({ type: 'events', on: wanted });
export const network = (online: boolean) => send({ type: 'network', online });
export const resume = () => send({ type: 'resume' });
export const selected = () => ask<string[]>({ type: 'selected' });
export const selection = () => ask<SelectedVms>({ type: 'selection' });
export const vms = (ids: string[]) => ask<{ id: string; name: string; status: string; host: string }[]>({ type: 'vms', ids });
export const find = (words: string, limit: number) => ask<Found[]>({ type: 'find', text: words, limit });
export const values = (key: string, words: string, limit: number) => ask<Suggestion[]>({ type: 'values', key, text: words, limit });
export const map = (by: string) => ask<MapData>({ type: 'map', by });
export const slot = (at: number) => ask<MapVm | undefined>({ type: 'slot', slot: at });
