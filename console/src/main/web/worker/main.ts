// The worker: it holds all VMs, follows the stream, finds and sorts, and tells the page about the
// rows that are on its screen.
import type { AuditEntry, FromWorker, Host, LinkState, Row, ToWorker } from '../protocol';
import { readEvents, Refused } from '../sse';
import { Store, type VmMessage } from './store';

/** What of a worker's global scope is used; the page's types are the page's. */
declare const self: {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  setTimeout(run: () => void, millis: number): number;
  setInterval(run: () => void, millis: number): number;
};

const FIELDS = 'id,name,status,hostId,clusterId,guestIps,fqdn,pauseStatus,exitStatus,observedAt,revision';
const SPACING_MILLIS = 25; // two frames at 60 Hz are 33 ms: changes in between come together
const HEARTBEATS_MILLIS = 25_000; // two and a half of the default interval of stillwater.stream.heart-beat
const RETRY_MILLIS = [250, 500, 1000, 2000, 5000];
const ROWS_MILLIS = 50;
const HOSTS_MILLIS = 500;
const VISIBLE_MILLIS = 4000;
const ALL_USAGE_MILLIS = 15_000;
const LEAST_REBUILD_MILLIS = 250;
const REBUILD_SHARE = 10; // a rebuild takes at most a tenth of the worker's time
const MOST_EVENTS = 500;
const MOST_LOOKED_AT = 120;

const store = new Store();
let base = '';
let lastId = '';
let from = 0;
let to = 60;
let toldSlots = new Map<number, number>();
let toldMatched = -1;
let rebuiltAt = 0;
let rebuildCost = 0;
let rebuildTimer = 0;
let rowsTimer = 0;
let hostsTimer = 0;
let loggedOut = false;
let logins = 0; // a refusal of what was sent before the last login says nothing about it
let allUsage = false;
let lostAt = 0;
let snapshot: { vms: Set<string>; hosts: Set<string> } | null = null;

const tell = (message: FromWorker, transfer: Transferable[] = []) => self.postMessage(message, transfer);
const answer = (ask: number, value: unknown, transfer: Transferable[] = []) => tell({ type: 'answer', ask, value }, transfer);

function link(state: LinkState, detail = ''): void {
  if (state === 'lost' && lostAt === 0) lostAt = Date.now();
  if (state === 'live') lostAt = 0;
  tell({ type: 'link', state, loaded: snapshot?.vms.size ?? store.total, sinceMillis: lostAt, detail });
}

/** Tells the rows on the screen that are others than before, or all of them. */
function tellRows(all: boolean): void {
  const now = Date.now();
  const last = Math.min(to, store.matched);
  const slots = new Map<number, number>();
  const rows: (Row | null)[] = [];
  let told = all || store.matched !== toldMatched || last - from !== toldSlots.size;
  for (let i = from; i < last; i++) {
    const slot = store.slotAt(i);
    slots.set(i, slot);
    const same = !all && toldSlots.get(i) === slot && !store.changed.has(slot);
    rows.push(same ? null : store.row(i, now));
    told ||= !same;
  }
  store.changed.clear();
  toldSlots = slots;
  toldMatched = store.matched;
  if (told) tell({ type: 'rows', from, matched: store.matched, rows });
}

function tellCounts(): void {
  const { statuses, trouble } = store.statusCounts();
  tell({
    type: 'counts',
    total: store.total,
    matched: store.matched,
    selected: store.selectedCount,
    statuses,
    trouble,
    error: store.error,
  });
}

function rebuild(): void {
  clearTimeout(rebuildTimer);
  rebuildTimer = 0;
  const begin = performance.now();
  store.rebuild();
  rebuildCost = performance.now() - begin;
  rebuiltAt = performance.now();
  tellRows(false);
  tellCounts();
}

/** Sorts and finds anew, soon: at once where a person asked for it. */
function rebuildSoon(): void {
  if (rebuildTimer !== 0) return;
  const pause = Math.max(LEAST_REBUILD_MILLIS, rebuildCost * REBUILD_SHARE);
  rebuildTimer = self.setTimeout(rebuild, Math.max(0, rebuiltAt + pause - performance.now()));
}

function changedSoon(): void {
  if (store.stale) rebuildSoon();
  if (rowsTimer === 0) {
    rowsTimer = self.setTimeout(() => {
      rowsTimer = 0;
      tellRows(false);
    }, ROWS_MILLIS);
  }
}

function hostsSoon(): void {
  if (hostsTimer === 0) {
    hostsTimer = self.setTimeout(() => {
      hostsTimer = 0;
      tell({ type: 'hosts', hosts: [...store.hosts.values()] });
    }, HOSTS_MILLIS);
  }
}

interface Delta {
  entity: 'vm' | 'host';
  change: 'added' | 'changed' | 'redefined' | 'removed';
  id: string;
  vm?: VmMessage;
  host?: Host;
}

function apply(delta: Delta): void {
  if (delta.entity === 'vm') {
    if (delta.change === 'removed') {
      store.remove(delta.id);
      snapshot?.vms.delete(delta.id);
    } else if (delta.vm) {
      store.put(delta.vm);
      snapshot?.vms.add(delta.id);
    }
  } else {
    if (delta.change === 'removed') {
      store.removeHost(delta.id);
      snapshot?.hosts.delete(delta.id);
    } else if (delta.host) {
      store.putHost(delta.host);
      snapshot?.hosts.add(delta.id);
    }
    hostsSoon();
  }
}

function told(name: string, data: string): void {
  switch (name) {
    case 'snapshot': {
      snapshot ??= { vms: new Set(), hosts: new Set() };
      const part = JSON.parse(data) as { hosts?: Host[]; vms?: VmMessage[] };
      for (const host of part.hosts ?? []) {
        store.putHost(host);
        snapshot.hosts.add(host.id);
      }
      for (const vm of part.vms ?? []) {
        store.put(vm);
        snapshot.vms.add(vm.id);
      }
      if (part.hosts) hostsSoon();
      link('loading');
      break;
    }
    case 'snapshot-end':
      if (snapshot) store.keepOnly(snapshot.vms, snapshot.hosts);
      snapshot = null;
      link('live');
      hostsSoon();
      void loadEvents();
      void loadClusters();
      break;
    case 'delta':
      apply(JSON.parse(data) as Delta);
      break;
    case 'audit':
      tell({ type: 'events', entries: [(JSON.parse(data) as { entry: AuditEntry }).entry] });
      break;
  }
  changedSoon();
}

/** A pause before the next attempt, which ends when the network is back. */
const pause = (millis: number) => new Promise<void>(go => {
  self.setTimeout(go, millis);
  wake = go;
});
let wake: () => void = () => undefined;
let reading: AbortController | null = null;
let goOn: (() => void) | null = null;

/** The login has ended: nothing is asked until the page says that there is a new one. */
async function awaitLogin(): Promise<void> {
  if (!loggedOut) {
    loggedOut = true;
    tell({ type: 'login' });
  }
  await new Promise<void>(resume => {
    const before = goOn;
    goOn = () => {
      before?.();
      resume();
    };
  });
}

async function follow(): Promise<void> {
  let attempt = 0;
  for (;;) {
    const abort = new AbortController();
    reading = abort;
    const before = logins;
    let heardAt = Date.now();
    const watch = self.setInterval(() => {
      if (Date.now() - heardAt > HEARTBEATS_MILLIS) abort.abort();
    }, 1000);
    try {
      const headers: Record<string, string> = lastId === '' ? {} : { 'Last-Event-ID': lastId };
      await readEvents(
        `${base}api/v1/stream?fields=${FIELDS}&spacing=${SPACING_MILLIS}`,
        headers,
        abort.signal,
        event => {
          if (event.id !== '') lastId = event.id;
          told(event.name, event.data);
        },
        () => {
          heardAt = Date.now();
          if (attempt > 0 || lostAt > 0) {
            attempt = 0;
            if (!snapshot) link('live');
          }
        },
      );
      link('lost', '');
    } catch (failure) {
      if (failure instanceof Refused && failure.status === 401) {
        link('lost', '');
        if (before === logins) await awaitLogin();
        attempt = 0;
        continue;
      }
      if (failure instanceof Refused && failure.status === 403) {
        link('refused', failure.message);
      } else {
        link('lost', failure instanceof Refused ? failure.message : '');
      }
    } finally {
      clearInterval(watch);
    }
    // Half a snapshot is read again from its beginning.
    if (snapshot) {
      snapshot = null;
      lastId = '';
    }
    await pause(RETRY_MILLIS[Math.min(attempt, RETRY_MILLIS.length - 1)]!);
    attempt++;
  }
}

async function ask<T>(path: string): Promise<T | null> {
  const before = logins;
  try {
    const reply = await fetch(base + path, { headers: { Accept: 'application/json' }, credentials: 'same-origin' });
    if (reply.status === 401) {
      if (before !== logins) return await ask(path);
      if (!loggedOut) {
        loggedOut = true;
        tell({ type: 'login' });
      }
      return null;
    }
    return reply.ok ? ((await reply.json()) as T) : null;
  } catch {
    return null; // the stream shows that the connection is lost
  }
}

async function loadEvents(): Promise<void> {
  const page = await ask<{ items: AuditEntry[] }>(`api/v1/events?limit=${MOST_EVENTS}`);
  if (page) tell({ type: 'events', entries: page.items });
}

async function loadClusters(): Promise<void> {
  const page = await ask<{ items: { id: string; name: string }[] }>('api/v1/clusters');
  for (const cluster of page?.items ?? []) store.clusterNames.set(cluster.id, cluster.name);
  store.stale = true;
  changedSoon();
}

interface Aged<T> {
  value: T | null;
  ageSeconds: number | null;
  state: 'current' | 'stale' | 'unknown';
}
interface LookedAt {
  id: Aged<string>;
  status: Aged<string>;
  statistics: { usageCpuPercent: Aged<number>; usageMemoryPercent: Aged<number>; cpuHistory: Aged<number[]> };
}

/** Looks at the VMs on the screen: their usage and how old their reports are. */
async function lookAtVisible(): Promise<void> {
  const ids = [];
  for (let i = from; i < Math.min(to, store.matched, from + MOST_LOOKED_AT); i++) ids.push(store.idOf(store.slotAt(i)));
  if (ids.length === 0 || loggedOut || lostAt > 0) return;
  const at = Date.now();
  const page = await ask<{ items: LookedAt[] }>(
    `api/v1/vms?age=true&limit=${ids.length}&fields=id,status,statistics.usageCpuPercent,statistics.usageMemoryPercent,statistics.cpuHistory&id=${ids.join(',')}`,
  );
  for (const vm of page?.items ?? []) {
    if (!vm.id.value) continue;
    store.setUsage(vm.id.value, {
      cpu: vm.statistics.usageCpuPercent.state === 'current' ? vm.statistics.usageCpuPercent.value ?? -1 : -1,
      memory: vm.statistics.usageMemoryPercent.state === 'current' ? vm.statistics.usageMemoryPercent.value ?? -1 : -1,
      history: vm.statistics.cpuHistory.value ?? [],
      age: vm.status.ageSeconds === null ? -1 : vm.status.ageSeconds * 1000,
      stale: vm.status.state === 'stale',
      at,
    });
  }
  changedSoon();
}

/** The usage of all, where they are sorted or coloured by it. */
async function lookAtAll(): Promise<void> {
  if (!allUsage || loggedOut || lostAt > 0) return;
  const page = await ask<{ items: { id: string; usageCpuPercent: number | null; usageMemoryPercent: number | null }[] }>(
    'api/v1/statistics/vms?fields=id,usageCpuPercent,usageMemoryPercent',
  );
  for (const vm of page?.items ?? []) store.setNumbers(vm.id, vm.usageCpuPercent ?? -1, vm.usageMemoryPercent ?? -1);
  changedSoon();
}

function useAll(on: boolean): void {
  if (on && !allUsage) {
    allUsage = true;
    void lookAtAll();
  }
  allUsage = on;
}

let mapAsksForUsage = false;
let listAsksForUsage = false;
let lookTimer = 0;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.type) {
    case 'open':
      base = data.base;
      void follow();
      self.setInterval(() => void lookAtVisible(), VISIBLE_MILLIS);
      self.setInterval(() => void lookAtAll(), ALL_USAGE_MILLIS);
      self.setInterval(() => void loadClusters(), 60_000);
      break;
    case 'query':
      store.setQuery(data.query);
      listAsksForUsage = data.query.sort === 'cpu' || data.query.sort === 'memory' || store.usesNumbers;
      useAll(mapAsksForUsage || listAsksForUsage);
      rebuild();
      break;
    case 'usage':
      mapAsksForUsage = data.on;
      useAll(mapAsksForUsage || listAsksForUsage);
      break;
    case 'ordered':
      store.setOrdered(data.action, data.ids);
      tellRows(false);
      break;
    case 'window':
      from = Math.max(0, data.from);
      to = data.to;
      tellRows(true);
      clearTimeout(lookTimer);
      lookTimer = self.setTimeout(() => void lookAtVisible(), 200);
      break;
    case 'select':
      store.select(data.how, data.index, data.id);
      if (store.stale) rebuild();
      else {
        tellRows(true);
        tellCounts();
      }
      break;
    case 'selected':
      answer(data.ask, store.selectedIds());
      break;
    case 'vms':
      answer(data.ask, store.describe(data.ids));
      break;
    case 'find':
      answer(data.ask, store.find(data.text, data.limit));
      break;
    case 'values':
      answer(data.ask, store.values(data.key, data.text, data.limit));
      break;
    case 'network':
      // A network that is gone closes no connection: without this the silence would be noticed late.
      if (data.online) wake();
      else reading?.abort();
      break;
    case 'slot':
      answer(data.ask, store.describe([store.idOf(data.slot)])[0]);
      break;
    case 'map': {
      const map = store.map(data.by);
      answer(data.ask, map, [map.slots.buffer, map.colours.buffer]);
      break;
    }
    case 'resume': {
      logins++;
      loggedOut = false;
      const resume = goOn;
      goOn = null;
      resume?.();
      void loadClusters();
      break;
    }
  }
};
